// `tutti bench`: is a Conductor worth it on these tasks? Also `compare` (two of them) and `headroom` (what
// could be won at all). Flags in, the bench, a table out; rows and the report go into a folder.

import { join } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { toCount, toMoney } from "../../base/format.ts";
import { isSimulatedVerifier } from "../../bench/price-point.ts";
import { isSimulatedPool } from "../../worker/kinds.ts";
import { unknownVerb, wholeNumber } from "../options.ts";
import { addSpreadFlag } from "../spread.ts";
import { printJson } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";
import { compare } from "./compare.ts";
import { defineExport, exportSubmission } from "./export.ts";
import { drawFront } from "./front.ts";
import {
  addFitFlags,
  addInputFlags,
  addLiarFlags,
  chooseContenders,
  type InputFlags,
  openInput,
  openInputs,
  toIdentity,
} from "./input.ts";
import {
  type BenchEnd,
  type BenchFlags,
  type BenchPlan,
  HOME,
  measureSet,
  toSetLines,
  toWish,
  watched,
} from "./measure.ts";
import { lookOf, toCsv, toHeadroomLines, write } from "./print.ts";
import { addProtocolFlags, benchProtocol, type ProtocolFlags, refuseOtherFlags } from "./protocol.ts";
import { benchSets } from "./sets.ts";
import { addVerifierFlag } from "./verified.ts";

const INTERRUPTED = 130;

export function define(command: Command): void {
  const withInput = addInputFlags(command.enablePositionalOptions().allowExcessArguments());
  addSpreadFlag(addProtocolFlags(addVerifierFlag(addFitFlags(addLiarFlags(withInput)))))
    .option(
      "--conductor <ids>",
      "who is measured, separated by commas: ids of baselines, single:<worker>, singles (each of them), oracle, native or native:FOLDER, trinity or trinity:FOLDER (trained; trinity@0.02 sets the cost of a call), look-ahead, verified-cascade (verified-cascade@0.05: a simulated verifier that errs so often), prompted, provider/model",
      "all",
    )
    .option(
      "--samples <n>",
      "the most samples of the best single worker, for the comparison at equal calls",
      wholeNumber("--samples", 1, 100),
    )
    .option(
      "--out <dir>",
      `the folder for rows, results and report (by default ${HOME}/<set>-<date>); several sets: a sub-folder for each`,
    )
    .option(
      "--per-month <n>",
      "questions a month: the verdict says what they would cost",
      wholeNumber("--per-month", 1),
    )
    .option("--yes", "go on without asking whether the estimated cost is all right")
    .option("--csv", "as CSV on standard output")
    .option("--no-report", "do not write report.html")
    .option("--front", "with --recording: also the whole curve of whoever has a price, drawn in the report")
    .addHelpText(
      "after",
      `
Examples:
  $ tutti bench --rehearsal
  $ tutti bench --rehearsal --liars 2 --liar-kind crafted
  $ tutti bench --tasks mine.jsonl --conductor best-single,vote-3,prompted --budget-usd 2
  $ tutti bench --tasks mine.jsonl --postgres --concurrency 200  # with machines that run tutti work
  $ tutti bench --recording recorded/exam --set exam-hard --json
  $ tutti bench --recording recorded/exam  # every set of it, and the mean over them
  $ tutti bench --fit recorded/monday --recording recorded/friday  # learn from one, test on the other
  $ tutti bench --protocol routerdc --recording recorded/routerdc  # a published protocol
  $ tutti bench --recording recorded/exam --fit-tasks 30  # how much do few measurements tell?
  $ tutti bench --recording recorded/agents --conductor best-single,verified-cascade --verifier-error 0.05

A bench that was stopped goes on when it is started again with the same folder. See docs/bench.md.`,
    )
    .action(bench);
  addInputFlags(command.command("headroom"))
    .description("before anyone trains: what could be won by choosing whom to ask")
    .addHelpText("after", "\nExample:\n  $ tutti bench headroom --recording recorded/exam --set exam-hard")
    .action(headroom);
  addInputFlags(command.command("front"))
    .description(
      "what quality costs: the whole curve of each Conductor in dollars, beside every single worker",
    )
    .option("--conductor <ids>", "whose curves, separated by commas", "look-ahead,router,neighbours")
    .option(
      "--out <dir>",
      `the folder for front.svg, front.html and front.json (by default ${HOME}/<set>-front-<date>)`,
    )
    .addHelpText(
      "after",
      "\nExample:\n  $ tutti bench front --recording recorded/exam --conductor trinity,router,neighbours,lookup-category",
    )
    .action(drawFront);
  command
    .command("compare")
    .description("two Conductors on the same tasks: the paired difference and which tasks flipped")
    .argument("<a>", "a Conductor of the folder, a folder, or folder:conductor")
    .argument("<b>", "the other one")
    .option("--in <dir>", `the folder of a bench (by default the newest in ${HOME}/)`)
    .option("--json", "as JSON on standard output")
    .addHelpText(
      "after",
      "\nExamples:\n  $ tutti bench compare best-single vote-5 --in bench/exam-2026-01-31\n  $ tutti bench compare bench/monday:prompted bench/friday:prompted",
    )
    .action(compare);
  const exporting = command.command("export");
  defineExport(exporting);
  exporting.action(exportSubmission);
}

async function bench(flags: BenchFlags & ProtocolFlags, command: Command): Promise<void> {
  if (command.args.length > 0)
    throw unknownVerb("tutti bench", command.args[0]!, ["compare", "export", "front", "headroom"]);
  if (flags.protocol !== undefined) {
    refuseOtherFlags(command);
    return benchProtocol(flags, command.getOptionValueSource("conductor") === "cli");
  }
  if (flags.mapWorkers !== undefined || flags.withoutTwins)
    throw usageError("--map-workers and --without-twins go with --protocol");
  if (flags.json && flags.csv) throw usageError("--json and --csv exclude each other");
  if (flags.front && (flags.recording === undefined || flags.fit !== undefined))
    throw usageError("--front draws curves from recorded outcomes: it goes with --recording, without --fit");
  if (flags.fit !== undefined) refuseSplit(command);
  const inputs = await openInputs(flags);
  const plans: BenchPlan[] = [];
  for (const input of inputs)
    plans.push({
      input,
      chosen: await chooseContenders(flags.conductor, input, flags),
      identity: toIdentity(input, flags),
    });
  const isVerified = plans.some(({ chosen }) => chosen.contenders.some(({ id }) => isSimulatedVerifier(id)));
  tell(inputs[0]!.notices, flags.json);
  // Also with --json, on standard error: nobody may take it for a real one.
  if (isVerified) tell([SIMULATED_VERIFIER]);
  if (!(await agreeToCost(plans, flags))) return;
  const { path, isStopped, isUsedUp } = await (plans.length === 1
    ? benchOne(plans[0]!, flags)
    : benchSets(plans, flags));
  if (isStopped) process.exitCode = isUsedUp ? 1 : INTERRUPTED;
  if (flags.json) return;
  const rest =
    isStopped && !isUsedUp ? " Not finished: the same command with --out and this folder goes on." : "";
  process.stderr.write(`\n${toOneLine(path)}${rest}\n`);
}

/** Whoever pays says yes first; what is recorded or simulated costs nothing. */
async function agreeToCost(plans: readonly BenchPlan[], { yes, limit }: BenchFlags): Promise<boolean> {
  const [{ confirmCost }, { estimateBench }] = await Promise.all([
    import("../record/print.ts"),
    import("../../bench/estimate.ts"),
  ]);
  for (const { input, chosen } of plans) {
    const { set, budgetUsd } = input;
    if (set.kind !== "tasks" || isSimulatedPool(set.pool)) continue;
    const { calls, usd, unpriced } = estimateBench(set, chosen.contenders, limit);
    const most = budgetUsd === undefined ? "" : `, at the most ${toMoney(budgetUsd)} (--budget-usd)`;
    const unknown = unpriced.length > 0 ? `, and ${unpriced.map(toOneLine).join(", ")} of unknown price` : "";
    process.stderr.write(
      `About ${toCount(calls, "call")} to make: ${toOneLine(set.id)}\nEstimated cost: ${toMoney(Math.min(usd, budgetUsd ?? usd))}${most}${unknown}\n`,
    );
    if (!(await confirmCost(Boolean(yes) || (usd === 0 && unpriced.length === 0)))) return false;
  }
  return true;
}

/** All tasks of the tested recording are test tasks: a split would not be kept. */
function refuseSplit(command: Command): void {
  for (const [name, flag] of [
    ["splitBy", "--split-by"],
    ["splitSeed", "--split-seed"],
  ] as const)
    if (command.getOptionValueSource(name) === "cli")
      throw usageError(
        `--fit and ${flag} exclude each other: with --fit nothing is split, all tasks of --recording are test tasks`,
      );
}

async function benchOne(plan: BenchPlan, flags: BenchFlags): Promise<BenchEnd> {
  const { chooseFolder, DiskFolder } = await import("../../bench/folder.ts");
  const { identity, input } = plan;
  const path = flags.out ?? chooseFolder(toWish(input.set.id), identity);
  const measured = await measureSet(plan, new DiskFolder(path, identity), flags);
  const { results, isStopped, budget } = measured.outcome;
  if (flags.json) printJson(results);
  else if (flags.csv) process.stdout.write(toCsv(results));
  else write(toSetLines(measured));
  return {
    path: flags.report ? join(path, "report.html") : path,
    isStopped,
    isUsedUp: budget?.isUsedUp ?? false,
  };
}

async function headroom(_flags: unknown, command: Command): Promise<void> {
  // The verb above has the same flags, and commander gives those written after this one to it.
  const flags = command.optsWithGlobals<InputFlags>();
  if (flags.liars !== undefined)
    throw usageError(
      "--liars goes with tutti bench: headroom leaves the test tasks alone, and only there they lie",
    );
  if (flags.fit !== undefined || flags.fitSet !== undefined || flags.fitTasks !== undefined)
    throw usageError(
      "headroom cross-fits on the training tasks: --fit, --fit-set and --fit-tasks are not for it",
    );
  const input = await openInput(flags);
  const [{ measureHeadroom }, { createMemoryFolder }] = await Promise.all([
    import("../../bench/headroom.ts"),
    import("../../bench/folder.ts"),
  ]);
  tell(input.notices, flags.json);
  const { set, concurrency, budgetUsd } = input;
  const { seed, splitBy, splitSeed, limit } = flags;
  const found = await watched(flags, set.kind === "rehearsal", (signal, line) =>
    measureHeadroom({
      ...{ set, concurrency, seed, splitBy, splitSeed, signal, folder: createMemoryFolder() },
      limit,
      budgetUsd,
      onProgress: (progress) => line.update(progress),
    }),
  );
  if (flags.json) printJson(found);
  else write(toHeadroomLines(found, lookOf()));
}

const SIMULATED_VERIFIER =
  "The verifier of verified-cascade@ERROR is simulated: it turns the recorded verdict on a reply round with that probability.";

function tell(notices: readonly string[], isJson = false): void {
  if (isJson) return;
  const style = createStyle(process.stderr, process.env);
  for (const notice of notices) process.stderr.write(`${style.yellow(toOneLine(notice))}\n`);
}
