// The asking side of the queue: asks go in, replies come back. It hears by a notification that a reply is there and looks at all
// it waits for every few seconds besides, in one statement, since a notification can be lost with its connection.

import { hash, randomUUID } from "node:crypto";
import { createBatch } from "../base/batch.ts";
import { TuttiError } from "../base/errors.ts";
import type { AskName } from "../worker/types.ts";
import type { AskReply, AskRows } from "./ask-rows.ts";

const CHECK_MS = 5_000;
/** Each is a statement of its own in the transaction. */
const MOST_AT_ONCE = 32;

interface QueuedAsk {
  worker: string;
  queue: string;
  /** As JSON. */
  request: string;
  /** Absent: nobody will ask for this very reply again. */
  ask?: AskName;
}

export interface Asker {
  ask(asked: QueuedAsk, signal: AbortSignal): Promise<AskReply>;
  /** The replies of this run are kept elsewhere. */
  forget(run: string): void;
  /** Replies to these asks are there. */
  ended(ids: readonly string[]): void;
  /** Looks at all that is waited for. */
  check(): Promise<void>;
  /** What is still to be forgotten is; nothing more is asked. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(reply: AskReply): void;
  reject(error: unknown): void;
  /** It is in the table. */
  isQueued: boolean;
}

export function createAsker(
  rows: AskRows,
  { owner, onError }: { owner: string; onError(error: unknown): void },
): Asker {
  const waiting = new Map<string, Waiting>();
  const forgetting = new Map<string, Promise<unknown>>();
  const enqueue = createBatch(rows.enqueue, { most: MOST_AT_ONCE, lanes: 3 });
  const fetchOne = createBatch(async (ids: string[]) => {
    const replies = await rows.fetch(ids);
    return ids.map((id) => replies.get(id));
  });
  const forgetOne = createBatch(async (runs: string[]) => {
    await rows.forget(owner, runs);
    return runs;
  });
  const cancelOne = createBatch(async (ids: string[]) => {
    await rows.cancel(ids);
    return ids;
  });

  async function collect(id: string): Promise<void> {
    const reply = await fetchOne(id);
    const found = waiting.get(id);
    if (!reply || !found) return;
    waiting.delete(id);
    found.resolve(reply);
  }
  const ended = (ids: readonly string[]) => {
    for (const id of ids) if (waiting.has(id)) collect(id).catch(onError);
  };

  async function check(): Promise<void> {
    const ids = [...waiting].filter(([, { isQueued }]) => isQueued).map(([id]) => id);
    if (ids.length === 0) return;
    const { ended: over, gone } = await rows.check(ids);
    ended(over);
    for (const id of gone) {
      waiting.get(id)?.reject(new TuttiError("interrupted", "The ask is no longer in the queue"));
      waiting.delete(id);
    }
  }
  let isChecking = false;
  const timer = setInterval(async () => {
    if (isChecking) return;
    isChecking = true;
    await check().catch(onError);
    isChecking = false;
  }, CHECK_MS);
  timer.unref();

  function forget(run: string): void {
    if (forgetting.has(run)) return;
    const done = forgetOne(run).catch(onError);
    forgetting.set(run, done);
    void done.then(() => forgetting.delete(run));
  }

  return {
    async ask({ worker, queue, request, ask }, signal) {
      const name = ask ?? { run: randomUUID(), name: "" };
      const { run } = name;
      await forgetting.get(run);
      const id = hash("sha256", JSON.stringify([owner, worker, run, name.name]), "hex");
      if (waiting.has(id)) throw new TypeError(`"${name.name}" of run "${run}" is being asked already`);
      if (signal.aborted) throw stopped(worker);
      const promise = new Promise<AskReply>((resolve, reject) =>
        waiting.set(id, { resolve, reject, isQueued: false }),
      );
      // It may be rejected before anybody waits for it.
      promise.catch(() => {});
      const stop = () => waiting.get(id)?.reject(stopped(worker));
      signal.addEventListener("abort", stop);
      try {
        const isOver = await enqueue({ id, owner, run, worker, queue, request });
        const own = waiting.get(id);
        if (own) own.isQueued = true;
        if (isOver) ended([id]);
        const reply = await promise;
        if (!ask) forget(run);
        return reply;
      } catch (error) {
        if (signal.aborted) cancelOne(id).catch(onError);
        throw error;
      } finally {
        signal.removeEventListener("abort", stop);
        waiting.delete(id);
      }
    },
    forget,
    ended,
    check,
    async close() {
      clearInterval(timer);
      await Promise.all(forgetting.values());
    },
  };
}

function stopped(worker: string): TuttiError {
  return new TuttiError("aborted", `Worker "${worker}" was stopped.`);
}
