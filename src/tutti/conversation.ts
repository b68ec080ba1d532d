// Conversations: a question that goes on with an earlier run, a system message before it, one worker instead of a team.
// What was said before comes from the journal alone, so a conversation can be picked up by anybody who has its last run.

import { TuttiError, usageError } from "../base/errors.ts";
import type { Run } from "../perform/run.ts";
import { modelsOf } from "../worker/kinds.ts";
import type { Message, Pool, Task } from "../worker/types.ts";
import type { AskOptions } from "./ask-options.ts";

/** The question with what was said before it. */
export function toConversation(task: Task, system: string | undefined, before: Run | undefined): Task {
  if (system === undefined && !before) return task;
  const messages = [...(before ? saidIn(before) : []), ...task.messages];
  const others = system === undefined ? messages : messages.filter(({ role }) => role !== "system");
  const first: Message[] = system === undefined ? [] : [{ role: "system", content: system }];
  return { ...task, messages: [...first, ...others] };
}

/** All that was said in a run and before it, its answer last. */
export function saidIn(run: Run): Message[] {
  const { id, task, answer, isStripped, stopReason } = run;
  if (isStripped) {
    throw new TuttiError(
      "run-over",
      `Run ${id} cannot be continued: what was said in it was not kept, or was deleted`,
    );
  }
  if (stopReason === "tool-calls")
    throw new TuttiError("run-over", `Run ${id} cannot be continued: it waits for tools of its client`);
  if (answer.trim() === "") {
    const why = stopReason === undefined || stopReason === "cancelled" ? `: tutti runs resume ${id}` : "";
    throw new TuttiError("run-over", `Run ${id} cannot be continued, because it has no answer${why}`);
  }
  return [...task.messages, { role: "assistant", content: answer }];
}

/** One worker is a pool of one, asked without a plan. */
export function toTeamOptions(options: AskOptions): AskOptions {
  const { model, pool, conductor, workflow } = options;
  if (model === undefined) return options;
  const other =
    pool !== undefined
      ? "a pool"
      : conductor !== undefined
        ? "a Conductor"
        : workflow !== undefined
          ? "a workflow"
          : undefined;
  if (other !== undefined)
    throw usageError(`One model and ${other} exclude each other: with one model there is nobody to choose`);
  return { ...options, pool: [model], conductor: { kind: "fast" } };
}

/** Nobody answers well about a picture that nobody sees. */
export function checkSight({ messages }: Task, pool: Pool): void {
  const hasImage = messages.some(
    ({ content }) => typeof content !== "string" && content.some(({ type }) => type === "image"),
  );
  const models = modelsOf(pool);
  if (!hasImage || models.length === 0 || models.some(({ takesImages }) => takesImages !== false)) return;
  const ids = models.map(({ worker }) => worker.id).join(", ");
  throw usageError(`The question has an image, and nobody in the pool sees images (there are: ${ids}).`);
}

/** The name of a pool would be taken for its strongest worker. */
export function checkOneModel(name: string, pool: Pool): void {
  const ids = modelsOf(pool).map(({ worker }) => worker.id);
  if (ids.length === 1) return;
  throw usageError(`"${name}" is not one worker (it has: ${ids.join(", ")}). Name one of them.`);
}
