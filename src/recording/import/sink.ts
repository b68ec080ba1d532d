// Where imports end: every outcome is checked and written to a folder beside the one that is wanted, which gets its
// name only when all is well. So a bad row leaves nothing behind, and a killed import nothing that looks finished.

import { randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { usageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/suggest.ts";
import { PRIVATE_FILE, writePrivateFile } from "../../files/private.ts";
import { Problems, quote } from "../../files/problems.ts";
import { RIGHT } from "../types.ts";
import type { ImportedOutcome, ImportedTask, ImportSink } from "./types.ts";
import { toCostUsd, toCount, toScore, toText } from "./values.ts";

export interface SinkOptions {
  folder: string;
  /** Only these workers; by default all. */
  workers?: readonly string[];
  /** The score that is fully right. */
  scoreMax: number;
  /** A second outcome of a worker for a task: an error, left out, or a further sample. */
  duplicates: "refuse" | "first" | "samples";
}

/** What was imported. */
export interface ImportSummary {
  folder: string;
  tasks: number;
  outcomes: number;
  sets: { id: string; tasks: number }[];
  workers: ImportedWorker[];
  /** Outcomes that were there twice and are left out. */
  leftOut: number;
}

interface ImportedWorker {
  id: string;
  outcomes: number;
  /** Tasks without an outcome of it: a bench leaves the worker out of sets where it has gaps. */
  missing: number;
  right: number;
  /** Of all its outcomes; undefined where the source has no dollars. */
  costUsd?: number;
}

/** Characters. */
const PIECE = 1_000_000;

interface WorkerState extends ImportedWorker {
  /** How many there are by number of the task. */
  samples: Map<number, number>;
  /** Its outcomes have dollars: all of them, or none. */
  isPriced?: boolean;
}

interface Seen {
  place: string;
  key: string;
  number: number;
  set: string;
}

export class RecordingSink implements ImportSink {
  readonly #options: SinkOptions;
  readonly #draft: string;
  readonly #problems = new Problems();
  readonly #tasks = new Map<string, Seen>();
  readonly #workers = new Map<string, WorkerState>();
  readonly #files: { tasks: LineFile; outcomes: LineFile };
  /** Workers that were not wanted. */
  readonly #others = new Set<string>();
  #outcomes = 0;
  #leftOut = 0;
  #hasProblems = false;

  /** Throws where the folder is there already. */
  constructor(options: SinkOptions) {
    const { folder } = options;
    if (existsSync(folder)) throw usageError(`${folder} is there already: choose another folder with --out`);
    this.#options = options;
    const parent = dirname(folder);
    mkdirSync(parent, { recursive: true });
    this.#draft = join(parent, `.${basename(folder)}.${randomBytes(6).toString("hex")}.tmp`);
    mkdirSync(this.#draft, { mode: 0o700 });
    const open = (name: string) => new LineFile(join(this.#draft, name));
    this.#files = { tasks: open("tasks.jsonl"), outcomes: open("outcomes.jsonl") };
  }

  problem(file: string, line: number, problem: string): void {
    this.#hasProblems = true;
    this.#problems.add(file, line, problem);
  }

  add(outcome: ImportedOutcome, file: string, line: number): void {
    const { worker } = outcome;
    if (typeof worker !== "string" || worker.trim() === "") {
      this.problem(file, line, `the name of the worker must be a text, not ${quote(worker)}`);
      return;
    }
    const wanted = this.#options.workers;
    if (wanted && !wanted.includes(worker)) {
      this.#others.add(worker);
      return;
    }
    const task = this.#addTask(outcome.task, file, line);
    if (task === undefined) return;
    const known = this.#workerOf(worker);
    const before = known.samples.get(task.number) ?? 0;
    const sample = outcome.sample ?? before;
    if (sample < before || (outcome.sample === undefined && before > 0)) {
      const { duplicates } = this.#options;
      if (duplicates === "refuse") {
        const which = `an outcome of ${quote(worker)} for task ${quote(outcome.task.id)}`;
        this.problem(file, line, `${which} is there twice (--duplicates first|samples says what to do)`);
        return;
      }
      if (duplicates === "first") {
        this.#leftOut++;
        return;
      }
    }
    this.#write(outcome, known, Math.max(sample, before), file, line);
    known.samples.set(task.number, Math.max(sample, before) + 1);
  }

  #workerOf(id: string): WorkerState {
    const known = this.#workers.get(id);
    if (known) return known;
    const fresh = { id, outcomes: 0, missing: 0, right: 0, costUsd: 0, samples: new Map() };
    this.#workers.set(id, fresh);
    return fresh;
  }

  #addTask(task: ImportedTask, file: string, line: number): Seen | undefined {
    const prompt = toText(task.prompt);
    if (prompt.trim() === "") {
      this.problem(file, line, `task ${quote(task.id)} has no prompt`);
      return undefined;
    }
    const key = JSON.stringify([task.set, prompt]);
    const before = this.#tasks.get(task.id);
    if (before) {
      if (before.key === key) return before;
      this.problem(file, line, `task ${quote(task.id)} asks something else in ${before.place}`);
      return undefined;
    }
    const seen = { place: `${file}:${line}`, key, number: this.#tasks.size, set: task.set };
    this.#tasks.set(task.id, seen);
    const category = toText(task.category) || task.set;
    this.#line(this.#files.tasks, {
      ...{ id: task.id, set: task.set, category, subtask: toText(task.subtask) || category, prompt },
      ...{ choices: task.choices, answer: toText(task.answer) },
      ...{ split: task.split, contaminated: task.contaminated },
    });
    return seen;
  }

  #write(
    { task, worker, ...outcome }: ImportedOutcome,
    known: WorkerState,
    sample: number,
    file: string,
    line: number,
  ): void {
    const problems: string[] = [];
    const read = <T>(value: T | Error): T | undefined => {
      if (!(value instanceof Error)) return value;
      problems.push(value.message);
      return undefined;
    };
    const score = read(toScore(outcome.score, this.#options.scoreMax));
    const costUsd = read(toCostUsd(outcome.cost, outcome.currency));
    const inputTokens = read(toCount("input tokens", outcome.inputTokens));
    const outputTokens = read(toCount("output tokens", outcome.outputTokens));
    const durationMs = read(toCount("the duration", outcome.durationMs));
    if (problems.length > 0 || score === undefined) {
      this.problem(file, line, problems.join("; "));
      return;
    }
    known.isPriced ??= costUsd !== undefined;
    if (known.isPriced !== (costUsd !== undefined)) {
      const [here, others] = known.isPriced ? ["no cost", "one"] : ["a cost", "none"];
      this.problem(file, line, `${here} here, though other outcomes of ${quote(worker)} have ${others}`);
      return;
    }
    const answer = toText(outcome.answer);
    const reply = toText(outcome.reply);
    this.#line(this.#files.outcomes, {
      ...{ task: task.id, worker, sample, answer: answer === "" ? null : answer, score },
      ...{ tokens: outputTokens ?? 0, reply: reply === "" ? undefined : reply },
      ...{ costUsd, inputTokens, outputTokens, durationMs },
    });
    this.#outcomes++;
    known.outcomes++;
    known.right += score >= RIGHT ? 1 : 0;
    known.costUsd =
      known.costUsd === undefined || costUsd === undefined ? undefined : known.costUsd + costUsd;
  }

  /** After the first problem nothing will be kept, so nothing is written. */
  #line(file: LineFile, row: object): void {
    if (!this.#hasProblems) file.write(`${JSON.stringify(row)}\n`);
  }

  /** Gives the folder its name, or throws what was wrong and leaves nothing. */
  finish(extra: Readonly<Record<string, string>> = {}): ImportSummary {
    try {
      for (const file of Object.values(this.#files)) file.close();
      this.#problems.throwIfAny();
      this.#checkWorkers();
      if (this.#outcomes === 0) throw usageError("The source holds no outcome that could be imported");
      for (const [name, text] of Object.entries(extra)) writePrivateFile(join(this.#draft, name), text);
      renameSync(this.#draft, this.#options.folder);
    } catch (error) {
      this.discard();
      throw error;
    }
    return this.#summarise();
  }

  /** Nothing stays. */
  discard(): void {
    for (const file of Object.values(this.#files)) file.close();
    rmSync(this.#draft, { recursive: true, force: true });
  }

  #checkWorkers(): void {
    const known = [...this.#workers.keys(), ...this.#others];
    for (const id of this.#options.workers ?? [])
      if (!this.#workers.has(id))
        throw usageError(
          `No worker "${id}" in the source (there are: ${known.slice(0, 40).join(", ")}).${didYouMean(id, known)}`,
        );
  }

  #summarise(): ImportSummary {
    const sets = new Map<string, number>();
    for (const { set } of this.#tasks.values()) sets.set(set, (sets.get(set) ?? 0) + 1);
    return {
      folder: this.#options.folder,
      tasks: this.#tasks.size,
      outcomes: this.#outcomes,
      sets: [...sets].map(([id, tasks]) => ({ id, tasks })),
      workers: [...this.#workers.values()].map(({ samples, isPriced: _, ...worker }) => ({
        ...worker,
        missing: this.#tasks.size - samples.size,
      })),
      leftOut: this.#leftOut,
    };
  }
}

/** Written in large pieces and at once: rows come faster than a stream would take them. */
class LineFile {
  readonly #handle: number;
  #waiting: string[] = [];
  #characters = 0;
  #isClosed = false;

  constructor(path: string) {
    this.#handle = openSync(path, "wx", PRIVATE_FILE);
  }

  write(line: string): void {
    this.#waiting.push(line);
    this.#characters += line.length;
    if (this.#characters >= PIECE) this.#flush();
  }

  #flush(): void {
    writeSync(this.#handle, this.#waiting.join(""));
    this.#waiting = [];
    this.#characters = 0;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#flush();
    } finally {
      closeSync(this.#handle);
    }
  }
}
