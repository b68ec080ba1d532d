// `tutti record import`: outcomes that others have published become a recording, without asking anybody.

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { isObject } from "../../base/fields.ts";
import { shorten, toCount, toMoney, toPercent, toSeries } from "../../base/format.ts";
import { readWhole } from "../../files/bounds.ts";
import { Problems } from "../../files/problems.ts";
import type { ImportSummary, SinkOptions } from "../../recording/import/sink.ts";
import { numberBetween, oneOf, toCommandLine } from "../options.ts";
import { printJson, printTable } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";

interface ImportFlags {
  format?: string;
  out?: string;
  map?: string;
  set?: string;
  metric?: string;
  workers?: string;
  scoreMax: number;
  duplicates: SinkOptions["duplicates"];
  prices?: string;
  json?: boolean;
}

export function defineImport(command: Command): void {
  command
    .description("a recording from outcomes that others published: nobody is asked")
    .argument("<source>", "a file, or a folder of files")
    .option(
      "--format <name>",
      "the layout: routerbench, llmrouterbench, sprout, routereval, embedllm, helm, lm-eval, openai-evals or table",
    )
    .option("--out <folder>", "where the recording goes; must not be there yet")
    .option(
      "--map <pairs|file>",
      "with --format table: which column is which, as prompt=question,score=acc, or a YAML file of such pairs",
    )
    .option("--set <id>", "all tasks in one set of this name")
    .option("--metric <name>", "which metric is the score, where the source has several")
    .option("--workers <ids>", "only these, separated by commas")
    .option("--score-max <n>", "the score that is fully right", numberBetween("--score-max", 1e-6, 1e6), 1)
    .option(
      "--duplicates <what>",
      "a second outcome of a worker for a task: refuse, keep the first, or take it as a further sample",
      oneOf("--duplicates", ["refuse", "first", "samples"] as const),
      "refuse" as const,
    )
    .option("--prices <file>", "list prices as JSON, kept with the recording as prices.json")
    .option("--json", "the summary as JSON on standard output")
    .addHelpText(
      "after",
      `
Examples:
  $ tutti record import routerbench_0shot.parquet --format routerbench --out recorded/routerbench
  $ tutti record import results/bench --format llmrouterbench --out recorded/llmrouterbench
  $ tutti record import graded.csv --format table --map prompt=question,worker=llm,score=acc --out recorded/mine

A bad row is said by file and line, and then nothing is written. Fields for --map, layouts and where the public
sets are: docs/record-import.md.`,
    )
    .action(importOutcomes);
}

async function importOutcomes(source: string, _flags: unknown, command: Command): Promise<void> {
  const flags = { ...command.parent!.opts(), ...command.opts() } as ImportFlags;
  const [{ findLayout, importRecording, LAYOUTS }, { IMPORT_FIELDS }] = await Promise.all([
    import("../../recording/import/layouts.ts"),
    import("../../recording/import/table.ts"),
  ]);
  if (flags.format === undefined)
    throw usageError(`import needs --format: ${LAYOUTS.map(({ id }) => id).join(", ")}`);
  const layout = findLayout(flags.format);
  if (flags.out === undefined) throw usageError("import needs --out FOLDER: where the recording goes");
  if (flags.map !== undefined && layout.id !== "table")
    throw usageError(`--map goes with --format table: ${layout.id} has columns of its own`);
  if (flags.metric !== undefined && !layout.hasMetrics) {
    const some = LAYOUTS.filter(({ hasMetrics }) => hasMetrics).map(({ id }) => id);
    throw usageError(`--metric goes with ${toSeries(some)}: ${layout.id} has one score`);
  }
  const summary = await importRecording({
    ...{ source, layout, folder: flags.out, set: flags.set, metric: flags.metric },
    ...{ scoreMax: flags.scoreMax, duplicates: flags.duplicates },
    columns: await readMap(flags.map, IMPORT_FIELDS),
    workers: flags.workers?.split(",").map((id) => id.trim()),
    extra: flags.prices === undefined ? undefined : { "prices.json": await readPrices(flags.prices) },
  });
  if (flags.json) return printJson(summary);
  print(summary);
}

/** "a=b,c=d", or a file of such pairs. */
async function readMap(text: string | undefined, fields: readonly string[]): Promise<Map<string, string>> {
  if (text === undefined) return new Map();
  if (!/\.ya?ml$|\.json$/i.test(text)) {
    return new Map(
      text.split(",").map((pair) => {
        const at = pair.indexOf("=");
        if (at > 0 && at < pair.length - 1) return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
        throw usageError(
          `--map must be pairs such as prompt=question, not "${shorten(pair)}" (fields: ${fields.join(", ")})`,
        );
      }),
    );
  }
  if (!existsSync(text)) throw usageError(`There is no ${text}: --map takes pairs, or a YAML file of them`);
  const { parse } = await import("yaml");
  const value: unknown = parse(readWhole(text, 1_000_000).toString("utf8"));
  if (!isObject(value) || !Object.values(value).every((column) => typeof column === "string"))
    throw usageError(`${text}: must hold lines such as "prompt: question"`);
  return new Map(Object.entries(value) as [string, string][]);
}

/** Checked here, so that a recording never has prices that nothing can read. */
async function readPrices(file: string): Promise<string> {
  if (!existsSync(file)) throw usageError(`There is no ${file}: --prices takes a JSON file`);
  const { readPriceFile } = await import("../../recording/prices.ts");
  const problems = new Problems();
  const prices = readPriceFile(file, problems);
  problems.throwIfAny();
  return `${JSON.stringify(Object.fromEntries(prices), null, 2)}\n`;
}

function print({ folder, tasks, outcomes, sets, workers, leftOut }: ImportSummary): void {
  const style = createStyle(process.stdout, process.env);
  printTable(
    [
      { title: "WORKER", min: 12 },
      { title: "OUTCOMES", align: "right" },
      { title: "MISSING", align: "right", style: (text) => style.yellow(text) },
      { title: "RIGHT", align: "right" },
      { title: "COST", align: "right" },
    ],
    workers.map(({ id, outcomes: count, missing, right, costUsd }) => [
      toOneLine(id),
      count.toLocaleString("en"),
      missing > 0 ? missing.toLocaleString("en") : "",
      count > 0 ? toPercent(right / count) : "",
      costUsd === undefined ? "unknown" : toMoney(costUsd),
    ]),
    style,
  );
  const ofSets = sets.length === 1 ? `set ${toOneLine(sets[0]!.id)}` : toCount(sets.length, "set");
  const gaps = workers.filter(({ missing }) => missing > 0).length;
  process.stderr.write(
    [
      `${toCount(outcomes, "outcome")} of ${toCount(workers.length, "worker")} on ${toCount(tasks, "task")} (${ofSets}) → ${toOneLine(folder)}`,
      ...(leftOut > 0 ? [`${toCount(leftOut, "duplicate")} left out.`] : []),
      ...(gaps > 0
        ? [
            `${toCount(gaps, "worker")} did not answer every task: a bench leaves a worker out of sets where it has gaps.`,
          ]
        : []),
      `Next: ${toCommandLine(["bench", "--recording", folder])}`,
      "",
    ].join("\n"),
  );
}
