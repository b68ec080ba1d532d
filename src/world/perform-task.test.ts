// What a measured task becomes when money is short: it is not measured, instead of measured badly.

import { expect, it } from "vitest";
import type { Conductor } from "../conductor/types.ts";
import { scriptedWorker, step, toPool } from "../testing/stage.ts";
import { NO_USAGE } from "../worker/price.ts";
import { performTask } from "./perform-task.ts";

const TASK = {
  id: "t/1",
  set: "t",
  category: "c",
  family: "f",
  prompt: "What?",
  answer: "fine",
  grader: "text",
} as const;
const GRADING = { isInstant: false, grade: () => ({ score: 1, why: "" }) };

function perform(planUsd: number, isTight: boolean) {
  const pool = toPool([scriptedWorker("free", "fine")], { inputUsd: 0, outputUsd: 0 });
  const planner = { worker: scriptedWorker("planner", ""), price: { inputUsd: planUsd, outputUsd: planUsd } };
  const conductor: Conductor = {
    identity: { kind: "custom", id: "expensive" },
    quote: () => ({ member: planner, inputTokens: 1_000_000, maxOutputTokens: 1_000 }),
    async *compose() {
      const decision = { type: "workflow" as const, workflow: { steps: [step(0, "go")] } };
      yield { type: "plan-end", text: "", decision, usage: NO_USAGE };
    },
  };
  const signal = new AbortController().signal;
  return performTask(GRADING, { task: { ...TASK }, pool }, conductor, {
    rounds: 1,
    seed: 1,
    signal,
    limits: { usd: 1 },
    isTight,
  });
}

it("is short of money where the budget did not allow for planning, if more may come", async () => {
  expect(await perform(100, true)).toMatchObject({ type: "short" });
  expect(await perform(100, false)).toMatchObject({ type: "graded", performed: { valid: false, score: 1 } });
  expect(await perform(0.1, true)).toMatchObject({ type: "graded", performed: { valid: true } });
});
