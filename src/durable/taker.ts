// The taking side of the queue: asks whose turn has come are put to the real worker, and what it said is written down before
// anybody hears of it. A reply that was paid for is tried to be kept until the database is back, however long that takes.

import { createBatch } from "../base/batch.ts";
import { isTuttiError, messageOf, TuttiError } from "../base/errors.ts";
import { toEventError } from "../perform/stage.ts";
import { mergeDeltas } from "../worker/delta.ts";
import {
  NO_TIMEOUTS,
  type Pool,
  type Worker,
  type WorkerEvent,
  type WorkerRequest,
} from "../worker/types.ts";
import { createWatch } from "../worker/watch.ts";
import type { AskReply, AskRows } from "./ask-rows.ts";

export interface Taker {
  /** Performs an ask whose turn has come. Never rejects for what the worker did. */
  take(id: string): Promise<void>;
  /** Its asker does not want it any more. */
  stop(id: string): void;
  /** Nothing more is performed here. */
  stopAll(): void;
  readonly running: number;
  readonly taken: number;
}

export function createTaker(rows: AskRows, { members }: Pool): Taker {
  const workers = new Map(members.map(({ worker }) => [worker.id, worker]));
  const running = new Map<string, AbortController>();
  const begin = createBatch(async (ids: string[]) => rows.begin(ids));
  const end = createBatch(async (replies: ({ id: string } & AskReply)[]) => {
    await rows.end(replies);
    return replies;
  });
  let taken = 0;

  return {
    async take(id) {
      // Two turns of one ask: it was put into the queue again, and the first one came all the same.
      if (running.has(id)) return;
      const controller = new AbortController();
      running.set(id, controller);
      try {
        const begun = await begin(id);
        if (!begun) return;
        taken++;
        const worker = workers.get(begun.worker);
        const reply = worker
          ? await putTo(worker, fromJson(begun.request), controller.signal)
          : { events: [], failure: toEventError(unknownWorker(begun.worker)), tookMs: 0 };
        await end({ id, ...reply });
      } finally {
        running.delete(id);
      }
    },
    stop: (id) => running.get(id)?.abort(),
    stopAll() {
      for (const controller of running.values()) controller.abort();
    },
    get running() {
      return running.size;
    },
    get taken() {
      return taken;
    },
  };
}

/** Ends it, in whatever way: with what had arrived, and the failure. */
async function putTo(worker: Worker, request: WorkerRequest, signal: AbortSignal): Promise<AskReply> {
  const { timeouts = NO_TIMEOUTS } = request;
  const upstream = new AbortController();
  const watch = createWatch(worker.id, timeouts, () => performance.now());
  const startedAt = performance.now();
  const events: WorkerEvent[] = [];
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new TuttiError("interrupted", `Worker "${worker.id}" was stopped.`));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
  stopped.catch(() => {});
  let isOver = false;
  const listen = async () => {
    for await (const event of worker.ask(request, upstream.signal)) {
      if (isOver) return;
      watch.heard();
      events.push(event);
    }
  };
  let failure: AskReply["failure"];
  try {
    await Promise.race([listen(), stopped, watch.late()]);
  } catch (error) {
    upstream.abort(); // closes the connection to the provider
    failure = toEventError(
      isTuttiError(error) ? error : new TuttiError("worker-fault", `${worker.id}: ${messageOf(error)}`),
    );
  } finally {
    isOver = true;
    watch.end();
  }
  return { events: mergeDeltas(events), failure, tookMs: performance.now() - startedAt };
}

/** JSON has no infinity. */
function fromJson(text: string): WorkerRequest {
  const request = JSON.parse(text) as WorkerRequest;
  const { stepMs, firstTokenMs, idleMs } = request.timeouts ?? NO_TIMEOUTS;
  const timeouts = {
    stepMs: stepMs ?? Infinity,
    firstTokenMs: firstTokenMs ?? Infinity,
    idleMs: idleMs ?? Infinity,
  };
  return { ...request, timeouts };
}

function unknownWorker(id: string): TuttiError {
  return new TuttiError("unknown-worker", `There is no worker "${id}" on the machine that took the ask`);
}
