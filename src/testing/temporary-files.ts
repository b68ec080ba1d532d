// Files for one test file, in a folder of its own outside the project.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export function createFiles() {
  const folder = mkdtempSync(join(tmpdir(), "tutti-files-"));
  /** Returns the path. Folders in the name are made. */
  function write(name: string, content: string | Buffer): string {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }
  function writeRows(name: string, ...rows: unknown[]): string {
    return write(name, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  return { folder, write, writeRows };
}
