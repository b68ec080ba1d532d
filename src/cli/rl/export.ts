// `tutti rl export`: the questions of a world as the dataset of an engine, with the command that trains on it.

import { join } from "node:path";
import { usageError } from "../../base/errors.ts";
import { toCount } from "../../base/format.ts";
import type { PosedSplits } from "../../environment/export-questions.ts";
import type { ExportEngine } from "../../environment/export-rows.ts";
import { isLoopback, toHostName } from "../../http/same-site.ts";
import { toCommandLine } from "../options.ts";
import { printJson } from "../terminal/print.ts";
import { checkWorldFlags, openRolloutWorld, openTasksWorld, tell, type WorldFlags } from "./world.ts";

export interface RlExportFlags extends WorldFlags {
  engine: ExportEngine;
  out: string;
  train?: number;
  test?: number;
  pools: "fixed" | "random";
  seed: number;
  secondRound?: string;
  url: string;
  model: string;
  json?: boolean;
}

const TRAIN = 960;
const TEST = 240;

export async function exportRl(flags: RlExportFlags): Promise<void> {
  const { engine, out, model, tasks, json } = flags;
  checkWorldFlags(flags);
  const url = toUrl(flags.url);
  const { writeExport } = await import("../../environment/export.ts");
  const { splits, world, isSimulated } =
    flags.secondRound === undefined ? await pose(flags) : await poseSecond(flags, flags.secondRound);
  const { port, hostname } = new URL(url);
  const isHere = isLoopback(toHostName(hostname) ?? hostname);
  const serve = toCommandLine([
    ...["rl", "serve", ...(isHere ? [] : ["--host", "0.0.0.0", "--allow-host", hostname])],
    ...["--port", port || "80"],
    ...(tasks === undefined ? [] : ["--tasks", tasks, "--budget-usd", "500"]),
    ...(flags.set === undefined ? [] : ["--set", flags.set]),
    ...(flags.pool === undefined ? [] : ["--pool", flags.pool]),
    ...(flags.config === undefined ? [] : ["--config", flags.config]),
    ...(flags.allowInsideGrades ? ["--allow-inside-grades"] : []),
  ]);
  const exported = writeExport({ engine, folder: out, splits, world, isSimulated, url, model, serve });
  if (json) {
    printJson({ engine, world, simulated: isSimulated, ...exported });
    return;
  }
  const counts = `${toCount(exported.train, "training question")}, ${toCount(exported.test, "test question")}`;
  process.stdout.write(`${exported.folder}: ${counts} for ${engine}, of ${world}\n`);
  process.stderr.write(`The command stands in ${join(exported.folder, "README.md")}\n`);
}

interface Posed {
  splits: PosedSplits;
  world: string;
  isSimulated: boolean;
}

async function pose(flags: RlExportFlags): Promise<Posed> {
  const { poseRehearsal, poseTasks } = await import("../../environment/export-questions.ts");
  const { tasks, pools, seed, train, test } = flags;
  if (tasks === undefined) {
    const splits = poseRehearsal({ pools, seed, train: train ?? TRAIN, test: test ?? TEST });
    return { splits, world: "rehearsal (simulated)", isSimulated: true };
  }
  const { world, digest, notices } = await openTasksWorld({ ...flags, tasks });
  tell(notices);
  return {
    splits: poseTasks(world, digest, { train, test }),
    world: world.name,
    isSimulated: world.isSimulated,
  };
}

/** What the first stage has performed; nothing is asked that was not asked before. */
async function poseSecond(flags: RlExportFlags, folder: string): Promise<Posed> {
  const [{ poseSecondRounds }, { openRolloutJournal }, { existsSync }] = await Promise.all([
    import("../../environment/export-questions.ts"),
    import("../../environment/rollout-journal.ts"),
    import("node:fs"),
  ]);
  const file = join(folder, "rollouts.jsonl");
  if (!existsSync(file)) throw usageError(`${folder} is no run of tutti rl serve: it has no rollouts.jsonl`);
  const rows: Parameters<typeof poseSecondRounds>[0][number][] = [];
  const journal = await openRolloutJournal(file, (row) => rows.push(row));
  journal.close();
  // A budget of nothing: replies that were kept are free.
  const { finder, close } = await openRolloutWorld(
    { ...flags, budgetUsd: flags.tasks === undefined ? undefined : 0 },
    folder,
  );
  try {
    const { train = TRAIN, test = TEST, seed } = flags;
    const splits = await poseSecondRounds(rows, finder, {
      train,
      test,
      seed,
      signal: new AbortController().signal,
    });
    return { splits, world: `${finder.name}, second rounds`, isSimulated: finder.isSimulated };
  } finally {
    close();
  }
}

function toUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw usageError(`--url must be an address such as http://10.0.0.5:7879, not "${text}"`);
  return text.replace(/\/+$/, "");
}
