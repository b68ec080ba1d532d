// One ask of one worker, with its time-outs. Its outcome never rejects: a failure keeps what had
// arrived. A worker that ignores its signal is left behind, not waited for.
// Fast on purpose: no listener is added to anybody's signal, and nothing is aborted that ended well.

import { TuttiError } from "../base/errors.ts";
import type { StepReply } from "../store/types.ts";
import { isModel } from "../worker/kinds.ts";
import type { FinishReason, ToolCall, Usage, Worker, WorkerRequest } from "../worker/types.ts";
import { toTuttiError } from "./stage.ts";

interface Timeouts {
  stepMs: number;
  firstTokenMs: number;
  idleMs: number;
}

export interface AttemptOptions {
  timeouts: Timeouts;
  now: () => number;
  onDelta: (channel: "text" | "reasoning", text: string) => void;
}

type AttemptOutcome =
  | { ok: true; reply: StepReply; usage: Usage; firstTokenMs: number | undefined }
  /** `usage` where the provider has said what it bills all the same. */
  | { ok: false; error: TuttiError; partial: string; reasoning: string; usage?: Usage };

const NEVER = new AbortController().signal;

export interface Attempt {
  outcome: Promise<AttemptOutcome>;
  /** Ends it with the error "aborted", and the upstream request with it. */
  stop(): void;
  /** We stopped it. A worker may say "aborted" by itself, which is a failure like any other. */
  readonly isStopped: boolean;
}

export function startAttempt(worker: Worker, request: WorkerRequest, options: AttemptOptions): Attempt {
  let isStopped = false;
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      isStopped = true;
      reject(new TuttiError("aborted", "The run was stopped"));
    };
  });
  // Nobody listens while an instant worker replies.
  stopped.catch(() => {});
  return {
    outcome: ask(worker, request, options, stopped),
    stop,
    get isStopped() {
      return isStopped;
    },
  };
}

async function ask(
  worker: Worker,
  request: WorkerRequest,
  { timeouts, now, onDelta }: AttemptOptions,
  stopped: Promise<never>,
): Promise<AttemptOutcome> {
  const startedAt = now();
  const controller = worker.isInstant ? undefined : new AbortController();
  let text = "";
  let reasoning = "";
  let toolCalls: ToolCall[] | undefined;
  let finish: { usage: Usage; reason: FinishReason } | undefined;
  let firstAt: number | undefined;
  let latestAt = startedAt;
  let isOver = false;

  const consume = async (): Promise<void> => {
    for await (const event of worker.ask(request, controller?.signal ?? NEVER)) {
      if (isOver) return;
      latestAt = now();
      firstAt ??= latestAt;
      switch (event.type) {
        case "text-delta":
          text += event.text;
          onDelta("text", event.text);
          break;
        case "reasoning-delta":
          reasoning += event.text;
          onDelta("reasoning", event.text);
          break;
        case "tool-call":
          toolCalls = [...(toolCalls ?? []), { id: event.id, name: event.name, input: event.input }];
          break;
        case "finish":
          finish = event;
      }
    }
    if (!finish) throw new TuttiError("stream-cut", `${worker.id} stopped in the middle of its reply`);
  };

  let timer: NodeJS.Timeout | undefined;
  /** Rejects when it takes too long. One timer that checks again, not one that is set anew for every piece of text. */
  const watch = () =>
    new Promise<never>((_, reject) => {
      const check = () => {
        const phase = firstAt === undefined ? timeouts.firstTokenMs : timeouts.idleMs;
        const from = firstAt === undefined ? startedAt : latestAt;
        const leftMs = Math.min(startedAt + timeouts.stepMs, from + phase) - now();
        if (leftMs > 0) {
          // Silence may begin at any time, also while the first token has long to come.
          const nextMs = Math.min(leftMs, timeouts.idleMs);
          timer = nextMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(check, nextMs);
          return;
        }
        const isWhole = now() - startedAt >= timeouts.stepMs;
        const what = isWhole ? "did not finish" : firstAt === undefined ? "did not begin" : "fell silent";
        const message = `${worker.id} ${what} within ${(isWhole ? timeouts.stepMs : phase) / 1000} s`;
        reject(new TuttiError("timeout", message));
      };
      check();
    });

  try {
    await (worker.isInstant ? consume() : Promise.race([consume(), stopped, watch()]));
    const { usage, reason } = finish!;
    const error = toolCalls ? undefined : emptyReply(worker, text, reason, request.maxOutputTokens);
    if (error) return { ok: false, error, partial: "", reasoning, usage };
    const reply: StepReply = {
      text,
      reasoning: reasoning || undefined,
      toolCalls,
      finishReason: reason,
    };
    return { ok: true, reply, usage, firstTokenMs: firstAt === undefined ? undefined : firstAt - startedAt };
  } catch (error) {
    controller?.abort(); // closes the upstream request
    return { ok: false, error: toTuttiError(error, "worker-fault", worker.id), partial: text, reasoning };
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** A reply that a limit or a filter has emptied is no reply: somebody else may have one. */
function emptyReply(
  worker: Worker,
  text: string,
  reason: FinishReason,
  maxOutputTokens: number,
): TuttiError | undefined {
  if (!isModel(worker) || text.trim() !== "") return undefined;
  if (reason === "content-filter")
    return new TuttiError("content-filter", `${worker.id} was silenced by its provider's filter`);
  if (reason !== "length") return undefined;
  const why = `used all of its ${maxOutputTokens} tokens before it wrote a word (models that reason need more)`;
  return new TuttiError("empty-reply", `${worker.id} ${why}`);
}
