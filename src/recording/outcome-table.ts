// Outcomes in columns: a million of them take some tens of megabytes, where a million objects in maps of
// maps would take hundreds. Filled row by row, then sorted once by task, worker and sample, so that what is
// asked for together lies together.

import type { ReplyFeatures } from "../belief/reply-features.ts";
import type { RecordedOutcome } from "./types.ts";

/** Where a row breaks the order of samples: numbered from 0, each once. */
export interface TableProblem {
  line: number;
  task: number;
  worker: number;
  sample: number;
  kind: "duplicate" | "gap";
}

/** What only some recordings have, as numbers. */
const OPTIONAL = ["costUsd", "calls", "inputTokens", "outputTokens", "durationMs"] as const;
/** Short answers repeat by the thousand ("C", "42"): one text for all of them. */
const SHORT = 24;

export class OutcomeTable {
  #size = 0;
  #tasks = new Int32Array(1 << 12);
  #workers = new Int32Array(1 << 12);
  #samples = new Int32Array(1 << 12);
  #lines = new Int32Array(1 << 12);
  #scores = new Float64Array(1 << 12);
  #tokens = new Float64Array(1 << 12);
  #answers: (string | null)[] = [];
  /** Only recordings of our own have replies. Sparse: absent where there is none. */
  #replies: (string | undefined)[] = [];
  #features: (ReplyFeatures | undefined)[] = [];
  /** A column is made when the first number of it comes; NaN: absent. */
  readonly #optional = new Map<(typeof OPTIONAL)[number], Float64Array>();
  readonly #shared = new Map<string, string>();
  /** Where the rows of each task begin, once they are sorted. */
  #starts = new Int32Array(1);

  get size(): number {
    return this.#size;
  }

  add(task: number, worker: number, line: number, outcome: RecordedOutcome): void {
    const row = this.#size++;
    if (row === this.#tasks.length) this.#grow();
    this.#tasks[row] = task;
    this.#workers[row] = worker;
    this.#samples[row] = outcome.sample;
    this.#lines[row] = line;
    this.#scores[row] = outcome.score;
    this.#tokens[row] = outcome.tokens;
    this.#answers.push(this.#share(outcome.answer));
    if (outcome.features !== undefined) this.#features[row] = outcome.features;
    if (outcome.reply !== undefined) this.#replies[row] = outcome.reply;
    for (const field of OPTIONAL) {
      const value = outcome[field];
      if (value !== undefined) this.#columnOf(field)[row] = value;
    }
  }

  /** Once sealed: what a reply looked like, from a file beside the outcomes. False where there is no such outcome. */
  setFeatures(task: number, worker: number, sample: number, features: ReplyFeatures): boolean {
    for (let row = this.#starts[task]!; row < this.#starts[task + 1]!; row++) {
      if (this.#workers[row] !== worker || this.#samples[row] !== sample) continue;
      this.#features[row] = features;
      return true;
    }
    return false;
  }

  #columnOf(field: (typeof OPTIONAL)[number]): Float64Array {
    let column = this.#optional.get(field);
    if (!column) {
      column = new Float64Array(this.#tasks.length).fill(Number.NaN);
      this.#optional.set(field, column);
    }
    return column;
  }

  /** Sorts, and tells what is not in order. Called once, when all rows are there. */
  seal(tasks: number): TableProblem[] {
    this.#shared.clear();
    this.#starts = new Int32Array(tasks + 1);
    for (let row = 0; row < this.#size; row++) this.#starts[this.#tasks[row]! + 1]!++;
    for (let task = 0; task < tasks; task++) this.#starts[task + 1]! += this.#starts[task]!;
    const order = new Int32Array(this.#size);
    const next = this.#starts.slice();
    for (let row = 0; row < this.#size; row++) order[next[this.#tasks[row]!]!++] = row;
    for (let task = 0; task < tasks; task++) {
      order
        .subarray(this.#starts[task], this.#starts[task + 1])
        .sort(
          (a, b) =>
            this.#workers[a]! - this.#workers[b]! ||
            this.#samples[a]! - this.#samples[b]! ||
            this.#lines[a]! - this.#lines[b]!,
        );
    }
    this.#arrange(order);
    return this.#findProblems();
  }

  #arrange(order: Int32Array): void {
    this.#tasks = order.map((row) => this.#tasks[row]!);
    this.#workers = order.map((row) => this.#workers[row]!);
    this.#samples = order.map((row) => this.#samples[row]!);
    this.#lines = order.map((row) => this.#lines[row]!);
    this.#scores = Float64Array.from(order, (row) => this.#scores[row]!);
    this.#tokens = Float64Array.from(order, (row) => this.#tokens[row]!);
    this.#answers = Array.from(order, (row) => this.#answers[row]!);
    if (this.#replies.length > 0) this.#replies = Array.from(order, (row) => this.#replies[row]);
    if (this.#features.length > 0) this.#features = Array.from(order, (row) => this.#features[row]);
    for (const [field, column] of this.#optional)
      this.#optional.set(
        field,
        Float64Array.from(order, (row) => column[row]!),
      );
  }

  /** Rows without a cost of a worker that has one elsewhere: the line of the first, by worker. */
  findMissingCosts(): { worker: number; line: number }[] {
    const costs = this.#optional.get("costUsd");
    if (!costs) return [];
    const priced = new Set<number>();
    const missing = new Map<number, number>();
    for (let row = 0; row < this.#size; row++) {
      const worker = this.#workers[row]!;
      if (!Number.isNaN(costs[row]!)) priced.add(worker);
      else missing.set(worker, Math.min(this.#lines[row]!, missing.get(worker) ?? Infinity));
    }
    return [...missing].filter(([worker]) => priced.has(worker)).map(([worker, line]) => ({ worker, line }));
  }

  /** An answer or a reply of anybody to this task was kept. */
  hasReplies(task: number): boolean {
    for (let row = this.#starts[task]!; row < this.#starts[task + 1]!; row++)
      if (this.#answers[row] !== null || this.#replies[row] !== undefined) return true;
    return false;
  }

  #findProblems(): TableProblem[] {
    const problems: TableProblem[] = [];
    for (let row = 0; row < this.#size; row++) {
      const task = this.#tasks[row]!;
      const worker = this.#workers[row]!;
      const sample = this.#samples[row]!;
      const isSame = row > 0 && this.#tasks[row - 1] === task && this.#workers[row - 1] === worker;
      const before = isSame ? this.#samples[row - 1]! : -1;
      if (sample === before + 1) continue;
      const kind = sample === before ? "duplicate" : "gap";
      problems.push({ line: this.#lines[row]!, task, worker, sample, kind });
    }
    return problems;
  }

  has(task: number): boolean {
    return this.#starts[task + 1]! > this.#starts[task]!;
  }

  /** Numbers of the workers that answered a task, ascending. */
  workersOf(task: number): number[] {
    const workers: number[] = [];
    for (let row = this.#starts[task]!; row < this.#starts[task + 1]!; row++) {
      const worker = this.#workers[row]!;
      if (workers.at(-1) !== worker) workers.push(worker);
    }
    return workers;
  }

  outcomesOf(task: number, worker: number, ids: { task: string; worker: string }): RecordedOutcome[] {
    const outcomes: RecordedOutcome[] = [];
    for (let row = this.#starts[task]!; row < this.#starts[task + 1]!; row++) {
      if (this.#workers[row] !== worker) continue;
      const outcome: RecordedOutcome = {
        task: ids.task,
        worker: ids.worker,
        sample: this.#samples[row]!,
        answer: this.#answers[row]!,
        score: this.#scores[row]!,
        tokens: this.#tokens[row]!,
      };
      const reply = this.#replies[row];
      if (reply !== undefined) outcome.reply = reply;
      const features = this.#features[row];
      if (features !== undefined) outcome.features = features;
      for (const [field, column] of this.#optional)
        if (!Number.isNaN(column[row]!)) outcome[field] = column[row]!;
      outcomes.push(outcome);
    }
    return outcomes;
  }

  #share(answer: string | null): string | null {
    if (answer === null || answer.length > SHORT) return answer;
    const shared = this.#shared.get(answer);
    if (shared !== undefined) return shared;
    this.#shared.set(answer, answer);
    return answer;
  }

  #grow(): void {
    const larger = <T extends Int32Array | Float64Array>(old: T): T => {
      const grown = new (old.constructor as new (length: number) => T)(old.length * 2);
      grown.set(old);
      return grown;
    };
    this.#tasks = larger(this.#tasks);
    this.#workers = larger(this.#workers);
    this.#samples = larger(this.#samples);
    this.#lines = larger(this.#lines);
    this.#scores = larger(this.#scores);
    this.#tokens = larger(this.#tokens);
    for (const [field, column] of this.#optional) {
      const grown = new Float64Array(column.length * 2).fill(Number.NaN, column.length);
      grown.set(column);
      this.#optional.set(field, grown);
    }
  }
}
