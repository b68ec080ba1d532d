// Files and web pages that go with a question: text is quoted in it, images and PDF files stand beside it.

import { basename, extname } from "node:path";
import { createIsolate } from "../../isolate/isolate.ts";
import type { Part } from "../../worker/types.ts";
import { type Room, readFileBytes, take, toText } from "./bounded-read.ts";
import { fetchPage, isAddress } from "./fetch-page.ts";
import { toPlainText } from "./html-text.ts";
import type { AskJobs } from "./thread.ts";

const MEDIA_TYPES: Record<string, string> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".pdf": "application/pdf",
};
const ATTACHED = new Set(Object.values(MEDIA_TYPES));
const TEXTUAL = /^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|[\w.-]+\+(?:json|xml))$/;
/** Without a reader nobody knows how many: a page of a PDF rarely has fewer bytes. */
const PAGE_BYTES = 4_000;

const PDF_MS = 20_000;

const isolate = createIsolate<AskJobs>(new URL("./thread.js", import.meta.url));

export type Attachment = { text: string } | { part: Part };

/** A path, or an address that begins with http. */
export async function readAttachment(source: string, room: Room): Promise<Attachment> {
  if (isAddress(source)) return readPage(source, room);
  const mediaType = MEDIA_TYPES[extname(source).toLowerCase()];
  const bytes = await readFileBytes(source, room, mediaType ? "attached" : "text");
  const name = basename(source);
  if (mediaType) return toAttached(bytes, mediaType, name);
  return { text: toQuotedBlock("File", name, toText(bytes, `"${source}"`)) };
}

async function readPage(typed: string, room: Room): Promise<Attachment> {
  const roomFor = (type: string) =>
    ATTACHED.has(type) || type === "text/html" ? "attached" : TEXTUAL.test(type) ? "text" : undefined;
  const { bytes, mediaType, url } = await fetchPage(typed, room, roomFor);
  if (ATTACHED.has(mediaType)) return toAttached(bytes, mediaType, url);
  if (mediaType !== "text/html") return { text: toQuotedBlock("Page", url, toText(bytes, url)) };
  const text = toPlainText(new TextDecoder().decode(bytes));
  take(room, text, "text");
  return { text: toQuotedBlock("Page", url, text) };
}

async function toAttached(bytes: Buffer, mediaType: string, name: string): Promise<Attachment> {
  const data = `data:${mediaType};base64,${bytes.toString("base64")}`;
  if (mediaType !== "application/pdf") return { part: { type: "image", image: data, mediaType } };
  const read = await readPdf(bytes);
  const pages = read?.pages ?? Math.max(1, Math.ceil(bytes.length / PAGE_BYTES));
  return { part: { type: "file", file: data, mediaType, name, pages, text: read?.text || undefined } };
}

/** A file may unpack to anything and take for ever: it is read in a thread that is ended. Undefined where it cannot be. */
async function readPdf(bytes: Buffer): Promise<{ text: string; pages: number } | undefined> {
  // Providers that take PDF files may read it all the same.
  const ended = await isolate
    .run("readPdf", new Uint8Array(bytes), { timeoutMs: PDF_MS })
    .catch(() => undefined);
  return ended?.end === "done" ? ended.value : undefined;
}

/** The fence is longer than any in the text, so the text cannot close it. */
function toQuotedBlock(kind: string, name: string, text: string): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = "`".repeat(longest + 1);
  return `${kind} ${JSON.stringify(name)}:\n${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}
