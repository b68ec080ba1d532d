// What ratings say of each worker for one question, added to what was measured. Each rating is an outcome of one question:
// 1 at once, half after a half-life, and as much as it is like the question at hand. Apart from the calibration because
// ratings come from anybody who has a key: what each of them can change is bounded here.

import { setImmediate as turn } from "node:timers/promises";
import type { FeedbackEvent } from "../../store/types.ts";
import { isModel } from "../../worker/kinds.ts";
import type { Pool, PoolMember, Profile } from "../../worker/types.ts";
import { countFeatures } from "../text-features.ts";
import { indexRatedQuestions, type RatedQuestions } from "./rated-questions.ts";

/** What a rating of a question unlike this one still says. */
const UNLIKE = 0.1;
/** Newer ratings are compared by their words; older ones count as unlike. */
const MOST_COMPARED = 1_000;
const READ_AT_ONCE = 20;
/**
 * All ratings of one other key together weigh at most so much of what stands against them: one key can move a figure of
 * another key's profiles by no more than a fifth of the way. A key's own ratings, the owner's and an admin's are not bounded.
 */
const MOST_OF_OTHERS = 0.25;
/** What was measured counts as at least and at most so many outcomes. */
const LEAST_MEASURED = 8;
const MOST_MEASURED = 100;
/** Who was never measured begins here, as if from so many outcomes. */
const UNKNOWN = 0.5;
const UNKNOWN_WEIGHT = 2;
/** A pool that was never measured gets profiles as soon as one of its models has ratings of this weight: eight of the last days. */
const ENOUGH = 7.5;
const DAY_MS = 86_400_000;

export interface Observation {
  workers: readonly string[];
  question?: string;
  score: number;
  at: number;
  /** Whose key said it. Absent: the owner or an admin. */
  keyId?: string;
}

export interface RatedOptions {
  /** Who asks: its own ratings count in full. */
  keyId?: string;
  /** Workers whose profile the config says: nothing changes them. */
  isConfigured?: (id: string) => boolean;
}

export interface RatedProfiles {
  /** The same members in the same order. An empty text: what belongs to no question. */
  poolFor(pool: Pool, text: string, options?: RatedOptions): Pool;
  /** Reads the rated questions a few at a time, so that nothing waits for it. Else the first question does it. */
  prepare(): Promise<void>;
}

/** Of each run, what each key said last; what a run tells of itself counts only where nobody rated it. */
export function toObservations(events: Iterable<FeedbackEvent>): Observation[] {
  const newest = new Map<string, FeedbackEvent>();
  const given = new Set<string>();
  for (const event of events) {
    if (!event.about) continue;
    if (!event.isInferred) given.add(event.runId);
    const said = `${event.runId} ${event.isInferred ? "inferred" : (event.keyId ?? "")}`;
    const before = newest.get(said);
    if (!before || before.at <= event.at) newest.set(said, event);
  }
  return [...newest.values()]
    .filter(({ isInferred, runId }) => !isInferred || !given.has(runId))
    .map(({ about, score, at, keyId }) => ({ ...about!, score, at, keyId }))
    .sort((a, b) => b.at - a.at);
}

type QuestionFeatures = ReadonlyMap<number, number>;
/** By question. */
export type KnownFeatures = Map<string, QuestionFeatures>;

interface RatingOptions {
  halfLifeDays: number;
  now?: number;
  /** What was read of questions before, for whoever makes profiles again and again. */
  known?: KnownFeatures;
}

/** `observations`: newest first. */
export function createRatedProfiles(
  observations: readonly Observation[],
  { halfLifeDays, now = Date.now(), known = new Map() }: RatingOptions,
): RatedProfiles {
  const weights = observations.map(({ at }) => 2 ** (-Math.max(0, now - at) / (halfLifeDays * DAY_MS)));
  /** By worker and by whose key ("" for the owner's): all that was said, whatever the question. */
  const totals = new Map<string, Map<string, Sum>>();
  const counts = new Map<string, number>();
  /** By worker: those whose questions are compared. */
  const compared = new Map<string, number[]>();
  for (const [number, { workers, score, keyId = "" }] of observations.entries())
    for (const id of workers) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      const said = totals.get(id) ?? new Map<string, Sum>();
      if (said.size === 0) totals.set(id, said);
      add(said, keyId, score, weights[number]!);
      const numbers = compared.get(id);
      if (number >= MOST_COMPARED) continue;
      if (numbers) numbers.push(number);
      else compared.set(id, [number]);
    }
  let questions: RatedQuestions | undefined;

  /** Undefined where nobody rated it. */
  function sumOf(id: string, similarities: Float32Array | undefined, keyId = ""): Said | undefined {
    const total = totals.get(id);
    if (!total) return undefined;
    const share = similarities ? UNLIKE : 1;
    const said = new Map(
      [...total].map(([by, { sum, weight }]) => [by, { sum: share * sum, weight: share * weight }]),
    );
    if (similarities)
      for (const number of compared.get(id) ?? []) {
        const { score, keyId: by = "" } = observations[number]!;
        add(said, by, score, weights[number]! * (1 - UNLIKE) * similarities[number]! ** 2);
      }
    const own: Sum = { sum: 0, weight: 0 };
    for (const by of new Set(["", keyId])) {
      const { sum = 0, weight = 0 } = said.get(by) ?? {};
      own.sum += sum;
      own.weight += weight;
      said.delete(by);
    }
    return { own, others: said, count: counts.get(id)! };
  }

  function indexQuestions(features: readonly (QuestionFeatures | undefined)[]): RatedQuestions {
    questions = indexRatedQuestions(features);
    return questions;
  }

  return {
    poolFor(pool, text, { keyId, isConfigured = () => false } = {}) {
      const rated = pool.members.map(({ worker }) => isModel(worker) && !isConfigured(worker.id));
      if (!pool.members.some(({ worker }, at) => rated[at] && totals.has(worker.id))) return pool;
      const similarities =
        text === ""
          ? undefined
          : (
              questions ?? indexQuestions(toCompared(observations).map((each) => toFeatures(each, known)))
            ).similarities(text);
      const nearest = (id: string) =>
        (compared.get(id) ?? []).reduce((most, number) => Math.max(most, similarities![number]!), 0);
      const overall = pool.members.map(({ worker }, at) =>
        rated[at] ? sumOf(worker.id, undefined, keyId) : undefined,
      );
      const isEnough = pool.members.some(
        ({ profile }, at) => !profile && overall[at] && join(NOTHING_KNOWN, overall[at]).weight >= ENOUGH,
      );
      const toMember = (member: PoolMember, at: number): PoolMember => {
        const { profile, worker } = member;
        const all = overall[at];
        if (!rated[at] || (profile ? !all : !isEnough)) return member;
        const forQuestion = similarities && sumOf(worker.id, similarities, keyId);
        return {
          ...member,
          profile: profile
            ? addRatings(profile, all!, forQuestion)
            : rateUnmeasured(all, forQuestion, similarities && nearest(worker.id)),
        };
      };
      return { members: pool.members.map(toMember) };
    },
    async prepare() {
      const features: (QuestionFeatures | undefined)[] = [];
      for (const observation of toCompared(observations)) {
        if (features.length % READ_AT_ONCE === READ_AT_ONCE - 1) await turn();
        features.push(toFeatures(observation, known));
      }
      indexQuestions(features);
    },
  };
}

function add(said: Map<string, Sum>, by: string, score: number, weight: number): void {
  const of = said.get(by);
  if (of) {
    of.sum += weight * score;
    of.weight += weight;
  } else said.set(by, { sum: weight * score, weight });
}

function toCompared(observations: readonly Observation[]): readonly Observation[] {
  return observations.slice(0, MOST_COMPARED);
}

function toFeatures({ question }: Observation, known: KnownFeatures): QuestionFeatures | undefined {
  if (question === undefined) return undefined;
  const before = known.get(question);
  if (before) return before;
  if (known.size >= 4 * MOST_COMPARED) known.clear();
  const features = countFeatures(question);
  known.set(question, features);
  return features;
}

interface Sum {
  sum: number;
  weight: number;
}

interface Said {
  own: Sum;
  /** By key. */
  others: Map<string, Sum>;
  count: number;
}

/** A rate, and as how many outcomes it counts. */
interface Known {
  rate: number;
  weight: number;
}

const NOTHING_KNOWN: Known = { rate: UNKNOWN, weight: UNKNOWN_WEIGHT };

/** The rate with what was said; `weight` is of what was said, after the bounds. */
function join(known: Known, { own, others }: Said): Known {
  let { sum, weight } = own;
  for (const other of others.values()) {
    const share = Math.min(1, (MOST_OF_OTHERS * known.weight) / other.weight);
    sum += share * other.sum;
    weight += share * other.weight;
  }
  return { rate: (known.rate * known.weight + sum) / (known.weight + weight), weight };
}

function addRatings(profile: Profile, all: Said, forQuestion: Said | undefined): Profile {
  const { success, tasks, similar, probability, standardError, source } = profile;
  const overall = join({ rate: success, weight: bound(tasks) }, all);
  const rated: Profile = {
    ...profile,
    success: round(overall.rate),
    tasks: tasks + Math.floor(overall.weight),
    ratings: all.count,
    source: [...(source === undefined ? [] : [source]), toSource(all.count)].join("; "),
  };
  if (!forQuestion) return rated;
  const expected = probability ?? similar ?? success;
  const known = bound(standardError ? (expected * (1 - expected)) / standardError ** 2 : LEAST_MEASURED);
  const joined = join({ rate: expected, weight: known }, forQuestion);
  return {
    ...rated,
    similar:
      similar === undefined ? undefined : round(join({ rate: similar, weight: known }, forQuestion).rate),
    probability: round(joined.rate),
    standardError: round(Math.sqrt((joined.rate * (1 - joined.rate)) / (known + joined.weight))),
  };
}

function rateUnmeasured(
  all: Said | undefined,
  forQuestion: Said | undefined,
  known: number | undefined,
): Profile {
  const nothing: Said = { own: { sum: 0, weight: 0 }, others: new Map(), count: 0 };
  const { rate, weight } = join(NOTHING_KNOWN, all ?? nothing);
  const profile: Profile = {
    success: round(rate),
    tasks: Math.floor(weight),
    topics: {},
    ratings: all?.count ?? 0,
    source: toSource(all?.count ?? 0),
  };
  if (known === undefined) return profile;
  const joined = join(NOTHING_KNOWN, forQuestion ?? nothing);
  return {
    ...profile,
    similar: round(joined.rate),
    probability: round(joined.rate),
    standardError: round(
      Math.sqrt((joined.rate * (1 - joined.rate)) / (NOTHING_KNOWN.weight + joined.weight)),
    ),
    known: round(known),
  };
}

function toSource(count: number): string {
  return count === 1 ? "1 rating" : `${count} ratings`;
}

function bound(weight: number): number {
  return Math.min(MOST_MEASURED, Math.max(LEAST_MEASURED, weight));
}

/** Profiles are journaled with every run; more digits than these mean nothing. */
function round(rate: number): number {
  return Math.round(rate * 10_000) / 10_000;
}
