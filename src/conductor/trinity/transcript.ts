// What was said so far, read for the belief: who replied in which role, which answers are equal, what a Verifier thought of
// them, and the posterior that follows. Replies are data: an answer is extracted, a verdict is parsed, nothing else counts.

import { extractAnswer } from "../../answer/extract.ts";
import { labelAnswers } from "../../answer/label.ts";
import {
  type Dependence,
  hear,
  judge,
  NOTHING_SAID,
  type Posterior,
  toCurve,
} from "../../belief/posterior.ts";
import { type ReplyReading, toShift } from "../../belief/reply-reading.ts";
import { adjustProbability, NO_RECORD, recordOf, type TrackRecord } from "../../belief/track-record.ts";
import type { TurnRole } from "../../belief/types.ts";
import { isModel } from "../../worker/kinds.ts";
import type { Pool, PoolMember } from "../../worker/types.ts";
import type { ComposedRound } from "../types.ts";
import { beliefNumber } from "./policy.ts";
import { parseSuggestion, parseVerdict, roleOf } from "./roles.ts";
import type { TrinityPolicy } from "./types.ts";

/** Where nothing was measured of a pair of workers. */
export const USUAL_COINCIDENCE = 0.25;
/** Nobody is sure to repeat anybody. */
const MOST_COINCIDENCE = 0.95;
/** Of a worker that is asked again. */
const OWN_COINCIDENCE = 0.9;
/** Where nothing was measured of a worker. */
const UNMEASURED = 0.5;

export interface Turn {
  round: number;
  step: number;
  worker: number;
  role: TurnRole;
  reply: string;
  /** What the reply looks like, in log-odds that it is right. */
  shift: number;
  /** It was shown what others said. */
  sees: boolean;
  /** Of a Worker: the group of equal answers it belongs to; -1: no answer. */
  group: number;
}

export interface Transcript {
  turns: Turn[];
  posterior: Posterior;
  /** Answers by group, in the words of whoever said it first. */
  answers: string[];
  hasPlan: boolean;
  /** The role that the last Thinker suggests, until somebody has followed it. */
  suggested?: TurnRole;
  /** The last verdict on each group. */
  verdicts: Map<number, "accept" | "revise">;
  /** Group of the latest Worker's answer: what a Verifier judges. */
  latest: number;
}

/** What is believed of the workers for this question, before anybody speaks. */
export interface Prior {
  /** By number in the pool; undefined for who is no model. */
  probabilities: (number | undefined)[];
  /** Of a model, by difficulty. */
  curveOf(worker: number): Float64Array;
  /** How their replies are read, where that was measured. */
  readings: (ReplyReading | undefined)[];
  dependence: Dependence;
}

export function toPrior({ members }: Pool, policy: TrinityPolicy, record: TrackRecord = NO_RECORD): Prior {
  const difficulty = Math.max(0, beliefNumber(policy, "difficulty"));
  const shift = beliefNumber(policy, "coincidence");
  const probabilities = members.map((member) =>
    isModel(member.worker)
      ? adjust(adjustProbability(probabilityOf(member), recordOf(record, member.worker.id)), policy)
      : undefined,
  );
  const curves: Float64Array[] = [];
  const curveOf = (worker: number) => (curves[worker] ??= toCurve(probabilities[worker]!, difficulty));
  return {
    ...{ probabilities, curveOf },
    readings: members.map(({ profile }) => profile?.reading),
    dependence: { difficulty, coincidence: toCoincidence(members, shift), agreement: agreementOf(members) },
  };
}

/** Looking ahead asks for the same pairs over and over: each is computed once. */
function toCoincidence(members: readonly PoolMember[], shift: number): Dependence["coincidence"] {
  const known = new Float64Array(members.length ** 2).fill(-1);
  return (worker, other) => {
    const at = worker * members.length + other;
    if (known[at]! < 0) {
      const measured = members[worker]!.repeats?.(members[other]!.worker.id) ?? USUAL_COINCIDENCE;
      known[at] =
        worker === other ? OWN_COINCIDENCE : Math.min(MOST_COINCIDENCE, sigmoid(logit(measured) + shift));
    }
    return known[at]!;
  };
}

/** Of the question, so the same for all who were measured. */
function agreementOf(members: readonly PoolMember[]): number | undefined {
  return members.find(({ profile }) => profile?.agreed !== undefined)?.profile?.agreed;
}

/** As its profile promises. */
export function probabilityOf({ profile }: PoolMember): number {
  return profile?.probability ?? profile?.similar ?? profile?.success ?? UNMEASURED;
}

function adjust(probability: number, policy: TrinityPolicy): number {
  return sigmoid(beliefNumber(policy, "slope") * logit(probability) + beliefNumber(policy, "shift"));
}

export function readTranscript(
  rounds: readonly ComposedRound[],
  prior: Prior,
  policy: TrinityPolicy,
): Transcript {
  const turns = toTurns(rounds, prior);
  const transcript = { ...createTranscript(), turns };
  weighBetween(turns, prior);
  const labels = labelAnswers(
    turns.map(({ role, reply }) => (role === "worker" ? extractAnswer(reply) : null)),
  );
  const groupOf = new Map<number, number>();
  for (const [number, turn] of turns.entries()) {
    if (turn.role === "worker") {
      turn.group = toGroup(transcript, labels[number], groupOf, () => extractAnswer(turn.reply));
      hearWorker(transcript, turn, prior, policy);
    } else if (turn.role === "verifier") hearVerifier(transcript, turn, prior, policy);
    else if (turn.reply !== "") {
      transcript.hasPlan = true;
      transcript.suggested = parseSuggestion(turn.reply);
      continue;
    }
    transcript.suggested = undefined;
  }
  return transcript;
}

/** What all replies look like says how hard the question is; between them only a part of the rest counts. */
function weighBetween(turns: readonly Turn[], { readings }: Prior): void {
  const said = turns.filter(({ role, worker }) => role === "worker" && readings[worker]);
  const common = said.reduce((sum, { shift }) => sum + shift, 0) / Math.max(1, said.length);
  for (const turn of said) turn.shift = common + readings[turn.worker]!.between * (turn.shift - common);
}

function toTurns(rounds: readonly ComposedRound[], { probabilities, readings }: Prior): Turn[] {
  return rounds.flatMap(({ workflow, replies, features }, round) =>
    workflow.steps.flatMap(({ worker, subtask, access }, step) => {
      if (probabilities[worker] === undefined) return [];
      const sees = typeof access === "string";
      const reply = replies[step] ?? "";
      return [
        {
          round,
          step,
          worker,
          role: roleOf(subtask) ?? "worker",
          reply,
          shift: toShift(readings[worker], { text: reply, features: features?.[step] }),
          sees,
          group: -1,
        },
      ];
    }),
  );
}

/** Before anybody has spoken. */
export function createTranscript(): Transcript {
  const posterior = NOTHING_SAID;
  return { turns: [], posterior, answers: [], hasPlan: false, verdicts: new Map(), latest: -1 };
}

/** Groups are numbered in the order in which their answers are heard; a new answer becomes a new one. -1: no answer. */
export function toGroup(
  { answers }: Transcript,
  label: number | undefined,
  groupOf: Map<number, number>,
  toAnswer: () => string,
): number {
  if (label === undefined) return -1;
  const known = groupOf.get(label);
  if (known !== undefined) return known;
  groupOf.set(label, answers.length);
  answers.push(toAnswer());
  return answers.length - 1;
}

export function hearWorker(transcript: Transcript, turn: Turn, prior: Prior, policy: TrinityPolicy): void {
  const { group } = turn;
  transcript.posterior = hear(
    transcript.posterior,
    turn.worker,
    toTurnCurve(turn.worker, turn.sees && transcript.hasPlan, prior, policy, turn.shift),
    group,
    turn.sees ? toFollowing(prior.dependence, policy) : prior.dependence,
  );
  if (group >= 0) transcript.latest = group;
}

function hearVerifier(transcript: Transcript, turn: Turn, prior: Prior, policy: TrinityPolicy): void {
  const verdict = parseVerdict(turn.reply)?.verdict;
  const { latest } = transcript;
  if (verdict === undefined || latest < 0) return;
  transcript.verdicts.set(latest, verdict);
  transcript.posterior = judge(
    transcript.posterior,
    latest,
    verdict === "accept",
    toJudge(prior.probabilities[turn.worker]!, policy),
  );
}

/** A plan helps whoever sees it. `shift`: what the reply looks like, once it is there. */
export function toTurnCurve(
  worker: number,
  isPlanned: boolean,
  { probabilities, curveOf, dependence }: Prior,
  policy: TrinityPolicy,
  shift = 0,
): Float64Array {
  if (!isPlanned && shift === 0) return curveOf(worker);
  const planned = isPlanned ? beliefNumber(policy, "planned") : 0;
  return toCurve(sigmoid(logit(probabilities[worker]!) + planned + shift), dependence.difficulty);
}

/** Who saw an answer may follow it: agreement then says less. */
export function toFollowing(dependence: Dependence, policy: TrinityPolicy): Dependence {
  const { coincidence } = dependence;
  const followed = sigmoid(beliefNumber(policy, "followed"));
  return { ...dependence, coincidence: (worker, other) => Math.max(followed, coincidence(worker, other)) };
}

/** Who would solve the question judges it better. */
export function toJudge(probability: number, policy: TrinityPolicy) {
  const own = beliefNumber(policy, "judgement") * logit(probability);
  return {
    sensitivity: sigmoid(beliefNumber(policy, "sensitivity")),
    specificity: sigmoid(beliefNumber(policy, "specificity") + own),
  };
}

export function logit(probability: number): number {
  const p = Math.min(0.995, Math.max(0.005, probability));
  return Math.log(p / (1 - p));
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
