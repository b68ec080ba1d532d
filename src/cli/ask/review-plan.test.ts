import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { toWorkflow } from "../../testing/run-events.ts";
import type { PlanForReview } from "../../tutti/ask-options.ts";
import { createReview } from "./review-plan.ts";

const PLAN: PlanForReview = {
  round: 0,
  workflow: toWorkflow([0, "Solve it", []], [1, "Check it", "all"]),
  pool: {
    members: ["rehearsal/ada", "rehearsal/bo"].map((id) => ({
      worker: { id, kind: "model", isSimulated: true, ask: async function* () {} },
    })),
  },
  estimate: { usd: 0.0012, maxUsd: 0.03, calls: 2, unpricedSteps: 0 },
  estimateOf: () => ({ usd: 0.005, maxUsd: 0.05, calls: 2, unpricedSteps: 1 }),
};

async function review(input: string | undefined, { isTTY = false, editor = "" } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  if (input !== undefined) stdin.write(input);
  stdin.end();
  let said = "";
  const stderr = {
    write(text: string) {
      said += text;
    },
  };
  const signal = new AbortController().signal;
  const verdict = await createReview({ stdin, stderr, env: { EDITOR: editor }, signal })(PLAN);
  return { verdict, said };
}

describe("createReview", () => {
  it("shows the drawing, every subtask in full and the estimate", async () => {
    const { said } = await review("yes\n");
    expect(said).toContain("│ 1 rehearsal/ada ├─╮");
    expect(said).toContain("2  rehearsal/bo  sees step 1\n     Check it");
    expect(said).toContain("Estimated cost: $0.0012 simulated, at the most $0.03 simulated · 2 calls");
  });

  it.each([
    ["yes\n", "approve"],
    ["Y\n", "approve"],
    ["no\n", "refuse"],
    [undefined, "refuse"],
    ["whatever\n", "refuse"],
  ])("takes %j from a pipe for %s", async (input, type) =>
    expect((await review(input)).verdict.type).toBe(type),
  );

  it("asks a person again until it understands", async () => {
    const { verdict, said } = await review("perhaps\ny\n", { isTTY: true });
    expect(verdict.type).toBe("approve");
    expect(said.match(/Perform this plan\?/g)).toHaveLength(2);
  });

  it("performs the plan as it was edited, after showing what it costs now", async () => {
    const { verdict, said } = await review("edit\nyes\n", {
      isTTY: true,
      editor: "sed -i 's/Check it/Check it twice/'",
    });
    expect(verdict).toEqual({
      type: "edit",
      workflow: toWorkflow([0, "Solve it", []], [1, "Check it twice", "all"]),
    });
    expect(said).toContain(
      "Estimated cost: $0.005 simulated, at the most $0.05 simulated, and 1 step of unknown price",
    );
  });

  it("says what is wrong with an edited plan, and keeps the edit for the next try", async () => {
    const editor = "sed -i -e 's/= .0, 7./= [0, 1]/' -e 't' -e 's/= .0, 1./= [0, 7]/'";
    const { verdict, said } = await review("edit\nedit\nyes\n", { isTTY: true, editor });
    expect(said).toMatch(/This cannot be performed: There is no worker 7/);
    expect(verdict.type).toBe("edit");
  });

  it("says so when there is no editor", async () => {
    expect((await review("edit\nno\n", { isTTY: true })).said).toContain("set VISUAL or EDITOR");
  });
});
