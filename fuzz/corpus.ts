// The corpus of a target: small files of our own, one input each. Names say what they are or, where a run found them, a
// hash of their content.

import { hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("corpus/", import.meta.url));

export interface CorpusFile {
  name: string;
  input: Buffer;
}

export function readCorpus(target: string): CorpusFile[] {
  const folder = join(FOLDER, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, input: readFileSync(join(folder, name)) }));
}

/** Returns the file's path. */
export function addToCorpus(target: string, input: Buffer): string {
  const folder = join(FOLDER, target);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `found-${hash("sha256", input, "hex").slice(0, 12)}`);
  writeFileSync(file, input);
  return file;
}
