// A workflow written by hand, performed as it is: `--workflow FILE`, the `workflow` option, and the
// smallest example of a Conductor that decides without text.

import { usageError } from "../base/errors.ts";
import { NO_USAGE } from "../worker/usage.ts";
import type { Workflow } from "../workflow/types.ts";
import { checkTeam } from "./check-team.ts";
import type { Conductor } from "./types.ts";

export function createFixedConductor(workflow: Workflow): Conductor {
  return {
    identity: { kind: "fixed" },
    async *compose({ rounds, pool }) {
      const error = checkTeam(workflow, pool);
      if (error) throw usageError(error.message);
      const decision =
        rounds.length === 0 ? { type: "workflow" as const, workflow } : { type: "accept" as const };
      yield { type: "plan-end", text: "", decision, usage: NO_USAGE };
    },
  };
}
