// Performs a run in front of a person (or for a script, with --json): events to the view, Ctrl-C to the run,
// the outcome to the exit code. Asking and resuming share it.

import { endingOf } from "../../perform/endings.ts";
import type { Run } from "../../perform/run.ts";
import type { Verdict } from "../../perform/stage.ts";
import type { RunEvent } from "../../store/types.ts";
import type { PlanForReview } from "../../tutti/ask-options.ts";
import type { RunStream } from "../../tutti/tutti.ts";
import type { ChatInput } from "../chat/input.ts";
import type { LiveView } from "../terminal/live-view.ts";
import { toJson } from "../terminal/sanitise.ts";

export interface LiveOptions {
  isJson: boolean;
  /** Each plan waits for yes, no or an edit. */
  isReviewed?: boolean;
  /** Where the answer to a plan comes from, when somebody else reads standard input. */
  nextLine?: () => Promise<string | undefined>;
  /** Whoever has standard input gives it away while this is done. */
  lend?: ChatInput["lend"];
}

/** What a run is begun with. */
interface LiveStage {
  signal: AbortSignal;
  /** A pipe or a file keeps what was written. */
  isFinal: boolean;
  review?: (plan: PlanForReview) => Promise<Verdict>;
}

const INTERRUPTED = 130;

type Begin = (stage: LiveStage) => { stream: RunStream; journal?: readonly RunEvent[] };

/** Shows the run that `begin` begins, and returns the exit code. `journal` is what happened in it before. */
export async function performLive(view: LiveView, options: LiveOptions, begin: Begin): Promise<number> {
  return endingOf(await performShown(view, options, begin)).exitCode;
}

/** The same, for whoever goes on afterwards. */
export async function performShown(
  view: LiveView,
  { isJson, isReviewed, nextLine, lend }: LiveOptions,
  begin: Begin,
): Promise<Run> {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    const review = isReviewed
      ? await createPausingReview(view, controller.signal, nextLine, lend)
      : undefined;
    const { stream, journal } = begin({
      signal: controller.signal,
      review,
      isFinal: !process.stdout.isTTY,
    });
    const run = await show(stream, view, isJson, journal);
    if (isJson) {
      view.tellSimulated(run.pool);
      process.stdout.write(`${toJson(run)}\n`);
    } else view.end(run);
    return run;
  } finally {
    view.pause();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

async function show(
  stream: RunStream,
  view: LiveView,
  isJson: boolean,
  journal?: readonly RunEvent[],
): Promise<Run> {
  if (!isJson) {
    if (journal) view.prime(journal);
    for await (const event of stream) view.event(event);
  }
  return stream.result;
}

/** The view keeps still while a person reads the plan. */
async function createPausingReview(
  view: LiveView,
  signal: AbortSignal,
  nextLine?: () => Promise<string | undefined>,
  lend: ChatInput["lend"] = (use) => use(),
) {
  const { createReview } = await import("./review-plan.ts");
  const { stdin, stderr, env } = process;
  const review = createReview({ stdin, stderr, env, signal, nextLine });
  return async (plan: PlanForReview) => {
    // Events that came before the question are shown before it.
    await new Promise(setImmediate);
    view.pause();
    try {
      return await lend(() => review(plan));
    } finally {
      view.resume();
    }
  };
}
