// What a Conductor writes, in any of the ways that models write it.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { parseWrittenWorkflow } from "../../src/config/workflow-text.ts";
import { parseWorkflow } from "../../src/workflow/parse.ts";
import { renderWorkflow } from "../../src/workflow/render.ts";
import { type FuzzTarget, must, toText } from "../target.ts";

const OPTIONS = { workers: 5, allowEmpty: true };

const subtask = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("Do it.", '"', "\\", "]\n[", "```"),
);
const written = fc
  .array(fc.record({ worker: fc.nat(4), subtask, access: fc.constant<number[]>([]) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((steps) => renderWorkflow({ steps }));

export const workflow: FuzzTarget = {
  name: "workflow",
  tokens: [
    "model_id = [",
    "subtasks = [",
    "access_list = [",
    "```python\n",
    "all",
    "[]",
    "],",
    "'''",
    '"""',
    "\\n",
  ],
  inputs: fc.oneof(written, fc.string()),
  check(input) {
    const parsed = parseWorkflow(toText(input), OPTIONS);
    if (!parsed.ok) return;
    const again = parseWorkflow(renderWorkflow(parsed.workflow), OPTIONS);
    must(again.ok, "what is rendered is not parsed");
    if (again.ok)
      must(isDeepStrictEqual(again.workflow, parsed.workflow), "what is rendered is parsed as another");
  },
};

/** As people write it, in YAML or in the Conductor's language. */
export const writtenWorkflow: FuzzTarget = {
  name: "written-workflow",
  tokens: [
    "steps:",
    "\n  - worker: a",
    "\n    subtask: x",
    "\n    sees: all",
    "[0]",
    "&a ",
    "*a",
    "? ",
    "|\n",
    "access",
  ],
  inputs: fc.jsonValue({ maxDepth: 3 }).map((steps) => JSON.stringify({ steps })),
  overheadMs: 300,
  check(input) {
    const { steps } = parseWrittenWorkflow(toText(input), "it");
    must(Array.isArray(steps) && steps.length > 0, "a workflow without steps");
    for (const [at, { access }] of steps.entries())
      must(
        typeof access === "string" || access.every((seen) => seen >= 0 && seen < at),
        "a step that sees a later one",
      );
  },
};
