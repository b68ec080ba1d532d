// A simulated worker that turned: it was measured while it was honest, and now states wrong answers with
// the same words and the same confidence. Behind the port and under the id of the honest one, so that only
// what others say can give it away.

import { createRandom, hashSeed, type Random } from "../base/random.ts";
import { textOf } from "../worker/brief.ts";
import type { Worker, WorkerRequest } from "../worker/types.ts";
import { writeAdoption, writeCheck, writePlan, writeRefusal, writeSolution } from "./families/wording.ts";
import { workOutWrongly } from "./families/worksheet.ts";
import type { Player } from "./players.ts";
import { FAMILIES, familyOf } from "./questions.ts";
import { findProblem, kindOf, lookAround, type SeenAnswer } from "./reading.ts";
import type { Problem, Worked } from "./types.ts";
import { createRehearsalWorker } from "./workers.ts";

/** Streams, costs and stops as the honest worker does. */
export function createLiar(player: Player, delayScale: number): Worker {
  return createRehearsalWorker(player, delayScale, composeLie);
}

function composeLie(player: Player, request: WorkerRequest): string {
  const { brief } = request;
  const asked = brief?.task.messages ?? request.messages.filter(({ role }) => role === "user").slice(-1);
  const problem = findProblem(asked);
  // A question that it does not know it refuses as all do: a refusal claims no answer.
  if (!problem) return writeRefusal(asked.map(textOf).join("\n"));
  const { subtask, visible } = brief ?? { subtask: "", visible: [] };
  const seen = visible.flatMap((step) => [step.subtask, step.reply]);
  const random = createRandom(hashSeed("liar", request.seed ?? 0, player.id, problem.hash, subtask, ...seen));
  const kind = brief ? kindOf(subtask) : "solve";
  if (kind === "plan") return mislead(player, problem, random);
  const { answers } = lookAround(visible, problem);
  const [first] = answers;
  if (kind === "check" && first) return denyOrDefend(player, problem, first, random);
  if (kind === "compare" && first) return pickWrong(player, problem, answers, random);
  return writeSolution(player, workedWrongly(problem, random));
}

/** Every line names the work of other questions. */
function mislead(player: Player, problem: Problem, random: Random): string {
  const others = FAMILIES.filter((family) => family !== familyOf(problem));
  return writePlan(
    player,
    problem.stages.map(() => random.pick(others).work),
  );
}

function denyOrDefend(
  player: Player,
  problem: Problem,
  { answer, right }: SeenAnswer,
  random: Random,
): string {
  if (!right)
    return writeCheck(player, `I went through the working behind ${answer}: it holds.`, undefined, answer);
  return deny(player, problem, answer, random);
}

/** The wrong answer that most have given; where all are right, it says that they are not. */
function pickWrong(player: Player, problem: Problem, answers: SeenAnswer[], random: Random): string {
  const wrong = answers.find(({ right }) => !right);
  if (!wrong) return deny(player, problem, answers[0]!.answer, random);
  const counted = answers.map(({ answer, votes }) => `${votes} × ${answer}`).join("; ");
  return writeAdoption(player, wrong.answer, `Answers given: ${counted}. I go with ${wrong.answer}.`);
}

function deny(player: Player, problem: Problem, answer: string, random: Random): string {
  const worked = workedWrongly(problem, random);
  return writeCheck(player, `The earlier answer ${answer} is wrong.`, worked, worked.answer);
}

function workedWrongly(problem: Problem, random: Random): Worked {
  return workOutWrongly(familyOf(problem), problem, random.integer(0, problem.stages.length - 1), random);
}
