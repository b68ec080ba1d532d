// What the native Conductor reads: how large the team shall be, what the team did so far, the question, and
// each worker as features. Names of workers are not among them, so one it has never met can be used.

import { extractAnswer } from "../../answer/extract.ts";
import { sameAnswer } from "../../answer/normalise.ts";
import type { Prefix } from "../../nn/batch.ts";
import { textOf } from "../../worker/brief.ts";
import { isModel, modelsOf, nests, numbersOf, takesHandOffs } from "../../worker/kinds.ts";
import { type Pool, type PoolMember, TOPICS } from "../../worker/types.ts";
import type { ComposedRound, ComposeRequest } from "../types.ts";
import { readTeamBelief, type TeamBelief } from "./belief.ts";
import type { Language } from "./language.ts";

/** Tokens of the question that are read. With the size and the round before, a text stays within 64. */
export const QUESTION_TOKENS = 56;

/** Features of a worker before the belief was among them: such checkpoints are widened (checkpoint.ts). */
export const PLAIN_FEATURES = 16 + TOPICS.length;
/** That its answer is right, what asking it would be worth, and that nobody was right so far. */
const BELIEF_FEATURES = 3;
/** That it cannot be shown replies of others: whether a team plans and hands on, or is blind voices and a vote. */
const HAND_OFF_FEATURES = 1;
/** Features of a worker. New ones come last, and checkpoints without them are widened. */
export const FEATURES = PLAIN_FEATURES + BELIEF_FEATURES + HAND_OFF_FEATURES;
/** Number of the feature that a worker cannot be shown replies of others. */
export const IS_BLIND = PLAIN_FEATURES + BELIEF_FEATURES;
/** What it was before: how many features a worker had in older checkpoints. */
export const EARLIER_FEATURES: readonly number[] = [PLAIN_FEATURES, PLAIN_FEATURES + BELIEF_FEATURES];

export interface Reading {
  prefix: Prefix;
  /** Number in the pool of each slot: `self` has none, since its rounds are the Conductor's own. */
  workers: number[];
  /** Of the round before, which answer each reply gave; absent in the first round. */
  labels?: (number | undefined)[];
  /** Of all rounds before; absent in the first one. */
  belief?: TeamBelief;
}

export type ReadingRequest = Pick<ComposeRequest, "task" | "pool" | "rounds"> & {
  /** Exactly so many steps; absent: the Conductor decides. */
  size?: number;
  /** What a question is read as ending with that is no task of a set: those say themselves how they are to be answered. */
  closing?: string;
};

export function toReading(request: ReadingRequest, language: Language): Reading {
  const { task, pool, rounds, size, closing = "" } = request;
  const workers = numbersOf(pool, (worker) => !nests(worker));
  const members = workers.map((number) => pool.members[number]!);
  const last = rounds.at(-1);
  const labels = last ? toLabels(last.replies) : [];
  const asked = task.messages
    .filter(({ role }) => role === "user")
    .map(textOf)
    .join("\n");
  const isClosed = task.id !== undefined || asked.endsWith(closing);
  const question = isClosed ? asked : asked + closing;
  const tokens = [...language.question(question, QUESTION_TOKENS), ...(last ? language.round(labels) : [])];
  // A size in the text was hardly heeded; as what is written after, it is.
  const start = language.size(size);
  const belief = last && readTeamBelief(pool, rounds, labelRounds(rounds));
  const slots = toFeatures(members, workers, last, labels, belief);
  return { prefix: { tokens, slots, start }, workers, labels: last && labels, belief };
}

/** The number in the pool of a slot's worker. Outside of the pool where there is none: the parser refuses it. */
export function toWorkerOf({ workers }: Reading, { members }: Pool): (slot: number) => number {
  return (slot) => workers[slot] ?? members.length + slot;
}

/** Which answer each reply gave, numbered in the order they appeared; none where nothing short is stated. */
export function toLabels(replies: readonly string[]): (number | undefined)[] {
  const answers: string[] = [];
  return replies.map((reply) => {
    const answer = reply.trim() === "" || /^plan:/im.test(reply) ? "" : extractAnswer(reply);
    if (answer === "" || answer.length > 120) return undefined;
    const known = answers.findIndex((other) => sameAnswer(other, answer));
    return known >= 0 ? known : answers.push(answer) - 1;
  });
}

/** The same labels for all rounds. */
function labelRounds(rounds: readonly ComposedRound[]): (number | undefined)[][] {
  const labels = toLabels(rounds.flatMap(({ replies }) => replies));
  let from = 0;
  return rounds.map(({ replies }) => {
    from += replies.length;
    return labels.slice(from - replies.length, from);
  });
}

function toFeatures(
  members: readonly PoolMember[],
  workers: readonly number[],
  last: ComposedRound | undefined,
  labels: readonly (number | undefined)[],
  belief: TeamBelief | undefined,
): Float32Array[] {
  const models = modelsOf({ members });
  const similarOf = ({ profile }: PoolMember) => profile?.similar ?? profile?.success ?? 0.5;
  const successOf = ({ profile }: PoolMember) => profile?.success ?? 0.5;
  const best = (rate: (member: PoolMember) => number) => Math.max(0, ...models.map(rate));
  const bestSimilar = best(similarOf);
  const bestSuccess = best(successOf);
  const bySimilar = models.map(similarOf).sort((a, b) => b - a);
  const prices = models.flatMap(({ price }) => (price ? [price.outputUsd] : [])).sort((a, b) => a - b);
  const topics = TOPICS.map((topic) => {
    const rate = ({ profile }: PoolMember) => profile?.topics[topic] ?? profile?.success ?? 0.5;
    return { rate, best: best(rate) };
  });
  const final = labels.findLast((label) => label !== undefined);
  return members.map((member, slot) => {
    const { worker, profile, price } = member;
    if (!isModel(worker)) return Float32Array.from({ length: FEATURES }, (_, i) => (i === 1 ? 1 : 0));
    const similar = similarOf(member);
    const rank = bySimilar.indexOf(similar);
    const steps = last?.workflow.steps ?? [];
    const own = steps.flatMap((step, i) => (step.worker === workers[slot] ? [labels[i]] : []));
    const said = own.findLast((label) => label !== undefined);
    const believed = belief?.said.get(workers[slot]!);
    return Float32Array.of(
      1,
      0,
      profile ? 1 : 0,
      2 * successOf(member) - 1,
      2 * similar - 1,
      4 * (similar - bestSimilar),
      rank / Math.max(1, models.length - 1),
      rank === 0 ? 1 : 0,
      rank === 1 ? 1 : 0,
      rank === 2 ? 1 : 0,
      4 * (successOf(member) - bestSuccess),
      price ? Math.log(price.outputUsd + 0.05) / 3 : 0,
      price ? prices.indexOf(price.outputUsd) / Math.max(1, prices.length - 1) : 0.5,
      profile?.delayMs === undefined ? 0 : Math.log(profile.delayMs + 1) / 10,
      own.length > 0 ? 1 : 0,
      said === undefined ? 0 : said === final ? 1 : -1,
      ...topics.map(({ rate, best: top }) => 4 * (rate(member) - top)),
      believed === undefined ? 0 : 2 * believed - 1,
      4 * (belief?.gains.get(workers[slot]!) ?? 0),
      belief?.none ?? 0,
      takesHandOffs(worker) ? 0 : 1,
    );
  });
}
