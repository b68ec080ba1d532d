// What the native Conductor reads: how large the team shall be, what the team did so far, the question, each worker as
// features, and each part of the question that an instruction can name. Names of workers are not among the features, so
// one it has never met can be used.

import { extractAnswer } from "../../answer/extract.ts";
import { sameAnswer } from "../../answer/normalise.ts";
import type { QuestionPart } from "../../instruction/types.ts";
import type { Prefix } from "../../nn/batch.ts";
import { textOf } from "../../worker/brief.ts";
import { isModel, modelsOf, nests, numbersOf, takesHandOffs } from "../../worker/kinds.ts";
import { type Pool, type PoolMember, TOPICS } from "../../worker/types.ts";
import type { ComposedRound, ComposeRequest } from "../types.ts";
import { readTeamBelief, type TeamBelief } from "./belief.ts";
import type { Language, Wording } from "./language.ts";
import { readSayable, type Sayable } from "./sayable.ts";

/** Tokens of the question that are read. With the size and the round before, a text stays within 64. */
export const QUESTION_TOKENS = 56;

/** Of a worker: what is known of it (16, and 12 topics), what is believed (3), and that it cannot be shown replies. */
const WORKER_FEATURES = 16 + TOPICS.length + 3 + 1;
/** Number of the feature that a worker cannot be shown replies of others. */
export const IS_BLIND = WORKER_FEATURES - 1;
/** Of a part: that it is one, of which kind (4), whether it is asked for, whether it is the first such, where, how long. */
const PART_FEATURES = 9;
/** Of a slot: a worker has those of a part at 0, and a part those of a worker. */
export const FEATURES = WORKER_FEATURES + PART_FEATURES;

export interface Reading {
  prefix: Prefix;
  /** Number in the pool of each slot: `self` has none, since its rounds are the Conductor's own. Slots of parts follow. */
  workers: number[];
  sayable: Sayable;
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
  const sayable = readSayable(asked, language.repertoire);
  const slots = [
    ...toWorkerFeatures(members, workers, last, labels, belief),
    ...sayable.parts.map((part) => toPartFeatures(part, sayable.parts)),
  ];
  return { prefix: { tokens, slots, start }, workers, sayable, labels: last && labels, belief };
}

/** A slot that is no worker's gets a number outside of the pool: the parser refuses it. */
export function toWording({ workers, sayable }: Reading, { members }: Pick<Pool, "members">): Wording {
  const workerOf = (slot: number) => workers[slot] ?? members.length + slot;
  return { workerOf, workers: workers.length, sayable };
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

function toWorkerFeatures(
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
    const features = new Float32Array(FEATURES);
    features.set([
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
    ]);
    return features;
  });
}

const PART_KINDS: readonly QuestionPart["kind"][] = ["noun", "number", "option", "name"];
const LONG_PART = 8;

function toPartFeatures(part: QuestionPart, parts: readonly QuestionPart[]): Float32Array {
  const features = new Float32Array(FEATURES);
  const isFirstAsked = part === parts.find(({ isAsked }) => isAsked);
  features.set(
    [
      1,
      ...PART_KINDS.map((kind) => (kind === part.kind ? 1 : 0)),
      part.isAsked ? 1 : 0,
      isFirstAsked ? 1 : 0,
      part.at,
      Math.min(1, part.words / LONG_PART),
    ],
    WORKER_FEATURES,
  );
  return features;
}
