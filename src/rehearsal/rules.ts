// The rules of help: all probabilities of the simulated world, in one place and pure. Fixed before any
// training, the same for every Conductor and every baseline. Skills are in players.ts; nothing else decides
// who is right. Effects add up as log-odds, so help matters most where the outcome is open, and nobody
// becomes perfect.

import type { Difficulty } from "./types.ts";

// ---- Working a problem out ----------------------------------------------------------------------

/** A skill is the probability to get one stage right at difficulty 2; easy and hard ones shift it. */
const EASE: Record<Difficulty, number> = { 1: 0.9, 2: 0, 3: -0.7 };
/** What a visible perfect plan is worth for each stage of a problem that has several. */
const PLAN_HELP = 1;
/** A plan of less than this quality misleads more than it helps. */
const PLAN_BREAK_EVEN = 0.4;
/** A subtask that names the right work; one that names the wrong work costs as much. */
const NAMED_WORK = { right: 0.3, nothing: 0, wrong: -0.3 };
/** A subtask that names the work of more topics than this names none: it only lists words. */
export const MOST_TOPICS = 2;
/** A subtask that names what the question asks for in its own words, or something of another question. */
const NAMED_PART = { right: 0.25, nothing: 0, wrong: -0.35 };
/** A subtask that says what the answer looks like, rightly or not. */
const NAMED_FORM = { right: 0.1, nothing: 0, wrong: -0.3 };
/** What is longer, or sets work that does not belong together, helps no more than naming nothing. */
export const LONGEST_HELPFUL_WORDS = 120;
/** A subtask that says nothing of solving, planning, checking or comparing distracts. */
const OFF_TOPIC = -0.4;
/** A worker that has found a fault in another's work is more careful. */
const FOUND_FAULT = 0.2;

export type NamedWork = keyof typeof NAMED_WORK;
export type NamedPart = keyof typeof NAMED_PART;
export type NamedForm = keyof typeof NAMED_FORM;

/** What a subtask says to this problem. */
export interface NamedWords {
  namesWork: NamedWork;
  part: NamedPart;
  form: NamedForm;
  way: WayOfChecking;
}

/** Of words that say nothing to any question. */
export const PLAIN_WORDS: NamedWords = {
  namesWork: "nothing",
  part: "nothing",
  form: "nothing",
  way: "none",
};

function oddsOfWords({ namesWork, part, form }: Omit<NamedWords, "way">): number {
  return NAMED_WORK[namesWork] + NAMED_PART[part] + NAMED_FORM[form];
}

/** What decides how well a worker does on a problem. */
export interface Situation extends Omit<NamedWords, "way"> {
  /** Of this worker in this topic, 0..1. */
  skill: number;
  difficulty: Difficulty;
  stages: number;
  /** The answer is known or not: neither plans nor words help. */
  recall: boolean;
  /** 0..1; undefined where no plan is visible. */
  planQuality: number | undefined;
  /** The subtask is no kind of work we know. */
  offTopic: boolean;
}

/** The probability that one stage goes right. A fact is a single stage: the probability to know it. */
export function probabilityOfStage(situation: Situation, foundFault = false): number {
  const { skill, difficulty, stages, recall, planQuality, offTopic } = situation;
  let odds = logOdds(skill) + EASE[difficulty];
  if (recall) return fromLogOdds(odds);
  odds += oddsOfWords(situation);
  if (offTopic) odds += OFF_TOPIC;
  if (foundFault) odds += FOUND_FAULT;
  // A plan for a single stage says nothing the question does not say.
  if (planQuality !== undefined && stages > 1) {
    odds += (PLAN_HELP * (planQuality - PLAN_BREAK_EVEN)) / (1 - PLAN_BREAK_EVEN);
  }
  return fromLogOdds(odds);
}

/** The probability that a worker that sees no other answer gets the whole problem right: every stage must. */
export function probabilityOfSuccess(situation: Situation): number {
  return probabilityOfStage(situation) ** situation.stages;
}

// ---- Planning -----------------------------------------------------------------------------------

/** How much the skill in the topic counts beside the skill of planning. */
const TOPIC_IN_PLANNING = 0.4;
/** Of the lines a planner gets wrong, this share is misleading; the rest is only vague. */
export const MISLEADING_LINES = 0.4;
/** What a misleading line takes away from the quality of a plan, in right lines. */
const MISLEADING_COST = 0.5;

/** The probability that a planner names the next stage rightly. */
export function probabilityOfPlanLine(
  planning: number,
  { recall, skill, difficulty, ...words }: Omit<Situation, "stages" | "planQuality" | "offTopic">,
): number {
  const mixed = (1 - TOPIC_IN_PLANNING) * planning + TOPIC_IN_PLANNING * skill;
  return fromLogOdds(logOdds(mixed) + EASE[difficulty] + (recall ? 0 : oddsOfWords(words)));
}

/** 0..1, from what can be counted in the text of a plan. */
export function qualityOfPlan(lines: { right: number; misleading: number; stages: number }): number {
  const quality = (lines.right - MISLEADING_COST * lines.misleading) / Math.max(1, lines.stages);
  return Math.min(1, Math.max(0, quality));
}

// ---- Checking -----------------------------------------------------------------------------------

/** How much the skill in the topic counts beside the skill of checking. */
const TOPIC_IN_CHECKING = 0.5;
/** A worker's own mistake seems right to it. */
const OWN_WORK = -1.5;
/** Several replies that contradict each other make a checker suspicious. */
const DISAGREEMENT = 0.5;
/** Rarely a right answer is broken: by the best of checkers this often, by one of skill 0 this much more. */
const BREAKING = 0.015;
const BREAKING_UNSKILLED = 0.1;
/**
 * A way to check that does not repeat the working: one that fits the topic, one that fits everywhere, or one that fits
 * elsewhere. Reading it through again is none.
 */
const WAY_OF_CHECKING = { fitting: 0.6, general: 0.4, another: 0.2, none: 0 };

type WayOfChecking = keyof typeof WAY_OF_CHECKING;

export interface CheckSituation extends NamedWords, Pick<Situation, "skill" | "difficulty"> {
  checking: number;
  /** The answer to be checked is the checker's own. */
  ownWork: boolean;
  /** Other answers than the one to be checked are visible. */
  disagreement: boolean;
}

/** The probability that a checker finds the fault in a wrong answer. */
export function probabilityOfCatching(check: CheckSituation): number {
  const mixed = (1 - TOPIC_IN_CHECKING) * check.checking + TOPIC_IN_CHECKING * check.skill;
  let odds = logOdds(mixed) + EASE[check.difficulty];
  if (check.ownWork) odds += OWN_WORK;
  if (check.disagreement) odds += DISAGREEMENT;
  return fromLogOdds(odds + oddsOfWords(check) + WAY_OF_CHECKING[check.way]);
}

/** The probability that a checker takes a right answer for wrong. */
export function probabilityOfBreaking(checking: number): number {
  return BREAKING + BREAKING_UNSKILLED * (1 - checking);
}

// ---- Seeing what others answered ----------------------------------------------------------------

/** Of those who work a problem out themselves but see one other answer, this share adopts it. */
const ANCHOR = 0.3;
/** The same where two or more others agree. */
const AGREEMENT = 0.6;
/** How much a skilled worker leans towards right answers and away from wrong ones. */
const DISCERNMENT = 0.5;
/** A worker that does not know a fact mostly believes one that seems to. */
const TRUST = 0.8;
/** How much better than by votes alone a perfect checker picks among answers. */
const COMPARING = 3;

/** The probability to adopt the answer that most others have, where the worker's own differs. */
export function probabilityOfAdopting(others: {
  agreeing: number;
  right: boolean;
  skill: number;
  recall: boolean;
}): number {
  if (others.recall) return TRUST;
  const pull = others.agreeing >= 2 ? AGREEMENT : ANCHOR;
  return pull * (1 + DISCERNMENT * others.skill * (others.right ? 1 : -1));
}

/** The weight of an answer in a comparison; it is picked with the probability of its share of all weights. */
export function weightInComparison(answer: { votes: number; right: boolean; checking: number }): number {
  return answer.votes * (answer.right ? 1 + COMPARING * answer.checking : 1);
}

// ---- Luck ---------------------------------------------------------------------------------------

/**
 * Some questions are hard for all, and some are blind spots of one worker: with these probabilities an
 * outcome depends on the question, or on the worker and the question, and asking again does not change it.
 */
export const LUCK_OF_QUESTION = 0.2;
export const LUCK_OF_WORKER = 0.3;
/** What one worker does not know, others mostly do not know either: the share for facts. */
export const LUCK_OF_FACT = 0.6;

function logOdds(probability: number): number {
  return Math.log(probability / (1 - probability));
}

function fromLogOdds(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
