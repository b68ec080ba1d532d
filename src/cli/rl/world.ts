// Where rollouts of another trainer take place, as the flags name it: the rehearsal, or tasks of one's own with
// a live pool, its kept replies and its budget, in the folder of the run.

import { join } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import type { FinderTasks, QuestionFinder } from "../../environment/find-question.ts";
import type { AskBudget } from "../../perform/ledger.ts";
import type { TasksWorldOptions } from "../../world/tasks.ts";
import { type PreparedQueue, refuseSpread } from "../spread.ts";
import type { LiveTasksFlags } from "../tasks/live-tasks.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";

export interface WorldFlags {
  tasks?: string;
  set?: string;
  pool?: string;
  config?: string;
  allowInsideGrades?: boolean;
  /** Of `tutti rl serve` alone. */
  postgres?: string | true;
}

export interface BudgetFlags {
  budgetUsd?: number | "none";
  dailyBudgetUsd?: number | "none";
}

export function addWorldFlags(command: Command): Command {
  return command
    .option(
      "--tasks <file>",
      "tasks of one's own, asked of the live pool; without it the rehearsal (simulated)",
    )
    .option("--set <name>", "with --tasks: which set of the file")
    .option("--pool <name|ids>", "with --tasks: a pool of the config, or ids of workers")
    .option("--config <file>", "with --tasks: the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option(
      "--allow-inside-grades",
      "with --tasks: also tasks whose check (unittest, pytest) the graded program itself could bend",
    );
}

/** What goes with --tasks alone must not be passed over in silence. */
export function checkWorldFlags({ tasks, ...flags }: WorldFlags & BudgetFlags): void {
  if (tasks !== undefined) return;
  refuseSpread(flags, "--tasks: the rehearsal is simulated here, and nobody is asked");
  const own = "the rehearsal has its own tasks and workers";
  const free = "the rehearsal costs nothing";
  const reasons = {
    set: ["--set", own],
    pool: ["--pool", own],
    config: ["--config", own],
    allowInsideGrades: ["--allow-inside-grades", own],
    budgetUsd: ["--budget-usd", free],
    dailyBudgetUsd: ["--daily-budget-usd", free],
  } as const;
  for (const [flag, [name, why]] of Object.entries(reasons))
    if (flags[flag as keyof typeof reasons] !== undefined)
      throw usageError(`${name} goes with --tasks: ${why}`);
}

export interface OpenedWorld {
  finder: QuestionFinder;
  /** Of a live pool. */
  budget?: AskBudget;
  /** Does what the first request would wait for; it takes seconds in which nothing else is done. */
  warm?(): void;
  close(): Promise<void>;
}

/** `folder` is the run's: replies that were paid for are kept there. */
export async function openRolloutWorld(
  flags: WorldFlags & BudgetFlags,
  folder: string,
): Promise<OpenedWorld> {
  const { createQuestionFinder, rehearsalWorldOf } = await import("../../environment/find-question.ts");
  checkWorldFlags(flags);
  if (flags.tasks === undefined)
    return {
      finder: createQuestionFinder(),
      warm: () => void rehearsalWorldOf("random", 0),
      async close() {},
    };
  const [{ createRolloutBudget }, { openReplyCache }] = await Promise.all([
    import("../../environment/rollout-budget.ts"),
    import("../../world/live/reply-cache.ts"),
  ]);
  const cache = await openReplyCache(join(folder, "replies.jsonl"));
  try {
    const budget = createRolloutBudget({
      totalUsd: toLimit(flags.budgetUsd),
      dailyUsd: toLimit(flags.dailyBudgetUsd),
      spentUsd: cache.costUsd,
      spentOn: (day) => cache.costOn(day),
      now: Date.now,
    });
    const tasks = await openTasksWorld({ ...flags, tasks: flags.tasks }, { cache, budget });
    tell(tasks.notices);
    const queue = await tasks.queue?.open({ title: `tutti rl serve ${tasks.world.name}`, folder });
    return {
      finder: createQuestionFinder(tasks),
      budget,
      async close() {
        await queue?.close();
        cache.close();
      },
    };
  } catch (error) {
    cache.close();
    throw error;
  }
}

/** Tasks of one's own as a world whose questions are found by labels. `paid` is absent where nobody will be asked. */
export async function openTasksWorld(
  flags: LiveTasksFlags &
    Pick<TasksWorldOptions, "allowInsideGrades"> &
    Partial<Pick<TasksWorldOptions, "seed" | "pools">>,
  paid: Pick<TasksWorldOptions, "cache" | "budget"> = {},
): Promise<FinderTasks & { notices: string[]; queue?: PreparedQueue }> {
  const [{ openTrainingTasks }, { createTasksWorld }, { digestQuestions, digestTasks }] = await Promise.all([
    import("../tasks/live-tasks.ts"),
    import("../../world/tasks.ts"),
    import("../../environment/label.ts"),
  ]);
  const { set, pool, grader, calibration, notices, queue } = await openTrainingTasks(flags);
  const { seed = 0, pools = "random", allowInsideGrades } = flags;
  const options = { set, pool, grader, seed, pools, calibration, allowInsideGrades };
  const world = createTasksWorld({ ...paid, ...options });
  return { world, digest: digestQuestions(set.tasks), answers: digestTasks(set.tasks), notices, queue };
}

export function tell(notices: readonly string[]): void {
  const style = createStyle(process.stderr, process.env);
  for (const notice of notices) process.stderr.write(`${style.yellow(toOneLine(notice))}\n`);
}

function toLimit(usd: number | "none" | undefined): number {
  return usd === undefined || usd === "none" ? Number.POSITIVE_INFINITY : usd;
}
