// One attempt at a step: from what the worker is told to the event that says how it went. Text that
// is still arriving is shown at once and journaled every second.

import { readJsonOutput } from "../answer/json-output.ts";
import { TuttiError } from "../base/errors.ts";
import { hashSeed } from "../base/random.ts";
import type { RunEvent, StepReply } from "../store/types.ts";
import { toMessages } from "../worker/brief.ts";
import { toBoundInput } from "../worker/brief-parts.ts";
import { isDeclared, undeclaredTool } from "../worker/declared-tools.ts";
import { toOwnMessages } from "../worker/exchanges.ts";
import { askedFor } from "../worker/ignored-settings.ts";
import { combines, isModel, nests } from "../worker/kinds.ts";
import {
  type Billed,
  type Brief,
  type FinishReason,
  type Message,
  NO_TIMEOUTS,
  type OutputSettings,
  type ReasoningPart,
  type SettingName,
  type Timeouts,
  type ToolCall,
  type Usage,
  type Worker,
  type WorkerEvent,
  type WorkerRequest,
} from "../worker/types.ts";
import { createWatch } from "../worker/watch.ts";
import { toFailedSpending, toSpending } from "./budget.ts";
import { type AskAction, deadlineOf } from "./decide.ts";
import { boundByReport, mostPriceOf } from "./input-bound.ts";
import type { Nested } from "./nested.ts";
import { retryDelay } from "./retry.ts";
import { jitterAt, type Stage, toEventError, toTuttiError } from "./stage.ts";
import { candidatesFor, type RunState } from "./state.ts";

/** Turns of a loop. */
const REPORT_EVERY = 16;
const FLUSH_MS = 1_000;
const PATIENCE_MS = 20_000;
type ResponseFormat = NonNullable<OutputSettings["responseFormat"]>;

/** The last step streams as the answer only when nothing can follow it and nothing is left to validate. */
export function streamsAnswer(
  { settings, task, rounds }: RunState,
  { round, step }: Pick<AskAction, "round" | "step">,
  { isLast }: Brief,
): boolean {
  if (!settings.streaming || !isLast || task.output?.responseFormat) return false;
  const { turn } = rounds[round]!.steps[step]!;
  // A turn whose answer will be verified is held back; after any other turn of a loop nothing follows.
  if (turn?.kind === "stay" || turn?.kind === "switch") return turn.check === undefined;
  return round >= settings.rounds - 1;
}

export function toStepStart(
  { round, step, attempt, worker, instead, turn, advice, reserved, maxOutputTokens }: AskAction,
  { runId, pool }: RunState,
  at: number,
): RunEvent {
  const nested = nests(pool[worker]!) && { nestedRunId: `${runId}.${round + 1}.${step + 1}` };
  const common = { runId, at, round, step, attempt, worker, reserved, maxOutputTokens };
  return { type: "step-start", ...common, instead, turn, advice, ...nested };
}

/** Resolves to `step-end` or `step-error`, never rejects. `attempts` are those the driver may stop. */
export async function performStep(
  action: AskAction,
  state: RunState,
  stage: Stage,
  attempts: Attempts,
  nested: Nested | undefined,
): Promise<RunEvent> {
  const { round, step, attempt, worker, brief, maxOutputTokens } = action;
  const { runId, settings, pool, rounds } = state;
  const { now, breaker } = stage;
  const entry = pool[worker]!;
  const isAnswer = streamsAnswer(state, action, brief);
  const request: WorkerRequest = toRequest(action, state, nested);
  request.isFinal = isAnswer && stage.isFinal;
  const where = { runId, round, step, attempt };
  const { worker: model } = stage.pool.members[worker]!;
  const entering = nested ? undefined : stage.enterProvider?.(model, attempts.signal);
  // Stopped while it waited: then what is begun is stopped at once.
  const leave = entering && (await entering.catch(() => undefined));
  const startedAt = now();
  const delivery = createDelivery(where, isAnswer, stage);

  const asked = startAttempt(model, request, {
    timeouts: nested ? NO_TIMEOUTS : settings.timeouts,
    now,
    onDelta: delivery.onDelta,
  });
  attempts.add(asked);
  const outcome = await asked.outcome;
  attempts.delete(asked);
  leave?.();
  // A nested run that was stopped still has to journal its own end.
  await nested?.ended();

  const at = now();
  const common = { ...where, at, worker, durationMs: at - startedAt };
  // Never more than what was reserved, or what is counted of a broken ask would be more than there was.
  const inputTokens = () => action.inputTokens ?? boundByReport(brief, rounds[round]!.steps[step]!);
  if (outcome.ok) {
    breaker.succeeded(entry.id);
    const { usage, billed, tookMs } = outcome;
    // What waited for its turn came all at once.
    const firstTokenMs = tookMs === undefined ? outcome.firstTokenMs : undefined;
    if (tookMs !== undefined) common.durationMs = tookMs;
    const written = outcome.reply.text + (outcome.reply.reasoning ?? "");
    const exchange = { inputTokens, written, maxOutputTokens };
    if (!nested && !billed) report(stage, entry.id, runId, brief, usage);
    const spending = nested?.spending() ?? toSpending(entry, usage, exchange, billed);
    const format = formatFor(outcome.reply, brief);
    const { reply, problem } = format ? await toOutput(outcome.reply, format) : { reply: outcome.reply };
    // A vote cannot be told to write it differently: a model takes its place.
    if (problem !== undefined && combines(entry)) {
      const error = { code: "invalid-output", message: `${entry.id}: ${problem}`, retryable: false };
      return { type: "step-error", ...common, error, spending, delivered: false };
    }
    return { type: "step-end", ...common, reply, problem, spending, firstTokenMs };
  }
  const { error, partial, reasoning } = outcome;
  const isOurs = asked.isStopped();
  if (!isOurs) breaker.failed(entry.id, error);
  const current = rounds[round]!.steps[step]!;
  const failures = current.failures
    .slice(current.failuresBefore)
    .filter((failure) => failure.worker === worker).length;
  const jitter = jitterAt(state, round, step, attempt);
  // Stopped by us: the worker is not to blame and may be asked again after a resume.
  const delay = isOurs
    ? 0
    : retryDelay(error, failures + 1, settings.retries, jitter, longestWait(action, state, stage, at, error));
  const exchange = { inputTokens, written: partial + reasoning, maxOutputTokens };
  const spending = outcome.usage
    ? toSpending(entry, outcome.usage, exchange)
    : toFailedSpending({ ...entry, price: mostPriceOf(entry, brief) }, error, exchange);
  return {
    type: "step-error",
    ...common,
    error: toEventError(error),
    spending: nested?.spending() ?? spending,
    partial: partial || undefined,
    delivered: delivery.isDelivered() && !isOurs,
    retryAt: delay === undefined ? undefined : at + delay,
  };
}

/** Of each run the first turn is remembered, which others begin with, too, and the newest one. */
function report(
  { counted }: Stage,
  workerId: string,
  runId: string,
  brief: Brief,
  { inputTokens }: Usage,
): void {
  const turns = brief.exchanges?.length ?? 0;
  const turn = turns > 0 ? "newest" : "first";
  // Within a loop the report of the turn before does as well (input-bound.ts): this is for where a client has pruned it.
  if (inputTokens > 0 && turns % REPORT_EVERY === 0)
    counted?.report(workerId, `${runId} ${turn}`, toBoundInput(brief), inputTokens);
}

/** The JSON that the client wants this reply to be. */
function formatFor(reply: StepReply, { isLast, task }: Brief): ResponseFormat | undefined {
  // What the client's own limit has cut is no fault of the model's: it is given as it is, and says so.
  if (!isLast || reply.toolCalls || reply.finishReason === "length") return undefined;
  return task.output?.responseFormat;
}

/** The reply as the client wants it: JSON without what models write around it, or what is wrong with it. */
async function toOutput(
  reply: StepReply,
  { schema }: ResponseFormat,
): Promise<{ reply: StepReply; problem?: string }> {
  const read = await readJsonOutput(reply.text, schema);
  return read.ok ? { reply: { ...reply, text: read.text } } : { reply, problem: read.problem };
}

/**
 * Nobody waits long for one worker while there is another; but for the only one, as long as there is time, unless whoever
 * asks would rather come back where a provider says when. Our own pauses before another try are short.
 */
function longestWait(
  { round, step, worker }: AskAction,
  state: RunState,
  { patienceMs = Number.POSITIVE_INFINITY }: Stage,
  now: number,
  { retryAfterMs }: TuttiError,
): number {
  const { workflow, steps } = state.rounds[round]!;
  const current = steps[step]!;
  const without = { ...current, exhausted: [...current.exhausted, worker] };
  const others = candidatesFor(state.pool, workflow!.steps[step]!.worker, without);
  const longest = others.length > 0 ? PATIENCE_MS : deadlineOf(state) - now;
  return retryAfterMs === undefined ? longest : Math.min(patienceMs, longest);
}

export function toRequest(
  {
    round,
    step,
    attempt,
    worker,
    maxOutputTokens,
    brief,
  }: Pick<AskAction, "round" | "step" | "attempt" | "worker" | "maxOutputTokens" | "brief">,
  { runId, settings, pool }: RunState,
  nested: Nested | undefined,
): WorkerRequest {
  const { maxOutputTokens: _, toolChoice, ...output } = (brief.isLast && brief.task.output) || {};
  let messages: Message[] | undefined;
  return {
    // Written when somebody reads them: simulated and recorded workers go by the brief.
    get messages() {
      messages ??= toOwnMessages(toMessages(brief), pool[worker]!.id);
      return messages;
    },
    brief,
    maxOutputTokens,
    seed: hashSeed(settings.seed, round, step, attempt),
    ...output,
    toolChoice: output.tools && toolChoice,
    ask: { run: runId, name: `${round}.${step}.${attempt}` },
    conduct: nested?.conduct,
  };
}

function createDelivery(
  where: { runId: string; round: number; step: number; attempt: number },
  isAnswer: boolean,
  { now, store, owner, onEvent }: Stage,
) {
  let flushedAt = now();
  let unflushed = "";
  let isDelivered = false;
  return {
    isDelivered: () => isDelivered,
    onDelta(channel: "text" | "reasoning", text: string): void {
      const answer = isAnswer && channel === "text";
      if (answer && text !== "") isDelivered = true;
      onEvent?.({ type: "step-delta", ...where, at: now(), channel, text, answer });
      if (channel === "reasoning") return;
      unflushed += text;
      if (now() - flushedAt < FLUSH_MS) return;
      flushedAt = now();
      const event: RunEvent = {
        type: "step-delta",
        ...where,
        at: flushedAt,
        channel,
        text: unflushed,
        answer,
      };
      unflushed = "";
      // A journal that fails here fails again at the step's end, where it is dealt with.
      void Promise.resolve()
        .then(() => store.append([event], owner))
        .catch(() => {});
    },
  };
}

// ---- One ask -------------------------------------------------------------------------------------

// One ask of one worker, with its time-outs. Its outcome never rejects: a failure keeps what had
// arrived. A worker that ignores its signal is left behind, not waited for.
// Fast on purpose: no listener is added to anybody's signal, and nothing is aborted that ended well.

/** Those of one run that are under way. Once stopped, one that begins later is stopped, too. */
export class Attempts {
  readonly #all = new Set<Attempt>();
  #isStopped = false;
  #controller: AbortController | undefined;

  /** Aborted when they are stopped. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isStopped) this.#controller.abort();
    return this.#controller.signal;
  }

  add(attempt: Attempt): void {
    this.#all.add(attempt);
    if (this.#isStopped) attempt.stop();
  }

  delete(attempt: Attempt): void {
    this.#all.delete(attempt);
  }

  stop(): void {
    this.#isStopped = true;
    this.#controller?.abort();
    for (const attempt of this.#all) attempt.stop();
  }
}

export interface AttemptOptions {
  timeouts: Timeouts;
  now: () => number;
  onDelta: (channel: "text" | "reasoning", text: string) => void;
}

type AttemptOutcome =
  | {
      ok: true;
      reply: StepReply;
      usage: Usage;
      firstTokenMs: number | undefined;
      billed?: Billed;
      tookMs?: number;
    }
  /** `usage` where the provider has said what it bills all the same. */
  | { ok: false; error: TuttiError; partial: string; reasoning: string; usage?: Usage };

const NEVER = new AbortController().signal;

export interface Attempt {
  outcome: Promise<AttemptOutcome>;
  /** Ends it with the error "aborted", and the upstream request with it. */
  stop(): void;
  /** We stopped it. A worker may say "aborted" by itself, which is a failure like any other. */
  isStopped(): boolean;
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
    isStopped: () => isStopped,
  };
}

async function ask(
  worker: Worker,
  request: WorkerRequest,
  { timeouts, now, onDelta }: AttemptOptions,
  stopped: Promise<never>,
): Promise<AttemptOutcome> {
  const controller = worker.isInstant ? undefined : new AbortController();
  const watch = createWatch(worker.id, worker.keepsTime ? NO_TIMEOUTS : timeouts, now);
  if (worker.keepsTime) request.timeouts = timeouts;
  let text = "";
  let held = "";
  let reasoning = "";
  let toolCalls: ToolCall[] | undefined;
  const reasoningParts: ReasoningPart[] = [];
  /** Of each call whether it counts. */
  const taken: boolean[] = [];
  let undeclared: string | undefined;
  let finish: Extract<WorkerEvent, { type: "finish" }> | undefined;
  let isOver = false;

  const consume = async (): Promise<void> => {
    for await (const event of worker.ask(request, controller?.signal ?? NEVER)) {
      if (isOver) return;
      watch.heard();
      switch (event.type) {
        case "text-delta":
          text += event.text;
          held = "";
          onDelta("text", event.text);
          break;
        case "reasoning-delta":
          reasoning += event.text;
          if (event.text !== "") held = "";
          if (event.text !== "") onDelta("reasoning", event.text);
          break;
        case "text-withdrawn":
          reasoning += text;
          text = "";
          break;
        case "text-held":
          held += event.text;
          break;
        case "reasoning-part":
          reasoningParts.push(toReasoningPart(event, taken));
          break;
        case "tool-call": {
          const isKnown = isDeclared(request, event.name);
          const isOneTooMany = request.parallelToolCalls === false && toolCalls !== undefined;
          taken.push(isKnown && !isOneTooMany);
          if (!isKnown) undeclared ??= event.name;
          if (!taken.at(-1)) break;
          toolCalls ??= [];
          toolCalls.push({ id: event.id, name: event.name, input: event.input, metadata: event.metadata });
          break;
        }
        case "finish":
          finish = event;
      }
    }
    if (!finish) throw new TuttiError("stream-cut", `${worker.id} stopped in the middle of its reply`);
  };

  try {
    await (worker.isInstant ? consume() : Promise.race([consume(), stopped, watch.late()]));
    const { usage, reason, stopSequence, ignored = [], features, billed, tookMs } = finish!;
    const isNothing = undeclared !== undefined && !toolCalls && text.trim() === "";
    const empty = toolCalls ? undefined : emptyReply(worker, { text, reasoning, reason }, request);
    const error = isNothing ? undeclaredTool(worker.id, undeclared!) : empty;
    if (error) return { ok: false, error, partial: "", reasoning, usage };
    const reply: StepReply = {
      text,
      reasoning: reasoning || undefined,
      toolCalls,
      reasoningParts: toolCalls && reasoningParts.length > 0 ? reasoningParts : undefined,
      finishReason: reason === "tool-calls" && !toolCalls ? "stop" : reason,
      stopSequence,
      ...(ignored.length > 0 && toIgnored(ignored, request)),
      ...(features !== undefined && { features }),
    };
    return { ok: true, reply, usage, firstTokenMs: watch.firstMs(), billed, tookMs };
  } catch (error) {
    controller?.abort(); // closes the upstream request
    return {
      ok: false,
      error: toTuttiError(error, "worker-fault", worker.id),
      partial: text + held,
      reasoning,
    };
  } finally {
    isOver = true;
    watch.end();
  }
}

/** Of the settings that the client has set: they are for the last step alone. */
function toIgnored(names: readonly SettingName[], { brief }: WorkerRequest): Pick<StepReply, "ignored"> {
  const ignored = brief?.isLast ? askedFor(names, brief.task.output) : [];
  return ignored.length > 0 ? { ignored } : {};
}

/** Its place among the calls that count. */
function toReasoningPart(
  { text, metadata, behind }: ReasoningPart,
  taken: readonly boolean[],
): ReasoningPart {
  if (!behind) return { text, metadata };
  const calls = taken.slice(0, behind.calls).filter(Boolean).length;
  return { text, metadata, behind: { characters: behind.characters, calls } };
}

/** A reply that a limit or a filter has emptied is no reply: somebody else may have one. */
function emptyReply(
  worker: Worker,
  { text, reasoning, reason }: { text: string; reasoning: string; reason: FinishReason },
  { maxOutputTokens }: WorkerRequest,
): TuttiError | undefined {
  if (!isModel(worker) || text.trim() !== "") return undefined;
  if (reason === "content-filter")
    return new TuttiError("content-filter", `${worker.id} was silenced by its provider's filter`);
  if (reason !== "length" && reasoning.trim() !== "")
    return new TuttiError("empty-reply", `${worker.id} wrote down its thinking and no answer`);
  if (reason !== "length") return undefined;
  const why = `used all of its ${maxOutputTokens} tokens before it wrote a word (models that reason need more)`;
  return new TuttiError("empty-reply", `${worker.id} ${why}`);
}
