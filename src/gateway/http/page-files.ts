// The files of the dashboard, read once from the folder that the build wrote: what is served is a fixed list, so
// no address can name another file. Compressed when somebody first wants them so.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { findBuilt } from "./built-files.ts";

export interface PageFile {
  type: string;
  bytes: Buffer;
  /** Absent where it would not be smaller. */
  gzip?: Buffer;
  /** Its name changes with its content: it may be kept for ever. */
  isHashed: boolean;
}

export interface PageFiles {
  index: PageFile;
  /** `path` as in an address, without the first slash: "assets/index-Bx3k2a9Q.js". */
  find(path: string): PageFile | undefined;
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
};
const HASHED = /^assets\/.+-[\w-]{8}\.\w+$/;
const LEAST_TO_COMPRESS = 1_024;

/** Undefined where the dashboard was not built. */
export function readPageFiles(folder = pageFolder()): PageFiles | undefined {
  if (folder === undefined) return undefined;
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || !type) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join("/");
    files.set(path, toPageFile(readFileSync(file), type, HASHED.test(path)));
  }
  const index = files.get("index.html");
  return index && { index, find: (path) => files.get(path) };
}

function pageFolder(): string | undefined {
  const index = findBuilt("web/index.html");
  return index === undefined ? undefined : dirname(index);
}

function toPageFile(bytes: Buffer, type: string, isHashed: boolean): PageFile {
  let packed: Buffer | undefined;
  return {
    type,
    bytes,
    get gzip() {
      if (bytes.length < LEAST_TO_COMPRESS || /^image\/(?!svg)|^font/.test(type)) return undefined;
      packed ??= gzipSync(bytes);
      return packed.length < bytes.length ? packed : undefined;
    },
    isHashed,
  };
}
