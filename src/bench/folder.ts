// The folder of a bench: rows as they come (`*.jsonl`), what was measured (`bench.json`), the results and the
// report. A bench that was stopped goes on in its folder; one with other settings is refused there.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../base/errors.ts";
import { AppendFile, readAppended } from "../files/append-file.ts";
import { readWhole } from "../files/bounds.ts";
import { makePrivateFolder, writePrivateFile } from "../files/private.ts";
import type { BenchRow } from "./types.ts";

/** Rows that were kept before, and a way to keep more. */
export interface RowFile {
  readonly rows: readonly BenchRow[];
  append(row: BenchRow): void;
}

/** test: what is reported. training: workers alone, for fitting. alone: for the oracle. equal: more samples of the best. */
export type RowFileName = "rows" | "training" | "alone" | "equal";

export interface BenchFolder {
  file(name: RowFileName): RowFile;
}

/** What must be the same for rows to belong together. */
export type BenchIdentity = Record<string, string | number | boolean | string[] | null>;

export class DiskFolder implements BenchFolder {
  readonly path: string;
  readonly #files = new Map<RowFileName, RowFile>();
  readonly #open: AppendFile<FileRow>[] = [];

  /** Makes it, or goes on with it when it holds the same bench. */
  constructor(path: string, identity: BenchIdentity) {
    this.path = path;
    const before = readIdentity(path);
    if (before) refuseOther(path, before, identity);
    makePrivateFolder(path);
    if (!before) this.write("bench.json", toText({ identity }));
  }

  file(name: RowFileName): RowFile {
    const known = this.#files.get(name);
    if (known) return known;
    const path = join(this.path, `${name}.jsonl`);
    const rows = readRows(path);
    const opened = new AppendFile<FileRow>(path);
    this.#open.push(opened);
    const file: RowFile = {
      rows,
      append(row) {
        rows.push(row);
        opened.append(toFileRow(row));
      },
    };
    this.#files.set(name, file);
    return file;
  }

  write(name: string, text: string): void {
    writePrivateFile(join(this.path, name), text);
  }

  /** What is said about the bench beside its identity. */
  describe(identity: BenchIdentity, statement: object): void {
    this.write("bench.json", toText({ identity, ...statement }));
  }

  close(): void {
    for (const file of this.#open.splice(0)) file.close();
    this.#files.clear();
  }
}

/** For measurements that nobody goes on with. */
export function createMemoryFolder(): BenchFolder {
  const files = new Map<RowFileName, RowFile>();
  return {
    file(name) {
      const rows: BenchRow[] = [];
      const file = files.get(name) ?? { rows, append: (row) => void rows.push(row) };
      files.set(name, file);
      return file;
    },
  };
}

/** A free name for a new bench; a stopped one of the same kind is gone on with. */
export function chooseFolder(wish: string, identity: BenchIdentity): string {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wish : `${wish}-${number}`;
    if (!existsSync(path)) return path;
    const before = readIdentity(path);
    if (before && isSame(before, identity) && !existsSync(join(path, "results.json"))) return path;
  }
}

/** One of several benches that share a folder: its sub-folder. */
export interface BenchPart {
  name: string;
  identity: BenchIdentity;
}

/** The same for several benches in sub-folders: gone on with while one of them is not finished. */
export function chooseParent(wish: string, parts: readonly BenchPart[]): string {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wish : `${wish}-${number}`;
    if (!existsSync(path)) return path;
    const before = parts.map(({ name, identity }) => {
      const found = readIdentity(join(path, name));
      return { isOurs: found !== undefined && isSame(found, identity), found };
    });
    const isFinished = parts.every(({ name }) => existsSync(join(path, name, "results.json")));
    const isFree = before.every(({ isOurs, found }) => isOurs || found === undefined);
    if (isFree && !isFinished && before.some(({ isOurs }) => isOurs)) return path;
  }
}

/** Folders for sets: their names as far as a file system takes them, and no two alike. */
export function toFolderNames(sets: readonly string[]): string[] {
  // The page over all of them lies beside them.
  const taken = new Set(["index.html"]);
  return sets.map((set) => {
    const plain = set.replace(/[^\w.-]+/g, "-").replace(/^\.+/, "") || "set";
    let name = plain;
    // Some file systems do not tell capitals from small letters.
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${plain}-${number}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** Rows of a finished or stopped bench; those of Conductors that it refused in the end are left out. */
export function readFolder(path: string): {
  rows: BenchRow[];
  seed: number;
  set: string;
  isSimulated: boolean;
} {
  const identity = readIdentity(path);
  if (!identity) throw usageError(`${path} is not a folder of a bench: it has no bench.json`);
  const { refused = [], isSimulated = false } = JSON.parse(
    readWhole(join(path, "bench.json")).toString("utf8"),
  ) as {
    refused?: { conductor: string }[];
    isSimulated?: boolean;
  };
  const left = new Set(refused.map(({ conductor }) => conductor));
  const rows = readRows(join(path, "rows.jsonl")).filter(({ conductor }) => !left.has(conductor));
  if (rows.length === 0) throw usageError(`${path} holds no rows yet`);
  return { rows, seed: Number(identity.seed ?? 0), set: String(identity.set ?? ""), isSimulated };
}

/** A row as the file has it, where the family is called `subtask`. */
type FileRow = Omit<BenchRow, "family"> & { subtask: string };

function toFileRow({ conductor, set, task, category, family: subtask, ...rest }: BenchRow): FileRow {
  return { conductor, set, task, category, subtask, ...rest };
}

function fromFileRow({ conductor, set, task, category, subtask: family, ...rest }: FileRow): BenchRow {
  return { conductor, set, task, category, family, ...rest };
}

/** What was measured twice counts as it was last. */
function readRows(path: string): BenchRow[] {
  const rows = readAppended(path).map((row) => fromFileRow(row as unknown as FileRow));
  return [...new Map(rows.map((row) => [`${row.conductor}\n${row.task}`, row])).values()];
}

function readIdentity(path: string): BenchIdentity | undefined {
  const file = join(path, "bench.json");
  if (!existsSync(file)) return undefined;
  try {
    return (JSON.parse(readWhole(file).toString("utf8")) as { identity: BenchIdentity }).identity;
  } catch (error) {
    throw usageError(`${file} cannot be read: choose another folder with --out`, error);
  }
}

function refuseOther(path: string, before: BenchIdentity, identity: BenchIdentity): void {
  const other = Object.keys(identity).find((key) => !isEqual(before[key], identity[key]));
  if (other === undefined) return;
  const [then, now] = [before, identity].map((each) => shorten(JSON.stringify(each[other])));
  throw usageError(
    `${path} holds another bench: its ${other} is ${then}, not ${now}. Choose another folder with --out`,
  );
}

function shorten(text = "unknown"): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function isSame(a: BenchIdentity, b: BenchIdentity): boolean {
  return Object.keys(b).every((key) => isEqual(a[key], b[key]));
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function toText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
