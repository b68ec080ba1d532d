// The question as the command is given it: words, standard input and files, made into one message.
// Sizes are checked while reading, so that a huge input is refused at once and never held in memory.

import { createReadStream, statSync } from "node:fs";
import { basename, extname } from "node:path";
import { TuttiError, usageError } from "../../base/errors.ts";
import type { Message, Part } from "../../worker/types.ts";

const MOST_TEXT_BYTES = 1_048_576;
/** All images together: what providers take in one request, before it is encoded. */
const MOST_IMAGE_BYTES = 5 * 1_048_576;
const MEDIA_TYPES: Record<string, string> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".gif": "image/gif",
};

export interface InputSources {
  words: readonly string[];
  files: readonly string[];
  /** Piped text; absent on a terminal and where standard input has another use. */
  stdin?: AsyncIterable<Uint8Array | string>;
}

export async function readInput({ words, files, stdin }: InputSources): Promise<Message> {
  const room = { text: MOST_TEXT_BYTES, images: MOST_IMAGE_BYTES };
  const question = words.join(" ").trim();
  take(room, question);
  const texts = [question];
  const images: Part[] = [];
  if (stdin) texts.push(toText(await readBytes(stdin, room, "text"), "standard input").trim());
  for (const path of files) {
    const mediaType = MEDIA_TYPES[extname(path).toLowerCase()];
    const bytes = await readFileBytes(path, room, mediaType ? "images" : "text");
    if (mediaType)
      images.push({
        type: "image",
        image: `data:${mediaType};base64,${bytes.toString("base64")}`,
        mediaType,
      });
    else texts.push(toQuotedBlock(basename(path), toText(bytes, `"${path}"`)));
  }
  const text = texts.filter(Boolean).join("\n\n");
  if (text === "") throw usageError('there is no question. For example: tutti ask "What is 17 * 23?"');
  return { role: "user", content: images.length > 0 ? [{ type: "text", text }, ...images] : text };
}

/** A text file (a workflow) on its own, with the same limits and errors. */
export async function readTextFile(path: string): Promise<string> {
  return toText(await readFileBytes(path, { text: MOST_TEXT_BYTES, images: 0 }, "text"), `"${path}"`);
}

/** The fence is longer than any in the text, so the text cannot close it. */
function toQuotedBlock(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `File ${JSON.stringify(name)}:\n${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}

type Room = { text: number; images: number };

function take(room: Room, piece: string | Uint8Array, kind: keyof Room = "text"): void {
  room[kind] -= Buffer.byteLength(piece);
  if (room[kind] < 0) throw tooLarge(kind);
}

function tooLarge(kind: keyof Room): TuttiError {
  return kind === "text"
    ? usageError("the question is too large: with standard input and text files it may have 1 MB at the most")
    : usageError("the images are too large: together they may have 5 MB at the most");
}

async function readBytes(
  source: AsyncIterable<Uint8Array | string>,
  room: Room,
  kind: keyof Room,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // Leaving the loop by an error also closes the stream.
  for await (const chunk of source) {
    take(room, chunk, kind);
    chunks.push(Buffer.from(chunk as Uint8Array));
  }
  return Buffer.concat(chunks);
}

async function readFileBytes(path: string, room: Room, kind: keyof Room): Promise<Buffer> {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw usageError(`cannot read "${path}": it is a folder, not a file`);
    if (stat.size > room[kind]) throw tooLarge(kind);
    return await readBytes(createReadStream(path), room, kind);
  } catch (error) {
    if (error instanceof TuttiError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = { ENOENT: "there is no such file", EACCES: "permission denied" };
    throw usageError(`cannot read "${path}": ${reasons[code ?? ""] ?? message}`, error);
  }
}

function toText(bytes: Buffer, name: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Said below: both are the same to the user.
  }
  throw usageError(`${name} is not text in UTF-8. Images may be png, jpg, webp or gif.`);
}
