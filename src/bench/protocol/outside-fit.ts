// A recording to fit on where a protocol forbids its own data. It is refused where it is that data, also under other
// names: the same folder, the same sets, or questions that stand in the protocol's prompts word for word.

import { realpathSync } from "node:fs";
import { TuttiError, usageError } from "../../base/errors.ts";
import { shorten, toCount, toSeries } from "../../base/format.ts";
import { didYouMean } from "../../base/suggest.ts";
import { createRecordedPool } from "../../recording/replay.ts";
import type { Recording } from "../../recording/types.ts";
import type { GradedTask } from "../../task/types.ts";
import { readScores } from "../../world/sets.ts";
import { openFitSource } from "../fit-source.ts";
import { createTwinFinder } from "./twins.ts";
import type { OutsideFit } from "./types.ts";

export interface OutsideFitOptions {
  /** What is tested: nothing of it may be learned from. */
  tested: Recording;
  folder: string;
  /** By default all sets of the folder. */
  set?: string;
  /** Which worker of the folder stands for which worker of the test, where their ids differ. */
  workerNames?: ReadonlyMap<string, string>;
  /** Leave twins out of the fit instead of refusing. */
  withoutTwins?: boolean;
}

/** Throws "test-in-training" where the folder holds what is tested. */
export async function openOutsideFit(
  { tested, folder, set, workerNames = new Map(), withoutTwins = false }: OutsideFitOptions,
  tasks: readonly GradedTask[],
  workers: readonly string[],
): Promise<OutsideFit> {
  const fit = await openFitSource(folder, set);
  refuseSame(tested, folder, fit.sets);
  const names = matchNames(workers, fit.workers, workerNames, folder);
  const isTwin = createTwinFinder(tasks);
  const twins = fit.tasks.filter((task) => isTwin(task));
  if (twins.length > 0 && !withoutTwins) {
    const first = twins[0]!;
    throw new TuttiError(
      "test-in-training",
      `${toCount(twins.length, "task")} of ${folder} ask${twins.length === 1 ? "s" : ""} what is tested, such as ${first.id} ("${shorten(first.prompt)}"): nothing may be fitted on it. --without-twins leaves ${twins.length === 1 ? "it" : "them"} out of the fit`,
    );
  }
  const left = new Set(twins);
  const kept = fit.tasks.filter((task) => !left.has(task));
  if (kept.length === 0) throw usageError(`Every task of ${folder} is tested too: none is left to fit on`);
  const pool = createRecordedPool(tested, tested.sets[0]!.id, { workers: [...workers] });
  const { recorded } = fit.outcomes;
  const training = readScores(kept, pool, {
    recorded: (task, worker) => recorded(task, names.get(worker)!),
  });
  const standIns = [...names].filter(([worker, other]) => worker !== other);
  return {
    training,
    source: [
      `${toCount(kept.length, "task")} of ${toSeries(fit.sets)} (${folder})`,
      ...(twins.length > 0 ? [`without ${toCount(twins.length, "twin")} of tested questions`] : []),
      ...standIns.map(([worker, other]) => `${other} stands for ${worker}`),
    ].join("; "),
  };
}

function refuseSame(tested: Recording, folder: string, sets: readonly string[]): void {
  const same =
    realpathSync(folder) === realpathSync(tested.folder)
      ? "is the recording that is tested"
      : sets.some((set) => tested.sets.some(({ id }) => id === set))
        ? `holds the set "${sets.find((set) => tested.sets.some(({ id }) => id === set))}", which is tested`
        : undefined;
  if (same === undefined) return;
  throw new TuttiError(
    "test-in-training",
    `${folder} ${same}: nothing may be fitted on it. Name another recording with --fit`,
  );
}

/** By worker of the test: who is read in its place. */
function matchNames(
  workers: readonly string[],
  fitted: readonly string[],
  workerNames: ReadonlyMap<string, string>,
  folder: string,
): Map<string, string> {
  for (const [worker, other] of workerNames) {
    if (!workers.includes(worker))
      throw usageError(
        `--map-workers: no worker "${shorten(worker)}" is tested (there are: ${workers.join(", ")}).${didYouMean(worker, workers)}`,
      );
    if (!fitted.includes(other))
      throw usageError(
        `--map-workers: "${shorten(other)}" did not answer every task of ${folder} (there are: ${fitted.join(", ")}).${didYouMean(other, fitted)}`,
      );
  }
  const names = new Map(workers.map((worker) => [worker, workerNames.get(worker) ?? worker]));
  const missing = [...names].filter(([, other]) => !fitted.includes(other)).map(([worker]) => worker);
  if (missing.length === 0) return names;
  throw usageError(
    `${toSeries(missing)} did not answer every task of ${folder} (there are: ${fitted.join(", ")}). Name who stands for ${missing.length === 1 ? "it" : "them"}: --map-workers ${missing[0]}=<worker>`,
  );
}
