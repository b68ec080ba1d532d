import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { GradedTask } from "../task/types.ts";
import type { PoolMember } from "../worker/types.ts";
import { describeJudge, measureJudge } from "./measure-judge.ts";

const TASKS = Array.from(
  { length: 20 },
  (_, i): GradedTask => ({
    ...{ id: `t${i}`, set: "s", category: "c", family: "f" },
    ...{ prompt: `Question ${i}?`, answer: "4", grader: "text" },
  }),
);

function recording(): string {
  const folder = mkdtempSync(join(tmpdir(), "tutti-judge-"));
  const rows = TASKS.map(({ id }, i) => ({
    ...{ task: id, worker: "w", sample: 0, answer: "4", tokens: 1 },
    score: i % 2,
    reply: i % 2 === 1 ? `Answer: ${i} is right` : `Answer: ${i} is wrong`,
  }));
  writeFileSync(join(folder, "outcomes.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return folder;
}

function judgeBy(verdictOf: (shown: string) => string, outputUsd = 0): PoolMember {
  return {
    price: { inputUsd: 0, outputUsd },
    worker: {
      id: "judge",
      kind: "model",
      async *ask({ messages }) {
        yield { type: "text-delta", text: verdictOf(JSON.stringify(messages)) };
        const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
        yield { type: "finish", usage, reason: "stop" };
      },
    },
  };
}

describe("how often a judge errs", () => {
  test("is counted apart for right and for wrong replies", async () => {
    // Accepts all that is right, and of the wrong ones those of two digits: 10, 12, 14, 16, 18.
    const judge = judgeBy((shown) =>
      /\d is right/.test(shown) || /Answer: \d\d is wrong/.test(shown)
        ? "VERDICT: ACCEPT"
        : "VERDICT: REVISE",
    );
    const rates = await measureJudge({ folder: recording(), tasks: TASKS, judge, most: 40 });
    expect(rates).toMatchObject({ judge: "judge", judged: 20, withoutVerdict: 0 });
    expect(rates.counts).toEqual({ right: 10, refusedRight: 0, wrong: 10, acceptedWrong: 5 });
    expect(rates.falseAccept.mean).toBeCloseTo(0.5);
    expect(rates.falseReject.mean).toBe(0);
    expect(describeJudge(rates)).toMatch(/accepts 50 % \(\d+ … \d+\) of the wrong ones, refuses 0 %/);
  });

  test("no more replies are shown than allowed, half of them right", async () => {
    const rates = await measureJudge({
      folder: recording(),
      tasks: TASKS,
      judge: judgeBy(() => "VERDICT: REVISE"),
      most: 6,
    });
    expect(rates.judged).toBe(6);
    expect(rates.falseReject.mean).toBe(1);
  });

  test("one that gives no verdict, or has no money left, is said to have none", async () => {
    const silent = await measureJudge({
      folder: recording(),
      tasks: TASKS,
      judge: judgeBy(() => "Well."),
      most: 4,
    });
    expect(silent).toMatchObject({ judged: 0, withoutVerdict: 4 });
    expect(describeJudge(silent)).toMatch(/no verdict on any reply/);
    const dear = judgeBy(() => "VERDICT: ACCEPT", 1e6);
    expect(
      await measureJudge({ folder: recording(), tasks: TASKS, judge: dear, most: 4, budgetUsd: 0.001 }),
    ).toMatchObject({
      judged: 0,
      costUsd: 0,
    });
  });
});
