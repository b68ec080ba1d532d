// What a team lead can act on: which worker or Conductor to use, what it gains over the best single model at equal calls and at
// equal dollars, and what it costs. As data with its sentence; terminal, JSON, report and dashboard show the same.

import { toCount, toMoney, toPoints, toSignedPoints } from "../base/format.ts";
import { sideOf } from "../base/statistics.ts";
import { type EqualSpending, SAME } from "./equal.ts";
import { isSimulatedVerifier } from "./price-point.ts";
import type { BenchResult, BenchVerdict, Gain } from "./types.ts";

/** Within one point of the most accurate is as good, and the cheaper one is used. */
const TIE = 0.01;
/** An interval as wide as this says little. */
const WIDE = 0.25;
/** Upper bounds, chance, and tables that are given the true label: nobody can use them as they are. */
const NOT_USABLE = /^(oracle|random-|lookup-)/;
/** The recorded verdict stands for a verifier that never errs. */
const NEEDS_VERIFIER = /^verified-cascade(@|$)/;

export interface VerdictOptions {
  results: readonly BenchResult[];
  equal: readonly EqualSpending[];
  /** The worker that the baseline best-single asks. */
  bestSingle: string;
  /** Questions a month. */
  perMonth?: number;
}

/** Undefined where the best single worker was not measured: there is nothing to compare with. */
export function toVerdict({
  results,
  equal,
  bestSingle,
  perMonth,
}: VerdictOptions): BenchVerdict | undefined {
  const single = results.find(({ conductor }) => conductor === "best-single");
  const usable = results.filter(
    ({ conductor, n }) => !NOT_USABLE.test(conductor) && !isSimulatedVerifier(conductor) && n > 0,
  );
  if (!single || usable.length === 0) return undefined;
  // Who spends more than the best single worker must be shown to be better.
  const worth = usable.filter(
    (each) =>
      spendingOf(each, usable) <= spendingOf(single, usable) * SAME ||
      each.against.some((other) => other.conductor === single.conductor && isShownBetter(other)),
  );
  const highest = Math.max(...worth.map(({ accuracy }) => accuracy));
  const chosen = worth
    .filter(({ accuracy }) => accuracy >= highest - TIE)
    .reduce((best, each) => (spendingOf(each, usable) < spendingOf(best, usable) ? each : best));
  const isSingle = chosen === single;
  const equalCalls = isSingle ? undefined : atEqual(chosen, single, equal, "calls");
  const equalDollars = isSingle ? undefined : atEqual(chosen, single, equal, "dollars");
  const { costUsd } = chosen;
  const verdict = {
    use: isSingle ? bestSingle : chosen.conductor,
    bestSingle,
    accuracy: chosen.accuracy,
    ...(equalCalls && { equalCalls }),
    ...(equalDollars && { equalDollars }),
    ...(costUsd !== undefined && { usdPerThousand: costUsd * 1000 }),
    ...(costUsd !== undefined && perMonth !== undefined && { usdPerMonth: costUsd * perMonth, perMonth }),
    isSimulated: chosen.isSimulated,
    ...(chosen.costSource && { costSource: chosen.costSource }),
  };
  return { ...verdict, sentence: toSentence(verdict, chosen, single) };
}

function isShownBetter(against: BenchResult["against"][number]): boolean {
  return sideOf(against) > 0;
}

/** In dollars where all of them are known, else in calls. */
function spendingOf(result: BenchResult, all: readonly BenchResult[]): number {
  const hasDollars = all.every(({ costUsd }) => costUsd !== undefined && costUsd > 0);
  return hasDollars ? result.costUsd! : result.calls + result.conductorCalls;
}

/** Against the best single worker itself where that spends as much or more, else against its samples put to a vote. */
function atEqual(
  chosen: BenchResult,
  single: BenchResult,
  equal: readonly EqualSpending[],
  by: EqualSpending["by"],
): Gain | undefined {
  const own = by === "calls" ? chosen.calls + chosen.conductorCalls : chosen.costUsd;
  const theirs = by === "calls" ? single.calls + single.conductorCalls : single.costUsd;
  if (!own || !theirs) return undefined;
  if (own <= theirs * SAME) {
    const against = chosen.against.find(({ conductor }) => conductor === single.conductor);
    return against && { points: against.difference, low: against.low, high: against.high };
  }
  const found = equal.find((each) => each.conductor === chosen.conductor && each.by === by);
  // So many samples may still be less than it spends: that is no equal comparison.
  if (found?.outcome.type !== "compared" || found.samples * theirs * SAME < own) return undefined;
  const { mean, low, high } = found.outcome.difference;
  return { points: mean, low, high };
}

function toSentence(
  verdict: Omit<BenchVerdict, "sentence">,
  chosen: BenchResult,
  single: BenchResult,
): string {
  const { use, bestSingle, equalCalls, equalDollars, isSimulated, costSource } = verdict;
  const right = `right on ${toPoints(chosen.accuracy)} % [${toPoints(chosen.low)} … ${toPoints(chosen.high)}]`;
  const cost = toCostWords(verdict, costSource);
  const simulated = isSimulated ? "Simulated, not real models: " : "";
  const isWide = chosen.high - chosen.low > WIDE;
  const hint = isWide ? ` ${toCount(chosen.n, "test task")} can only give a hint: measure more.` : "";
  if (chosen === single)
    return `${simulated}Use ${use} alone: ${right}. Nobody here is shown to be better, or as good for less. ${cost}${hint}`;
  const gains = [
    equalCalls
      ? `${toGain(equalCalls)} points at equal calls`
      : `not measured at equal calls (it makes ${chosen.calls.toFixed(1)}, the model ${single.calls.toFixed(1)})`,
    equalDollars ? `${toGain(equalDollars)} at equal dollars` : "not measured at equal dollars",
  ];
  const share =
    chosen.costUsd && single.costUsd
      ? ` It spends ${Math.round((chosen.costUsd / single.costUsd) * 100)} % of that model's dollars.`
      : "";
  const verifier = NEEDS_VERIFIER.test(use)
    ? " It needs a verifier that never errs, such as tests that are run."
    : "";
  return `${simulated}Use ${use}: ${right}. Against the best single model, ${bestSingle} (${toPoints(single.accuracy)} %): ${gains.join(", ")}.${share} ${cost}${verifier}${hint}`;
}

function toGain({ points, low, high }: Gain): string {
  return `${toSignedPoints(points)} [${toSignedPoints(low)} … ${toSignedPoints(high)}]`;
}

function toCostWords(
  { usdPerThousand, usdPerMonth, perMonth, isSimulated }: Omit<BenchVerdict, "sentence">,
  source: BenchResult["costSource"],
): string {
  if (usdPerThousand === undefined) return "What it costs is not known here (—).";
  const list = source?.startsWith("list") ? " at list prices" : "";
  const month =
    usdPerMonth === undefined
      ? ""
      : `, ${toMoney(usdPerMonth)} a month for ${perMonth!.toLocaleString("en")}`;
  return `It costs ${toMoney(usdPerThousand, isSimulated)} per 1,000 questions${list}${month}.`;
}
