// What is left to ask, and what it will cost: `usd` is what to expect with replies of an ordinary length,
// `maxUsd` what it cannot exceed. Computed before anybody says yes to it.

import { BYTES_PER_TOKEN, TYPICAL_REPLY_TOKENS } from "../perform/estimate.ts";
import { type GradedTask, toMessages } from "../task/types.ts";
import { modelsOf } from "../worker/kinds.ts";
import { estimateInputTokens } from "../worker/price.ts";
import type { Message, Pool, PoolMember } from "../worker/types.ts";
import { type Recorded, readRecorded } from "./files.ts";

export interface RecordingPlan {
  /** Asks that are left, and those that are recorded already. */
  calls: number;
  recorded: number;
  usd: number;
  maxUsd: number;
  /** Workers whose price nobody knows: they come on top. */
  unpriced: string[];
}

export interface PlanOptions {
  folder: string;
  tasks: readonly GradedTask[];
  pool: Pool;
  samples: number;
  maxOutputTokens: number;
}

export async function planRecording(options: PlanOptions): Promise<RecordingPlan> {
  const { folder, tasks, samples } = options;
  const recorded = await readRecorded(folder, tasks);
  const members = modelsOf(options.pool);
  const plan: RecordingPlan = { calls: 0, recorded: 0, usd: 0, maxUsd: 0, unpriced: [] };
  for (const task of tasks) {
    const inputTokens = estimateInputTokens(toMessages(task));
    for (const member of members) {
      const there = Math.min(samples, recorded(task.id, member.worker.id));
      plan.recorded += there;
      plan.calls += samples - there;
      const output = replyLimit(member, options.maxOutputTokens);
      const { inputUsd, outputUsd } = member.price ?? { inputUsd: 0, outputUsd: 0 };
      const typical =
        (inputTokens / BYTES_PER_TOKEN) * inputUsd + Math.min(output, TYPICAL_REPLY_TOKENS) * outputUsd;
      plan.usd += ((samples - there) * typical) / 1e6;
      plan.maxUsd += ((samples - there) * (inputTokens * inputUsd + output * outputUsd)) / 1e6;
    }
  }
  plan.unpriced = members.filter(({ price }) => !price).map(({ worker }) => worker.id);
  return plan;
}

export function replyLimit({ maxOutputTokens }: PoolMember, wanted: number): number {
  return Math.min(wanted, maxOutputTokens ?? Number.POSITIVE_INFINITY);
}

export interface RecordingJob {
  task: GradedTask;
  member: PoolMember;
  sample: number;
  /** What it is asked, where that is not the task itself. */
  messages?: Message[];
}

/**
 * The asks of one pass: the next sample of each worker for each task that has fewer than `upTo`. Samples are
 * numbered by what is there, so that one that failed leaves no gap, and all tasks come before the next sample.
 */
export function toJobs(
  tasks: readonly GradedTask[],
  members: readonly PoolMember[],
  upTo: number,
  recorded: Recorded,
): RecordingJob[] {
  return tasks.flatMap((task) =>
    members.flatMap((member) => {
      const sample = recorded(task.id, member.worker.id);
      return sample < upTo ? [{ task, member, sample }] : [];
    }),
  );
}
