// The look of a reply weighs in a vote and in a belief, live and replayed.

import { describe, expect, test } from "vitest";
import { probabilitiesOf } from "../belief/posterior.ts";
import { createFixedConductor } from "../conductor/fixed.ts";
import { createStartPolicy } from "../conductor/trinity/policy.ts";
import { readTranscript, toPrior } from "../conductor/trinity/transcript.ts";
import { toStage, toStart } from "../testing/stage.ts";
import { createHelper } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";
import { performRun } from "./driver.ts";
import { toRun } from "./run.ts";

const reading = { usualCharacters: 40, between: 1, weights: [0, 0, 0, -2, -1, -2, 0, 0] };
const CUT =
  "Let us see. Wait, maybe it is five, or wait, actually it could be that it is six and then\nAnswer: 5 (";

function member(id: string, reply: string, probability: number): PoolMember {
  return {
    profile: { success: probability, tasks: 10, topics: {}, probability, reading },
    worker: {
      id,
      kind: "model",
      async *ask() {
        yield { type: "text-delta", text: reply };
        const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
        yield { type: "finish", usage, reason: "stop" };
      },
    },
  };
}

async function vote(members: PoolMember[]): Promise<string> {
  const pool: Pool = { members: [...members, createHelper("consensus")] };
  const steps = [
    ...members.map((_, worker) => ({ worker, subtask: "Solve.", access: [] })),
    { worker: members.length, subtask: "Vote.", access: "all" as const },
  ];
  const state = await performRun(toStart(pool), toStage(pool, createFixedConductor({ steps })));
  return toRun(state).answer;
}

describe("the look of a reply", () => {
  const plain = (profile: PoolMember["profile"]) => ({ ...profile!, reading: undefined });

  test("weighs in a vote: the surer one wins against a slightly stronger one that wavers", async () => {
    const wavering = member("a", CUT, 0.62);
    const sure = member("b", "Answer: 4", 0.6);
    expect(await vote([wavering, sure])).toBe("Answer: 4");
    const unread = [wavering, sure].map((each) => ({ ...each, profile: plain(each.profile) }));
    expect(await vote(unread)).toBe(CUT);
  });

  test("is evidence of the posterior, by the text or by what was recorded of it, and none where nobody knows", () => {
    const pool: Pool = { members: [member("a", "", 0.7)] };
    const policy = createStartPolicy();
    const prior = toPrior(pool, policy);
    const workflow = { steps: [{ worker: 0, subtask: "Solve.", access: [] }] };
    const believe = (reply: string, features?: null | ReturnType<typeof Object>) =>
      probabilitiesOf(
        readTranscript(
          [{ workflow, replies: [reply], ...(features !== undefined && { features: [features as never] }) }],
          prior,
          policy,
        ).posterior,
      )[0]!;
    const sure = believe("Answer: 5");
    expect(believe(CUT)).toBeLessThan(sure - 0.2);
    expect(
      believe("Answer: 5", { characters: 90, cleanEnd: 0, hedges: 2, changes: 2, answers: 1 }),
    ).toBeLessThan(sure - 0.2);
    expect(believe(CUT, null)).toBeCloseTo(0.7, 1);
  });
});
