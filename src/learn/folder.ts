// The folder of a training: what it is (`training.json`), what was told while it learned (`*.jsonl`), the
// latest state (`checkpoint/`), the best weights (`best/`) and the page. One process at a time may write it.
// Covered: death of the process; half a last line is ignored, and a resumed training continues the same
// curves. Not covered: loss of power in the last instant.

import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { TuttiError, usageError } from "../base/errors.ts";
import { AppendFile, cannotWrite, readAppended } from "../files/append-file.ts";
import { readWhole } from "../files/bounds.ts";
import { claimFile, isClaimed } from "../files/claim-file.ts";
import { makePrivateFolder, writePrivateFile } from "../files/private.ts";
import { changeStatement, readStatement, STATEMENT, type TrainingStatement } from "./statement.ts";
import type { IterationMetrics, Sample, TrainEvent, ValidationMetrics } from "./types.ts";

const RESULTS = "results.json";
const LOCK = "training.lock";
const FILES = {
  iteration: "iterations.jsonl",
  validation: "validation.jsonl",
  sample: "samples.jsonl",
} as const;
/** What the file of validations was called before 0.2; its rows were of the type "tune". */
const OLD_VALIDATION = "tune.jsonl";
/** Those that grow while it trains. */
export const EVENT_FILES: readonly string[] = [...Object.values(FILES), OLD_VALIDATION];

/** One line of the table that is shown after a training: a Conductor on test tasks nobody has seen. */
export interface TestResult {
  name: string;
  accuracy: number;
  low: number;
  high: number;
  /** Means a task. */
  calls: number;
  /** Absent: unknown. */
  costUsd?: number;
  note?: string;
  /** Of worlds that were joined: in which one. */
  world?: { name: string; isSimulated: boolean };
}

export interface Training {
  path: string;
  statement: TrainingStatement | undefined;
  iterations: IterationMetrics[];
  validations: ValidationMetrics[];
  samples: Sample[];
  results: TestResult[];
}

/** Makes the folder where there is none, and claims it. A torn end of a killed training is mended. */
export function openTrainingFolder(path: string): TrainingFolder {
  makePrivateFolder(path);
  const release = claimFile(join(path, LOCK), () => {
    const message = `${path} is in use by another training. If that is not so, delete ${join(path, LOCK)}`;
    return new TuttiError("training-active", message);
  });
  try {
    return new TrainingFolder(path, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Whoever trains appends what it tells and rewinds to its checkpoint; whoever shows it describes and loads. */
export class TrainingFolder {
  readonly path: string;
  /** Where the trainer keeps its own files. Not made before they are needed. */
  readonly checkpoint: string;
  readonly best: string;
  readonly #release: () => void;
  readonly #open = new Map<string, AppendFile<TrainEvent>>();
  #statement: TrainingStatement | undefined;

  constructor(path: string, release: () => void) {
    this.path = path;
    this.checkpoint = join(path, "checkpoint");
    this.best = join(path, "best");
    this.#statement = readStatement(path);
    const [old, now] = [join(path, OLD_VALIDATION), join(path, FILES.validation)];
    if (existsSync(old) && !existsSync(now)) renameSync(old, now);
    this.#release = release;
  }

  /** Absent until a training was described here. */
  get statement(): TrainingStatement | undefined {
    return this.#statement;
  }

  append(event: TrainEvent): void {
    if (event.type !== "notice") this.#fileOf(FILES[event.type]).append(event);
    else if (this.#statement && !this.#statement.notices.includes(event.text))
      this.describe({ notices: [...this.#statement.notices, event.text] });
  }

  #fileOf(name: string): AppendFile<TrainEvent> {
    const file = this.#open.get(name) ?? new AppendFile<TrainEvent>(join(this.path, name));
    this.#open.set(name, file);
    return file;
  }

  /** Forgets what was told of this iteration and later ones: a resumed training tells it again. */
  rewind(iteration: number): void {
    this.#closeFiles();
    for (const name of EVENT_FILES) {
      const rows = readRows<{ iteration: number }>(join(this.path, name));
      const kept = rows.filter((row) => row.iteration < iteration);
      if (kept.length < rows.length) this.write(name, kept.map((row) => `${JSON.stringify(row)}\n`).join(""));
    }
  }

  /** What changed in `training.json`. What was never said stays empty. */
  describe(change: Partial<TrainingStatement>): void {
    this.#statement = changeStatement(this.#statement, change);
    this.write(STATEMENT, `${JSON.stringify(this.#statement, null, 2)}\n`);
  }

  keepResults(results: readonly TestResult[]): void {
    this.write(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  }

  load(): Training {
    return { ...readEvents(this.path), statement: this.#statement };
  }

  /** A file that is whole or not changed at all. */
  write(name: string, text: string): void {
    const file = join(this.path, name);
    // At once, unlike a checkpoint's files: events are told in order, and Ctrl-C does not wait.
    try {
      writePrivateFile(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    } catch (error) {
      rmSync(`${file}.new`, { force: true });
      throw cannotWrite(file, error);
    }
  }

  close(): void {
    this.#closeFiles();
    this.#release();
  }

  #closeFiles(): void {
    for (const file of this.#open.values()) file.close();
    this.#open.clear();
  }
}

/** What a training has told, without claiming its folder. One that nobody performs any more is not running. */
export function readTraining(path: string): Training & { statement: TrainingStatement } {
  const statement = readStatement(path);
  if (!statement) throw usageError(`${path} is not a folder of a training: it has no ${STATEMENT}`);
  return { ...readEvents(path), statement: withTrueState(path, statement) };
}

export interface ListedTraining {
  id: string;
  path: string;
  statement: TrainingStatement;
}

/** The newest first. Folders that hold something else are left out. */
export function listTrainings(home: string): ListedTraining[] {
  const folder = join(home, "trainings");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .flatMap((id): ListedTraining[] => {
      const path = join(folder, id);
      try {
        const statement = readStatement(path);
        return statement ? [{ id, path, statement: withTrueState(path, statement) }] : [];
      } catch {
        return [];
      }
    })
    .sort((a, b) => b.statement.startedAt - a.statement.startedAt);
}

/** A free name: what is trained, the day, and a number from the second one on. */
export function chooseTrainingPath(home: string, name: string, day: string): string {
  const wish = join(home, "trainings", `${basename(name).replace(/[^\w.-]+/g, "-")}-${day}`);
  for (let number = 1; ; number++) {
    const path = number === 1 ? wish : `${wish}-${number}`;
    if (!existsSync(path)) return path;
  }
}

function withTrueState(path: string, statement: TrainingStatement): TrainingStatement {
  const isLeft = statement.state === "running" && !isClaimed(join(path, LOCK));
  return isLeft ? { ...statement, state: "stopped" } : statement;
}

// ---- Reading ----------------------------------------------------------------------------------

function readEvents(path: string): Training {
  const results = join(path, RESULTS);
  return {
    path,
    statement: undefined,
    iterations: readRows(join(path, FILES.iteration)),
    validations: [OLD_VALIDATION, FILES.validation].flatMap((name) =>
      readRows<ValidationMetrics>(join(path, name)).map((row) => ({ ...row, type: "validation" as const })),
    ),
    samples: readRows(join(path, FILES.sample)),
    results: existsSync(results) ? (JSON.parse(readWhole(results).toString("utf8")) as TestResult[]) : [],
  };
}

/** What was told twice of one iteration counts once, as it was told last. */
function readRows<T extends { iteration: number; task?: string }>(file: string): T[] {
  // JSON has no NaN: a metric that there is none of was written as null.
  const told = readAppended(file, (_, value) => (value === null ? Number.NaN : value)) as unknown as T[];
  const rows = told.filter(({ iteration }) => typeof iteration === "number");
  return [...new Map(rows.map((row) => [`${row.iteration} ${row.task ?? ""}`, row])).values()];
}
