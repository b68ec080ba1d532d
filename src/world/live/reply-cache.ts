// Replies that were paid for, kept in an append-only file (append-file.ts): what was asked once is never asked
// again, also after a kill. A row is written before anybody uses its reply.

import { hash } from "node:crypto";
import { isObject } from "../../base/fields.ts";
import { type AppendFile, openAppendFile } from "../../files/append-file.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import type { WorkerEvent, WorkerRequest } from "../../worker/types.ts";
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
  /** When it was paid, in milliseconds: budgets of a day ask for it. */
  at?: number;
  failed?: string;
}

/** The worker, what it is told and how long it may talk. Not the seed: one question, one reply. */
export function keyOf(worker: string, request: WorkerRequest): string {
  const { messages, maxOutputTokens, stop = [], temperature, tools = [], responseFormat } = request;
  const asked = [worker, messages, maxOutputTokens, stop, temperature ?? null, tools, responseFormat ?? null];
  return hash("sha256", JSON.stringify(asked), "hex");
}

export async function openReplyCache(file: string): Promise<ReplyCache> {
  const kept: KeptReplies = { replies: new Map(), costUsd: 0, costByDay: new Map() };
  const rows = await openAppendFile<Row>(file, checkRow, (row) => remember(kept, row));
  return new ReplyCache(rows, kept);
}

/** A day of the world's clock: "2026-11-17". */
export function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

interface KeptReplies {
  replies: Map<string, readonly WorkerEvent[]>;
  costUsd: number;
  costByDay: Map<string, number>;
}

export class ReplyCache {
  readonly file: string;
  /** Asks under way by key: whoever asks the same listens to the one that runs. */
  readonly underWay = new Map<string, SharedAsk>();
  readonly #rows: AppendFile<Row>;
  readonly #kept: KeptReplies;

  constructor(rows: AppendFile<Row>, kept: KeptReplies) {
    this.file = rows.file;
    this.#rows = rows;
    this.#kept = kept;
  }

  /** How many replies there are. */
  get size(): number {
    return this.#kept.replies.size;
  }

  /** What all of it has cost, failed asks included: where a resumed training begins to count. */
  get costUsd(): number {
    return this.#kept.costUsd;
  }

  /** The same for one day, as `toDay` names it. */
  costOn(day: string): number {
    return this.#kept.costByDay.get(day) ?? 0;
  }

  find(key: string): readonly WorkerEvent[] | undefined {
    return this.#kept.replies.get(key);
  }

  /** On disk when it returns. */
  keep(row: Row): void {
    this.#rows.append(row);
    remember(this.#kept, row);
  }

  close(): void {
    this.#rows.close();
  }
}

function remember(kept: KeptReplies, { key, events, costUsd = 0, at }: Row): void {
  if (events) kept.replies.set(key, events);
  kept.costUsd += costUsd;
  if (at !== undefined) kept.costByDay.set(toDay(at), (kept.costByDay.get(toDay(at)) ?? 0) + costUsd);
}

function checkRow({ key, worker, events, costUsd, at }: SourceRow): string | undefined {
  if (typeof key !== "string" || typeof worker !== "string") return '"key" and "worker" must be texts';
  if (costUsd !== undefined && !(typeof costUsd === "number" && costUsd >= 0))
    return `"costUsd" must be a number from 0, not ${JSON.stringify(costUsd)}`;
  if (at !== undefined && !Number.isSafeInteger(at))
    return `"at" must be a time in milliseconds, not ${JSON.stringify(at)}`;
  if (events === undefined) return undefined;
  const last: unknown = Array.isArray(events) ? events.at(-1) : undefined;
  return isFinish(last) ? undefined : '"events" must be a list that ends with "finish"';
}

function isFinish(event: unknown): boolean {
  return isObject(event) && "type" in event && event.type === "finish";
}
