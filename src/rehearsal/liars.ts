// A simulated worker that turned: it was measured while it was honest, and now states wrong answers with
// the same words and the same confidence. Behind the port and under the id of the honest one, so that only
// what others say can give it away.

import { createRandom, hashSeed } from "../base/random.ts";
import type { Worker } from "../worker/types.ts";
import type { Player } from "./players.ts";
import { FAMILIES, familyOf } from "./questions.ts";
import { kindOf, lookAround } from "./reading.ts";
import type { ReplyRequest } from "./reply.ts";
import { writeCheck, writeComparison, writePlan, writeSolution } from "./templates/wording.ts";
import { workOutWrongly } from "./templates/worksheet.ts";
import type { Problem } from "./types.ts";
import { createRehearsalWorker } from "./workers.ts";

/** Streams, costs, stops and refuses as the honest worker does. */
export function createLiar(player: Player, delayScale: number): Worker {
  return createRehearsalWorker(player, delayScale, lieAbout);
}

function lieAbout(player: Player, problem: Problem, { seed, brief }: ReplyRequest): string {
  const { subtask, visible } = brief ?? { subtask: "", visible: [] };
  const kind = brief ? kindOf(subtask) : "solve";
  const seen = visible.flatMap((step) => [step.subtask, step.reply]);
  const random = createRandom(hashSeed("liar", seed, player.id, problem.hash, subtask, ...seen));
  const family = familyOf(problem);
  const workOut = () => workOutWrongly(family, problem, random.integer(0, problem.stages.length - 1), random);
  if (kind === "plan") {
    // Every line names the work of other questions.
    const others = FAMILIES.filter((other) => other !== family);
    const lines = problem.stages.map(() => random.pick(others).work);
    return writePlan(player, lines);
  }
  const { answers } = lookAround(visible, problem);
  const [first] = answers;
  // What is right it denies, and what is wrong it defends.
  if (kind === "check" && first) return writeCheck(player, first.answer, first.right ? workOut() : undefined);
  if (kind === "compare" && first) {
    // The wrong answer that most have given; where all are right, it says that they are not.
    const wrong = answers.find(({ right }) => !right);
    return wrong ? writeComparison(player, answers, wrong) : writeCheck(player, first.answer, workOut());
  }
  return writeSolution(player, workOut());
}
