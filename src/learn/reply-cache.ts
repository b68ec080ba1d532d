// Replies that were paid for, kept in an append-only JSONL file: what was asked once is never asked again,
// also after a kill. A row is written before anybody uses its reply; a last line that a kill has torn is cut
// off when the file is opened. One process at a time may write.
// Covered: death of the process, a full disk. Not covered: loss of power in the last instant.

import { hash } from "node:crypto";
import { closeSync, existsSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { TuttiError } from "../errors.ts";
import { mend } from "../recording/files.ts";
import { claimFile } from "../store/claim-file.ts";
import { Problems } from "../task/sets/problems.ts";
import { readJsonl, type SourceRow } from "../task/sets/read-jsonl.ts";
import type { WorkerEvent, WorkerRequest } from "../worker/types.ts";
import type { SharedAsk } from "./shared-ask.ts";

/** A row of the file. */
interface Row {
  key: string;
  /** For people who read the file. */
  worker: string;
  /** Absent where the ask failed: then only what it cost is kept. */
  events?: readonly WorkerEvent[];
  /** Absent where the price is unknown. */
  costUsd?: number;
  failed?: string;
}

/** The worker, what it is told and how long it may talk. Not the seed: one question, one reply. */
export function keyOf(worker: string, request: WorkerRequest): string {
  const { messages, maxOutputTokens, stop = [], temperature, tools = [], responseFormat } = request;
  const asked = [worker, messages, maxOutputTokens, stop, temperature ?? null, tools, responseFormat ?? null];
  return hash("sha256", JSON.stringify(asked), "hex");
}

export async function openReplyCache(file: string): Promise<ReplyCache> {
  mkdirSync(dirname(file), { recursive: true });
  const lock = `${file}.lock`;
  const release = claimFile(lock, () => {
    const message = `${file} is in use by another training. If that is not so, delete ${lock}`;
    return new TuttiError("cache-active", message, { status: 409 });
  });
  try {
    mend(file, checkRow);
    const rows: Row[] = [];
    if (existsSync(file)) {
      const problems = new Problems();
      await readJsonl(
        file,
        (row, line) => {
          const problem = checkRow(row);
          if (problem !== undefined) problems.add(file, line, problem);
          else rows.push(row as unknown as Row);
        },
        problems,
      );
      problems.throwIfAny();
    }
    return new ReplyCache(file, rows, release);
  } catch (error) {
    release();
    throw error;
  }
}

export class ReplyCache {
  readonly file: string;
  /** Asks under way by key: whoever asks the same listens to the one that runs. */
  readonly underWay = new Map<string, SharedAsk>();
  readonly #replies = new Map<string, readonly WorkerEvent[]>();
  readonly #handle: number;
  readonly #release: () => void;
  #bytes: number;
  #costUsd = 0;

  constructor(file: string, rows: readonly Row[], release: () => void) {
    this.file = file;
    this.#release = release;
    for (const row of rows) this.#remember(row);
    this.#handle = openSync(file, "a");
    this.#bytes = fstatSync(this.#handle).size;
  }

  /** How many replies there are. */
  get size(): number {
    return this.#replies.size;
  }

  /** What all of it has cost, failed asks included: where a resumed training begins to count. */
  get costUsd(): number {
    return this.#costUsd;
  }

  find(key: string): readonly WorkerEvent[] | undefined {
    return this.#replies.get(key);
  }

  /** On disk when it returns. */
  keep(row: Row): void {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    let written = 0;
    let cause: unknown;
    try {
      written = writeSync(this.#handle, line);
    } catch (error) {
      cause = error;
    }
    if (written < line.length) {
      // Half a line would spoil the next one.
      if (written > 0) ftruncateSync(this.#handle, this.#bytes);
      throw new TuttiError("cache-failed", `${this.file} cannot be written: is the disk full?`, { cause });
    }
    this.#bytes += written;
    this.#remember(row);
  }

  close(): void {
    closeSync(this.#handle);
    this.#release();
  }

  #remember({ key, events, costUsd = 0 }: Row): void {
    if (events) this.#replies.set(key, events);
    this.#costUsd += costUsd;
  }
}

function checkRow({ key, worker, events, costUsd }: SourceRow): string | undefined {
  if (typeof key !== "string" || typeof worker !== "string") return '"key" and "worker" must be texts';
  if (costUsd !== undefined && !(typeof costUsd === "number" && costUsd >= 0))
    return `"costUsd" must be a number from 0, not ${JSON.stringify(costUsd)}`;
  if (events === undefined) return undefined;
  const last: unknown = Array.isArray(events) ? events.at(-1) : undefined;
  return isFinish(last) ? undefined : '"events" must be a list that ends with "finish"';
}

function isFinish(event: unknown): boolean {
  return typeof event === "object" && event !== null && "type" in event && event.type === "finish";
}
