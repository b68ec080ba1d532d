// Made-up tasks and rows for the tests of this room.

import type { BenchResult, BenchRow } from "../bench/types.ts";
import type { GradedTask } from "../task/types.ts";

/** "What is twice i?", in two categories and four families. */
export function toTask(i: number, set = "sums"): GradedTask {
  return {
    id: `t${i}`,
    set,
    category: i % 2 === 0 ? "even" : "odd",
    family: `rest ${i % 4}`,
    prompt: `What is twice ${i}?`,
    answer: String(i * 2),
    grader: "numeric",
  };
}

export function toBenchRow(
  conductor: string,
  i: number,
  isRight: boolean,
  parts: Partial<BenchRow> = {},
): BenchRow {
  const { id: task, set, category, family } = toTask(i);
  return {
    conductor,
    set,
    task,
    category,
    family,
    score: isRight ? 1 : 0,
    why: isRight ? "right" : "wrong",
    ungraded: false,
    isOutage: false,
    calls: 1,
    conductorCalls: 0,
    tokens: 100,
    costUsd: 0.001,
    durationMs: 500,
    steps: 1,
    rounds: 1,
    valid: true,
    asked: ["a"],
    answer: "",
    stopReason: "done",
    ...parts,
  };
}

export function toBenchResult(conductor: string, parts: Partial<BenchResult> = {}): BenchResult {
  return {
    ...{ conductor, set: "sums", n: 10, accuracy: 0.5, low: 0.4, high: 0.6, calls: 1, conductorCalls: 0 },
    ...{ tokens: 100, costUsd: 0.001, durationMs: 500, routingEntropy: 0, steps: 1, validShare: 1 },
    ...{ accuracyIfValid: 0.5, ungraded: 0, outages: 0, isSimulated: true, against: [], byCategory: [] },
    ...parts,
  };
}
