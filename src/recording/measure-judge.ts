// How often a model errs as a judge: it is shown recorded replies whose grade is known, in the very words in which a run
// would show them, and its verdicts are counted. Both errors matter to a cascade: to accept what is wrong ends it too early,
// to refuse what is right pays for the next worker.

import { join } from "node:path";
import { createRandom, hashSeed } from "../base/random.ts";
import { type Estimate, wilson } from "../base/statistics.ts";
import { parseVerdict, toRoleStep } from "../conductor/trinity/roles.ts";
import { readRows } from "../files/read-jsonl.ts";
import { type GradedTask, toMessages } from "../task/types.ts";
import { toMessages as toBriefMessages } from "../worker/brief.ts";
import type { JudgeCounts, PoolMember } from "../worker/types.ts";
import { Asker } from "./asker.ts";
import { checkOutcome, toOutcome } from "./rows.ts";
import { RIGHT } from "./types.ts";

export interface JudgeRates {
  judge: string;
  /** What the rates are of, to be kept. */
  counts: JudgeCounts;
  /** Replies with a verdict, and those without one (no verdict, a failure, no money left). */
  judged: number;
  withoutVerdict: number;
  /** Share of the wrong replies that it accepts, with a 95 % interval. */
  falseAccept: Estimate;
  /** Share of the right replies that it refuses. */
  falseReject: Estimate;
  costUsd: number;
}

export interface MeasureJudgeOptions {
  /** Of a recording that keeps replies. */
  folder: string;
  tasks: readonly GradedTask[];
  judge: PoolMember;
  /** Replies that it is shown at the most. */
  most: number;
  budgetUsd?: number;
  allowUnknownPrice?: boolean;
  seed?: number;
  signal?: AbortSignal;
}

interface GradedReply {
  task: GradedTask;
  reply: string;
  isRight: boolean;
}

const TIMEOUTS = { stepMs: 600_000, firstTokenMs: 120_000, idleMs: 60_000 };

export async function measureJudge(options: MeasureJudgeOptions): Promise<JudgeRates> {
  const { judge, most, seed = 1, signal = new AbortController().signal } = options;
  const asker = new Asker({
    budgetUsd: options.budgetUsd ?? Number.POSITIVE_INFINITY,
    allowUnknownPrice: options.allowUnknownPrice ?? options.budgetUsd === undefined,
    maxOutputTokens: 4096,
    seed,
    retries: 2,
    timeouts: TIMEOUTS,
    signal,
  });
  const counts: JudgeCounts = { right: 0, refusedRight: 0, wrong: 0, acceptedWrong: 0 };
  let withoutVerdict = 0;
  for (const [sample, { task, reply, isRight }] of (await chooseReplies(options, most, seed)).entries()) {
    const ended = await asker.ask({ task, member: judge, sample, messages: toJudgeMessages(task, reply) });
    const verdict = ended.type === "reply" ? parseVerdict(ended.text)?.verdict : undefined;
    if (verdict === undefined) withoutVerdict++;
    else if (isRight) {
      counts.right++;
      if (verdict === "revise") counts.refusedRight++;
    } else {
      counts.wrong++;
      if (verdict === "accept") counts.acceptedWrong++;
    }
  }
  return {
    judge: judge.worker.id,
    judged: counts.right + counts.wrong,
    counts,
    withoutVerdict,
    falseAccept: wilson(counts.acceptedWrong, counts.wrong),
    falseReject: wilson(counts.refusedRight, counts.right),
    costUsd: asker.costUsd,
  };
}

export function describeJudge({
  judge,
  judged,
  withoutVerdict,
  falseAccept,
  falseReject,
}: JudgeRates): string {
  if (judged === 0) return `${judge} as a judge: no verdict on any reply, so nothing is known of its errors.`;
  const range = ({ mean, low, high }: Estimate) =>
    Number.isFinite(mean)
      ? `${(100 * mean).toFixed(0)} % (${(100 * low).toFixed(0)} … ${(100 * high).toFixed(0)})`
      : "an unknown share";
  const none = withoutVerdict > 0 ? `; no verdict on ${withoutVerdict} more` : "";
  return `${judge} as a judge of ${judged} replies: accepts ${range(falseAccept)} of the wrong ones, refuses ${range(falseReject)} of the right ones${none}.`;
}

/** As many right ones as wrong ones, as far as there are, sampled. */
async function chooseReplies(
  { folder, tasks }: MeasureJudgeOptions,
  most: number,
  seed: number,
): Promise<GradedReply[]> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const replies: GradedReply[] = [];
  await readRows(join(folder, "outcomes.jsonl"), checkOutcome, (row) => {
    const { task: id, reply = "", score } = toOutcome(row);
    const task = byId.get(id);
    if (task && reply.trim() !== "") replies.push({ task, reply, isRight: score >= RIGHT });
  });
  const random = createRandom(hashSeed("judged", seed));
  const take = (isRight: boolean) =>
    random.shuffle(replies.filter((each) => each.isRight === isRight)).slice(0, Math.ceil(most / 2));
  return [...take(true), ...take(false)].slice(0, most);
}

function toJudgeMessages(task: GradedTask, reply: string) {
  const { subtask } = toRoleStep("verifier", 0);
  const solved = toRoleStep("worker", 0).subtask;
  return toBriefMessages({
    task: { messages: toMessages(task) },
    subtask,
    visible: [{ round: 0, step: 0, worker: 0, subtask: solved, reply }],
    isLast: false,
  });
}
