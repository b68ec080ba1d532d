// Writing a file so that it is there in full or not at all. A training writes its checkpoint over the last one:
// when the disk fills or the process dies half-way, the last one must still be whole.

import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isTuttiError, messageOf, TuttiError } from "../base/errors.ts";
import { PRIVATE_FILE } from "./private.ts";

const CAUSES: Record<string, string> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EACCES: "writing there is not allowed",
  EPERM: "writing there is not allowed",
  EROFS: "the file system is read-only",
  ENOENT: "the folder does not exist",
  ENOTDIR: "a part of the path is a file, not a folder",
  EISDIR: "there is a folder of that name",
  ENAMETOOLONG: "the name is too long",
};

/** What is used of the file system; tests put one in its place that fails. */
export interface WriteSystem {
  open(path: string, flags: string, mode?: number): Promise<Pick<FileHandle, "writeFile" | "sync" | "close">>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

/**
 * For its owner's eyes only, also where it replaces a file that others could read. Readers see the old file or the new one,
 * never a part, and after a failure the old one is unchanged. What does not fit into memory is a function that writes piece
 * after piece. Not covered: a process that is killed can leave its temporary file (`.name.….tmp`), which nothing reads.
 */
export async function writeFileSafely(
  path: string,
  content: Uint8Array | ((write: (bytes: Uint8Array) => Promise<void>) => Promise<void>),
  system: WriteSystem = { open, rename, unlink },
): Promise<void> {
  const folder = dirname(path);
  // A name of its own for every write: two writers of one path must not write into the same draft.
  const draft = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await system.open(draft, "wx", PRIVATE_FILE);
    try {
      // Each piece goes behind the one before.
      if (typeof content === "function") await content((bytes) => file.writeFile(bytes));
      else await file.writeFile(content);
      // Before the new name: some file systems would else have the name on the disk before the bytes.
      await file.sync();
    } finally {
      await file.close();
    }
    await system.rename(draft, path);
  } catch (cause) {
    await system.unlink(draft).catch(() => {});
    if (isTuttiError(cause)) throw cause; // of whoever makes the content
    throw new TuttiError("write-failed", `${path} could not be written: ${explain(cause)}.`, { cause });
  }
  await syncFolder(folder, system);
}

/** Makes the new name last through a loss of power. Not every system can do it, and the file is whole anyway. */
async function syncFolder(folder: string, system: WriteSystem): Promise<void> {
  try {
    const handle = await system.open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file itself is written; a caller could do nothing about this.
  }
}

function explain(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return CAUSES[code] ?? messageOf(cause);
}
