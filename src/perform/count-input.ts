// Has a provider count the input of a step before it is asked, where its bytes alone would reserve too much.

import { toBoundInput } from "../worker/brief-parts.ts";
import type { CountAction } from "./decide.ts";
import type { Stage } from "./stage.ts";
import type { RunState } from "./state.ts";
import { toRequest } from "./step.ts";

/** A provider that counts slower than this is not waited for. */
const COUNT_MS = 5_000;
/** Of a reply that is not written. */
const ANY_LENGTH = 4_096;

/** What it says, or that it said nothing, is remembered for all runs. */
export async function countInput(
  action: CountAction,
  state: RunState,
  { counted, pool, now, signal }: Stage,
): Promise<void> {
  const { worker, brief } = action;
  const { worker: counting } = pool.members[worker]!;
  const asked = AbortSignal.any([signal, AbortSignal.timeout(COUNT_MS)]);
  const late = new Promise<undefined>((resolve) => {
    asked.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const request = toRequest({ ...action, maxOutputTokens: ANY_LENGTH }, state, undefined);
  const count = counting.countInput!(request, asked).catch(() => undefined);
  const tokens = asked.aborted ? undefined : await Promise.race([count, late]);
  counted!.count(state.pool[worker]!.id, toBoundInput(brief), tokens, now());
}
