// Asks every model of a pool a tiny question at the same time: who replies, how fast, at what cost.

import { TuttiError } from "../../base/errors.ts";
import { toEventError, toTuttiError } from "../../perform/stage.ts";
import type { EventError } from "../../store/types.ts";
import { modelsOf } from "../../worker/kinds.ts";
import { costOf } from "../../worker/price.ts";
import type { Pool, PoolMember, Usage } from "../../worker/types.ts";

export interface Check {
  id: string;
  ok: boolean;
  durationMs: number;
  firstTokenMs?: number;
  usage?: Usage;
  /** Absent when the price is unknown. */
  costUsd?: number;
  error?: EventError;
}

const TIMEOUT_MS = 20_000;
/** Reasoning models think before they say a word; with less they would be cut before it. */
const MAX_OUTPUT_TOKENS = 256;
/** What one check can take at the most. */
export const CHECK_TOKENS = { input: 64, output: MAX_OUTPUT_TOKENS } as const;
const QUESTION = "Reply with the single word: ready";

/** Tools and `self` are no models: there is nobody to ask. */
export async function checkPool({ members }: Pool, timeoutMs = TIMEOUT_MS): Promise<Check[]> {
  return Promise.all(modelsOf({ members }).map((member) => checkMember(member, timeoutMs)));
}

async function checkMember(
  { worker, price, maxOutputTokens }: PoolMember,
  timeoutMs: number,
): Promise<Check> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const signal = AbortSignal.timeout(timeoutMs);
  let firstTokenMs: number | undefined;
  try {
    const request = {
      messages: [{ role: "user" as const, content: QUESTION }],
      maxOutputTokens: Math.min(MAX_OUTPUT_TOKENS, maxOutputTokens ?? MAX_OUTPUT_TOKENS),
    };
    for await (const event of worker.ask(request, signal)) {
      if (event.type !== "finish") firstTokenMs ??= elapsed();
      else {
        const { usage } = event;
        const costUsd = price && costOf(usage, price);
        return { id: worker.id, ok: true, durationMs: elapsed(), firstTokenMs, usage, costUsd };
      }
    }
    throw new TuttiError("stream-cut", `Worker "${worker.id}" ended its reply without saying so`);
  } catch (thrown) {
    const error = signal.aborted
      ? new TuttiError("timeout", `Worker "${worker.id}" did not reply within ${timeoutMs / 1000} seconds`)
      : toTuttiError(thrown, "worker-fault", `Worker "${worker.id}"`);
    return { id: worker.id, ok: false, durationMs: elapsed(), firstTokenMs, error: toEventError(error) };
  }
}
