// A worker that is asked by way of the queue: somewhere a process of ours puts the ask to the real one. Its reply comes whole,
// with how long it took there; waiting for its turn is nobody's silence.

import { toErrorCode } from "../base/error-codes.ts";
import { TuttiError } from "../base/errors.ts";
import { isModel } from "../worker/kinds.ts";
import type { Pool, Worker, WorkerEvent, WorkerRequest } from "../worker/types.ts";
import type { Asker } from "./asker.ts";

/** Pools are chosen before anybody knows whose asks they will be: a folder, and with it the owner, comes later. */
export interface Spread {
  /** The same pool, whose models are asked by way of the queue. */
  readonly pool: Pool;
  connect(asker: Asker): void;
}

export function spreadPool(pool: Pool, queueOf: (worker: string) => string): Spread {
  let connected: Asker | undefined;
  const askerOf = () => {
    if (connected) return connected;
    throw new TypeError("Workers are asked before the queue is open");
  };
  const members = pool.members.map((member) => {
    const { worker } = member;
    return isModel(worker)
      ? { ...member, worker: createQueuedWorker(worker, queueOf(worker.id), askerOf) }
      : member;
  });
  return {
    pool: { ...pool, members },
    connect(asker) {
      connected = asker;
    },
  };
}

function createQueuedWorker(
  { id, kind, isSimulated, refusesHandOffs, countInput }: Worker,
  queue: string,
  askerOf: () => Asker,
): Worker {
  return {
    id,
    kind,
    isSimulated,
    refusesHandOffs,
    // Costs nothing, and is wanted at once.
    countInput,
    keepsTime: true,
    forget: (run) => askerOf().forget(run),
    async *ask(request, signal): AsyncIterable<WorkerEvent> {
      const asked = { worker: id, queue, request: toJson(request), ask: request.ask };
      const { events, failure, tookMs } = await askerOf().ask(asked, signal);
      for (const event of events) yield event.type === "finish" ? { ...event, tookMs } : event;
      if (!failure) return;
      const { code, message, status, retryable, retryAfterMs } = failure;
      throw new TuttiError(toErrorCode(code, "worker-fault"), message, { status, retryable, retryAfterMs });
    },
  };
}

/** What is asked, and not how it is called here. */
function toJson(request: WorkerRequest): string {
  const { conduct: _, ask: __, isFinal: ___, ...rest } = request;
  return JSON.stringify(rest);
}
