// Bytes of files, pipes and web pages, never more than there is room for: sizes are checked while reading, so that a huge
// input is refused at once and never held in memory.

import { createReadStream, statSync } from "node:fs";
import { TuttiError, usageError } from "../../base/errors.ts";

const MOST_TEXT_BYTES = 1_048_576;
/** All images and documents together: what providers take in one request, before it is encoded. */
const MOST_ATTACHED_BYTES = 5 * 1_048_576;

/** What is left of the bounds, in bytes. */
export interface Room {
  text: number;
  attached: number;
}

export function createRoom(): Room {
  return { text: MOST_TEXT_BYTES, attached: MOST_ATTACHED_BYTES };
}

export function take(room: Room, piece: string | Uint8Array, kind: keyof Room): void {
  room[kind] -= Buffer.byteLength(piece);
  if (room[kind] < 0) throw tooLarge(kind);
}

function tooLarge(kind: keyof Room): TuttiError {
  return kind === "text"
    ? usageError("the question is too large: with standard input and text files it may have 1 MB at the most")
    : usageError("the images are too large: together with PDF files they may have 5 MB at the most");
}

export async function readBytes(
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

export async function readFileBytes(path: string, room: Room, kind: keyof Room): Promise<Buffer> {
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

export function toText(bytes: Uint8Array, name: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Said below: both are the same to the user.
  }
  throw usageError(`${name} is not text in UTF-8. Images may be png, jpg, webp or gif; documents PDF.`);
}
