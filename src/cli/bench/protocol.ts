// `tutti bench --protocol`: a published protocol over a recording, beside what is published on it.

import { join } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { shorten, toCount, toSeries } from "../../base/format.ts";
import type { Protocol, ProtocolResult } from "../../bench/protocol/types.ts";
import { groupBy } from "../../bench/results.ts";
import { toCommandLine } from "../options.ts";
import { createChangingLine } from "../terminal/changing-line.ts";
import { printJson } from "../terminal/print.ts";
import { toJson, toOneLine } from "../terminal/sanitise.ts";
import { type Column, toTable } from "../terminal/table.ts";
import { type InputFlags, splitIds } from "./input.ts";
import { toWish } from "./measure.ts";
import { lookOf, write } from "./print.ts";

export interface ProtocolFlags extends InputFlags {
  protocol?: string;
  conductor: string;
  mapWorkers?: string;
  withoutTwins?: boolean;
  queries?: string;
  rewordings?: string;
  out?: string;
  csv?: boolean;
  report: boolean;
}

export function addProtocolFlags(command: Command): Command {
  return command
    .option(
      "--protocol <name>",
      "a published protocol over a recording: routerarena, routellm or routerdc; --conductor then names routers that ask one worker",
    )
    .option(
      "--map-workers <pairs>",
      "with --protocol and --fit: which worker of the fitted recording stands for a tested one, as tested=fitted, separated by commas",
    )
    .option(
      "--without-twins",
      "with --protocol and --fit: leave tested questions out of the fit instead of refusing",
    );
}

/** Flags of an ordinary bench that a protocol does not have: its split is the published one. */
const NOT_WITH_PROTOCOL = [
  "tasks",
  "rehearsal",
  "set",
  "pool",
  "workers",
  "limit",
  "splitBy",
  "splitSeed",
  "budgetUsd",
  "fitTasks",
  "samples",
  "liars",
  "csv",
  "concurrency",
];

export function refuseOtherFlags(command: Command): void {
  for (const name of NOT_WITH_PROTOCOL) {
    if (command.getOptionValueSource(name) !== "cli") continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw usageError(
      `--protocol and --${flag} exclude each other: the protocol says what is measured and how`,
    );
  }
}

export async function benchProtocol(flags: ProtocolFlags, isNamed: boolean): Promise<void> {
  const { runProtocol } = await import("../../bench/protocol/protocols.ts");
  const { protocol, material, options } = await openProtocol(flags);
  const line = createChangingLine(process.stderr);
  let result: ProtocolResult;
  try {
    result = await runProtocol(protocol, material, {
      ...options,
      routers: isNamed ? splitIds(flags.conductor) : undefined,
      onProgress: (router, done, total) =>
        line.show(() => [`${done} of ${toCount(total, "router")}`, toOneLine(router)]),
    });
  } finally {
    line.end();
  }
  const path = await keepResult(result, flags);
  if (flags.json) return printJson(result);
  write(await toLines(result));
  process.stderr.write(`\n${toOneLine(path)}\n`);
}

export async function openProtocol(flags: ProtocolFlags) {
  const [{ findProtocol }, { openMaterial }, { openOutsideFit }] = await Promise.all([
    import("../../bench/protocol/protocols.ts"),
    import("../../bench/protocol/material.ts"),
    import("../../bench/protocol/outside-fit.ts"),
  ]);
  const protocol = findProtocol(flags.protocol!);
  const { recording: folder, fit, fitSet: set, seed, withoutTwins } = flags;
  if (folder === undefined)
    throw usageError(`--protocol ${protocol.id} needs a recording: give --recording DIR`);
  if (fit !== undefined && protocol.id !== "routerarena")
    throw usageError(`--fit is for routerarena: ${protocol.id} says itself what is fitted on`);
  if (fit === undefined && (flags.mapWorkers !== undefined || withoutTwins))
    throw usageError("--map-workers and --without-twins go with --fit");
  const workerNames = readPairs(flags.mapWorkers);
  const material = await openMaterial(folder);
  const openFit: Parameters<Protocol["prepare"]>[1]["openFit"] =
    fit === undefined
      ? undefined
      : (tasks, workers) =>
          openOutsideFit(
            { tested: material.recording, folder: fit, set, workerNames, withoutTwins },
            tasks,
            workers,
          );
  return { protocol, material, options: { seed, openFit } };
}

/** "a=b, c=d" */
function readPairs(text: string | undefined): Map<string, string> {
  const pairs = splitIds(text ?? "").map((pair) => {
    const at = pair.indexOf("=");
    if (at <= 0 || at === pair.length - 1)
      throw usageError(`--map-workers must be pairs such as tested=fitted, not "${shorten(pair)}"`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
  });
  return new Map(pairs);
}

async function keepResult(result: ProtocolResult, { out, report }: ProtocolFlags): Promise<string> {
  const [{ chooseFolder, DiskFolder }, { toProtocolReport }] = await Promise.all([
    import("../../bench/folder.ts"),
    import("../../bench/protocol/report.ts"),
  ]);
  const identity = {
    ...{ protocol: result.protocol, source: result.recording, seed: result.seed, tasks: result.tasks },
    routers: result.rows.map(({ router }) => router),
  };
  const folder = new DiskFolder(out ?? chooseFolder(toWish(result.protocol), identity), identity);
  folder.write("results.json", `${toJson(result)}\n`);
  if (!report) return folder.path;
  folder.write("report.html", toProtocolReport(result, toCommandLine(process.argv.slice(2))));
  return join(folder.path, "report.html");
}

async function toLines(result: ProtocolResult): Promise<string[]> {
  const { READS_NOTE, toProtocolHeadline, toProtocolTable } = await import("../../bench/protocol/view.ts");
  const { style, width } = lookOf();
  const { columns, rows } = toProtocolTable(result, "nowhere");
  const titles = columns.map(
    ({ title, isText }, i): Column => ({
      title: title.toUpperCase(),
      ...(i > 0 && !isText && { align: "right" as const }),
      ...(title === "source" && { min: 8, isOptional: true }),
      ...(i === 0 && { min: 16 }),
    }),
  );
  const headline = toProtocolHeadline(result);
  return [
    `${result.title} · ${toCount(result.workers.length, "recorded worker")} · ${toCount(result.tasks, "test task")}`,
    "",
    ...toTable(
      titles,
      rows.map(({ cells }) => cells.map(toOneLine)),
      width,
      style,
    ),
    "",
    ...(headline === undefined ? [] : [headline, ""]),
    ...result.how.map(toOneLine),
    `${READS_NOTE} ${result.anchorNote}`,
    ...[...groupBy(result.refused, ({ reason }) => reason)].map(
      ([reason, some]) => `Refused: ${toSeries(some.map(({ router }) => toOneLine(router)))} (${reason}).`,
    ),
  ];
}
