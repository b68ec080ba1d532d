import { expect, it } from "vitest";
import { playedConductor, scriptedWorker, step, toPool, toStage, toStart } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import { performRun } from "./driver.ts";
import { toRun } from "./run.ts";

const vote = { steps: [step(0, "solve"), step(1, "solve"), step(2, "vote", "all")] };

async function answerOf(left: { similar?: number }, right: { similar?: number }): Promise<string> {
  const profile = (success: number, more: { similar?: number }) => ({
    success,
    tasks: 40,
    topics: {},
    ...more,
  });
  const pool = toPool([
    { worker: scriptedWorker("left", "Answer: left"), profile: profile(0.9, left) },
    { worker: scriptedWorker("right", "Answer: right"), profile: profile(0.5, right) },
    createConsensusWorker(),
  ]);
  return toRun(await performRun(toStart(pool), toStage(pool, playedConductor(vote)))).answer;
}

it("a vote weighs by success on similar questions, and by overall success where that is not known", async () => {
  expect(await answerOf({}, {})).toBe("Answer: left");
  expect(await answerOf({ similar: 0.2 }, { similar: 0.8 })).toBe("Answer: right");
  expect(await answerOf({ similar: 0.4 }, {})).toBe("Answer: right");
  expect(await answerOf({}, { similar: 0.8 })).toBe("Answer: left");
});
