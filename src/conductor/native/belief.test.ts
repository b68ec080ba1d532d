import { describe, expect, it } from "vitest";
import { createTinyLanguage } from "../../testing/learn/tiny-language.ts";
import { scriptedWorker } from "../../testing/stage.ts";
import type { PoolMember } from "../../worker/types.ts";
import type { ComposedRound } from "../types.ts";
import { readTeamBelief } from "./belief.ts";
import { IS_BLIND, toReading } from "./reading.ts";

/** Of a worker, what is believed stands before what it may see. */
const BELIEVED_AT = IS_BLIND - 3;

const model = (id: string, probability: number): PoolMember => ({
  worker: scriptedWorker(id, ""),
  profile: { success: 0.5, tasks: 40, topics: {}, probability },
});
const vote: PoolMember = { worker: scriptedWorker("consensus", "", "tool") };
const members = [model("a", 0.7), model("b", 0.6), vote, model("c", 0.6), model("d", 0.9)];

function round(...said: [worker: number, reply: string, access?: number[]][]): ComposedRound {
  return {
    workflow: { steps: said.map(([worker, , access = []]) => ({ worker, subtask: "x", access })) },
    replies: said.map(([, reply]) => reply),
  };
}

const believe = (...rounds: ComposedRound[]) => {
  const { belief } = toReading(
    { task: { messages: [{ role: "user", content: "What is 6 × 7?" }] }, pool: { members }, rounds },
    createTinyLanguage(),
  );
  return belief!;
};

describe("what a team is believed", () => {
  it("is nothing before it has answered, and all features of it are 0", () => {
    const reading = toReading(
      { task: { messages: [{ role: "user", content: "What is 6 × 7?" }] }, pool: { members }, rounds: [] },
      createTinyLanguage(),
    );
    expect(reading.belief).toBeUndefined();
    for (const slot of reading.prefix.slots)
      expect([...slot.slice(BELIEVED_AT, IS_BLIND)]).toEqual([0, 0, 0]);
  });

  it("rises with agreement, over rounds too, and a vote over the replies is no voice", () => {
    const alone = believe(round([0, "Answer: 42"]));
    const voted = believe(round([0, "Answer: 42"], [2, "Answer: 42", [0]]));
    const together = believe(round([0, "Answer: 42"], [1, "Answer: 42"]));
    const later = believe(round([0, "Answer: 42"]), round([1, "Answer: 42"]));
    expect(voted).toEqual(alone);
    expect(together.best).toBeGreaterThan(alone.best);
    expect(later.best).toBeCloseTo(together.best, 9);
  });

  it("counts agreement of one who saw the answer less", () => {
    const seen = believe(round([0, "Answer: 42"], [1, "Answer: 42", [0]]));
    const unseen = believe(round([0, "Answer: 42"], [1, "Answer: 42"]));
    expect(seen.best).toBeLessThan(unseen.best);
  });

  it("gives each worker its answer's probability, and what asking it would be worth", () => {
    const { said, gains, none, best } = believe(round([0, "Answer: 42"], [1, "Answer: 41"]));
    expect([...said.keys()]).toEqual([0, 1]);
    expect(said.get(0)! + said.get(1)! + none).toBeCloseTo(1, 9);
    expect(best).toBe(said.get(0));
    expect([...gains.keys()].sort()).toEqual([0, 1, 3, 4]);
    expect(gains.get(4)).toBeGreaterThan(gains.get(3)!);
  });

  it("stands in the features of each slot", () => {
    const rounds = [round([0, "Answer: 42"], [1, "Answer: 41"])];
    const { prefix, belief } = toReading(
      { task: { messages: [{ role: "user", content: "What is 6 × 7?" }] }, pool: { members }, rounds },
      createTinyLanguage(),
    );
    const [own, gain, none] = [...prefix.slots[0]!.slice(BELIEVED_AT)];
    expect(own).toBeCloseTo(2 * belief!.said.get(0)! - 1, 5);
    expect(gain).toBeCloseTo(4 * belief!.gains.get(0)!, 5);
    expect(none).toBeCloseTo(belief!.none, 5);
  });

  it("has no worker without replies", () => {
    expect(readTeamBelief({ members }, [round([0, ""])], [[undefined]]).said.size).toBe(0);
  });
});
