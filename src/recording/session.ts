// One go at a recording: passes over all tasks and workers, a few asks at a time, and the sums of it.
// A worker that fails has given no answer, and that is no wrong answer: nothing is recorded for it.

import { extractAnswer } from "../answer/extract.ts";
import { traitsOf } from "../base/error-codes.ts";
import type { TuttiError } from "../base/errors.ts";
import { readReplyFeatures } from "../belief/reply-features.ts";
import { extractCode } from "../task/code/extract.ts";
import type { Grade, GradedTask } from "../task/types.ts";
import { isSimulatedPool } from "../worker/kinds.ts";
import type { PoolMember } from "../worker/types.ts";
import { type Asker, type RecordedReply, toRunOf } from "./asker.ts";
import type { RecordingFiles } from "./files.ts";
import { type RecordingJob, toJobs } from "./plan.ts";
import type { RecordOptions, RecordSummary, WorkerSummary } from "./record-types.ts";
import { type RecordedOutcome, RIGHT } from "./types.ts";

/** So many in a row are no accident: replies that cannot be used are not paid for any longer. */
const MOST_FAILURES = 5;

export class RecordingSession {
  readonly #options: RecordOptions & { samples: number; signal: AbortSignal };
  readonly #members: PoolMember[];
  readonly #files: RecordingFiles;
  readonly #asker: Asker;
  readonly #added = new Map<string, number>();
  readonly #workers: Map<string, WorkerSummary>;
  readonly #failuresInRow = new Map<string, number>();
  readonly #startedAt = performance.now();
  readonly #wanted: number;
  readonly #skipped: number;
  #done = 0;
  #ungraded = 0;
  #ungradedInRow = 0;
  #stopReason: RecordSummary["stopReason"] = "done";

  constructor(
    options: RecordOptions & { samples: number; signal: AbortSignal },
    members: PoolMember[],
    files: RecordingFiles,
    asker: Asker,
  ) {
    this.#options = options;
    this.#members = members;
    this.#files = files;
    this.#asker = asker;
    this.#workers = new Map(
      members.map(({ worker: { id } }) => [
        id,
        { id, recorded: 0, right: 0, failed: 0, tokens: 0, costUsd: 0 },
      ]),
    );
    this.#wanted = options.tasks.length * members.length * options.samples;
    this.#skipped = this.#countRecorded();
  }

  /** One pass a sample: a recording that is cut short has one sample of all rather than all of one. */
  async perform(concurrency: number): Promise<void> {
    for (let pass = 1; pass <= this.#options.samples; pass++) {
      const jobs = toJobs(this.#options.tasks, this.#members, pass, this.#recorded).values();
      const lane = async () => {
        for (const job of jobs) {
          if (this.#stopReason !== "done") return;
          if (!this.#workers.get(job.member.worker.id)!.isGivenUp) await this.#perform(job);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, lane));
    }
  }

  #recorded = (task: string, worker: string): number =>
    this.#files.recorded(task, worker) + (this.#added.get(`${worker} ${task}`) ?? 0);

  async #perform(job: RecordingJob): Promise<void> {
    const reply = await this.#asker.ask(job);
    if (reply.type === "stopped") this.#stopReason = "cancelled";
    else if (reply.type === "no-money") this.#stopReason = "budget-usd";
    else {
      if (reply.type === "failed") this.#fail(job, reply.error);
      else await this.#keep(job, reply);
      job.member.worker.forget?.(toRunOf(job));
      this.#done++;
      this.#report();
    }
  }

  async #keep(job: RecordingJob, reply: Extract<RecordedReply, { type: "reply" }>): Promise<void> {
    const { task, member, sample } = job;
    const { id } = member.worker;
    const grade = await this.#grade(task, reply.text);
    const summary = this.#workers.get(id)!;
    summary.costUsd += reply.costUsd ?? 0;
    this.#failuresInRow.delete(id);
    if (grade.ungraded) {
      summary.error = `not graded: ${grade.why}`;
      this.#ungraded++;
      if (++this.#ungradedInRow >= MOST_FAILURES) this.#stopReason = "cannot-grade";
      return;
    }
    this.#ungradedInRow = 0;
    const outcome: RecordedOutcome = {
      task: task.id,
      worker: id,
      sample,
      answer: toAnswer(task, reply.text),
      score: grade.score,
      tokens: reply.tokens,
      reply: reply.text,
      costUsd: reply.costUsd,
      durationMs: reply.durationMs,
      features: readReplyFeatures(reply.text),
    };
    this.#files.append(outcome);
    const key = `${id} ${task.id}`;
    this.#added.set(key, (this.#added.get(key) ?? 0) + 1);
    summary.recorded++;
    summary.tokens += reply.tokens;
    if (grade.score >= RIGHT) summary.right++;
  }

  /** A grader that fails has said nothing about the reply. It is not stopped: the reply is paid for. */
  async #grade(task: GradedTask, reply: string): Promise<Grade> {
    try {
      return await this.#options.grader.grade(task, reply);
    } catch (error) {
      return { score: 0, why: (error as Error).message, ungraded: true };
    }
  }

  #fail({ member: { worker } }: RecordingJob, error: TuttiError): void {
    const summary = this.#workers.get(worker.id)!;
    summary.failed++;
    summary.error = error.message;
    const inRow = (this.#failuresInRow.get(worker.id) ?? 0) + 1;
    this.#failuresInRow.set(worker.id, inRow);
    if (inRow >= MOST_FAILURES || traitsOf(error.code).opensCircuit === "at-once") summary.isGivenUp = true;
  }

  #report(): void {
    const elapsedMs = performance.now() - this.#startedAt;
    const total = this.#wanted - this.#skipped;
    this.#options.onProgress?.({
      done: this.#done,
      total,
      failed: this.#sum("failed"),
      costUsd: this.#asker.costUsd,
      elapsedMs,
      leftMs: (elapsedMs / this.#done) * Math.max(0, total - this.#done),
    });
  }

  #sum(key: "recorded" | "failed"): number {
    return [...this.#workers.values()].reduce((sum, worker) => sum + worker[key], 0);
  }

  #countRecorded(): number {
    const { tasks, samples } = this.#options;
    let count = 0;
    for (const { id } of tasks)
      for (const { worker } of this.#members) count += Math.min(samples, this.#recorded(id, worker.id));
    return count;
  }

  toSummary(): RecordSummary {
    const { folder, tasks, samples } = this.#options;
    const { calls, costUsd, unpricedCalls } = this.#asker;
    const recorded = this.#sum("recorded");
    return {
      folder,
      tasks: tasks.length,
      samples,
      recorded,
      skipped: this.#skipped,
      failed: this.#sum("failed"),
      ungraded: this.#ungraded,
      left: this.#wanted - this.#skipped - recorded,
      stopReason: this.#stopReason,
      calls,
      costUsd,
      unpricedCalls,
      durationMs: Math.round(performance.now() - this.#startedAt),
      isSimulated: isSimulatedPool({ members: this.#members }),
      workers: [...this.#workers.values()],
    };
  }
}

/** Null where the reply states nothing. */
function toAnswer({ tests }: GradedTask, reply: string): string | null {
  const answer = tests ? extractCode(reply, tests.language) : extractAnswer(reply);
  return answer?.trim() || null;
}
