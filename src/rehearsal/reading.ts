// What a simulated worker makes of its brief: which problem it is about, what kind of work its subtask
// asks for, whether it names the right work, and what can be learned from the visible replies.
// Everything is taken from the texts themselves; nothing is remembered between asks.

import { extractAnswer } from "../answer/extract.ts";
import { sameAnswer } from "../answer/normalise.ts";
import { roleOf } from "../conductor/trinity/roles.ts";
import { textOf } from "../worker/brief.ts";
import type { Message, Topic, VisibleStep } from "../worker/types.ts";
import { FAMILIES, readProblem } from "./questions.ts";
import { MOST_TOPICS, type NamedWork, qualityOfPlan } from "./rules.ts";
import { readVerdictAnswer } from "./templates/wording.ts";
import type { Problem } from "./types.ts";

export type SubtaskKind = "plan" | "solve" | "check" | "compare" | "other";

/** A stated answer is short; a longer one is prose in which nothing was stated. */
const LONGEST_ANSWER = 120;

/**
 * The first word of work decides. "Follow the plan", "do not solve it" and "the answers above" speak of
 * work without asking for it, and are passed over.
 */
const KINDS: readonly [SubtaskKind, RegExp][] = [
  [
    "compare",
    /\b(?:compar(?:e|ing)|vote|majority|choose (?:between|among|the|which)|pick (?:the|one|which|between|among)|select (?:the|one|which)|decide (?:which|between|among)|reconcile|aggregate|combine|merge|judge)\b/,
  ],
  [
    "check",
    /\b(?:re-?check|double-check|cross-check|check|verify|review|validate|proofread|critique|inspect|audit|find (?:the |any |all )?(?:errors?|mistakes?|faults?)|look for (?:errors?|mistakes?|faults?)|correct (?:the|any|all))\b/,
  ],
  [
    "plan",
    /(?<!\b(?:the|this|that|your|given|visible|earlier|above|previous) )\bplan\b|\b(?:write|make|draft|prepare|give|propose|create|produce|devise) (?:out )?the plan\b|\b(?:outline|decompose|sketch the|break (?:\w+ ){0,4}down|break (?:\w+ ){0,4}into|list the (?:steps|stages|kinds of work))\b/,
  ],
  [
    "solve",
    /(?<!\b(?:not|never|without|n't) )\b(?:solve|solving|answer (?:the|this|it|with|directly|to)|answer$|calculate|compute|work out|work through|find|evaluate|determine|trace|convert|derive|deduce|recall|count|follow|carry out|execute|perform|complete|do the|use the|test each|change the)\b/,
  ],
];

export function kindOf(subtask: string): SubtaskKind {
  const text = subtask.toLowerCase();
  let kind: SubtaskKind = "other";
  let earliest = Number.POSITIVE_INFINITY;
  for (const [candidate, pattern] of KINDS) {
    const at = text.search(pattern);
    if (at < 0 || at >= earliest) continue;
    kind = candidate;
    earliest = at;
  }
  return kind;
}

const TERMS = FAMILIES.map(({ id, topic, terms }) => ({
  id,
  topic,
  pattern: new RegExp(`\\b(?:${terms.join("|")})\\b`),
}));

/** Whether a subtask names the work that this problem needs, that of others, or none. */
export function namedWork(subtask: string, problem: Problem): NamedWork {
  const named = namedFamilies(subtask);
  const topics = new Set(named.map(({ topic }) => topic));
  if (topics.size > MOST_TOPICS) return "nothing";
  if (named.some(({ id }) => id === problem.family)) return "right";
  return topics.size > 0 && !topics.has(problem.topic) ? "wrong" : "nothing";
}

/** The topics whose work a text names. */
export function namedTopics(text: string): Set<Topic> {
  return new Set(namedFamilies(text).map(({ topic }) => topic));
}

function namedFamilies(text: string) {
  const lower = text.toLowerCase();
  return TERMS.filter(({ pattern }) => pattern.test(lower));
}

/** The last message of a user that a family recognises: earlier ones are history. */
export function findProblem(messages: readonly Message[]): Problem | undefined {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]!;
    const problem = message.role === "user" ? readProblem(textOf(message)) : undefined;
    if (problem) return problem;
  }
  return undefined;
}

/** An answer that a visible step has given. */
export interface SeenAnswer {
  answer: string;
  votes: number;
  right: boolean;
  /** The latest reply that gave it. */
  reply: string;
}

export interface Sight {
  /** Of the latest visible plan. */
  planQuality: number | undefined;
  /** Most votes first; of equal ones the one given last. */
  answers: SeenAnswer[];
  /** The one given last by somebody who was asked for an answer: what a Verifier judges. */
  candidate: SeenAnswer | undefined;
}

/** A plan is known by its heading: it states no answer, and its last line must not be taken for one. */
export function isPlan(reply: string): boolean {
  return /^plan:/im.test(reply);
}

export function lookAround(visible: readonly VisibleStep[], problem: Problem): Sight {
  let planQuality: number | undefined;
  const answers: SeenAnswer[] = [];
  let candidate: SeenAnswer | undefined;
  // Latest first, so that the stable sort below prefers what was said last.
  for (let i = visible.length - 1; i >= 0; i--) {
    const { reply, subtask } = visible[i]!;
    if (isPlan(reply)) {
      planQuality ??= readPlan(reply, problem);
      continue;
    }
    // A verdict is a voice for what it accepts or puts in its place, as any other check is, but no candidate itself.
    const isVerdict = roleOf(subtask) === "verifier";
    const answer = isVerdict ? readVerdictAnswer(reply) : extractAnswer(reply);
    if (answer === "" || answer.length > LONGEST_ANSWER) continue;
    const right = sameAnswer(answer, problem.answer);
    if (!isVerdict) candidate ??= { answer, votes: 1, right, reply };
    const same = answers.find((seen) => sameAnswer(seen.answer, answer));
    if (same) same.votes++;
    else answers.push({ answer, votes: 1, right, reply });
  }
  return { planQuality, answers: answers.sort((a, b) => b.votes - a.votes), candidate };
}

/** A line of a plan that is neither right nor wrong. */
export const VAGUE_LINE = "work through the details";

/** Counts the stages that a plan names in the right order, and the lines that name something else. */
function readPlan(plan: string, problem: Problem): number {
  let next = 0;
  let right = 0;
  let misleading = 0;
  for (const [, line] of plan.matchAll(/^\s*\d+\.\s*(.+?)\.?\s*$/gm)) {
    const work = line!.toLowerCase();
    const at = problem.stages.findIndex((stage, i) => i >= next && stage.work.toLowerCase() === work);
    if (at >= 0) {
      right++;
      next = at + 1;
    } else if (work !== VAGUE_LINE) {
      misleading++;
    }
  }
  return qualityOfPlan({ right, misleading, stages: problem.stages.length });
}
