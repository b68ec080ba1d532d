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
const EMPTY_PROGRAM = "```\n\n```";

export async function recordOutcomes(options: RecordOptions): Promise<RecordSummary> {
  const { tasks, pool, grader, folder } = options;
  const { samples, concurrency, ...defaults } = { ...RECORD_DEFAULTS, ...withoutUndefined(options) };
  const members = modelsOf(pool);
  checkOptions(options, members);
  await checkGrader(tasks, grader);
  const signal = options.signal ?? new AbortController().signal;
  const files = await openRecordingFiles(folder, tasks, options.taskFile);
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

/**
 * What cannot be graded must be known before anybody says yes to a cost: an expected answer that its grader cannot read, no
 * judge, no sandbox. Every task is tried with an empty reply, which asks no judge; of programs one of each language is run.
 */
export async function checkGrader(tasks: readonly GradedTask[], grader: Grader): Promise<void> {
  const refused: string[] = [];
  const languages = new Set<string | undefined>();
  for (const task of tasks) {
    const isProgram = task.grader === "code" && !languages.has(task.tests?.language);
    if (isProgram) languages.add(task.tests?.language);
    const { ungraded, why } = await grader.grade(task, isProgram ? EMPTY_PROGRAM : "");
    if (ungraded) refused.push(`"${task.id}": ${why}`);
  }
  if (refused.length === 0) return;
  const [first] = refused;
  throw new TuttiError(
    "cannot-grade",
    `${refused.length} of ${tasks.length} tasks cannot be graded here, so nobody was asked. Task ${first}`,
  );
}
