// Conductors that decide without text: a workflow that was given, one worker, the baselines.

import type { ConductorIdentity } from "../store/types.ts";
import { NO_USAGE } from "../worker/price.ts";
import type { Decision, Workflow } from "../workflow/types.ts";
import type { ComposeRequest, Conductor } from "./types.ts";

export function createDecidingConductor(
  identity: ConductorIdentity,
  decide: (request: ComposeRequest) => Decision,
): Conductor {
  return {
    identity,
    async *compose(request) {
      yield { type: "plan-end", text: "", decision: decide(request), usage: NO_USAGE };
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
