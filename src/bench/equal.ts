// At equal spending: every Conductor against the best single worker that may be asked as often, its
// samples put to a vote. A team that does not beat that is no team, only more tries.

import type { Estimate, PairedDifference } from "../base/statistics.ts";
import { createConstant, requireConsensus, solveAndVote } from "../baseline/decide.ts";
import type { Conductor } from "../conductor/types.ts";
import type { GradedTask } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";
import type { WorldSet } from "../world/types.ts";
import type { FittedSet } from "./fitting.ts";
import type { RowFile } from "./folder.ts";
import { compareAccuracy, estimateAccuracy } from "./results.ts";
import type { BenchResult, BenchRow } from "./types.ts";

export interface EqualSpending {
  conductor: string;
  /** What is made equal: calls (the Conductor's own too), or dollars. */
  by: "calls" | "dollars";
  /** How often the best single worker is asked. */
  samples: number;
  worker: string;
  outcome:
    | {
        type: "compared";
        accuracy: Estimate /** Conductor less the samples. */;
        difference: PairedDifference;
      }
    | { type: "not-compared"; reason: string };
}

interface EqualOptions {
  fitting: FittedSet;
  results: readonly BenchResult[];
  rows: readonly BenchRow[];
  /** The most that may be taken. */
  samples: number;
  seed: number;
  measure: (
    who: { name: string; conductor: Conductor; rounds: number; pool: Pool },
    tasks: readonly GradedTask[],
    file: RowFile,
  ) => Promise<BenchRow[]>;
  file: RowFile;
}

export async function compareAtEqualSpending(options: EqualOptions): Promise<EqualSpending[]> {
  const { fitting, results, rows, samples: most, seed, measure, file } = options;
  const { best } = fitting;
  const worker = fitting.pool.members[best]!.worker.id;
  const available = fitting.set.samplesOf(worker);
  const consensus = requireConsensus(fitting.pool, "best-single×n");
  const taken = new Map<number, BenchRow[]>();
  const once = rows.filter(({ conductor }) => conductor === "best-single");
  if (once.length > 0) taken.set(1, once);
  const take = async (samples: number) => {
    const steps = solveAndVote(Array(samples).fill(best), consensus);
    const name = `best-single×${samples}`;
    const who = { name, conductor: createConstant(name, steps), rounds: 1, pool: fitting.pool };
    const own = taken.get(samples) ?? (await measure(who, fitting.test, file));
    taken.set(samples, own);
    return own;
  };

  const wishes = toWishes(results);
  const equal: EqualSpending[] = [];
  for (const { conductor, by, samples } of wishes) {
    const reason = whyNot(samples, most, available, worker, fitting.set.kind);
    if (reason !== undefined) {
      equal.push({ conductor, by, samples, worker, outcome: { type: "not-compared", reason } });
      continue;
    }
    const theirs = await take(samples);
    const own = rows.filter((row) => row.conductor === conductor);
    const accuracy = estimateAccuracy(theirs, seed);
    const difference = compareAccuracy(own, theirs, seed);
    equal.push({ conductor, by, samples, worker, outcome: { type: "compared", accuracy, difference } });
  }
  return equal;
}

/** Spending so little more is the same spending. */
export const SAME = 1.05;

/** By calls for all; by dollars where they lead to another number of samples. */
function toWishes(results: readonly BenchResult[]): Pick<EqualSpending, "conductor" | "by" | "samples">[] {
  const single = results.find(({ conductor }) => conductor === "best-single");
  const singleUsd = single?.costUsd ?? 0;
  // An agent's run is one ask and many calls.
  const singleCalls = Math.max(1, single?.calls ?? 1);
  return results
    .filter(({ conductor }) => conductor !== "best-single" && conductor !== "oracle")
    .flatMap(({ conductor, calls, conductorCalls, costUsd }) => {
      const byCalls = toSamples((calls + conductorCalls) / singleCalls);
      const wishes = [{ conductor, by: "calls" as const, samples: byCalls }];
      if (singleUsd === 0 || !costUsd) return wishes;
      return [...wishes, { conductor, by: "dollars" as const, samples: toSamples(costUsd / singleUsd) }];
    });
}

/** Rather more than it spends than less: nobody may look better for having spent more. */
function toSamples(ratio: number): number {
  return Math.max(1, Math.ceil(ratio / SAME));
}

function whyNot(
  samples: number,
  most: number,
  available: number,
  worker: string,
  kind: WorldSet["kind"],
): string | undefined {
  if (samples > available) {
    const have = available === 1 ? "one sample" : `${available} samples`;
    return `the recording has ${have} of ${worker} a task: asking it ${samples} times cannot be replayed`;
  }
  if (samples <= most) return undefined;
  const price = kind === "tasks" ? ", which would cost more" : "";
  return `not measured: --samples ${samples} asks ${worker} that often${price}`;
}
