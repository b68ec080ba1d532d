// Folders and files for their owner's eyes only: questions, replies, keys and what was learned from them. The modes
// stand here alone, and a umask that allows more does not widen them.
// Not covered: what was there before keeps its mode, and systems without POSIX modes keep their own rules.

import { mkdirSync, writeFileSync } from "node:fs";

const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** Also the folders above it that are missing. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
}

export function writePrivateFile(path: string, content: string | Uint8Array): void {
  writeFileSync(path, content, { mode: PRIVATE_FILE });
}
