// The folder of a bench: rows as they come (`*.jsonl`), what was measured (`bench.json`), the results and the
// report. A bench that was stopped goes on in its folder; one with other settings is refused there.

import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../base/errors.ts";
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
  readonly #open: number[] = [];

  /** Makes it, or goes on with it when it holds the same bench. */
  constructor(path: string, identity: BenchIdentity) {
    this.path = path;
    const before = readIdentity(path);
    if (before) refuseOther(path, before, identity);
    mkdirSync(path, { recursive: true });
    if (!before) this.write("bench.json", toText({ identity }));
  }

  file(name: RowFileName): RowFile {
    const known = this.#files.get(name);
    if (known) return known;
    const path = join(this.path, `${name}.jsonl`);
    const { rows, isWhole } = readRows(path);
    const descriptor = openSync(path, "a");
    this.#open.push(descriptor);
    // A crash may have left half a line: what follows must not be glued to it.
    if (!isWhole) writeSync(descriptor, "\n");
    const file: RowFile = {
      rows,
      append(row) {
        rows.push(row);
        writeSync(descriptor, `${JSON.stringify(toFileRow(row))}\n`);
      },
    };
    this.#files.set(name, file);
    return file;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** What is said about the bench beside its identity. */
  describe(identity: BenchIdentity, statement: object): void {
    this.write("bench.json", toText({ identity, ...statement }));
  }

  close(): void {
    for (const descriptor of this.#open.splice(0)) closeSync(descriptor);
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
    readFileSync(join(path, "bench.json"), "utf8"),
  ) as {
    refused?: { conductor: string }[];
    isSimulated?: boolean;
  };
  const left = new Set(refused.map(({ conductor }) => conductor));
  const rows = readRows(join(path, "rows.jsonl")).rows.filter(({ conductor }) => !left.has(conductor));
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

function readRows(path: string): { rows: BenchRow[]; isWhole: boolean } {
  if (!existsSync(path)) return { rows: [], isWhole: true };
  const text = readFileSync(path, "utf8");
  const rows = new Map<string, BenchRow>();
  for (const line of text.split("\n")) {
    try {
      const row = fromFileRow(JSON.parse(line) as FileRow);
      rows.set(`${row.conductor}\n${row.task}`, row);
    } catch {
      // Half a line that a crash left, or the empty one at the end: that task is measured again.
    }
  }
  return { rows: [...rows.values()], isWhole: text === "" || text.endsWith("\n") };
}

function readIdentity(path: string): BenchIdentity | undefined {
  const file = join(path, "bench.json");
  if (!existsSync(file)) return undefined;
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { identity: BenchIdentity }).identity;
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
