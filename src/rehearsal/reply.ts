// What a simulated worker replies to a request: it reads its brief, the rules give the chances, and
// seeded luck decides. The same request to the same worker gives the same reply.

import { createRandom, hashSeed, type Random } from "../base/random.ts";
import { textOf } from "../worker/brief.ts";
import type { Brief, VisibleStep, WorkerRequest } from "../worker/types.ts";
import { writeAdoption, writeCheck, writePlan, writeRefusal, writeSolution } from "./families/wording.ts";
import { workOutWrongly } from "./families/worksheet.ts";
import { type Player, skillOf } from "./players.ts";
import { FAMILIES, familyOf } from "./questions.ts";
import {
  findProblem,
  kindOf,
  lookAround,
  namedWork,
  type SeenAnswer,
  type Sight,
  VAGUE_LINE,
} from "./reading.ts";
import {
  chanceOfAdopting,
  chanceOfBreaking,
  chanceOfCatching,
  chanceOfPlanLine,
  chanceOfStage,
  LUCK_OF_FACT,
  LUCK_OF_QUESTION,
  LUCK_OF_WORKER,
  MISLEADING_LINES,
  type NamedWork,
  weightInComparison,
} from "./rules.ts";
import type { Family, Problem, Worked } from "./types.ts";

/** All that bears on one reply. */
interface Scene {
  player: Player;
  problem: Problem;
  family: Family;
  skill: number;
  namesWork: NamedWork;
  offTopic: boolean;
  sight: Sight;
  random: Random;
}

export function composeReply(player: Player, request: WorkerRequest): string {
  const { brief } = request;
  const asked = brief?.task.messages ?? request.messages.filter(({ role }) => role === "user").slice(-1);
  const problem = findProblem(asked);
  if (!problem) return writeRefusal(asked.map(textOf).join("\n"));
  return replyTo(player, problem, { seed: request.seed ?? 0, brief });
}

/** The reply to a problem that was already read. Without a brief the worker is asked the bare question. */
export function replyTo(player: Player, problem: Problem, asked: { seed: number; brief?: Brief }): string {
  const { subtask, visible } = asked.brief ?? { subtask: "", visible: [] };
  const kind = asked.brief ? kindOf(subtask) : "solve";
  const scene: Scene = {
    player,
    problem,
    family: familyOf(problem),
    skill: skillOf(player, problem.topic),
    namesWork: subtask === "" ? "nothing" : namedWork(subtask, problem),
    offTopic: kind === "other",
    sight: lookAround(visible, problem),
    random: createRandom(hashSeed(asked.seed, player.id, problem.hash, subtask, ...seen(visible))),
  };
  const [first, ...others] = scene.sight.answers;
  if (kind === "plan") return plan(scene);
  if (kind === "check" && first) return check(scene, first, others);
  if (kind === "compare" && first) return compare(scene);
  return solve(scene, first);
}

function seen(visible: readonly VisibleStep[]): string[] {
  return visible.flatMap(({ subtask, reply }) => [subtask, reply]);
}

// ---- The four kinds of work -----------------------------------------------------------------------

/** Works it out alone; an answer in sight may then be taken over, be it right or wrong. */
function solve(scene: Scene, other: SeenAnswer | undefined): string {
  const { player, problem, family, skill, random } = scene;
  const own = attempt(scene, false);
  // One who knows a fact does not ask others; one who works a problem out may doubt.
  const open = other && own.answer !== other.answer && !(family.recall && own.right);
  if (open) {
    const { votes: agreeing, right } = other;
    if (random.next() < chanceOfAdopting({ agreeing, right, skill, recall: family.recall })) {
      return right
        ? writeSolution(player, problem, "I follow the earlier reply.")
        : writeAdoption(player, other.answer, "I follow the earlier reply, its reasoning holds.");
    }
  }
  return writeSolution(player, own.worked);
}

/** Names the stages in their order: rightly, vaguely, or by work that belongs to other questions. */
function plan(scene: Scene): string {
  const { player, problem, family, skill, random } = scene;
  const chance = chanceOfPlanLine(player.planning, skill, problem.difficulty);
  const lines = problem.stages.map(({ work }, i) => {
    if (luck(scene, PLAN_LINE, i) < chance) return work;
    if (random.next() >= MISLEADING_LINES) return VAGUE_LINE;
    return random.pick(FAMILIES.filter((other) => other !== family)).work;
  });
  return writePlan(player, lines);
}

/** Checks the answer that most have given. A fault that is found is worked out again. */
function check(scene: Scene, subject: SeenAnswer, others: SeenAnswer[]): string {
  const { player, problem, family, skill, namesWork, random } = scene;
  const { answer, right } = subject;
  const holds = `I went through the working behind ${answer}: it holds.`;
  const fails = `The earlier answer ${answer} is wrong.`;
  if (family.recall) {
    const own = attempt(scene, false);
    // Whoever knows the fact sees at once; whoever does not has nothing to go by.
    if (!own.right || right) return writeCheck(player, holds, undefined, answer);
    return writeCheck(player, fails, own.worked, own.answer);
  }
  if (right) {
    if (random.next() >= chanceOfBreaking(player.checking))
      return writeCheck(player, holds, undefined, answer);
    const worked = workOutWrongly(family, problem, random.integer(0, problem.stages.length - 1), random);
    return writeCheck(player, fails, worked, worked.answer);
  }
  const { checking } = player;
  const { difficulty } = problem;
  const ownWork = subject.reply.startsWith(player.style.opening);
  const chance = chanceOfCatching({
    checking,
    skill,
    difficulty,
    ownWork,
    namesWork,
    disagreement: others.length > 0,
  });
  if (luck(scene, CATCH, hashSeed(answer)) >= chance) return writeCheck(player, holds, undefined, answer);
  const redone = attempt(scene, true);
  return writeCheck(player, fails, redone.worked, redone.answer);
}

/** Picks one of the answers in sight, and never another. */
function compare({ player, sight, random }: Scene): string {
  const weights = sight.answers.map(({ votes, right }) =>
    weightInComparison({ votes, right, checking: player.checking }),
  );
  let rest = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  let at = 0;
  while (at < weights.length - 1 && rest >= weights[at]!) rest -= weights[at++]!;
  const chosen = sight.answers[at]!;
  const counted = sight.answers.map(({ answer, votes }) => `${votes} × ${answer}`).join("; ");
  return writeAdoption(player, chosen.answer, `Answers given: ${counted}. I go with ${chosen.answer}.`);
}

// ---- Chance ---------------------------------------------------------------------------------------

interface Attempt {
  right: boolean;
  answer: string;
  worked: Worked;
}

/** Goes through the stages; the first that goes wrong spoils the rest. */
function attempt(scene: Scene, foundFault: boolean): Attempt {
  const { player, problem, family, skill, namesWork, offTopic, sight, random } = scene;
  const { difficulty } = problem;
  const stages = problem.stages.length;
  const { recall } = family;
  const { planQuality } = sight;
  const chance = chanceOfStage({
    skill,
    difficulty,
    stages,
    recall,
    namesWork,
    planQuality,
    offTopic,
    foundFault,
  });
  for (let stage = 0; stage < stages; stage++) {
    const drawn = recall ? luckOfFact(player, problem) : luck(scene, STAGE, stage);
    if (drawn < chance) continue;
    const worked = workOutWrongly(family, problem, stage, random);
    return { right: false, answer: worked.answer, worked };
  }
  return {
    right: true,
    answer: problem.answer,
    worked: problem,
  };
}

/** What luck is asked for: each kind of event has its own. */
const STAGE = 1;
const PLAN_LINE = 2;
const CATCH = 3;

/** Uniform in [0, 1): in part the luck of the question, in part of this worker with it, else of the moment. */
function luck({ player, problem: { hash }, random }: Scene, event: number, which: number): number {
  const source = random.next();
  if (source < LUCK_OF_QUESTION) return toUnit(hashSeed(hash, event, which));
  if (source < LUCK_OF_QUESTION + LUCK_OF_WORKER) return toUnit(hashSeed(player.id, hash, event, which));
  return random.next();
}

/** A fact is known or not: nothing of the moment in it. */
function luckOfFact(player: Player, problem: Problem): number {
  const own = hashSeed(player.id, problem.answer, problem.family);
  const isShared = toUnit(hashSeed(own, "shared")) < LUCK_OF_FACT;
  return toUnit(isShared ? hashSeed(problem.answer, problem.family) : own);
}

function toUnit(hash: number): number {
  return hash / 0x1_0000_0000;
}
