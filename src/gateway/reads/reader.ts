// Answers questions about the past off the hot path: in a thread of its own where the journal is a file that has grown, and
// for folders; else here. A key has one question under way at a time, so that its bills do not come before those of
// others. A question that takes too long ends the thread, and the next one starts another.

import { statSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { toErrorCode } from "../../base/error-codes.ts";
import { TuttiError } from "../../base/errors.ts";
import { createGate, type Gate } from "../../base/gate.ts";
import type { Store } from "../../store/types.ts";
import type { GatewayKey } from "../access/keys.ts";
import { READ_MS } from "../access/request-limits.ts";
import { findBuilt } from "../http/built-files.ts";
import { createReads, type Folders, type Reads, toBytes } from "./reads.ts";
import type { ThreadReply, ThreadRequest, ThreadSettings } from "./thread.ts";

/** Of a smaller journal anything can be read in some milliseconds, faster than a thread starts. */
const SMALL_JOURNAL_BYTES = 4_000_000;
/** Those that read the journal, and nothing else. */
const JOURNAL_READS = new Set<keyof Reads>([
  "listRuns",
  "loadRun",
  "loadOwnEvents",
  "showOwnRun",
  "showOwnMessages",
  "sumSpending",
  "toBill",
  "toBillCsv",
  "sumShares",
  "sumDays",
  "compareShadows",
]);
/** A thread that holds more has read too much: it fails alone. */
const THREAD_MEMORY_MB = 1_024;
const CLOSE_MS = 2_000;

export interface ReaderOptions extends Folders {
  openStore: () => Promise<Store>;
  /** Absent: the journal is not a file, so only this thread can read it. */
  storePath: string | undefined;
}

type Result<N extends keyof Reads> = Awaited<ReturnType<Reads[N]>>;

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class PastReader {
  readonly #options: ReaderOptions;
  readonly #here: Reads;
  readonly #gates = new Map<string, Gate>();
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #count = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#here = createReads(options.openStore, options);
  }

  read<N extends keyof Reads>(
    key: GatewayKey | undefined,
    name: N,
    ...args: Parameters<Reads[N]>
  ): Promise<Result<N>> {
    const work = this.#isHere(name) ? () => this.#call(name, args) : () => this.#send(name, args, false);
    return this.#enter(key, work) as Promise<Result<N>>;
  }

  /** The same as bytes to be sent, made where it was read: a text as it is, anything else as JSON. */
  async bytes<N extends keyof Reads>(
    key: GatewayKey | undefined,
    name: N,
    ...args: Parameters<Reads[N]>
  ): Promise<Uint8Array> {
    const work = this.#isHere(name)
      ? async () => toBytes(await this.#call(name, args))
      : () => this.#send(name, args, true);
    return (await this.#enter(key, work)) as Uint8Array;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.postMessage({ type: "close" } satisfies ThreadRequest);
    const late = setTimeout(() => void worker.terminate(), CLOSE_MS);
    await ended;
    clearTimeout(late);
  }

  #isHere(name: keyof Reads): boolean {
    const { storePath } = this.#options;
    if (findBuilt("gateway/reads/thread.js") === undefined) return true;
    if (!JOURNAL_READS.has(name)) return false;
    if (storePath === undefined) return true;
    return (statSync(storePath, { throwIfNoEntry: false })?.size ?? 0) < SMALL_JOURNAL_BYTES;
  }

  /** After a turn for everybody else: what is small holds nobody up, many of them in a row would. */
  async #call(name: keyof Reads, args: unknown[]): Promise<unknown> {
    await turn();
    return (this.#here[name] as (...args: unknown[]) => Promise<unknown>)(...args);
  }

  async #enter(key: GatewayKey | undefined, work: () => Promise<unknown>): Promise<unknown> {
    const id = key?.id ?? "";
    const gate = this.#gates.get(id) ?? createGate(1);
    this.#gates.set(id, gate);
    try {
      return await gate.enter(work);
    } finally {
      if (gate.running === 0) this.#gates.delete(id);
    }
  }

  async #send(name: keyof Reads, args: unknown[], isBytes: boolean): Promise<unknown> {
    const number = ++this.#count;
    const worker = this.#open();
    const answer = new Promise((resolve, reject) => this.#pending.set(number, { resolve, reject }));
    const late = setTimeout(() => void worker.terminate(), READ_MS);
    try {
      worker.postMessage({ type: "read", number, name, args, isBytes } satisfies ThreadRequest);
      return await answer;
    } finally {
      clearTimeout(late);
      this.#pending.delete(number);
    }
  }

  #open(): Worker {
    if (this.#worker) return this.#worker;
    const { env, cwd, storePath = "memory" } = this.#options;
    const workerData: ThreadSettings = { env: { ...env }, cwd, storePath };
    const resourceLimits = { maxOldGenerationSizeMb: THREAD_MEMORY_MB };
    const worker = new Worker(findBuilt("gateway/reads/thread.js")!, { workerData, resourceLimits });
    this.#worker = worker;
    worker.unref();
    worker.on("message", (reply: ThreadReply) => this.#settle(reply));
    worker.on("error", () => {}); // it exits, too
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      const why =
        "This question about past runs took too long, or more memory than there is for it. Ask for less.";
      for (const { reject } of this.#pending.values()) reject(new TuttiError("overloaded", why));
      this.#pending.clear();
    });
    return worker;
  }

  #settle({ number, value, error }: ThreadReply): void {
    const pending = this.#pending.get(number);
    if (!error) pending?.resolve(value);
    else
      pending?.reject(
        new TuttiError(toErrorCode(error.code, "internal"), error.message, { param: error.param }),
      );
  }
}
