// What a simulated worker replies to a problem: it reads its brief, the rules give the probabilities, and
// seeded luck decides. The same request to the same worker gives the same reply.

import { createRandom, hashSeed, type Random } from "../base/random.ts";
import { roleOf } from "../conductor/trinity/roles.ts";
import type { Brief } from "../worker/types.ts";
import { BARE_QUESTION, readInstruction } from "./instruction-reading.ts";
import { type Player, skillOf } from "./players.ts";
import { FAMILIES, familyOf } from "./questions.ts";
import { lookAround, type SeenAnswer, VAGUE_LINE } from "./reading.ts";
import {
  LUCK_OF_FACT,
  LUCK_OF_QUESTION,
  LUCK_OF_WORKER,
  MISLEADING_LINES,
  type NamedWords,
  probabilityOfAdopting,
  probabilityOfBreaking,
  probabilityOfCatching,
  probabilityOfPlanLine,
  probabilityOfStage,
  type Situation,
  weightInComparison,
} from "./rules.ts";
import {
  writeAdoption,
  writeCheck,
  writeComparison,
  writeNothingToJudge,
  writePlan,
  writeSolution,
  writeVerdict,
} from "./templates/wording.ts";
import { workOutWrongly } from "./templates/worksheet.ts";
import type { Family, Problem, Worked } from "./types.ts";

/** Without a brief the worker is asked the bare question. */
export interface ReplyRequest {
  seed: number;
  brief?: Brief;
}

/** All that bears on one reply. */
interface ReplyContext {
  player: Player;
  problem: Problem;
  family: Family;
  situation: Situation & NamedWords;
  /** What others answered, as `lookAround` orders it. */
  answers: SeenAnswer[];
  /**
   * Of this ask of this worker. What it is told and shown changes probabilities and not the luck that they meet, so that
   * two ways to say the same can be compared exactly.
   */
  moment: number;
}

/** The reply to a problem that was already read. */
export function replyTo(player: Player, problem: Problem, { seed, brief }: ReplyRequest): string {
  const { subtask, visible } = brief ?? { subtask: "", visible: [] };
  const { kind, ...words } = brief ? readInstruction(subtask, problem) : BARE_QUESTION;
  const { answers, planQuality, candidate } = lookAround(visible, problem);
  const family = familyOf(problem);
  const scene: ReplyContext = {
    player,
    problem,
    family,
    situation: {
      skill: skillOf(player, problem.topic),
      difficulty: problem.difficulty,
      stages: problem.stages.length,
      recall: family.recall,
      ...words,
      planQuality,
      // Nothing is there to be checked or compared.
      offTopic: kind === "other" || ((kind === "check" || kind === "compare") && answers.length === 0),
    },
    answers,
    moment: hashSeed(seed, player.id, problem.hash),
  };
  const [first] = answers;
  if (roleOf(subtask) === "verifier") return verify(scene, candidate);
  if (kind === "plan") return plan(scene, roleOf(subtask) === "thinker");
  if (kind === "check" && first) return writeCheck(player, first.answer, check(scene, first));
  if (kind === "compare" && first) return compare(scene);
  return solve(scene, first);
}

// ---- The four kinds of work -----------------------------------------------------------------------

/** Works it out alone; a visible answer may then be adopted, be it right or wrong. */
function solve(scene: ReplyContext, other: SeenAnswer | undefined): string {
  const { player, problem, situation } = scene;
  const { skill, recall } = situation;
  const own = attempt(scene, false);
  // A worker that knows a fact does not ask others; one that works a problem out may doubt.
  if (other && own.answer !== other.answer && !(recall && own.right)) {
    const { votes: agreeing, right } = other;
    if (chance(scene, ADOPT).next() < probabilityOfAdopting({ agreeing, right, skill, recall })) {
      return right
        ? writeSolution(player, problem, "I follow the earlier reply.")
        : writeAdoption(player, other.answer, "I follow the earlier reply, its reasoning holds.");
    }
  }
  return writeSolution(player, own);
}

/** Names the stages in their order: rightly, vaguely, or by work that belongs to other questions. */
function plan(scene: ReplyContext, isThinker: boolean): string {
  const { player, problem, family, situation } = scene;
  const probability = probabilityOfPlanLine(player.planning, situation);
  const lines = problem.stages.map(({ work }, i) => {
    if (luck(scene, PLAN_LINE, i) < probability) return work;
    const random = chance(scene, VAGUENESS, i);
    if (random.next() >= MISLEADING_LINES) return VAGUE_LINE;
    return random.pick(FAMILIES.filter((other) => other !== family)).work;
  });
  return writePlan(player, lines, isThinker ? "worker" : undefined);
}

/** The same check of the latest answer, by the same rules, in the form of a verdict. */
function verify(scene: ReplyContext, candidate: SeenAnswer | undefined): string {
  return candidate ? writeVerdict(candidate.answer, check(scene, candidate)) : writeNothingToJudge();
}

/** Undefined: the answer holds. A fault that is found is worked out again, rightly or not. */
function check(scene: ReplyContext, { answer, right, reply }: SeenAnswer): Worked | undefined {
  const { player, problem, family, situation } = scene;
  if (family.recall) {
    const own = attempt(scene, false);
    // A worker that knows the fact sees at once; one that does not has nothing to go by.
    return own.right && !right ? own : undefined;
  }
  if (right) {
    const random = chance(scene, BREAK);
    if (random.next() >= probabilityOfBreaking(player.checking)) return undefined;
    const stage = random.integer(0, problem.stages.length - 1);
    return workOutWrongly(family, problem, stage, random);
  }
  const probability = probabilityOfCatching({
    ...situation,
    checking: player.checking,
    ownWork: reply.startsWith(player.style.opening),
    disagreement: scene.answers.length > 1,
  });
  const isCaught = luck(scene, CATCH, hashSeed(answer)) < probability;
  return isCaught ? attempt(scene, true) : undefined;
}

/** Picks one of the visible answers, and never another. */
function compare(scene: ReplyContext): string {
  const { player, answers } = scene;
  const { checking } = player;
  const weights = answers.map(({ votes, right }) => weightInComparison({ votes, right, checking }));
  let rest = chance(scene, PICK).next() * weights.reduce((sum, weight) => sum + weight, 0);
  let at = 0;
  while (at < weights.length - 1 && rest >= weights[at]!) rest -= weights[at++]!;
  return writeComparison(player, answers, answers[at]!);
}

// ---- Luck -----------------------------------------------------------------------------------------

/** Goes through the stages; the first that goes wrong spoils the rest. */
function attempt(scene: ReplyContext, foundFault: boolean): Worked & { right: boolean } {
  const { player, problem, family, situation } = scene;
  const probability = probabilityOfStage(situation, foundFault);
  for (let stage = 0; stage < situation.stages; stage++) {
    const drawn = family.recall ? luckOfFact(player, problem) : luck(scene, STAGE, stage);
    if (drawn >= probability)
      return { ...workOutWrongly(family, problem, stage, chance(scene, SLIP, stage)), right: false };
  }
  return { stages: problem.stages, answer: problem.answer, right: true };
}

/** What luck is asked for: each kind of event has its own. */
const STAGE = 1;
const PLAN_LINE = 2;
const CATCH = 3;
const ADOPT = 4;
const VAGUENESS = 5;
const BREAK = 6;
const PICK = 7;
const SLIP = 8;

/** Uniform in [0, 1): in part the luck of the question, in part of this worker with it, else of the moment. */
function luck(scene: ReplyContext, event: number, which: number): number {
  const { player, problem } = scene;
  const { hash } = problem;
  const random = chance(scene, event, which);
  const source = random.next();
  if (source < LUCK_OF_QUESTION) return toUnit(hashSeed(hash, event, which));
  if (source < LUCK_OF_QUESTION + LUCK_OF_WORKER) return toUnit(hashSeed(player.id, hash, event, which));
  return random.next();
}

/** Of the moment alone. */
function chance({ moment }: ReplyContext, event: number, which = 0): Random {
  return createRandom(hashSeed(moment, event, which));
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
