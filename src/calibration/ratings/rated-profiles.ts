// What ratings say of each worker for one question, added to what was measured. Each rating is an outcome of one question:
// 1 at once, half after a half-life, and as much as it is like the question at hand. Apart from the calibration because
// ratings come from anybody who has a key: what each of them can change is bounded here.

import type { FeedbackEvent } from "../../store/types.ts";
import { isModel } from "../../worker/kinds.ts";
import type { Pool, PoolMember, Profile } from "../../worker/types.ts";
import { countFeatures } from "../text-features.ts";
import { indexRatedQuestions, type RatedQuestions } from "./rated-questions.ts";

/** What a rating of a question unlike this one still says. */
const UNLIKE = 0.1;
/** Newer ratings are compared by their words; older ones count as unlike. */
const MOST_COMPARED = 2_000;
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
/** A pool that was never measured gets profiles as soon as one of its models has ratings of this weight. */
const ENOUGH = 8;
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

/** `observations`: newest first. */
export function createRatedProfiles(
  observations: readonly Observation[],
  { halfLifeDays, now = Date.now() }: { halfLifeDays: number; now?: number },
): RatedProfiles {
  const weights = observations.map(({ at }) => 2 ** (-Math.max(0, now - at) / (halfLifeDays * DAY_MS)));
  const ofWorker = new Map<string, number[]>();
  for (const [number, { workers }] of observations.entries())
    for (const id of workers) ofWorker.set(id, [...(ofWorker.get(id) ?? []), number]);
  // Only at the first question.
  let questions: RatedQuestions | undefined;

  /** Undefined where nobody rated it. */
  function sumOf(id: string, like: (rating: number) => number, keyId: string | undefined): Said | undefined {
    const numbers = ofWorker.get(id);
    if (!numbers) return undefined;
    const said: Said = { own: { sum: 0, weight: 0 }, others: new Map(), count: numbers.length };
    for (const number of numbers) {
      const { score, keyId: by } = observations[number]!;
      let of = said.own;
      if (by !== undefined && by !== keyId) {
        of = said.others.get(by) ?? { sum: 0, weight: 0 };
        said.others.set(by, of);
      }
      const weight = weights[number]! * like(number);
      of.sum += weight * score;
      of.weight += weight;
    }
    return said;
  }

  return {
    poolFor(pool, text, { keyId, isConfigured = () => false } = {}) {
      const rated = pool.members.map(({ worker }) => isModel(worker) && !isConfigured(worker.id));
      if (!pool.members.some(({ worker }, at) => rated[at] && ofWorker.has(worker.id))) return pool;
      questions ??= indexRatedQuestions(
        observations
          .slice(0, MOST_COMPARED)
          .map(({ question }) => (question && countFeatures(question)) || undefined),
      );
      const similarities = text === "" ? undefined : questions.similarities(text);
      const like = (number: number) => UNLIKE + (1 - UNLIKE) * (similarities?.[number] ?? 0) ** 2;
      const nearest = (id: string) =>
        Math.max(0, ...(ofWorker.get(id) ?? []).map((number) => similarities?.[number] ?? 0));
      const overall = pool.members.map(({ worker }, at) =>
        rated[at] ? sumOf(worker.id, () => 1, keyId) : undefined,
      );
      const isEnough = pool.members.some(
        ({ profile }, at) => !profile && overall[at] && join(NOTHING_KNOWN, overall[at]).weight >= ENOUGH,
      );
      const toMember = (member: PoolMember, at: number): PoolMember => {
        const { profile, worker } = member;
        const all = overall[at];
        if (!rated[at] || (profile ? !all : !isEnough)) return member;
        const forQuestion = text === "" ? undefined : sumOf(worker.id, like, keyId);
        return {
          ...member,
          profile: profile
            ? addRatings(profile, all!, forQuestion)
            : rateUnmeasured(all, forQuestion, text === "" ? undefined : nearest(worker.id)),
        };
      };
      return { members: pool.members.map(toMember) };
    },
  };
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
