// The driver of a run: carries out what `decide` wants, journals what happened, applies it, tells
// whoever listens. The order is always the same: journal, then state, then listeners, so nothing
// is used or shown that a crash could take back.

import { isTuttiError, TuttiError } from "../base/errors.ts";
import { type Resolvers, withResolvers } from "../base/with-resolvers.ts";
import { CLAIM_MS } from "../store/owner.ts";
import type { RunEvent, StopReason } from "../store/types.ts";
import { toBoundInput } from "../worker/brief-parts.ts";
import { nests } from "../worker/kinds.ts";
import { handOver } from "./change-state.ts";
import { countInput } from "./count-input.ts";
import {
  type Action,
  type AskAction,
  type Circumstances,
  type CountAction,
  deadlineOf,
  decide,
} from "./decide.ts";
import { toRuledEvent } from "./loop.ts";
import { createNested } from "./nested.ts";
import { type ResumeTurn, toPickUp } from "./pick-up.ts";
import { performPlan, toComposeRequest, toFallBack, toPlanLimits } from "./plan.ts";
import { HAND_OVER, type Stage, toEndError, type Verdict } from "./stage.ts";
import { apply, fold, type RunState, start } from "./state.ts";
import { Attempts, performStep, streamsAnswer, toStepStart } from "./step.ts";
import { toAnswer } from "./visible.ts";

const HEARTBEAT_MS = 5_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Performs a new run to its end, or until it is handed over. Rejects only when not even its start could be journaled. */
export async function performRun(
  event: Extract<RunEvent, { type: "run-start" }>,
  stage: Stage,
): Promise<RunState> {
  await claim(event.runId, stage);
  try {
    await stage.store.append([event], stage.owner);
  } catch (error) {
    await stage.store.release(event.runId, stage.owner).catch(() => {});
    throw error;
  }
  stage.onEvent?.(event);
  return new Driver(start(event), stage).perform();
}

/** Goes on with a run from its journal. What was running when its process died is asked again. */
export async function resumeRun(
  events: readonly RunEvent[],
  stage: Stage,
  turn?: ResumeTurn,
): Promise<RunState> {
  const known = fold(events);
  if (!known) throw new TuttiError("unknown-run", "The journal has no start for this run");
  await claim(known.runId, stage);
  let state: RunState;
  try {
    state = await readAgain(events, known, stage, turn);
  } catch (error) {
    await stage.store.release(known.runId, stage.owner).catch(() => {});
    throw error;
  }
  if (state.ended && !known.ended) {
    await stage.store.release(state.runId, stage.owner);
    return state;
  }
  const driver = new Driver(state, stage);
  await driver.pickUp(turn);
  return driver.perform();
}

/** What its process wrote to the last, after it was read here and before its lease was ours. */
async function readAgain(
  events: readonly RunEvent[],
  known: RunState,
  { store }: Stage,
  turn: ResumeTurn | undefined,
): Promise<RunState> {
  const latest = await store.loadRun(known.runId);
  if (latest.length === events.length) return known;
  const count = (list: readonly RunEvent[]) => list.filter(({ type }) => type !== "run-feedback").length;
  if (count(latest) <= count(events)) return known;
  if (turn) throw new TuttiError("run-busy", `Run ${known.runId} was gone on with by another process`);
  return fold(latest) ?? known;
}

async function claim(runId: string, { store, owner }: Stage): Promise<void> {
  if (await store.claim(runId, owner)) return;
  throw new TuttiError("run-busy", `Run ${runId} is being performed by another process`);
}

interface Held extends Resolvers<void> {
  events: RunEvent[];
}

class Driver {
  #state: RunState;
  readonly #stage: Stage;
  readonly #running = new Set<Promise<void>>();
  readonly #attempts = new Attempts();
  readonly #planning = new AbortController();
  #journalError: TuttiError | undefined;
  /** Another process performs it now, and has counted what is under way here: nothing of it is written any more. */
  #isLost = false;
  /** By a clock that nobody sets: how old the lease is. */
  #renewedAt = performance.now();
  /** What was paid for and could not be journaled: it goes with the next events. */
  #unwritten: RunEvent[] = [];
  /** Applied, and not journaled yet. */
  #held: Held | undefined;
  /** An append takes a while. */
  #isSlowJournal = false;
  #wake: (() => void) | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(state: RunState, stage: Stage) {
    this.#state = state;
    this.#stage = stage;
  }

  async perform(): Promise<RunState> {
    const { store, owner, signal } = this.#stage;
    const { runId } = this.#state;
    const wake = () => this.#wake?.();
    const beat = setInterval(() => void this.#renew(), HEARTBEAT_MS);
    beat.unref();
    signal.addEventListener("abort", wake);
    this.#watchDeadline();
    try {
      while (!this.#state.ended) {
        if (signal.reason === HAND_OVER || this.#isLost) {
          await this.#stopAsking();
          await this.#emit([]);
          break;
        }
        const circumstances = this.#circumstances();
        const actions = decide(this.#state, circumstances);
        if (actions.length > 0) await this.#carryOut(actions);
        else await this.#sleep(circumstances.now);
      }
      return this.#state;
    } finally {
      clearInterval(beat);
      clearTimeout(this.#deadline);
      signal.removeEventListener("abort", wake);
      // Whoever keeps what is left to write keeps the claim with it: it is written only while nobody else has taken the run.
      if (this.#unwritten.length > 0 && this.#stage.onUnwritten)
        this.#stage.onUnwritten(this.#unwritten, owner);
      else await store.release(runId, owner).catch(() => {});
    }
  }

  async #renew(): Promise<void> {
    const { store, owner } = this.#stage;
    const at = performance.now();
    // A journal that is away says nothing about the lease.
    const isOurs = await Promise.resolve(store.claim(this.#state.runId, owner)).catch(() => undefined);
    if (isOurs) this.#renewedAt = at;
    if (isOurs !== false) return;
    this.#isLost = true;
    this.#wake?.();
  }

  /** A process that was frozen, just before it asks somebody: another one may have asked in its place. */
  async #isStillOurs(): Promise<boolean> {
    if (performance.now() - this.#renewedAt >= CLAIM_MS) await this.#renew();
    return !this.#isLost;
  }

  async pickUp(turn?: ResumeTurn): Promise<void> {
    await this.#emit(toPickUp(this.#state, this.#stage.now(), turn));
  }

  #circumstances(): Circumstances {
    const { breaker, conductor, counted, pool, now, signal } = this.#stage;
    const nameOf = (worker: number) => this.#state.pool[worker]!.id;
    const stop = this.#journalError ? "journal-failed" : signal.aborted ? "cancelled" : undefined;
    return {
      now: now(),
      stop,
      isAvailable: (worker) => breaker.isAvailable(nameOf(worker)),
      boundInput: (worker, brief) =>
        counted?.bound(nameOf(worker), toBoundInput(brief)) ?? Number.POSITIVE_INFINITY,
      guessInput: (worker, brief) => {
        if (!counted || !pool.members[worker]!.worker.countInput) return undefined;
        const input = toBoundInput(brief);
        const isWorth = counted.isWorthCounting(nameOf(worker), input, now());
        return isWorth ? counted.estimate(nameOf(worker), input) : undefined;
      },
      quotePlan: (from = this.#state) => conductor.quote?.(toComposeRequest(from, pool)),
    };
  }

  /** Wakes the run when its time is over. */
  #watchDeadline(): void {
    clearTimeout(this.#deadline);
    const leftMs = deadlineOf(this.#state) - this.#stage.now();
    if (leftMs < MAX_TIMER_MS) this.#deadline = setTimeout(() => this.#wake?.(), Math.max(1, leftMs + 1));
  }

  /** Until something happens or a retry is due. `now` is the one decided with: what fell due since then counts. */
  async #sleep(now: number): Promise<void> {
    const { plan, steps = [] } = this.#state.rounds.at(-1) ?? {};
    let until = plan && plan.retryAt > now ? plan.retryAt : Number.POSITIVE_INFINITY;
    for (const { retryAt } of steps)
      if (retryAt !== undefined && retryAt > now) until = Math.min(until, retryAt);
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (until - now < MAX_TIMER_MS) timer = setTimeout(resolve, until - now);
    });
    clearTimeout(timer);
  }

  /**
   * Journal, state, listeners, in this order. What could not be journaled is still applied when it
   * `isPaid`, so that the answer shows it; then nothing more is asked, and it is tried again with what comes
   * after it. Returns whether it was journaled.
   */
  async #emit(events: RunEvent[], isPaid = true): Promise<boolean> {
    let isJournaled = true;
    const earlier = this.#unwritten.length > 0 ? this.#unwritten.splice(0) : undefined;
    const held = this.#held;
    this.#held = undefined;
    const all = earlier || held ? [...(earlier ?? []), ...(held?.events ?? []), ...events] : events;
    try {
      const appended = all.length > 0 ? this.#stage.store.append(all, this.#stage.owner) : undefined;
      if (appended) await appended;
      if (all.length > 0) this.#isSlowJournal = appended !== undefined;
    } catch (error) {
      if (isTuttiError(error) && error.code === "run-busy") {
        this.#isLost = true;
        this.#unwritten = [];
        held?.resolve();
        this.#wake?.();
        return false;
      }
      isJournaled = false;
      this.#unwritten.push(...(isPaid ? all : all.slice(0, all.length - events.length)));
      this.#journalError ??= isTuttiError(error) ? error : new TuttiError("journal-failed", String(error));
    }
    for (const event of held?.events ?? []) this.#stage.onEvent?.(event);
    if (isJournaled || isPaid) {
      for (const event of events) {
        this.#state = apply(this.#state, event);
        this.#stage.onEvent?.(event);
      }
    }
    held?.resolve();
    this.#wake?.();
    return isJournaled;
  }

  /**
   * What was paid for and is usually followed by more at once, such as the next step's start: both are one append. Until then
   * only the next decision is made with it; nothing is asked and nobody told. Resolves when it was written, or kept for later.
   */
  async #emitWithNext(event: RunEvent): Promise<void> {
    // A journal in memory has nothing to wait for, and one that fails is asked at once.
    if (!this.#isSlowJournal || this.#journalError) return void (await this.#emit([event]));
    this.#state = apply(this.#state, event);
    if (!this.#held) {
      const held = { events: [], ...withResolvers() };
      this.#held = held;
      setImmediate(() => {
        if (this.#held === held) void this.#emit([]);
      });
    }
    const { events, promise } = this.#held;
    events.push(event);
    this.#wake?.();
    await promise;
  }

  async #carryOut(actions: Action[]): Promise<void> {
    const { runId } = this.#state;
    const at = this.#stage.now();
    const asks: AskAction[] = [];
    const events: RunEvent[] = [];
    for (const action of actions) {
      switch (action.type) {
        case "ask":
          asks.push(action);
          events.push(toStepStart(action, this.#state, at));
          break;
        case "wait":
          events.push({ ...action, type: "step-wait", runId, at, reason: "retry" });
          break;
        case "compose": {
          const { round, attempt, reserved, turn } = action;
          const before = turn ? handOver(this.#state, turn) : this.#state;
          // Of those that are asked in words: what they were told is shown again from the journal.
          const limits = this.#stage.conductor.quote ? toPlanLimits(before) : undefined;
          const started: RunEvent = { type: "plan-start", runId, at, round, attempt, reserved, turn, limits };
          if (!(await this.#emit([started], false))) return;
          const compose = () => performPlan(action, before, this.#stage, this.#planning.signal);
          // Who is asked in words is called; whoever else plans makes no call that a durable engine should know.
          return this.#spawn(this.#stage.conductor.quote && `plan ${round}.${attempt}`, compose);
        }
        case "rule":
          return void (await this.#emit([toRuledEvent(this.#state, at, action.ruled)]));
        case "fall-back":
          return void (await this.#emit([toFallBack(action, this.#state, at)]));
        case "count":
          return this.#count(action);
        case "review":
          return this.#review(action.round);
        case "end-round":
          return void this.#emitWithNext({ type: "round-end", runId, at, round: action.round });
        case "end-run":
          return this.#end(action.stopReason);
      }
    }
    if (!(await this.#emit(events, false))) return;
    for (const action of asks) {
      const { round, step, attempt } = action;
      this.#spawn(`step ${round}.${step}.${attempt}`, () => this.#perform(action));
    }
  }

  #perform(action: AskAction): Promise<RunEvent> {
    const { round, step, worker, reserved, brief } = action;
    const parent = this.#state;
    const runId = parent.rounds[round]!.steps[step]!.nestedRunId;
    const isAnswer = streamsAnswer(parent, action, brief);
    const nested =
      runId !== undefined && nests(parent.pool[worker]!)
        ? createNested({ parent, round, step, runId, brief, reserved, isAnswer }, this.#stage, {
            performRun,
            resumeRun,
          })
        : undefined;
    return performStep(action, parent, this.#stage, this.#attempts, nested);
  }

  /** `name`: of a call. */
  #spawn(name: string | undefined, work: () => Promise<RunEvent>): void {
    const { checkpoint } = this.#stage;
    const perform = async () => {
      if (await this.#isStillOurs()) await this.#emitWithNext(await work());
    };
    const tracked: Promise<void> = (checkpoint && name ? checkpoint(name, perform) : perform()).then(() => {
      this.#running.delete(tracked);
      this.#wake?.();
    });
    this.#running.add(tracked);
  }

  /** Nothing of it is journaled: whoever goes on with the run has it counted again where that is needed. */
  async #count(action: CountAction): Promise<void> {
    await this.#emit([]);
    await countInput(action, this.#state, this.#stage);
  }

  async #review(round: number): Promise<void> {
    await this.#emit([]);
    const { review, now, signal } = this.#stage;
    const workflow = this.#state.rounds[round]!.workflow!;
    const askedAt = now();
    const stopped = new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const approve: Verdict = { type: "approve" };
    const verdict = review ? await Promise.race([review(this.#state, workflow), stopped]) : approve;
    if (!verdict) return;
    const said = { approve: "approved", edit: "edited", refuse: "refused" } as const;
    const at = now();
    const event = {
      runId: this.#state.runId,
      at,
      round,
      verdict: said[verdict.type],
      waitedMs: at - askedAt,
    };
    const edited = verdict.type === "edit" ? { workflow: verdict.workflow } : {};
    await this.#emit([{ type: "plan-review", ...event, ...edited }]);
    this.#watchDeadline();
  }

  async #end(stopReason: StopReason): Promise<void> {
    // What runs is stopped, except when only the journal failed: those replies are paid for and of use.
    if (stopReason === "journal-failed") await Promise.all(this.#running);
    else await this.#stopAsking();
    const { runId, spent, unpricedCalls } = this.#state;
    const error = toEndError(this.#state, stopReason, this.#journalError);
    const answer = toAnswer(this.#state, stopReason);
    const at = this.#stage.now();
    await this.#emit([{ type: "run-end", runId, at, ...answer, stopReason, error, spent, unpricedCalls }]);
  }

  async #stopAsking(): Promise<void> {
    // Also one that is about to begin.
    if (this.#running.size > 0) this.#planning.abort();
    this.#attempts.stop();
    await Promise.all(this.#running);
  }
}
