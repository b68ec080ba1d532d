// The library's door: `createTutti` makes pools, Conductors and the journal meet the performer.

import { TuttiError, usageError } from "../base/errors.ts";
import { createLiveRatings } from "../calibration/ratings/live-ratings.ts";
import { textOf } from "../calibration/text-features.ts";
import type { Conductor } from "../conductor/types.ts";
import { openCalibrations } from "../config/calibrations.ts";
import { toStorePath } from "../config/home.ts";
import { type ResolvedPool, resolveModel } from "../config/pool.ts";
import { parseConfig } from "../config/problems.ts";
import type { TuttiConfigInput } from "../config/schema.ts";
import type { RunEngine } from "../durable/engine.ts";
import { CountedInputs } from "../perform/counted-inputs.ts";
import { performRun, resumeRun } from "../perform/driver.ts";
import { estimatePlan } from "../perform/estimate.ts";
import { createLocalSlots, type EnterProvider, type Slots } from "../perform/provider-slots.ts";
import { EventQueue } from "../perform/queue.ts";
import { CircuitBreaker, type CircuitState } from "../perform/retry.ts";
import { type Run, toRun } from "../perform/run.ts";
import type { Checkpoint, Stage } from "../perform/stage.ts";
import { fold, type RunState } from "../perform/state.ts";
import { JournalBacklog } from "../store/backlog.ts";
import { openStore } from "../store/open.ts";
import { toPoolEntry } from "../store/pool-entry.ts";
import type { ConductorIdentity, RunEvent, Store } from "../store/types.ts";
import { isSimulated, nests } from "../worker/kinds.ts";
import type { Message, Pool, PoolMember, Task } from "../worker/types.ts";
import type { AskOptions, ResumeOptions } from "./ask-options.ts";
import { toTask } from "./check-input.ts";
import { chooseConductor, resolveConductor } from "./conductors.ts";
import { checkOneModel, checkSight, toConversation, toTeamOptions } from "./conversation.ts";
import { createObserve, type RunObserver } from "./observers.ts";
import { isQuality, QUALITY_TRAITS } from "./quality.ts";
import {
  createEnterProvider,
  createOwner,
  createPoolFinder,
  createRunId,
  goneWorker,
  toFixed,
  toNumbered,
  toResumeTurn,
  toSettings,
  toTrajectory,
  unknownPrice,
  unpricedIn,
  withoutSelf,
} from "./run-setup.ts";

/** The events of a run as they happen, nested runs included, and its result. */
export interface RunStream extends AsyncIterable<RunEvent> {
  readonly runId: string;
  readonly result: Promise<Run>;
}

/** The config, and what no file can hold. */
export interface TuttiInput extends Omit<TuttiConfigInput, "store"> {
  /** "memory", the path of a journal file, or a store of one's own. */
  store?: string | Store;
  /** Hear the events of every run. */
  observers?: readonly RunObserver[];
}

export interface TuttiOptions {
  /** Where keys and settings are read from; by default the process's own environment. */
  env?: Record<string, string | undefined>;
  /**
   * Hears what a person should know: which pool is used and why, who was left out. By default a warning
   * of the process: simulated workers must never answer in silence.
   */
  onNotice?: (text: string) => void;
  /** Performs runs so that another process goes on with them. It is opened later than this, so it is asked for. */
  engine?: () => RunEngine | undefined;
  /** Where calls of a provider with a limit wait for their turn; by default those of this process. */
  slots?: Slots;
}

export interface Tutti {
  /** Rejects only for bad use and for a journal that cannot be opened; what happens in a run is in its `stopReason`. */
  ask(input: string | Message[] | Task, options?: AskOptions): Promise<Run>;
  /** The answer's text is in the `step-delta` events with `answer: true`. */
  stream(input: string | Message[] | Task, options?: AskOptions): RunStream;
  /**
   * Goes on with a run whose process died, that was cancelled, or, with `toolResults`, that waits for tools of
   * the client. Rejects when it is over, unknown, or performed elsewhere.
   */
  resume(runId: string, options?: ResumeOptions): RunStream;
  /** The run as stored, finished or not. */
  load(runId: string): Promise<Run | undefined>;
  /** Who can be asked: all, or those that a selector names. Looked up once a minute. */
  pool(selector?: string | string[]): Promise<ResolvedPool>;
  store(): Promise<Store>;
  /** What was paid for and could not be journaled yet. It is tried again every second, and once more by `close`. */
  readonly backlog: JournalBacklog;
  /** Whether this worker is asked now, or left alone for a while after failures. */
  circuitOf(workerId: string): CircuitState;
  /** For whoever tells other processes of them. */
  readonly circuits: CircuitBreaker;
  /** For a call that is no run's (config `queue`). */
  readonly enterProvider: EnterProvider;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Ended runs that may go on: nothing in them has failed for good. */
const RESUMABLE = ["cancelled", "deadline", "journal-failed"];

export function createTutti(
  input: TuttiInput = {},
  { env = process.env, onNotice = warn, engine, slots = createLocalSlots() }: TuttiOptions = {},
): Tutti {
  const { config, store: given, observers } = parseInput(input);
  const breaker = new CircuitBreaker();
  const enterProvider = createEnterProvider(config, slots);
  const counted = new CountedInputs();
  let opened: Promise<Store> | undefined;
  const openedStore = () => {
    opened ??= openJournal();
    // A disk that is full now may have room at the next question.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  async function openJournal(): Promise<Store> {
    const store = given ?? (await openStore(toStorePath(config.store, env), notice));
    if (config.retentionDays !== undefined) await store.prune(Date.now() - config.retentionDays * DAY_MS);
    return store;
  }
  const backlog = new JournalBacklog(openedStore);
  const notices = new Set<string>();
  const notice = (text: string | undefined) => {
    if (text === undefined || notices.has(text)) return;
    notices.add(text);
    onNotice(text);
  };
  const observe = createObserve(observers, notice);
  const { learn, halfLifeDays } = config.feedback;
  const ratings = learn ? createLiveRatings(openedStore, { halfLifeDays, notice }) : undefined;
  const calibrations = openCalibrations(config.store, env);
  const pools = createPoolFinder(config, env, notice, { ratings, calibrations });

  let isClosed = false;
  const checkOpen = () => {
    if (isClosed) throw usageError("This Tutti is closed: create another one with createTutti().");
  };

  async function begin(runId: string, input: Task, asked: AskOptions, stage: StageParts): Promise<RunState> {
    checkOpen();
    const options = toTeamOptions(asked);
    const keyId = asked.origin?.keyId;
    const before = asked.continues === undefined ? undefined : await loadBefore(asked.continues);
    const task = toConversation(input, asked.system, before);
    const settings = toSettings(config, options, stage.isStreaming);
    const { limits, allowUnknownPrice } = settings;
    const hasBudget = limits.usd !== undefined;
    // A workflow that was given names its workers: nobody may be left out then.
    const isPriced = hasBudget && options.workflow === undefined && !allowUnknownPrice;
    const { pool, kind, poolFor, embed } = await pools.toPool(options.pool, isPriced);
    // A nested run could not wait for tools of the client: whoever may call them is asked directly.
    const canNest = settings.maxDepth > 0 && !task.output?.tools?.length;
    const allowed = canNest ? pool : withoutSelf(pool);
    // Before anything is journaled: the trace shows the profiles that plans and votes went by.
    const text = textOf(task.messages);
    const vector = asked.embeds === false ? undefined : await embed?.(text, stage.signal);
    const { members: known } = poolFor?.(allowed, text, { vector, keyId }) ?? allowed;
    if (asked.model !== undefined) checkOneModel(asked.model, { members: known });
    checkSight(task, { members: known });
    const { showNames } = config;
    const { quality = config.quality } = options;
    // Who asks for economy wants no plan, whoever would usually write it.
    const isSingle = options.quality !== undefined && QUALITY_TRAITS[quality].isSingle;
    const wanted = options.conductor ?? (isSingle ? undefined : config.conductor);
    const chosen = await chooseConductor(
      wanted,
      { members: known },
      {
        kind,
        showNames,
        env,
        isConfigured: options.conductor === undefined,
        task,
        quality,
        // Rounds that only the quality adds are no wish for a plan where one model is enough.
        rounds: options.rounds ?? config.rounds,
        isAvailable: (id) => breaker.isAvailable(id),
      },
    );
    const members = [...known, ...(chosen.brings ?? [])];
    if (kind === "rehearsal") (await import("../rehearsal/known-question.ts")).checkKnown(task);
    const workflow = toNumbered(options.workflow, config, { members });
    const fixed = workflow && toFixed(workflow, { members });
    const unknown = unpricedIn(workflow?.steps.map(({ worker }) => members[worker]!) ?? []);
    if (hasBudget && !allowUnknownPrice && unknown.length > 0) throw usageError(unknownPrice(unknown));
    const start: Extract<RunEvent, { type: "run-start" }> = {
      type: "run-start",
      runId,
      at: Date.now(),
      task,
      pool: members.map(toPoolEntry),
      settings: {
        ...settings,
        // Who decides in turns needs as many rounds as turns, unless somebody asked for another number.
        rounds: options.rounds ?? (fixed ?? chosen.conductor).rounds ?? settings.rounds,
        conductor: (fixed ?? chosen.conductor).identity,
        conductorReason: fixed ? "a workflow was given" : chosen.reason,
        side: fixed ? undefined : chosen.side,
        trajectory:
          fixed || isSingle
            ? undefined
            : toTrajectory(config, task, members, { limits, conductor: chosen.conductor, quality }),
      },
      origin: options.origin,
      continues: before?.id,
    };
    const ready = await toStage({ members }, fixed ?? chosen.conductor, stage, keyId, chosen.conductor);
    return perform({ runId, turn: 0 }, (checkpoint) => performRun(start, { ...ready, checkpoint }));
  }

  function perform(
    run: { runId: string; turn: number },
    work: (checkpoint?: Checkpoint) => Promise<RunState>,
  ): Promise<RunState> {
    return engine?.()?.perform(run, work) ?? work();
  }

  async function loadBefore(runId: string): Promise<Run> {
    const state = fold(await (await openedStore()).loadRun(runId));
    if (!state) throw new TuttiError("unknown-run", `There is no run ${runId}`);
    return toRun(state);
  }

  async function toStage(
    pool: Pool,
    conductor: Conductor,
    { signal = new AbortController().signal, onEvent, review, isFinal, patienceMs }: StageParts,
    keyId: string | undefined,
    nestedConductor?: Conductor,
  ): Promise<Stage> {
    return {
      store: await openedStore(),
      pool,
      conductor,
      nestedConductor,
      breaker,
      counted,
      owner: createOwner(),
      now: Date.now,
      signal,
      isFinal,
      patienceMs,
      onEvent: both(observe, onEvent),
      enterProvider: (worker, signal) => enterProvider(worker, signal, keyId),
      onUnwritten: (events, owner) => void backlog.add(events, owner),
      review:
        review &&
        ((state, workflow) =>
          review({
            round: state.rounds.length - 1,
            workflow,
            pool,
            estimate: estimatePlan(state, workflow),
            estimateOf: (edited) => estimatePlan(state, edited),
          })),
    };
  }

  /** A request that named one model may have named one that is not in the pool. */
  async function findElsewhere(identity: ConductorIdentity, { members }: Pool): Promise<PoolMember[]> {
    if (identity.kind === "verified-cascade" && identity.judge === undefined)
      return [(await import("../task/verify/verifier-worker.ts")).createVerifierMember()];
    if (identity.kind !== "single" || !identity.worker.includes("/")) return [];
    if (members.some(({ worker }) => worker.id === identity.worker)) return [];
    return [await resolveModel(identity.worker, { env })];
  }

  async function goOn(runId: string, options: ResumeOptions, stage: StageParts): Promise<RunState> {
    checkOpen();
    const journal = await openedStore();
    const events = await journal.loadRun(runId);
    const state = fold(events);
    if (!state) throw new TuttiError("unknown-run", `There is no run ${runId}`);
    const turn = toResumeTurn(state, options, config);
    if (state.ended && !turn?.toolResults && !turn?.again && !RESUMABLE.includes(state.ended.stopReason)) {
      throw new TuttiError("run-over", `Run ${runId} is over (${state.ended.stopReason}): ask again instead`);
    }
    if (state.parent) throw usageError(`Run ${runId} is nested: resume ${state.parent.runId} instead`);
    const isRehearsal = isSimulated(state.pool);
    const { pool, kind } = await pools.toPool(options.pool ?? (isRehearsal ? "rehearsal" : undefined), false);
    const { conductor: identity } = state.settings;
    const known = [...pool.members, ...(await findElsewhere(identity, pool))];
    const members = state.pool.map((entry): PoolMember => {
      const { id, profile } = entry;
      const found = known.find(({ worker }) => worker.id === id);
      if (!found) notice(`${id} took part in this run and is not available now: others take over.`);
      // The profiles the run began with: those of today could change its mind half-way.
      return { ...(found ?? { worker: goneWorker(entry) }), ...(profile && { profile }) };
    });
    const { quality } = state.settings;
    const choice = {
      kind,
      showNames: config.showNames,
      env,
      quality: isQuality(quality) ? quality : undefined,
    };
    const choose = async (wanted: AskOptions["conductor"]) =>
      (await chooseConductor(wanted, { members }, choice)).conductor;
    const { workflow } = state.rounds[0] ?? {};
    const conductor = options.conductor
      ? await choose(options.conductor)
      : await resolveConductor(identity, { members }, { ...choice, workflow, onNotice: notice });
    // A workflow that was given is for the outer run only.
    const canNest = identity.kind === "fixed" && members.some(({ worker }) => nests(worker));
    const nested = canNest ? await choose(config.conductor) : undefined;
    const ready = await toStage({ members }, conductor, stage, state.origin?.keyId, nested);
    const resumed = events.filter(({ type }) => type === "run-resume").length;
    return perform({ runId, turn: resumed + 1 }, (checkpoint) =>
      resumeRun(events, { ...ready, checkpoint }, turn),
    );
  }

  function toStream(
    runId: string,
    options: Pick<AskOptions, "signal" | "review" | "streamsAnswer" | "isFinal" | "patienceMs">,
    work: (stage: StageParts) => Promise<RunState>,
  ): RunStream {
    const { signal, review, streamsAnswer = true, isFinal, patienceMs } = options;
    const queue = new EventQueue<RunEvent>();
    const onEvent = (event: RunEvent) => queue.push(event);
    const result = work({ signal, onEvent, review, isFinal, patienceMs, isStreaming: streamsAnswer })
      .then((state) => toRun(state))
      .finally(() => queue.close());
    // Whoever only iterates learns of a failure there; it must not end the process as unhandled.
    result.catch(() => {});
    async function* iterate(): AsyncGenerator<RunEvent> {
      yield* queue;
      await result;
    }
    return { runId, result, [Symbol.asyncIterator]: iterate };
  }

  return {
    async ask(input, options = {}) {
      const { signal, review } = options;
      return toRun(
        await begin(createRunId(), toTask(input), options, { signal, review, isStreaming: false }),
      );
    },
    stream(input, options = {}) {
      const { runId = createRunId() } = options;
      const work = async (stage: StageParts) => begin(runId, toTask(input), options, stage);
      return toStream(runId, options, work);
    },
    resume: (runId, options = {}) => toStream(runId, options, (stage) => goOn(runId, options, stage)),
    async load(runId) {
      const state = fold(await (await openedStore()).loadRun(runId));
      return state && toRun(state);
    },
    pool: pools.find,
    store: openedStore,
    backlog,
    circuitOf: (workerId) => breaker.stateOf(workerId),
    circuits: breaker,
    enterProvider,
    async close() {
      isClosed = true;
      if (backlog.size > 0) await backlog.flush();
      await calibrations.close();
      // Whoever brought a store of their own closes it.
      if (!given) await (await opened)?.close();
    },
  };
}

interface StageParts extends Pick<AskOptions, "signal" | "review" | "isFinal" | "patienceMs"> {
  onEvent?: Listener;
  isStreaming: boolean;
}

export function parseInput({ store, observers, ...input }: TuttiInput) {
  if (typeof store !== "object") return { config: parseConfig({ ...input, store }), observers };
  return { config: parseConfig(input), store, observers };
}

type Listener = (event: RunEvent) => void;

function both(first: Listener | undefined, second: Listener | undefined): Listener | undefined {
  if (!first || !second) return first ?? second;
  return (event) => {
    first(event);
    second(event);
  };
}

function warn(text: string): void {
  process.emitWarning(text, "TuttiNotice");
}
