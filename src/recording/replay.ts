// A recording as a pool: asking a worker gives what the real model answered. Selection, votes and further
// samples are real here; a hand-off is not, because nobody recorded what the model would have said then,
// so it is refused and never made up.

import { TuttiError, usageError } from "../base/errors.ts";
import { type ReplyFeatures, readReplyFeatures } from "../belief/reply-features.ts";
import type { Run } from "../perform/run.ts";
import type { Grade, GradedTask } from "../task/types.ts";
import { isRehearsalId } from "../worker/kinds.ts";
import type { Brief, Pool, Profile, Worker, WorkerEvent } from "../worker/types.ts";
import { charactersOf, costOfOutcome, measureWorkerCost, type WorkerCost } from "./costs.ts";
import { type RecordedOutcome, type Recording, RIGHT } from "./types.ts";

export interface ReplayOptions {
  /** Ids; by default all that answered every task of the set. */
  workers?: string[];
  profiles?: ReadonlyMap<string, Profile>;
  /** What their replies to the set cost, where that was measured already. */
  costs?: ReadonlyMap<string, WorkerCost>;
}

export function createRecordedPool(recording: Recording, set: string, options: ReplayOptions = {}): Pool {
  const known = recording.workersOf(set);
  const ids = options.workers ?? known;
  if (ids.length === 0)
    throw usageError(`Nobody answered every task of "${set}" in ${recording.folder}: finish the recording`);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    const state = recording.workersOf(set, { all: false }).includes(unknown) ? "has gaps in" : "is not in";
    throw usageError(`"${unknown}" ${state} the recording of "${set}" (there are: ${known.join(", ")})`);
  }
  const tasks = recording.tasksOf(set);
  const characters = new Map(tasks.map((task) => [task.id, charactersOf(task)]));
  return {
    members: ids.map((id) => {
      const { mostUsd } = options.costs?.get(id) ?? measureWorkerCost(recording, tasks, id);
      return {
        worker: createRecordedWorker(recording, id, characters),
        // What each reply costs is told with it; a budget must know the most before.
        price: mostUsd === undefined ? undefined : { inputUsd: 0, outputUsd: 0, mostCallUsd: mostUsd },
        profile: options.profiles?.get(id),
        source: `recording ${recording.folder}`,
      };
    }),
  };
}

function createRecordedWorker(
  recording: Recording,
  id: string,
  characters: ReadonlyMap<string, number>,
): Worker {
  const price = recording.prices.get(id);
  return {
    id,
    kind: "model",
    isSimulated: isRehearsalId(id),
    isInstant: true,
    refusesHandOffs: true,
    // `request.messages` are never touched: they would be written only for this.
    async *ask({ brief }): AsyncIterable<WorkerEvent> {
      const outcome = findOutcome(recording, id, brief);
      const text = toReply(outcome, recording);
      if (text !== "") yield { type: "text-delta", text };
      const usage = {
        inputTokens: outcome.inputTokens ?? 0,
        outputTokens: outcome.outputTokens ?? outcome.tokens,
        cachedInputTokens: 0,
        reasoningTokens: 0,
      };
      const { usd } = costOfOutcome(outcome, characters.get(outcome.task) ?? 0, price);
      const billed = { costUsd: usd, calls: Math.max(1, outcome.calls ?? 1) };
      yield { type: "finish", usage, reason: "stop", features: featuresOf(outcome), billed };
    },
  };
}

function findOutcome(recording: Recording, worker: string, brief: Brief | undefined): RecordedOutcome {
  const id = brief?.task.id;
  if (!brief || id === undefined) {
    throw new TuttiError(
      "not-recorded",
      `Worker "${worker}" is recorded: it can only be asked tasks of its set`,
    );
  }
  if (brief.visible.length > 0) {
    throw new TuttiError(
      "handoff-not-recorded",
      `Worker "${worker}" is recorded: what it would say to the replies of others is not known`,
    );
  }
  const outcomes = recording.outcomesOf(id, worker);
  const sample = brief.asksBefore ?? 0;
  const outcome = outcomes[sample];
  if (outcome) return outcome;
  if (outcomes.length === 0)
    throw new TuttiError("not-recorded", `Worker "${worker}" has no recorded reply to task "${id}"`);
  throw new TuttiError(
    "no-more-samples",
    `Worker "${worker}" has ${outcomes.length} recorded samples of task "${id}", and sample ${sample} was asked`,
  );
}

/**
 * Nothing that could be extracted is an empty reply: it must not count as a vote. An answer of several
 * lines (a grid, a program's output) becomes one line, or votes would compare its first line only.
 */
function toReply({ task, worker, sample, reply, answer }: RecordedOutcome, recording: Recording): string {
  if (reply !== undefined) return reply;
  if (answer !== null) return `Answer: ${answer.trim().replace(/[^\S\n]*\n/g, " ⏎ ")}`;
  // Nobody's words were kept: each reply is another one, so that the grade is of the one that was chosen.
  return recording.hasReplies(task) ? "" : `(reply of ${worker}, sample ${sample}: not recorded)`;
}

/** By the text where there is one. Of an answer alone nobody knows what the reply around it looked like. */
export function featuresOf({ features, reply }: RecordedOutcome): ReplyFeatures | null {
  return features ?? (reply === undefined ? null : readReplyFeatures(reply));
}

/** The recorded score of the reply that was chosen: of the first step that said what the run answers. */
export function gradeRecorded(
  recording: Recording,
  task: Pick<GradedTask, "id" | "decidedIn">,
  run: Pick<Run, "answer" | "hasAnswer" | "steps">,
): Grade {
  const asked = new Map<string, number>();
  const isRecorded = ({ workerId }: Run["steps"][number]) =>
    recording.outcomesOf(task.id, workerId).length > 0;
  // A vote over replies that nobody kept chooses nothing: its grade would be that of whoever came first.
  const isVote = run.steps.some(
    (step) => step.state === "done" && step.reply === run.answer && !isRecorded(step),
  );
  if (isVote && !recording.hasReplies(task.id))
    return { score: 0, why: "it compares replies that nobody recorded", ungraded: true };
  for (const { workerId, insteadOf, reply, state } of run.steps) {
    // As the brief counts: by whom the workflows name.
    const named = insteadOf ?? workerId;
    const sample = asked.get(named) ?? 0;
    asked.set(named, sample + 1);
    if (state !== "done" || reply !== run.answer) continue;
    const outcome = recording.outcomesOf(task.id, workerId)[sample];
    if (!outcome) continue;
    const { score } = outcome;
    const verdict = score >= RIGHT ? "right" : score > 0 ? `right in part (${score})` : "wrong";
    const { decidedIn } = task;
    return { score, why: `recorded: ${workerId}, sample ${sample}, was ${verdict}`, decidedIn };
  }
  if (!run.hasAnswer) return { score: 0, why: "there is no answer" };
  return { score: 0, why: "the answer is no recorded reply", ungraded: true };
}
