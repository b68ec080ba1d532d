// A worker whose replies are kept: what was asked before is given at once and takes nothing from the budget;
// what is being asked is listened to; anything else is asked, paid and journaled before its end is told.
// A kept reply tells the usage it had, so that a workflow costs in the results what it would cost its user.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { toFailedSpending, toSpending } from "../../perform/budget.ts";
import type { AskBudget } from "../../perform/ledger.ts";
import { mergeDeltas } from "../../worker/delta.ts";
import { streamCut } from "../../worker/failure.ts";
import { estimateInputTokens } from "../../worker/price.ts";
import type { PoolMember, Worker, WorkerEvent, WorkerRequest } from "../../worker/types.ts";
import { keyOf, type ReplyCache } from "./reply-cache.ts";
import { SharedAsk } from "./shared-ask.ts";

export function createCachingWorker(member: PoolMember, cache: ReplyCache, budget: AskBudget): Worker {
  const { id, kind, isSimulated, keepsTime } = member.worker;
  return {
    id,
    kind,
    isSimulated,
    keepsTime,
    async *ask(request, signal): AsyncIterable<WorkerEvent> {
      const key = keyOf(id, request);
      const known = cache.find(key);
      if (known) {
        yield* known;
        return;
      }
      let shared = cache.underWay.get(key);
      if (!shared) {
        shared = new SharedAsk(
          id,
          (upstream, tell) => askAndKeep({ member, request, key, cache, budget, signal: upstream, tell }),
          () => cache.underWay.delete(key),
        );
        cache.underWay.set(key, shared);
      }
      yield* shared.listen(signal);
    },
  };
}

interface Ask {
  member: PoolMember;
  request: WorkerRequest;
  key: string;
  cache: ReplyCache;
  budget: AskBudget;
  signal: AbortSignal;
  tell: (event: WorkerEvent) => void;
}

async function askAndKeep({ member, request, key, cache, budget, signal, tell }: Ask): Promise<void> {
  const { worker, price } = member;
  const billed = { kind: worker.kind, price };
  const inputTokens = () => estimateInputTokens(request.messages, request);
  const { maxOutputTokens } = request;
  // One question, one reply, whoever asks it: that is its name, too.
  const asked = { ...request, ask: { run: key, name: "reply" } };
  const settle = await budget.reserve({ worker: worker.id, price, inputTokens, maxOutputTokens }, signal);
  const events: WorkerEvent[] = [];
  let written = "";
  let finish: Extract<WorkerEvent, { type: "finish" }> | undefined;
  let failure: unknown;
  try {
    for await (const event of worker.ask(asked, signal)) {
      if (event.type === "finish") {
        finish = event;
        continue;
      }
      if ("text" in event) written += event.text;
      events.push(event);
      tell(event);
    }
    if (!finish) throw streamCut(worker.id);
  } catch (error) {
    failure = error;
  }
  const exchange = { inputTokens, written, maxOutputTokens: request.maxOutputTokens };
  const error = isTuttiError(failure) ? failure : new TuttiError("worker-fault", String(failure));
  const spending = finish
    ? toSpending(billed, finish.usage, exchange)
    : toFailedSpending(billed, error, exchange);
  const { costUsd } = spending;
  settle(costUsd ?? 0);
  const row = { key, worker: worker.id, costUsd, at: Date.now() };
  if (!finish) {
    if (costUsd) cache.keep({ ...row, failed: error.code });
    worker.forget?.(key);
    throw failure;
  }
  cache.keep({ ...row, events: [...mergeDeltas(events), finish] });
  worker.forget?.(key);
  tell(finish);
}
