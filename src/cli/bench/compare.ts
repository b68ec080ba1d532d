// `tutti bench compare`: two Conductors on the same tasks, of one folder or of two.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { toCount, toPoints } from "../../base/format.ts";
import type { ConductorComparison, Flip } from "../../bench/compare.ts";
import { toComparison, toDifference } from "../../bench/report/view.ts";
import type { BenchRow } from "../../bench/types.ts";
import { printJson } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { type Column, toTable } from "../terminal/table.ts";
import { wrap } from "../terminal/text-width.ts";
import { HOME } from "./measure.ts";
import { alignStar, type Look, lookOf, write } from "./print.ts";

const MOST_FLIPS = 10;

export async function compare(a: string, b: string, _flags: unknown, command: Command): Promise<void> {
  const flags = command.optsWithGlobals<{ in?: string; json?: boolean }>();
  const { compareRows } = await import("../../bench/compare.ts");
  const sides = await Promise.all([findSides(a, flags.in), findSides(b, flags.in)]);
  const pairs = pairSides(a, b, sides[0], sides[1]);
  const comparisons = pairs.map(([one, other]) => compareRows(one, other, one.seed));
  for (const { a: one, b: other, n } of comparisons)
    if (n === 0) throw usageError(`${one} and ${other} have no task in common: nothing can be compared`);
  if (flags.json) return printJson(comparisons);
  const look = lookOf();
  write(
    comparisons.flatMap((comparison, i) => [
      ...(i > 0 ? ["", ""] : []),
      ...toComparisonLines(comparison, look),
    ]),
  );
}

interface Side {
  name: string;
  conductor: string;
  rows: BenchRow[];
  seed: number;
}

/** All Conductors of a folder, or the one that is named. */
async function findSides(text: string, within: string | undefined): Promise<Side[]> {
  const { readFolder } = await import("../../bench/folder.ts");
  const { groupBy } = await import("../../bench/results.ts");
  const isFolder = (path: string) => existsSync(join(path, "bench.json"));
  const colon = text.lastIndexOf(":");
  const named = colon > 0 && isFolder(text.slice(0, colon));
  const path = isFolder(text) ? text : named ? text.slice(0, colon) : (within ?? newestFolder(text));
  const { rows, seed } = readFolder(path);
  const groups = [...groupBy(rows, ({ conductor }) => conductor)];
  const sides = groups.map(([conductor, own]) => ({
    name: `${path}:${conductor}`,
    conductor,
    rows: own,
    seed,
  }));
  if (isFolder(text)) return sides;
  const wanted = named ? text.slice(colon + 1) : text;
  const found = sides.find(({ conductor }) => conductor === wanted);
  if (found) return [found];
  throw usageError(
    `No Conductor "${wanted}" in ${path} (there are: ${groups.map(([name]) => name).join(", ")})`,
  );
}

function newestFolder(text: string): string {
  const foldersIn = (path: string) =>
    existsSync(path) && statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [];
  // A bench of several sets has a folder for each, one level down.
  const newest = foldersIn(HOME)
    .flatMap((path) => [path, ...foldersIn(path)])
    .filter((path) => existsSync(join(path, "bench.json")))
    .toSorted((x, y) => statSync(y).mtimeMs - statSync(x).mtimeMs)[0];
  if (newest) return newest;
  throw usageError(`"${text}" is not a folder of a bench, and there is none in ${HOME}/: name one with --in`);
}

/** Two folders are compared by the Conductors that both have. */
function pairSides(a: string, b: string, left: Side[], right: Side[]): [Side, Side][] {
  if (left.length === 1 && right.length === 1) return [[left[0]!, right[0]!]];
  const pairs = left.flatMap((one): [Side, Side][] => {
    const other = right.find(({ conductor }) => conductor === one.conductor);
    return other ? [[one, other]] : [];
  });
  if (pairs.length === 0)
    throw usageError(`${a} and ${b} have no Conductor in common: name them as folder:conductor`);
  return pairs;
}

// ---- As text --------------------------------------------------------------------------------------

function toComparisonLines(comparison: ConductorComparison, { style, width }: Look): string[] {
  const { a, b, n, accuracyA, accuracyB, difference, byCategory, gained, lost, onlyA, onlyB } = comparison;
  const { verdict, p } = toComparison(comparison);
  const paint = { 1: style.green, [-1]: style.red, 0: (text: string) => text }[verdict.side];
  const left =
    onlyA + onlyB > 0
      ? [style.dim(`${onlyA} rows of A and ${onlyB} of B have no partner and are left out.`)]
      : [];
  const columns: Column[] = [
    { title: "CATEGORY", min: 10 },
    { title: "N", align: "right" },
    { title: "B − A", align: "right" },
  ];
  const rows = byCategory
    .toSorted((x, y) => y.difference.mean - x.difference.mean)
    .map((entry) => [toOneLine(entry.category), String(entry.n), alignStar(toDifference(entry.difference))]);
  return [
    `A ${style.bold(toOneLine(a))} ${toPoints(accuracyA)} %`,
    `B ${style.bold(toOneLine(b))} ${toPoints(accuracyB)} %`,
    `B − A ${toDifference(difference)}, ${p}, ${toCount(n, "task")}: ${paint(verdict.text)}`,
    ...left,
    "",
    ...toTable(columns, rows, width, style),
    "",
    ...toFlipLines("right with B, wrong with A", gained, width),
    ...toFlipLines("wrong with B, right with A", lost, width),
  ];
}

function toFlipLines(title: string, flips: readonly Flip[], width: number): string[] {
  const shown = flips
    .slice(0, MOST_FLIPS)
    .map(({ task, family }) => `  ${toOneLine(task)} (${toOneLine(family)})`);
  const more =
    flips.length > MOST_FLIPS ? [`  … and ${flips.length - MOST_FLIPS} more: --json lists all`] : [];
  return [`${toCount(flips.length, "task")} ${title}`, ...shown, ...more].flatMap((line) =>
    wrap(line, width),
  );
}
