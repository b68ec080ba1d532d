// What a bench on a live pool has shown of TRINITY, kept for whoever asks there next. Only where it was measured beside others.

import type { BenchOutcome } from "../../bench/bench.ts";
import { compareAccuracy } from "../../bench/results.ts";
import { isNoWorse, saveVerdict, type Verdict } from "../../config/verdicts.ts";
import { modelsOf } from "../../worker/kinds.ts";

/** Returns a sentence about it, or nothing where nothing was shown. */
export async function keepVerdict(
  { set, pool, results, rows, seed, isStopped }: BenchOutcome,
  home: string,
  date: string,
): Promise<string | undefined> {
  if (set.kind !== "tasks" || isStopped) return undefined;
  const own = results.find(({ conductor }) => conductor === "trinity");
  const [best] = results
    .filter(({ conductor }) => !/^(trinity|look-ahead|oracle)/.test(conductor))
    .sort((a, b) => b.accuracy - a.accuracy);
  if (!own || !best) return undefined;
  const [{ openTrinity, findTrinity }] = await Promise.all([import("../../conductor/trinity/open.ts")]);
  const { identity } = openTrinity(findTrinity(undefined, "live"));
  if (identity.kind !== "trinity") return undefined;
  const rowsOf = (conductor: string) => rows.filter((row) => row.conductor === conductor);
  const { mean, low, high, n } = compareAccuracy(rowsOf("trinity"), rowsOf(best.conductor), seed);
  const verdict: Verdict = {
    workers: modelsOf(pool)
      .map(({ worker }) => worker.id)
      .sort(),
    ...{ conductor: "trinity", digest: identity.digest ?? "", against: best.conductor },
    ...{ tasks: n, difference: mean, low, high, date },
  };
  await saveVerdict(home, verdict);
  return isNoWorse(verdict)
    ? `trinity is no worse than ${best.conductor} here: it is now the default for this pool, for questions like those it was calibrated on.`
    : `This does not show that trinity is no worse than ${best.conductor} here: the default stays what it is.`;
}
