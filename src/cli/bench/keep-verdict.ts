// What a bench on a live pool has shown of the trained Conductors, kept for whoever asks there next. Only where one of them
// was measured beside others.

import { toSignedPoints } from "../../base/format.ts";
import type { BenchOutcome } from "../../bench/bench.ts";
import { compareAccuracy } from "../../bench/results.ts";
import { findShown, isNoWorse, saveVerdict, type Verdict } from "../../config/verdicts.ts";
import { modelsOf } from "../../worker/kinds.ts";

/** Those are no alternative to what ships: their own other weights and prices, and what nobody can use. */
const NO_OTHERS = /^(trinity|native|look-ahead|oracle)/;

/** Returns a sentence or two about it, or nothing where nothing was shown. */
export async function keepVerdict(
  { set, pool, results, rows, seed, isStopped }: BenchOutcome,
  home: string,
  date: string,
): Promise<string | undefined> {
  if (set.kind !== "tasks" || isStopped) return undefined;
  const [best] = results
    .filter(({ conductor }) => !NO_OTHERS.test(conductor))
    .sort((a, b) => b.accuracy - a.accuracy);
  if (!best) return undefined;
  const { SHIPPED_KINDS, digestOfShipped } = await import("../../conductor/shipped-digests.ts");
  const rowsOf = (conductor: string) => rows.filter((row) => row.conductor === conductor);
  const workers = modelsOf(pool)
    .map(({ worker }) => worker.id)
    .sort();
  const verdicts: Verdict[] = [];
  for (const conductor of SHIPPED_KINDS) {
    const digest = digestOfShipped(conductor);
    if (digest === undefined || !results.some((result) => result.conductor === conductor)) continue;
    const { mean, low, high, n } = compareAccuracy(rowsOf(conductor), rowsOf(best.conductor), seed);
    const verdict = {
      ...{ workers, conductor, digest, against: best.conductor },
      ...{ tasks: n, difference: mean, low, high, date },
    };
    await saveVerdict(home, verdict);
    verdicts.push(verdict);
  }
  if (verdicts.length === 0) return undefined;
  const digests = SHIPPED_KINDS.flatMap((kind) => digestOfShipped(kind) ?? []);
  const [chosen] = findShown(home, workers, digests);
  const end = chosen
    ? `${chosen.conductor} is now the default for this pool, for questions like those it was calibrated on.`
    : "The default stays what it is.";
  return [...verdicts.map(toSentence), end].join(" ");
}

function toSentence(verdict: Verdict): string {
  const { conductor, against, difference, low, high } = verdict;
  const points = `${toSignedPoints(difference)} points, ${toSignedPoints(low)} to ${toSignedPoints(high)}`;
  return isNoWorse(verdict)
    ? `${conductor} is no worse than ${against} here (${points}).`
    : `This does not show that ${conductor} is no worse than ${against} here (${points}).`;
}
