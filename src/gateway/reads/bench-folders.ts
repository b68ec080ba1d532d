// Results of `tutti bench` as data, read only: folders in bench/ of the folder that the gateway was started in, and
// of TUTTI_HOME. A bench of several sets has a folder for each, one level down. Names are looked up, never joined.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { TuttiError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import { compareRows } from "../../bench/compare.ts";
import { readFolder } from "../../bench/folder.ts";
import { findBest } from "../../bench/report/view.ts";
import { toResults } from "../../bench/results.ts";
import type { BenchResult } from "../../bench/types.ts";
import { toTuttiHome } from "../../config/home.ts";
import { readWhole } from "../../files/bounds.ts";
import type { Query } from "../../http/target.ts";
import type { BenchComparison, BenchReport, BenchSummary } from "../dashboard/types.ts";
import { badRequest } from "../http/object-reader.ts";
import type { Folders } from "./reads.ts";

const FOLDER = "bench";
const STATEMENT = "bench.json";
const RESULTS = "results.json";
const MOST_LISTED = 200;

const statementSchema = z.object({
  identity: z.record(z.string(), z.unknown()),
  counts: z
    .object({
      train: z.number(),
      validation: z.number().optional(),
      tune: z.number().optional(),
      test: z.number(),
    })
    // Folders from before 0.2 call the validation split "tune".
    .transform(({ train, validation, tune = 0, test }) => ({ train, validation: validation ?? tune, test }))
    .optional(),
  isSimulated: z.boolean().default(false),
  refused: z.array(z.object({ conductor: z.string(), reason: z.string() })).default([]),
});

interface FoundBench {
  id: string;
  path: string;
  changedAt: number;
}

export function listBenches(folders: Folders): BenchSummary[] {
  return findBenches(folders)
    .slice(0, MOST_LISTED)
    .flatMap((found) => readBench(found)?.summary ?? []);
}

export function showBench(folders: Folders, id: string): BenchReport {
  const report = readBench(findBench(folders, id));
  if (!report) throw new TuttiError("not-found", `The folder of the bench "${shorten(id)}" cannot be read.`);
  return report;
}

/** Paired over the tasks that both were graded on, with the tasks that flipped. */
export function compareBenches(folders: Folders, query: Query): BenchComparison {
  const [a, b] = (["a", "b"] as const).map((side) => {
    const { rows, seed } = readFolder(findBench(folders, query[side] ?? "").path);
    const name = query[`${side}_conductor`] ?? "";
    const own = rows.filter(({ conductor }) => conductor === name);
    if (own.length > 0) return { name, rows: own, seed };
    const names = [...new Set(rows.map(({ conductor }) => conductor))];
    throw badRequest(
      `No Conductor "${name.slice(0, 80)}" in this bench (there are: ${names.join(", ")}).`,
      `${side}_conductor`,
    );
  });
  return { object: "comparison", ...compareRows(a!, b!, a!.seed) };
}

// ---- Finding ------------------------------------------------------------------------------------

function findBenches({ env, cwd }: Folders): FoundBench[] {
  const roots = new Set([join(cwd, FOLDER), join(toTuttiHome(env), FOLDER)]);
  const found = new Map<string, FoundBench>();
  for (const root of roots)
    for (const name of namesIn(root))
      for (const id of [name, ...namesIn(join(root, name)).map((part) => `${name}/${part}`)]) {
        const file = join(root, id, STATEMENT);
        const stats = statSync(file, { throwIfNoEntry: false });
        if (stats?.isFile() && !found.has(id))
          found.set(id, { id, path: join(root, id), changedAt: stats.mtimeMs });
      }
  return [...found.values()].sort((x, y) => y.changedAt - x.changedAt);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function findBench(folders: Folders, id: string): FoundBench {
  const found = findBenches(folders).find((each) => each.id === id);
  if (found) return found;
  throw new TuttiError("not-found", `There is no bench "${id.slice(0, 80)}".`);
}

/** Undefined where its files cannot be read. A bench that is not finished shows what it has. */
function readBench({ id, path, changedAt }: FoundBench): BenchReport | undefined {
  try {
    const statement = statementSchema.parse(JSON.parse(readWhole(join(path, STATEMENT)).toString("utf8")));
    const isFinished = existsSync(join(path, RESULTS));
    const results = isFinished
      ? (JSON.parse(readWhole(join(path, RESULTS)).toString("utf8")) as BenchResult[])
      : toResultsSoFar(path);
    const best = findBest(results);
    const { identity, counts, refused } = statement;
    return {
      object: "bench",
      summary: {
        ...{ id, set: String(identity.set ?? ""), changedAt, isFinished, conductors: results.length },
        isSimulated: statement.isSimulated || results.some(({ isSimulated }) => isSimulated),
        best: best && { conductor: best.conductor, accuracy: best.accuracy, calls: best.calls },
      } satisfies BenchSummary,
      seed: Number(identity.seed ?? 0),
      ...{ counts, refused, results },
    };
  } catch {
    return undefined;
  }
}

function toResultsSoFar(path: string): BenchResult[] {
  try {
    const { rows, seed, isSimulated } = readFolder(path);
    return toResults(rows, { seed, isSimulated });
  } catch {
    return []; // no rows yet
  }
}
