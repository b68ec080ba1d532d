// Lines of a file, also of a compressed one (by its ending), as a stream: a file may be larger than memory, and a
// stranger's may pretend to be small.

import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { checkHeap, checkInflated, checkLine } from "./bounds.ts";
import { badFile } from "./problems.ts";

const CHUNK_BYTES = 1 << 18;

/** `line` counts from 1. */
export type OnLine = (text: string, line: number) => void;

/** Lines end with \n, \r\n or \r, also mixed in one file: none of them can stand inside a JSON text. */
export async function readLines(file: string, onLine: OnLine): Promise<void> {
  await readChunks(file, (chunks) => splitLines(file, chunks, onLine));
}

/** `file` is whose lines these are, for messages. */
export async function splitLines(file: string, chunks: AsyncIterable<Buffer>, onLine: OnLine): Promise<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 0;
  // Parts of a line that has not ended yet: joined once, however many chunks it has.
  let open: string[] = [];
  let openCharacters = 0;
  const take = (text: string) => {
    const lines = text.includes("\r") ? text.split(/\r\n|\n|\r/) : text.split("\n");
    const last = lines.pop()!;
    openCharacters += lines[0]?.length ?? last.length;
    checkLine(file, line + 1, openCharacters);
    if (lines.length === 0) return void open.push(last);
    lines[0] = open.join("") + lines[0]!;
    open = [last];
    openCharacters = last.length;
    for (const each of lines) onLine(each, ++line);
    checkHeap(file, line);
  };
  let held = "";
  for await (const chunk of chunks) {
    const text = held + decoder.decode(chunk, { stream: true });
    // Whether a \r ends a line alone or with the \n after it is seen with the next chunk.
    held = text.endsWith("\r") ? "\r" : "";
    take(held === "" ? text : text.slice(0, -1));
  }
  take(held + decoder.decode());
  const rest = open.join("");
  if (rest !== "") onLine(rest, ++line);
}

/** The bytes of a file, decompressed by its ending; failures say what is wrong with the file. */
export async function readChunks(
  file: string,
  consume: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  // What the pipeline itself says of a reader that stops in the middle is only that it stopped.
  let failure: unknown;
  const take = (chunks: AsyncIterable<Buffer>) =>
    consume(chunks).catch((error: unknown) => {
      failure = error;
      throw error;
    });
  try {
    if (!file.endsWith(".gz")) await pipeline(source, take);
    else
      await pipeline(source, createGunzip({ chunkSize: CHUNK_BYTES }), (chunks: AsyncIterable<Buffer>) =>
        take(countInflated(file, chunks, () => source.bytesRead)),
      );
  } catch (error) {
    throw toFileError(file, failure ?? error);
  }
}

async function* countInflated(
  file: string,
  chunks: AsyncIterable<Buffer>,
  packedBytes: () => number,
): AsyncIterable<Buffer> {
  let inflatedBytes = 0;
  for await (const chunk of chunks) {
    inflatedBytes += chunk.length;
    checkInflated(file, inflatedBytes, packedBytes());
    yield chunk;
  }
}

function toFileError(file: string, error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "Z_BUF_ERROR")
    return badFile(`${file}: its gzip data ends too early; the file is not complete`, error);
  if (code.startsWith("Z_")) return badFile(`${file}: not valid gzip data: ${message}`, error);
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return badFile(`${file}: not UTF-8 text`, error);
  if (/^E[A-Z]+$/.test(code)) return badFile(`${file}: cannot be read: ${message}`, error);
  return error;
}
