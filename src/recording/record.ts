// Makes a recording: asks every worker every task, grades each reply, and keeps it at once, so that nothing
// paid for is lost when the process ends, however it ends. What is there already is not asked again.

import { TuttiError, usageError } from "../base/errors.ts";
import type { GradedTask, Grader } from "../task/types.ts";
import { modelsOf } from "../worker/kinds.ts";
import type { PoolMember } from "../worker/types.ts";
import { Asker } from "./asker.ts";
import { openRecordingFiles } from "./files.ts";
import type { RecordOptions, RecordSummary } from "./record-types.ts";
import { RecordingSession } from "./session.ts";

export const RECORD_DEFAULTS = { samples: 1, concurrency: 8, maxOutputTokens: 4096, seed: 1 } as const;
const TIMEOUTS = { stepMs: 600_000, firstTokenMs: 120_000, idleMs: 60_000 };
const RETRIES = 3;

export async function recordOutcomes(options: RecordOptions): Promise<RecordSummary> {
  const { tasks, pool, grader, folder } = options;
  const { samples, concurrency, ...defaults } = { ...RECORD_DEFAULTS, ...withoutUndefined(options) };
  const members = modelsOf(pool);
  checkOptions(options, members);
  await checkGrader(tasks, grader);
  const signal = options.signal ?? new AbortController().signal;
  const files = await openRecordingFiles(folder, tasks);
  const asker = new Asker({
    budgetUsd: options.budgetUsd ?? Number.POSITIVE_INFINITY,
    allowUnknownPrice: options.allowUnknownPrice ?? false,
    maxOutputTokens: defaults.maxOutputTokens,
    temperature: options.temperature,
    seed: defaults.seed,
    retries: options.retries ?? RETRIES,
    timeouts: options.timeouts ?? TIMEOUTS,
    signal,
  });
  try {
    const session = new RecordingSession({ ...options, samples, signal }, members, files, asker);
    await session.perform(concurrency);
    return session.toSummary();
  } finally {
    files.close();
  }
}

function withoutUndefined<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function checkOptions({ budgetUsd, allowUnknownPrice, tasks }: RecordOptions, members: PoolMember[]): void {
  if (tasks.length === 0) throw usageError("There is no task to record");
  if (members.length === 0) throw usageError("There is no model in the pool, so that nobody can be asked");
  const unpriced = members.filter(({ price }) => !price).map(({ worker }) => worker.id);
  if (budgetUsd === undefined || allowUnknownPrice || unpriced.length === 0) return;
  throw usageError(
    `The price of ${unpriced.join(", ")} is unknown, so a dollar budget cannot be kept. Give it a price in the config, allow unknown prices, or record without a budget.`,
  );
}

/** Programs may not be gradable on this machine: that must be known before anybody says yes to a cost. */
export async function checkGrader(tasks: readonly GradedTask[], grader: Grader): Promise<void> {
  const languages = new Map(
    tasks.flatMap((task) => (task.grader === "code" ? [[task.tests?.language, task] as const] : [])),
  );
  for (const task of languages.values()) {
    const grade = await grader.grade(task, "```\n\n```");
    if (grade.ungraded)
      throw new TuttiError("cannot-grade", `Task "${task.id}" cannot be graded here: ${grade.why}`);
  }
}
