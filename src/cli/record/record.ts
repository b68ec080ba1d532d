// `tutti record`: every worker of a pool answers every task of a set, once and for all. The estimate first,
// then a yes, then the asking; what it writes can be replayed, measured and trained on without a further call.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { ResolvedPool } from "../../config/pool.ts";
import type { RecordingPlan } from "../../recording/plan.ts";
import type { RecordOptions, RecordSummary } from "../../recording/record-types.ts";
import type { TaskSet } from "../../task/types.ts";
import { isModel, isSimulatedPool } from "../../worker/kinds.ts";
import type { PoolMember } from "../../worker/types.ts";
import { dollars, wholeNumber } from "../options.ts";
import { addSpreadFlag, type PreparedQueue, prepareQueue } from "../spread.ts";
import { printJson } from "../terminal/print.ts";
import { defineImport } from "./import.ts";
import { confirmCost, printSummary, RecordProgressLine, toEstimate } from "./print.ts";

const INTERRUPTED = 130;

interface RecordFlags {
  out?: string;
  pool?: string;
  config?: string;
  postgres?: string | true;
  format?: string;
  set?: string;
  samples?: number;
  limit?: number;
  concurrency?: number;
  budgetUsd?: number | "none";
  maxOutputTokens?: number;
  seed?: number;
  judge?: string;
  allowUnknownPrice?: boolean;
  yes?: boolean;
  json?: boolean;
}

export function define(command: Command): void {
  addSpreadFlag(command)
    .argument("<tasks>", 'a file or folder of tasks, the name of a published set, or "rehearsal"')
    .option("--out <dir>", "where the recording goes; what is there is not asked again")
    .option("--pool <name|ids>", '"rehearsal", a pool of the config, or ids of workers separated by commas')
    .option("--samples <n>", "how often each worker is asked each task", wholeNumber("--samples", 1, 100))
    .option("--limit <n>", "only the first so many tasks", wholeNumber("--limit", 1))
    .option("--budget-usd <amount|none>", "the most this call may cost, in dollars", dollars("--budget-usd"))
    .option("--concurrency <n>", "asks at the same time", wholeNumber("--concurrency", 1, 1000))
    .option(
      "--max-output-tokens <n>",
      "the longest reply, reasoning included",
      wholeNumber("--max-output-tokens", 1),
    )
    .option("--format <name>", "the format of the tasks, where their columns do not tell")
    .option("--set <name>", "the set in a file that holds several, or the name to give to it")
    .option("--judge <worker>", "who grades what only a model can grade: an id, or provider/model")
    .option(
      "--seed <n>",
      "repeats what is random in simulated workers",
      wholeNumber("--seed", 0, 2 ** 32 - 1),
    )
    .option("--allow-unknown-price", "ask workers of unknown price too, although there is a budget")
    .option("--yes", "go on without asking whether the estimated cost is all right")
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option("--json", "the summary as JSON on standard output")
    .addHelpText(
      "after",
      `
Examples:
  $ tutti record rehearsal --pool rehearsal --limit 20 --out simulated
  $ tutti record math500 --samples 3 --budget-usd 5
  $ tutti record math500 --postgres --concurrency 200  # with machines that run tutti work
  $ tutti record import routerbench.parquet --format routerbench --out recorded/routerbench  # of others, nobody is asked
  $ tutti record my-tasks.jsonl --pool openai/gpt-6-sol,anthropic/claude-sonnet-5 --yes

Tasks of one's own are rows { "prompt": …, "answer": … }, with "choices", "category", "grader" or "tests" where
they need it. A published set that is not there is answered with the command that fetches it. Stop it at any
time, and call it again to go on. Exit code 1 when something is still missing.`,
    )
    .action(record);
  defineImport(command.command("import"));
}

/** A mistyped `import` looks like a file of tasks that is not there. */
function refuseMistypedVerb(name: string): void {
  const hint = existsSync(name) ? "" : didYouMean(name, ["import", "rehearsal"]);
  if (hint !== "" && name !== "rehearsal") throw usageError(`There are no tasks "${name}".${hint}`);
}

async function record(name: string, flags: RecordFlags): Promise<void> {
  refuseMistypedVerb(name);
  const [
    { openTaskSet, openGrader },
    { refuseOtherTasks },
    { planRecording },
    { checkGrader, RECORD_DEFAULTS },
  ] = await Promise.all([
    import("../tasks/open-task-set.ts"),
    import("../../recording/files.ts"),
    import("../../recording/plan.ts"),
    import("../../recording/record.ts"),
  ]);
  const set = await openTaskSet(name, flags);
  const { pool, queue, notice, warnings } = await resolve(flags);
  for (const text of [notice, ...warnings]) if (text) process.stderr.write(`${text}\n`);
  const grader = await openGrader(set, await findJudge(flags, pool.members));
  const folder = flags.out ?? join("recordings", set.id);
  const taskFile = { id: set.id, source: set.source, tasks: set.all };
  const added = await refuseOtherTasks(folder, taskFile);
  if (added > 0)
    process.stderr.write(`${set.source} has ${added} tasks more than when ${folder} was begun.\n`);
  await checkGrader(set.tasks, grader);
  const {
    samples = RECORD_DEFAULTS.samples,
    concurrency,
    maxOutputTokens = RECORD_DEFAULTS.maxOutputTokens,
  } = flags;
  const plan = await planRecording({ folder, tasks: set.tasks, pool, samples, maxOutputTokens });
  const simulated = isSimulatedPool(pool);
  if (!(await agree(plan, set, folder, simulated, flags))) return;

  const opened = await queue?.open({ title: `tutti record ${set.id}`, folder });
  const summary = await performRecording({
    ...{ folder, tasks: set.tasks, taskFile, pool, grader, samples, concurrency, maxOutputTokens },
    seed: flags.seed,
    budgetUsd: flags.budgetUsd === "none" ? undefined : flags.budgetUsd,
    allowUnknownPrice: flags.allowUnknownPrice,
  }).finally(() => opened?.close());
  if (flags.json) printJson(summary);
  else printSummary(summary, process);
  process.exitCode = exitCodeOf(summary);
}

/** With a line that tells how far it is; ended well by the first Ctrl-C, at once by the second. */
export async function performRecording(options: RecordOptions): Promise<RecordSummary> {
  const { recordOutcomes } = await import("../../recording/record.ts");
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const simulated = isSimulatedPool(options.pool);
  const progress = new RecordProgressLine(process.stderr, simulated);
  try {
    return await recordOutcomes({
      ...options,
      signal: controller.signal,
      onProgress: (now) => progress.update(now),
    });
  } finally {
    progress.end();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

export function exitCodeOf({ stopReason, left }: RecordSummary): number {
  if (stopReason === "cancelled") return INTERRUPTED;
  return left > 0 ? 1 : 0;
}

async function resolve(flags: RecordFlags): Promise<ResolvedPool & { queue?: PreparedQueue }> {
  const { pool: selector, config: file } = flags;
  const [{ openConfig }, { resolvePool }] = await Promise.all([
    import("../open-config.ts"),
    import("../../config/pool.ts"),
  ]);
  const { config } = await openConfig({ file });
  const resolved = await resolvePool(config, { env: process.env, selector });
  const queue = await prepareQueue(flags, resolved.pool, config, selector);
  return { ...resolved, pool: queue?.pool ?? resolved.pool, queue };
}

async function findJudge({ judge }: RecordFlags, members: PoolMember[]): Promise<PoolMember | undefined> {
  if (judge === undefined) return undefined;
  const found = members.find(({ worker }) => worker.id === judge && isModel(worker));
  if (found) return found;
  const { resolveModel } = await import("../../config/pool.ts");
  return resolveModel(judge, { env: process.env });
}

/** Whoever pays says yes first. Simulated and free workers cost nothing that could be regretted. */
export async function agree(
  plan: RecordingPlan,
  { source }: TaskSet,
  folder: string,
  simulated: boolean,
  { yes, samples = 1, budgetUsd }: Pick<RecordFlags, "yes" | "samples" | "budgetUsd">,
): Promise<boolean> {
  const limit = typeof budgetUsd === "number" ? budgetUsd : undefined;
  process.stderr.write(`${toEstimate(plan, { source, folder, samples, limit, simulated })}\n`);
  const isFree = simulated || (plan.maxUsd === 0 && plan.unpriced.length === 0);
  return confirmCost(yes || isFree || plan.calls === 0);
}
