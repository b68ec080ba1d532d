// What a prompted Conductor was sent, made again from the journal: the same function on the same data.

import { toConductorMessages } from "../conductor/prompt.ts";
import type { PoolEntry } from "../store/types.ts";
import type { Message, PoolMember } from "../worker/types.ts";
import type { RunState } from "./state.ts";
import { toComposedRounds } from "./visible.ts";

/** Of the last attempt at this round's plan. Empty where nobody was asked in words, and in journals that do not say what was told. */
export function toPlanMessages(state: RunState, round: number): Message[] {
  const { task, settings, pool } = state;
  const { plan } = state.rounds[round]!;
  if (settings.conductor.kind !== "prompted" || plan.limits === undefined) return [];
  // Where it fell back, the last error came after the last attempt.
  const errors = plan.fallback === undefined ? plan.formatErrors : plan.formatErrors.slice(0, -1);
  const { limits } = plan;
  const maxSteps = Math.max(1, Math.min(settings.maxSteps, limits.calls ?? Number.POSITIVE_INFINITY));
  const rounds = toComposedRounds(state).slice(0, round);
  const { teamSize } = settings;
  const members = pool.map(toMember);
  const request = { task, pool: { members }, rounds, errors, maxSteps, teamSize, limits, seed: 0 };
  return toConductorMessages(request, { showNames: settings.showNames ?? false });
}

/** To be described, never to be asked. */
function toMember({ id, kind, isSimulated, ...known }: PoolEntry): PoolMember {
  return { worker: { id, kind, isSimulated, async *ask() {} }, ...known };
}
