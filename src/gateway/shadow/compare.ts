// What shadow runs tell: each beside the run that it shadows, in agreement, ratings, cost, delay and calls. Read from the
// journal alone, so that a gateway, the command and the dashboard say the same.

import { isDeepStrictEqual } from "node:util";
import { extractAnswer } from "../../answer/extract.ts";
import { normaliseAnswer, sameAnswer } from "../../answer/normalise.ts";
import { bootstrapMean, type Estimate, estimateShare, meanOf } from "../../base/statistics.ts";
import { type Run, toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import { findLimit } from "../../store/limits.ts";
import { SHADOW_KEY_ID } from "../../store/shadow.ts";
import type { Store } from "../../store/types.ts";

/** A number of both sides, over the same requests. */
export interface BothSides {
  original: number;
  shadow: number;
  /** Shadow − original: the mean of the paired differences. Null where there are too few for an interval. */
  difference: Estimate | null;
}

/** One shadow beside the runs that it shadows. Money of simulated workers is simulated. */
export interface ShadowComparison {
  /** "shadow:trinity". */
  model: string;
  isSimulated: boolean;
  /** Requests with an answer of both. */
  pairs: number;
  /** Of pairs whose answers are short or JSON: prose is never compared. Null where there is none. */
  agreement: (Estimate & { compared: number }) | null;
  costUsd: BothSides;
  delayMs: BothSides;
  calls: BothSides;
  /** What was said of the originals, and how often the shadow agreed with those that were good (from 0.5) and bad. */
  ratings: {
    rated: number;
    score: Estimate;
    agreedWithGood: number | null;
    agreedWithBad: number | null;
  } | null;
  /** Shadow runs that are in no pair: still running, ended by a limit or by force, failed, or their original is gone. */
  leftOut: { running: number; cut: number; failed: number; alone: number };
}

export interface ShadowReport {
  comparisons: ShadowComparison[];
  /** Shadow runs that were looked at. */
  runs: number;
  /** Only the newest of them were. */
  isCut: boolean;
}

const MOST_RUNS = 500;
/** Fewer paired differences say nothing of their spread. */
const FEW = 10;
/** A longer answer is prose: two of them may say the same in other words. */
const LONGEST_ANSWER = 200;
const SEED = 1;
const GOOD = 0.5;

export async function compareShadows(
  store: Pick<Store, "listRuns" | "loadRun">,
  { limit = MOST_RUNS }: { limit?: number } = {},
): Promise<ShadowReport> {
  const most = Math.min(limit, MOST_RUNS);
  const found = await store.listRuns({ keyId: SHADOW_KEY_ID, limit: most + 1 });
  const groups = new Map<string, Group>();
  for (const { id, origin } of found.slice(0, most)) {
    const shadow = await load(store, id);
    const model = origin?.model ?? "";
    const group = groups.get(model) ?? { pairs: [], leftOut: { running: 0, cut: 0, failed: 0, alone: 0 } };
    groups.set(model, group);
    if (!shadow) continue;
    const why = reasonToLeaveOut(shadow);
    const original = why === undefined ? await load(store, shadow.origin?.shadowOf) : undefined;
    if (why !== undefined) group.leftOut[why]++;
    else if (!original || (original.isStripped && !isPrivate(original))) group.leftOut.alone++;
    else group.pairs.push({ original, shadow });
  }
  const comparisons = [...groups].map(([model, group]) => compare(model, group));
  return { comparisons, runs: Math.min(found.length, most), isCut: found.length > most };
}

interface Pair {
  original: Run;
  shadow: Run;
}

interface Group {
  pairs: Pair[];
  leftOut: ShadowComparison["leftOut"];
}

async function load(store: Pick<Store, "loadRun">, id: string | undefined): Promise<Run | undefined> {
  const state = id === undefined ? undefined : fold(await store.loadRun(id));
  return state && toRun(state);
}

/** Passed through without its content: cost, delay and calls are compared, and no answers. */
const isPrivate = ({ origin }: Run): boolean => origin?.isPrivate === true;

function reasonToLeaveOut(run: Run): keyof Group["leftOut"] | undefined {
  const { stopReason, hasAnswer, isStripped } = run;
  if (stopReason === undefined) return "running";
  if (isStripped && !isPrivate(run)) return "alone";
  if (stopReason === "done" && hasAnswer) return undefined;
  return stopReason === "cancelled" || findLimit(stopReason, {}) ? "cut" : "failed";
}

function compare(model: string, { pairs, leftOut }: Group): ShadowComparison {
  const agreed = pairs.map(hasAgreed);
  const compared = agreed.filter((each) => each !== undefined);
  return {
    model,
    isSimulated: pairs.some(({ original, shadow }) => original.isSimulated || shadow.isSimulated),
    pairs: pairs.length,
    agreement:
      compared.length === 0
        ? null
        : { ...estimateShare(compared.map(Number), { seed: SEED }), compared: compared.length },
    costUsd: toSides(pairs, ({ costUsd }) => costUsd),
    delayMs: toSides(pairs, ({ durationMs }) => durationMs),
    calls: toSides(pairs, ({ calls, conductorCalls }) => calls + conductorCalls),
    ratings: toRatings(pairs, agreed),
    leftOut,
  };
}

function toSides(pairs: readonly Pair[], numberOf: (run: Run) => number): BothSides {
  const originals = pairs.map(({ original }) => numberOf(original));
  const shadows = pairs.map(({ shadow }) => numberOf(shadow));
  const differences = shadows.map((value, i) => value - originals[i]!);
  return {
    original: meanOf(originals),
    shadow: meanOf(shadows),
    difference: pairs.length < FEW ? null : bootstrapMean(differences, { seed: SEED }),
  };
}

/** Undefined where equality of texts would say nothing about equality of meaning. */
function hasAgreed({ original, shadow }: Pair): boolean | undefined {
  if (isPrivate(original) || isPrivate(shadow)) return undefined;
  if (original.task.output?.responseFormat) {
    const [a, b] = [original.answer, shadow.answer].map(toJson);
    return a === undefined || b === undefined ? undefined : isDeepStrictEqual(a, b);
  }
  const [a, b] = [original.answer, shadow.answer].map(extractAnswer) as [string, string];
  const isShort = (answer: string) => answer.length <= LONGEST_ANSWER && normaliseAnswer(answer) !== "";
  return isShort(a) && isShort(b) ? sameAnswer(a, b) : undefined;
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** People before what the run told of itself, and what was said last. */
function ratingOf({ feedback = [] }: Run): number | undefined {
  return (feedback.findLast(({ isInferred }) => !isInferred) ?? feedback.at(-1))?.score;
}

function toRatings(
  pairs: readonly Pair[],
  agreed: readonly (boolean | undefined)[],
): ShadowComparison["ratings"] {
  const rated = pairs.flatMap(({ original }, i) => {
    const score = ratingOf(original);
    return score === undefined ? [] : [{ score, agreed: agreed[i] }];
  });
  if (rated.length === 0) return null;
  const shareOf = (isGood: boolean) => {
    const of = rated.filter((each) => each.score >= GOOD === isGood && each.agreed !== undefined);
    return of.length === 0 ? null : meanOf(of.map((each) => Number(each.agreed)));
  };
  const scores = rated.map(({ score }) => score);
  const isBinary = scores.every((score) => score === 0 || score === 1);
  return {
    rated: rated.length,
    score: isBinary ? estimateShare(scores, { seed: SEED }) : bootstrapMean(scores, { seed: SEED }),
    agreedWithGood: shareOf(true),
    agreedWithBad: shareOf(false),
  };
}
