// The port of an import: a layout reads a source that somebody else made and gives outcomes, one at a time, each with
// its task. `layouts.ts` lists the layouts; `sink.ts` checks and writes, the same for all.

import type { ProtocolFields } from "../protocol-fields.ts";

/** One worker's reply to one task, as far as the source tells. */
export interface ImportedOutcome {
  task: ImportedTask;
  worker: string;
  /** Absent: the first, and a second one is a duplicate. */
  sample?: number;
  /** As it stands in the source; true and false, and numbers as text, are read. */
  score: unknown;
  /** The extracted answer; absent or null: none. */
  answer?: unknown;
  reply?: unknown;
  /** Dollars of the call: a number, or a text such as "$0.01". */
  cost?: unknown;
  currency?: unknown;
  inputTokens?: unknown;
  outputTokens?: unknown;
  durationMs?: unknown;
}

export interface ImportedTask extends ProtocolFields {
  /** Unique in the recording. */
  id: string;
  set: string;
  category?: unknown;
  subtask?: unknown;
  prompt: unknown;
  choices?: string[];
  /** The right answer. */
  answer?: unknown;
}

/** Takes what a layout reads; what is wrong is said by file and line. */
export interface ImportSink {
  add(outcome: ImportedOutcome, file: string, line: number): void;
  problem(file: string, line: number, problem: string): void;
}

export interface LayoutOptions {
  /** All tasks in one set of this name; by default what the layout says. */
  set?: string;
  /** Which metric of the source is the score, where it has several. */
  metric?: string;
  /** Which column is which of our fields, by field; of `table` alone. */
  columns: ReadonlyMap<string, string>;
}

export interface OutcomeLayout {
  id: string;
  title: string;
  /** What it reads, in a line. */
  reads: string;
  /** Its source may have several metrics, of which `--metric` names the score. */
  hasMetrics?: true;
  read(source: string, sink: ImportSink, options: LayoutOptions): Promise<void>;
}
