// A workflow written by hand, performed as it is: `--workflow FILE`, the `workflow` option.

import { usageError } from "../base/errors.ts";
import type { Workflow } from "../workflow/types.ts";
import { createOneRoundConductor } from "./deciding.ts";
import { checkTeam } from "./text.ts";
import type { Conductor } from "./types.ts";

export function createFixedConductor(workflow: Workflow): Conductor {
  return createOneRoundConductor({ kind: "fixed" }, ({ pool }) => {
    const error = checkTeam(workflow, pool);
    if (error) throw usageError(error.message);
    return workflow;
  });
}
