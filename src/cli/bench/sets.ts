// A bench of several sets of one recording: one after the other, each in a sub-folder, and at the end the mean
// over them. All that can be wrong with a set is found before the first one is measured.

import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isTuttiError, usageError } from "../../base/errors.ts";
import type { BenchOutcome } from "../../bench/bench.ts";
import type { DiskFolder } from "../../bench/folder.ts";
import type { OverSets } from "../../bench/over-sets.ts";
import { writePrivateFile } from "../../files/private.ts";
import { toCommandLine } from "../options.ts";
import { printJson } from "../terminal/print.ts";
import {
  type BenchEnd,
  type BenchFlags,
  type BenchPlan,
  type MeasuredSet,
  measureSet,
  toSetLines,
  toWish,
} from "./measure.ts";
import { lookOf, toCsv, toOverLines, write } from "./print.ts";

export async function benchSets(plans: readonly BenchPlan[], flags: BenchFlags): Promise<BenchEnd> {
  const [{ chooseParent, DiskFolder, toFolderNames }, { toOverSets }] = await Promise.all([
    import("../../bench/folder.ts"),
    import("../../bench/over-sets.ts"),
  ]);
  await checkSizes(plans, flags);
  const names = toFolderNames(plans.map(({ input }) => input.set.id));
  const parts = plans.map(({ identity }, i) => ({ name: names[i]!, identity }));
  const recording = basename(resolve(plans[0]!.input.set.source));
  const path = flags.out ?? chooseParent(toWish(recording), parts);
  if (existsSync(join(path, "bench.json")))
    throw usageError(
      `${path} holds the bench of one set, not of ${plans.length}. Choose another folder with --out`,
    );
  const folders = parts.map(({ name, identity }): DiskFolder => new DiskFolder(join(path, name), identity));

  const isText = !flags.json && !flags.csv;
  const outcomes: BenchOutcome[] = [];
  for (const [i, plan] of plans.entries()) {
    const label = `${plan.input.set.id} (${i + 1} of ${plans.length})`;
    const measured: MeasuredSet = await measureSet(plan, folders[i]!, flags, label);
    outcomes.push(measured.outcome);
    if (isText) write([...(i > 0 ? ["", ""] : []), ...toSetLines(measured)]);
    if (measured.outcome.isStopped) break;
  }
  const isStopped = outcomes.some((outcome) => outcome.isStopped);
  const over = toOverSets(outcomes);
  if (isText && !isStopped) write(["", "", ...toOverLines(over, plans.length, lookOf())]);
  else if (flags.csv) process.stdout.write(toCsv(outcomes.flatMap(({ results }) => results)));
  else if (flags.json) printJson({ sets: outcomes.map(({ results }) => results), over });
  if (flags.report) await writeIndex(path, names, outcomes, over);
  // Replaying costs nothing, so no budget can be used up.
  return { path: flags.report ? join(path, "index.html") : path, isStopped, isUsedUp: false };
}

/** A set that is too small would end the bench after others were measured. */
async function checkSizes(plans: readonly BenchPlan[], flags: BenchFlags): Promise<void> {
  const { chooseTasks } = await import("../../bench/fit-source.ts");
  for (const { input } of plans) {
    try {
      chooseTasks({ ...flags, set: input.set, fit: input.fit });
    } catch (error) {
      if (!isTuttiError(error)) throw error;
      throw usageError(
        `The set "${input.set.id}" cannot be measured: ${error.message}. Name the others with --set`,
        error,
      );
    }
  }
}

async function writeIndex(
  path: string,
  names: readonly string[],
  outcomes: readonly BenchOutcome[],
  over: readonly OverSets[],
): Promise<void> {
  const { toIndexPage } = await import("../../bench/report/index-page.ts");
  const page = toIndexPage({
    entries: outcomes.map((outcome, i) => ({ folder: names[i]!, outcome })),
    total: names.length,
    over,
    command: toCommandLine(process.argv.slice(2)),
  });
  writePrivateFile(join(path, "index.html"), page);
}
