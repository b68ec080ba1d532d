// Conductors that decide without text: a workflow that was given, one worker, the baselines.

import type { Belief } from "../belief/types.ts";
import type { ConductorIdentity } from "../store/types.ts";
import { NO_USAGE } from "../worker/price.ts";
import type { Decision, Workflow } from "../workflow/types.ts";
import type { ComposeRequest, Conductor } from "./types.ts";

/** A decision with what it was taken on. */
export interface ReasonedDecision {
  decision: Decision;
  belief?: Belief;
}

/** `decide` may say beside its decision what it believed; the belief is journaled with it. */
export function createDecidingConductor(
  identity: ConductorIdentity,
  decide: (request: ComposeRequest) => Decision | ReasonedDecision,
): Conductor {
  return {
    identity,
    async *compose(request) {
      const decided = decide(request);
      const { decision, belief } = "decision" in decided ? decided : { decision: decided };
      yield { type: "plan-end", text: "", decision, belief, usage: NO_USAGE };
    },
  };
}

/** Performs one workflow per question and accepts it. */
export function createOneRoundConductor(
  identity: ConductorIdentity,
  compose: (request: ComposeRequest) => Workflow,
): Conductor {
  return createDecidingConductor(identity, (request) =>
    request.rounds.length === 0 ? { type: "workflow", workflow: compose(request) } : { type: "accept" },
  );
}
