// `tutti bench front`: the cost–quality curve of each Conductor on one picture, and the two numbers people quote.

import { join } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import type { FrontResult } from "../../bench/front/front.ts";
import { makePrivateFolder, writePrivateFile } from "../../files/private.ts";
import { toCostWords } from "../../recording/costs.ts";
import { toCommandLine } from "../options.ts";
import { printJson } from "../terminal/print.ts";
import { toJson, toOneLine } from "../terminal/sanitise.ts";
import { toTable } from "../terminal/table.ts";
import { wrap } from "../terminal/text-width.ts";
import { chooseContenders, type InputFlags, openInput } from "./input.ts";
import { toWish, watched } from "./measure.ts";
import { lookOf, write } from "./print.ts";

type FrontFlags = InputFlags & { conductor: string; out?: string };

export async function drawFront(_flags: unknown, command: Command): Promise<void> {
  // The verb above has the same flags, and commander gives those written after this one to it.
  const flags = readFlags<FrontFlags>(command);
  if (flags.recording === undefined)
    throw usageError(
      "a front is drawn from recorded outcomes: give --recording DIR (tutti record makes one)",
    );
  const input = await openInput(flags);
  const { contenders } = await chooseContenders(flags.conductor, input);
  const { measureFront } = await import("../../bench/front/front.ts");
  const { seed, splitBy, splitSeed, limit } = flags;
  const front = await watched(flags, false, (signal, line) =>
    measureFront({
      ...{ set: input.set, contenders, seed, splitBy, splitSeed, limit, signal },
      onProgress: (progress) => line.update(progress),
    }),
  );
  const folder = flags.out ?? toWish(`${front.set}-front`);
  await keep(front, folder);
  if (flags.json) return printJson(front);
  write(await toLines(front));
  process.stderr.write(`\n${toOneLine(join(folder, "front.html"))}\n`);
}

/** What was written on either side of the verb; else the verb's own default. */
function readFlags<T>(command: Command): T {
  const above = Object.entries(command.parent?.opts() ?? {}).filter(
    ([name]) =>
      command.parent!.getOptionValueSource(name) === "cli" && command.getOptionValueSource(name) !== "cli",
  );
  return { ...command.opts(), ...Object.fromEntries(above) } as T;
}

async function keep(front: FrontResult, folder: string): Promise<void> {
  const [{ drawFrontCurves, toSvgFile }, { toFrontPage }] = await Promise.all([
    import("../../bench/front/chart.ts"),
    import("../../bench/front/page.ts"),
  ]);
  makePrivateFolder(folder);
  writePrivateFile(join(folder, "front.json"), `${toJson(front)}\n`);
  writePrivateFile(join(folder, "front.svg"), toSvgFile(drawFrontCurves(front, "cost")));
  writePrivateFile(join(folder, "front.html"), toFrontPage(front, toCommandLine(process.argv.slice(2))));
}

async function toLines(front: FrontResult): Promise<string[]> {
  const { FRONT_COLUMNS, toFrontRows, toFrontSentences } = await import("../../bench/front/words.ts");
  const { style, width } = lookOf();
  const columns = FRONT_COLUMNS.map((title, i) => ({
    title: title.toUpperCase(),
    ...(i === 0 ? { min: 12 } : { align: "right" as const }),
  }));
  const costs = front.costs && toCostWords(front.costs);
  return [
    style.bold(`${toOneLine(front.set)} · ${front.n} test tasks`),
    ...(costs === undefined ? [] : wrap(toOneLine(costs), width).map(style.yellow)),
    "",
    ...toTable(
      columns,
      toFrontRows(front).map(({ cells }) => cells.map(toOneLine)),
      width,
      style,
    ),
    "",
    ...toFrontSentences(front).flatMap((sentence) => wrap(toOneLine(sentence), width)),
  ];
}
