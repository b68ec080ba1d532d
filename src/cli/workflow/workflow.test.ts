// Workflows by name through the command, and the examples of the docs.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseWrittenWorkflow } from "../../config/workflow-text.ts";
import { createHome, runTutti } from "../../testing/command.ts";

const PLAN = `steps:
  - worker: violin
    subtask: Work out the sum.
  - worker: rehearsal/viola
    subtask: Check the sum.
`;

describe("tutti workflow", () => {
  it("keeps a workflow by its name, and ask performs it", async () => {
    const home = createHome();
    const env = { TUTTI_HOME: home };
    const file = join(home, "plan.yaml");
    writeFileSync(file, PLAN);
    expect((await runTutti(["workflow", "save", "sums", file], { env })).stdout).toContain("2 steps");
    const again = await runTutti(["workflow", "save", "sums", file], { env });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("already") });
    expect((await runTutti(["workflow", "list"], { env })).stdout).toContain("sums  2 steps: violin");
    expect((await runTutti(["workflow", "show", "sums"], { env })).stdout.trim()).toBe(PLAN.trim());
    const asked = await runTutti(["ask", "--workflow", "sums", "--json", "What is 17 * 23?"], { env });
    const run = JSON.parse(asked.stdout);
    expect(run.steps.map((step: { workerId: string }) => step.workerId)).toEqual([
      "rehearsal/violin",
      "rehearsal/viola",
    ]);
    const wrong = await runTutti(["ask", "--workflow", "sumz", "What is 17 * 23?"], { env });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "sums"?') });
    expect((await runTutti(["workflow", "delete", "sums", "--json"], { env })).stdout).toContain('"sums"');
    expect((await runTutti(["workflow", "list"], { env })).stdout).toContain("No workflow is saved");
  });

  it("says who is in the pool where a worker is not, and refuses names that lead elsewhere", async () => {
    const home = createHome();
    const env = { TUTTI_HOME: home };
    const file = join(home, "plan.yaml");
    writeFileSync(file, PLAN.replace("violin", "violim"));
    const asked = await runTutti(["ask", "--workflow", file, "What is 17 * 23?"], { env });
    expect(asked.code).toBe(2);
    expect(asked.stderr).toMatch(
      /names the worker "violim", which is not in the pool \(there are: rehearsal\/violin/,
    );
    expect((await runTutti(["workflow", "save", "../x", file], { env })).code).toBe(2);
    expect((await runTutti(["workflow", "shov"], { env })).stderr).toContain('Did you mean "show"?');
  });

  it("takes those of the config", async () => {
    const home = createHome();
    writeFileSync(
      join(home, "tutti.config.yaml"),
      `workflows:\n  sums:\n    ${PLAN.replaceAll("\n", "\n    ")}`,
    );
    const asked = await runTutti(
      ["ask", "--workflow", "sums", "--json", "--pool", "rehearsal", "What is 17 * 23?"],
      {
        env: { TUTTI_HOME: home },
        cwd: home,
      },
    );
    expect(JSON.parse(asked.stdout).rounds[0].workflow.steps).toHaveLength(2);
  });
});

it("every example of the docs is a workflow", () => {
  const page = readFileSync(new URL("../../../docs/workflows.md", import.meta.url), "utf8");
  const examples = [...page.matchAll(/```(?:yaml|json|text) workflow\n([\s\S]*?)```/g)];
  expect(examples.length).toBeGreaterThanOrEqual(4);
  for (const [, text] of examples)
    expect(parseWrittenWorkflow(text!, "docs").steps.length).toBeGreaterThan(0);
});
