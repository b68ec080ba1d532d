// `tutti pool calibrate`: every model of the pool answers a small set of tasks alone, and what came of it is
// kept as its profile. It is a recording (so what was paid for is never lost) and a table made of it.

import { join } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import type { Calibration, SavedCalibration } from "../../calibration/types.ts";
import type { Environment } from "../../config/home.ts";
import type { ResolvedPool } from "../../config/pool.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import type { JudgeRates } from "../../recording/measure-judge.ts";
import type { RecordSummary } from "../../recording/record-types.ts";
import type { GradedTask, TaskSet } from "../../task/types.ts";
import { isSimulatedPool, modelsOf } from "../../worker/kinds.ts";
import type { Pool } from "../../worker/types.ts";
import { dollars, wholeNumber } from "../options.ts";
import type { Embedded } from "./calibrate-embed.ts";

export interface CalibrateFlags {
  tasks?: string;
  limit?: number;
  budgetUsd?: number | "none";
  workers?: string;
  allowUnknownPrice?: boolean;
  judge?: string;
  yes?: boolean;
  json?: boolean;
}

/** Replies that a judge is shown: half of them right, where there are so many. */
const JUDGED = 60;
/** Four of each of the rehearsal's fifteen families. */
const BUILT_IN = { set: "built-in", count: 60, seed: "calibration of a pool" } as const;

export function defineCalibrate(command: Command): Command {
  return command
    .description("ask each worker a small set of tasks alone, and keep what it can do as its profile")
    .option("--tasks <file|set>", "tasks of one's own or a published set, instead of the built-in ones")
    .option("--limit <n>", "only the first so many tasks", wholeNumber("--limit", 1))
    .option("--budget-usd <amount|none>", "the most this call may cost, in dollars", budget)
    .option("--workers <ids>", "only these workers of the pool, separated by commas")
    .option("--allow-unknown-price", "ask workers of unknown price too, although there is a budget")
    .option("--judge <id>", `also measure how often this worker errs as a judge, on ${JUDGED} of the replies`)
    .option("--yes", "go on without asking whether the estimated cost is all right")
    .addHelpText(
      "after",
      `
Examples:
  $ tutti pool calibrate --budget-usd 0.50
  $ tutti pool calibrate --tasks my-tasks.jsonl --workers openai/gpt-6-sol --yes
  $ tutti pool calibrate --pool rehearsal
  $ tutti pool calibrate --judge openai/gpt-6-sol  # what verified-cascade:openai/gpt-6-sol would be worth

Without --tasks the questions are generated: ${BUILT_IN.count} small problems (arithmetic, logic, code, facts, …) whose
answers are worked out, not looked up. They tell good from bad in a topic; questions like your own tell more.
Profiles are kept in calibration/ of TUTTI_HOME (default ~/.tutti), or with the journal where that is in Postgres: then
every gateway there reads them within a minute. They are used from the next question on; a profile in the config
comes first. Stop it at any time: what was answered counts, and the same command goes on with the rest.
With \`embeddings\` in the config the questions are embedded too, each once (docs/config.md).
Exit code 1 when something is still missing.`,
    );
}

/** Nothing can be asked for nothing, but free and simulated workers need no budget. */
function budget(text: string): number | "none" {
  const value = dollars("--budget-usd")(text);
  if (value !== 0) return value;
  throw usageError("--budget-usd must be more than 0: leave it out where all workers are free");
}

export interface CalibrateResult {
  /** Where the table is kept; absent where nobody could be measured. */
  file?: string;
  /** The replies behind it. */
  folder: string;
  calibration: Calibration & { costsUsd: readonly (number | undefined)[] };
  /** Of this call. */
  summary: RecordSummary;
  /** Those who were to be asked in this call. */
  workers: string[];
  /** The measured questions that have embeddings, where those are configured. */
  embedded?: Embedded;
  /** How often the judge that was named errs. */
  judge?: JudgeRates;
}

/** What the built-in tasks cost with this pool; the dollars are absent where a price is unknown. */
export async function estimateCalibration(
  pool: Pool,
): Promise<{ tasks: number; usd?: number; mostUsd?: number }> {
  const [{ planRecording }, { RECORD_DEFAULTS }, { tmpdir }] = await Promise.all([
    import("../../recording/plan.ts"),
    import("../../recording/record.ts"),
    import("node:os"),
  ]);
  const { tasks } = await openTasks({});
  const { maxOutputTokens } = RECORD_DEFAULTS;
  const folder = join(tmpdir(), `tutti-no-recording-${process.pid}`);
  const models = { members: modelsOf(pool) };
  const plan = await planRecording({ folder, tasks, pool: models, samples: 1, maxOutputTokens });
  if (plan.unpriced.length > 0) return { tasks: tasks.length };
  return { tasks: tasks.length, usd: plan.usd, mostUsd: plan.maxUsd };
}

/** Undefined when the one who pays said no. */
export async function calibratePool(
  { pool }: ResolvedPool,
  flags: CalibrateFlags,
  config: Pick<TuttiConfig, "embeddings" | "store"> = {},
  env: Environment = process.env,
): Promise<CalibrateResult | undefined> {
  const [
    { toCalibrationFolder, toCalibrationName },
    { openCalibrations },
    { toTuttiHome },
    { openGrader },
    { planRecording },
    { RECORD_DEFAULTS },
    { agree, performRecording },
    { toCalibration },
    { embedCalibration },
    { newestJudges },
  ] = await Promise.all([
    import("../../calibration/file.ts"),
    import("../../config/calibrations.ts"),
    import("../../config/home.ts"),
    import("../tasks/open-task-set.ts"),
    import("../../recording/plan.ts"),
    import("../../recording/record.ts"),
    import("../record/record.ts"),
    import("../../recording/to-calibration.ts"),
    import("./calibrate-embed.ts"),
    import("../../calibration/merge.ts"),
  ]);
  const chosen = await chooseWorkers(pool, flags.workers);
  const [judge] = flags.judge === undefined ? [] : (await chooseWorkers(pool, flags.judge)).members;
  const set = await openTasks(flags);
  const home = toTuttiHome(env);
  const name = toCalibrationName(set.id);
  const folder = join(toCalibrationFolder(home), `recording-${name}`);
  const grader = await openGrader(set, undefined);
  const { maxOutputTokens } = RECORD_DEFAULTS;
  const plan = await planRecording({ folder, tasks: set.tasks, pool: chosen, samples: 1, maxOutputTokens });
  const simulated = isSimulatedPool(chosen);
  const limit = typeof flags.budgetUsd === "number" ? { budgetUsd: flags.budgetUsd } : {};
  if (!(await agree(plan, set, folder, simulated, { ...limit, yes: flags.yes }))) return undefined;
  const summary = await performRecording({
    ...{ folder, tasks: set.tasks, pool: chosen, grader, samples: 1, maxOutputTokens, ...limit },
    allowUnknownPrice: flags.allowUnknownPrice ?? false,
  });
  const now = new Date().toISOString();
  const calibration = await toCalibration(folder, `calibrated on ${set.id}, ${now.slice(0, 10)}`);
  const workers = chosen.members.map(({ worker }) => worker.id);
  const judged =
    judge &&
    (await (
      await import("../../recording/measure-judge.ts")
    ).measureJudge({
      folder,
      tasks: set.tasks,
      judge,
      most: JUDGED,
      // What is left of what this call may cost.
      budgetUsd: limit.budgetUsd === undefined ? undefined : Math.max(0, limit.budgetUsd - summary.costUsd),
      allowUnknownPrice: flags.allowUnknownPrice ?? false,
    }));
  const result = { folder, calibration, summary, workers, judge: judged };
  if (calibration.workers.length === 0) return result;
  // One that cannot be read is replaced: all it held is in the recording.
  const calibrations = openCalibrations(config.store, env);
  try {
    const before = await calibrations.load(name).catch(() => undefined);
    const { embeddings, embedded } = await embedCalibration(calibration, before, config);
    const measured =
      judged && judged.judged > 0 ? [{ id: judged.judge, measuredAt: now, ...judged.counts }] : [];
    const file = await calibrations.save(name, {
      ...calibration,
      embeddings,
      judges: newestJudges([before ?? {}, { judges: measured }]),
      measuredAt: calibration.workers.map((id) => measuredAt(id, summary, before) ?? now),
    });
    return { ...result, file, embedded };
  } finally {
    await calibrations.close();
  }
}

/** Undefined: now. Who was not asked in this call keeps its date, or it would look newer than it is. */
function measuredAt(
  id: string,
  { workers }: RecordSummary,
  before: SavedCalibration | undefined,
): string | undefined {
  if ((workers.find((worker) => worker.id === id)?.recorded ?? 0) > 0) return undefined;
  return before?.measuredAt[before.workers.indexOf(id)];
}

async function chooseWorkers({ members }: Pool, wanted: string | undefined): Promise<Pool> {
  const models = modelsOf({ members });
  if (wanted === undefined) return { members: models };
  const ids = [...new Set(wanted.split(",").map((id) => id.trim()))].filter(Boolean);
  if (ids.length === 0) throw usageError("--workers must name one worker or more, separated by commas");
  const known = models.map(({ worker }) => worker.id);
  const { didYouMean } = await import("../../base/suggest.ts");
  return {
    members: ids.map((id) => {
      const found = models.find(({ worker }) => worker.id === id);
      if (found) return found;
      throw usageError(
        `No worker "${shorten(id)}" in the pool (there are: ${known.join(", ")}).${didYouMean(id, known)}`,
      );
    }),
  };
}

/**
 * The id of a task gets a mark of its words: a task that was changed is then asked again, and all others of
 * the set keep their replies.
 */
async function openTasks({ tasks: name, limit }: CalibrateFlags): Promise<TaskSet> {
  const [{ openTaskSet }, { hashSeed }] = await Promise.all([
    import("../tasks/open-task-set.ts"),
    import("../../base/random.ts"),
  ]);
  const set = name === undefined ? await builtInTasks(limit) : await openTaskSet(name, { limit });
  const unfit = set.tasks.find(({ grader }) => grader === "judge");
  if (unfit)
    throw usageError(
      `Task "${unfit.id}" can only be graded by a model, so that nobody can be calibrated on it`,
    );
  const mark = ({ prompt, choices = [], answer }: GradedTask) =>
    hashSeed(prompt, ...choices, answer).toString(36);
  return { ...set, tasks: set.tasks.map((task) => ({ ...task, id: `${task.id}#${mark(task)}` })) };
}

async function builtInTasks(limit: number = BUILT_IN.count): Promise<TaskSet> {
  const [{ generateProblems }, { toRehearsalTask }] = await Promise.all([
    import("../../rehearsal/questions.ts"),
    import("../../rehearsal/task-set.ts"),
  ]);
  const { set, count, seed } = BUILT_IN;
  // The easy ones tell nobody apart.
  const problems = generateProblems({ count, seed, difficulties: [2, 3] }).slice(0, limit);
  const tasks = problems.map((problem, number) => toRehearsalTask(problem, `${set}/${number}`, set));
  return { id: set, tasks, source: `${tasks.length} generated questions` };
}
