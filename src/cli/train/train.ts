// `tutti train`: a Conductor learns, by reinforcement or evolution, in the rehearsal, on recordings, or with a live pool.
// Flags in, a training, a page out; a training that was stopped or killed goes on with --resume.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { toClock } from "../../base/format.ts";
import type { TestResult, TrainingFolder } from "../../learn/folder.ts";
import type { TrainResult } from "../../learn/train.ts";
import type { Store } from "../../store/types.ts";
import type { World } from "../../world/types.ts";
import { oneOf, toCommandLine } from "../options.ts";
import { addSpreadFlag } from "../spread.ts";
import { toJson, toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";
import {
  addTrainFlags,
  KINDS,
  type TrainedKind,
  type TrainFlags,
  type TrainSettings,
  toResumedSettings,
  toSavedSettings,
  toSettings,
} from "./input.ts";
import type { PreparedWorld } from "./world.ts";

export function define(command: Command): void {
  command.argument("[what]", `${KINDS.join(" or ")} (${KINDS[0]})`, oneOf("What is trained", KINDS));
  addSpreadFlag(addTrainFlags(command))
    .addHelpText(
      "after",
      `
Examples:
  $ tutti train --minutes 20
  $ tutti train --recording recorded/exam --set exam-hard --seed 1 --out trainings/exam
  $ tutti train trinity --recording recorded/exam --algorithm evolution --cost 0.02
  $ tutti train --rehearsal --recording recorded/exam --share 0.6
  $ tutti train --recording recorded/exam --from conductor  # goes on from the weights that are shipped
  $ tutti train --tasks mine.jsonl --budget-usd 20 --propose 10
  $ tutti train --tasks mine.jsonl --budget-usd 10
  $ tutti train --tasks mine.jsonl --budget-usd 10 --postgres  # with machines that run tutti work
  $ tutti train --resume trainings/exam

Ctrl-C stops after the iteration that is under way; --resume goes on. The folder holds the curves, samples,
the latest state, the best weights and report.html, which can be looked at while it trains.`,
    )
    .action(train);
}

async function train(what: TrainedKind | undefined, flags: TrainFlags): Promise<void> {
  if (flags.resume !== undefined && flags.out !== undefined)
    throw usageError("--out and --resume exclude each other: a training goes on in its own folder");
  const settings =
    flags.resume === undefined ? toSettings(flags, what) : await readSettings(flags, flags.resume, what);
  if (flags.out !== undefined) refuseUsed(flags.out);
  // Before all others read the config: a folder may name one that nobody has trusted.
  const store = await findStore(settings, flags);
  const { prepareWorld } = await import("./world.ts");
  const prepared = await prepareWorld(settings, flags);
  tell(prepared.notices, flags.json);
  if (!(await agree(prepared, settings, flags))) return;
  const [
    { openTrainingFolder },
    { writePage, toOutcomeLines, showResults },
    { performTraining, INTERRUPTED },
    { createTrainer },
    { findProposals },
  ] = await Promise.all([
    import("../../learn/folder.ts"),
    import("./print.ts"),
    import("./run.ts"),
    import("./trainer.ts"),
    import("../../learn/report/instructions.ts"),
  ]);
  const folder = openTrainingFolder(flags.resume ?? flags.out ?? (await choosePath(prepared.name)));
  let opened: Awaited<ReturnType<PreparedWorld["open"]>> | undefined;
  let journal: Store | undefined;
  try {
    opened = await prepared.open(folder);
    const { world } = opened;
    journal = await openJournal(store);
    const command = describe(folder, settings, world);
    const isQuiet = flags.json === true && !process.stderr.isTTY;
    const resume = flags.resume !== undefined;
    const { minutes } = settings;
    const hasTest = prepared.test !== undefined;
    const watched = { world, folder, resume, isQuiet, journal, hasTest };
    const run = { train: createTrainer(settings, command), minutes, ...watched };
    const result = await performTraining(run, process);
    const page = writePage(folder);
    if (!flags.json) process.stdout.write(`${toOutcomeLines(result, folder).join("\n")}\n`);
    const results = await test(prepared, result, { isQuiet });
    if (flags.json) {
      folder.keepResults(results);
      writePage(folder);
      const { iterations } = folder.load();
      const proposals = findProposals(iterations);
      process.stdout.write(`${toJson({ folder: folder.path, ...result, proposals, results })}\n`);
    } else {
      if (results.length > 0) showResults(results, folder, process);
      process.stderr.write(`\n${toOneLine(page)}\n`);
    }
    if (result.isStopped) process.exitCode = INTERRUPTED;
  } finally {
    await opened?.close();
    await journal?.close();
    folder.close();
  }
}

/** On test tasks, beside fixed Conductors. Nothing where it was stopped or where the test would cost. */
async function test(
  { test: worlds }: PreparedWorld,
  { isStopped, validation, checkpoint }: TrainResult,
  { isQuiet }: { isQuiet: boolean },
): Promise<TestResult[]> {
  if (!worlds || isStopped || !validation) return [];
  if (!isQuiet) process.stderr.write("Measuring it on test tasks that it has never seen.\n");
  const { evaluateTrained } = await import("../../learn/evaluate-trained.ts");
  return evaluateTrained({ checkpoint, worlds, signal: new AbortController().signal });
}

/** Of a training that goes on. */
async function readSettings(flags: TrainFlags, path: string, what?: TrainedKind): Promise<TrainSettings> {
  const { readTraining } = await import("../../learn/folder.ts");
  const { statement } = readTraining(path);
  const settings = toResumedSettings(flags, statement.settings, path, what);
  if (statement.state === "done")
    throw usageError(
      `The training in ${path} is done: there is nothing to go on with. See ${join(path, "report.html")}`,
    );
  return settings;
}

/** Another training, or files of somebody else, must not be mixed with this one. */
function refuseUsed(path: string): void {
  if (existsSync(join(path, "training.json")))
    throw usageError(
      `${path} holds a training already: go on with it by --resume ${path}, or choose another folder`,
    );
  if (!existsSync(path)) return;
  try {
    if (readdirSync(path).length === 0) return;
  } catch (error) {
    throw usageError(`${path} is not a folder: choose another one with --out`, error);
  }
  throw usageError(`${path} is not empty: choose a folder of its own for the training with --out`);
}

async function choosePath(name: string): Promise<string> {
  const [{ chooseTrainingPath }, { toTuttiHome }] = await Promise.all([
    import("../../learn/folder.ts"),
    import("../../config/home.ts"),
  ]);
  return chooseTrainingPath(toTuttiHome(process.env), name, toClock(Date.now()).slice(0, 10));
}

async function findStore({ world }: TrainSettings, flags: TrainFlags): Promise<string> {
  const [{ openConfig }, { toStorePath }] = await Promise.all([
    import("../open-config.ts"),
    import("../../config/home.ts"),
  ]);
  const saved = world.kind === "tasks" ? world.config : undefined;
  const { config } = await openConfig({ file: flags.config ?? saved, isSaved: flags.config === undefined });
  return toStorePath(config.store, process.env);
}

/** Sample runs can be looked at like any other: `tutti runs show`. */
async function openJournal(store: string): Promise<Store> {
  const { openStore } = await import("../../store/open.ts");
  return openStore(store);
}

/** Returns the command that repeats the training: when it goes on, the one that it began with. */
function describe(folder: TrainingFolder, settings: TrainSettings, world: World): string {
  const command = folder.statement?.command ?? toCommandLine(process.argv.slice(2));
  folder.describe({
    ...{ world: world.name, isSimulated: world.isSimulated, seed: settings.seed, command },
    parts: world.parts?.map(({ name, isSimulated }) => ({ name, isSimulated })),
    settings: toSavedSettings(settings),
    ...{ startedAt: folder.statement?.startedAt ?? Date.now(), endedAt: undefined },
    ...{ state: "running", problem: undefined },
  });
  return command;
}

/** Whoever pays says yes first. Simulated and free workers cost nothing that could be regretted. */
async function agree(
  { estimate }: PreparedWorld,
  settings: TrainSettings,
  flags: TrainFlags,
): Promise<boolean> {
  if (!estimate || settings.world.kind !== "tasks") return true;
  const [{ toCostLines }, { confirmCost }] = await Promise.all([
    import("./print.ts"),
    import("../record/print.ts"),
  ]);
  process.stderr.write(`${toCostLines(estimate, settings, settings.world.budgetUsd).join("\n")}\n`);
  const isFree = estimate.isSimulated || (estimate.highestUsd === 0 && estimate.unpriced.length === 0);
  return confirmCost(flags.yes || isFree);
}

function tell(notices: readonly string[], isJson = false): void {
  if (isJson) return;
  const style = createStyle(process.stderr, process.env);
  for (const notice of notices) process.stderr.write(`${style.yellow(toOneLine(notice))}\n`);
}
