// Durable runs, on DBOS Transact: a run is a workflow there, a call of it a step, and what a process that died was performing is
// gone on with by another one. Nothing of what was said is given to DBOS: a workflow is told the id of its run, a step notes that
// it was done. What was said is in the journal alone, which is also what decides whether a call is asked again; so whatever
// happens to DBOS's own notes, nothing that was finished is paid for twice.
//
// One engine a process: DBOS keeps one of itself.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isTuttiError, messageOf, TuttiError } from "../base/errors.ts";
import { withResolvers } from "../base/with-resolvers.ts";
import type { Checkpoint } from "../perform/stage.ts";
import type { RunState } from "../perform/state.ts";
import { openConnection } from "../store/postgres/connection.ts";
import { type Executors, joinExecutors } from "./executors.ts";
import { type LoadedDbos, launchDbos, loadDbos, RECOVERED, toDbosConfig, toWarning } from "./load-dbos.ts";

export interface EngineOptions {
  /** By which other processes know this one. */
  id: string;
  /** Goes on with a run that another process has left. Resolves when it is over, or was left again. */
  onLeft(runId: string): Promise<RunEnding>;
  /** Resolves when all of this run that waits to be journaled is. Before that it is not over: its process may yet die. */
  written?(runId: string): Promise<void> | undefined;
  /** Hears what is wrong with the engine, in words without anything that was said. */
  onWarning(text: string): void;
  /** The schema of DBOS's own tables. */
  schema?: string;
  /** How often it is looked for runs that were given to this process, and that it does not know of. */
  lookMs?: number;
}

/** left: this process ends, and another one goes on with it. */
export type RunEnding = "over" | "left";

export interface RunEngine {
  /**
   * Performs `work` as a workflow of this run. `turn` counts how often the run went on after its end, which is a workflow of its
   * own each time that somebody tries: what came of one before is in the journal. Rejects with "run-busy" where a run of this id
   * was begun already.
   */
  perform(run: { runId: string; turn: number }, work: Work): Promise<RunState>;
  /** Has a run gone on with that was left before there was an engine. One that is known already is not touched. */
  adopt(runId: string): Promise<void>;
  /**
   * False where nobody goes on with it any more, though it has no end: it was refused for good, or has ended its process too
   * often.
   */
  isKept(runId: string): Promise<boolean>;
  /** What is still performed is left to others. */
  close(): Promise<void>;
}

type StartOptions = { workflowID: string; workflowIDReusePolicy?: "reject" };
type Work = (checkpoint: Checkpoint) => Promise<RunState>;

const NAME = "tutti";
/** Changed when a newer Tutti must not go on with what an older one began. The journal decides that, so it has never been. */
const VERSION = "1";
/** A run that ends its process each time is left alone after so many. */
const MOST_RECOVERIES = 20;
/** For a database that is away. */
const START_MS = 30_000;
const SWEEP_MS = 600_000;
const KEPT_MS = 3_600_000;
const SWEEP_AT_ONCE = 500;
/** Before a run that this process has left, and still lives, is tried again: others may be faster. */
const AGAIN_MS = 1_000;
const LOOK_MS = 30_000;

/** What the engine of this process performs. DBOS knows functions by name, so the workflow is one and finds it here. */
interface Current extends LoadedDbos {
  options: EngineOptions;
  /** By the id of its workflow: what was begun here. What is not among them was left by another process. */
  prepared: Map<string, Work>;
  /** Ids of the workflows that this process performs. */
  performing: Set<string>;
  isClosing: boolean;
  /** Outside of any workflow. */
  outside: <T>(work: () => T) => T;
}

let current: Current | undefined;
let workflow: ((runId: string) => Promise<object>) | undefined;
/** The run that is gone on with. */
const goingOn = new AsyncLocalStorage<string>();

export async function openEngine(address: string, options: EngineOptions): Promise<RunEngine> {
  if (current)
    throw new TuttiError("journal-failed", "This process performs runs for another gateway already.");
  const dbos = loadDbos();
  const { DBOS } = dbos;
  const here: Current = {
    ...dbos,
    ...{ options, prepared: new Map(), performing: new Set(), isClosing: false },
    outside: AsyncLocalStorage.snapshot(),
  };
  const { prepared, outside } = here;
  workflow ??= DBOS.registerWorkflow(performWorkflow, { name: "run", maxRecoveryAttempts: MOST_RECOVERIES });
  const perform = workflow;
  const start = (runId: string, asked: StartOptions) =>
    outside(() => DBOS.startWorkflow(perform, asked)(runId));
  const warn = (text: unknown) => options.onWarning(toWarning(text));
  const { id: executorId, schema, onWarning, lookMs = LOOK_MS } = options;
  const app = { address, name: NAME, version: VERSION, executorId, schema, onWarning };
  DBOS.setConfig(toDbosConfig({ ...app, areNotes: true }));
  const connection = await openConnection(address, {
    schema: "tutti",
    maxConnections: 2,
    patienceMs: 30_000,
  });
  current = here;
  let executors: Executors;
  try {
    await launchDbos(dbos, address);
    executors = await joinExecutors({
      connection,
      id: executorId,
      scope: NAME,
      recover: async (dead) =>
        void (await dbos.executor()?.recoverPendingWorkflows(dead.map((each) => each.id))),
      onError: (error) => warn(`what other processes have left could not be found: ${messageOf(error)}`),
    });
  } catch (error) {
    current = undefined;
    await connection.close();
    throw error;
  }
  const sweeping = setInterval(() => void sweep(DBOS).catch(warn), SWEEP_MS);
  sweeping.unref();
  const lookForUnknown = createUnknownLook(here, executorId);
  const looking = setInterval(() => void lookForUnknown().catch(warn), lookMs);
  looking.unref();

  return {
    async perform({ runId, turn }, work) {
      if (goingOn.getStore() === runId) return work(toCheckpoint(here));
      const id = toWorkflowId(runId, turn);
      const { promise, resolve, reject } = withResolvers<RunState>();
      prepared.set(id, (checkpoint) => {
        const performed = work(checkpoint);
        performed.then(resolve, reject);
        return performed;
      });
      const started = start(runId, { workflowID: id, workflowIDReusePolicy: "reject" });
      await within(START_MS, started).catch((error: unknown) => {
        prepared.delete(id);
        throw toStartError(error, runId);
      });
      return promise;
    },
    async adopt(runId) {
      await start(runId, { workflowID: runId });
    },
    async isKept(runId) {
      const open = await outside(() =>
        DBOS.listWorkflows({
          workflow_id_prefix: runId,
          status: ["PENDING", "ENQUEUED"],
          ...{ loadInput: false, loadOutput: false },
        }),
      );
      return open.some(({ workflowID }) => toRunId(workflowID) === runId);
    },
    async close() {
      here.isClosing = true;
      clearInterval(sweeping);
      clearInterval(looking);
      await DBOS.shutdown();
      await executors.leave();
      await connection.close();
      current = undefined;
    },
  };
}

/**
 * A run that goes on after its end is a workflow of its own each time that somebody tries. One that was tried before may have come
 * to nothing: its process died before it had journaled anything.
 */
const toWorkflowId = (runId: string, turn: number) =>
  turn === 0 ? runId : `${runId}/${turn}.${randomUUID().slice(0, 8)}`;
const toRunId = (workflowId: string) => workflowId.split("/")[0];

/** All that DBOS runs and knows: the id of a run goes in, and how it was left comes out. Never rejects: errors may quote. */
async function performWorkflow(runId: string): Promise<object> {
  const here = current!;
  const { DBOS, prepared, performing, options } = here;
  const id = DBOS.workflowID!;
  const work = prepared.get(id);
  prepared.delete(id);
  performing.add(id);
  const goOn = () => goingOn.run(runId, () => options.onLeft(runId));
  try {
    let ending: RunEnding;
    if (work) ending = await toEnding(work(toCheckpoint(here)));
    else {
      await repeatSteps(here, id);
      ending = await goOn();
    }
    // Somebody else took the run, and perhaps did no more than count what was under way; this process lives, so nobody is
    // given the run for its death.
    while (ending === "left" && !here.isClosing) {
      await delay(AGAIN_MS, undefined, { ref: false });
      ending = await goOn();
    }
    if (ending === "over") await options.written?.(runId);
    // A workflow that does not end stays one that others go on with.
    else await new Promise<never>(() => {});
    return { ended: true };
  } catch (error) {
    // Whoever asked has it, or the log of the process that could not go on.
    return { failed: isTuttiError(error) ? error.code : "internal" };
  } finally {
    performing.delete(id);
  }
}

/** Where the journal could not be reached at the beginning nobody knows whether the run has begun: that is looked up. */
async function toEnding(performed: Promise<RunState>): Promise<RunEnding> {
  try {
    return (await performed).ended ? "over" : "left";
  } catch (error) {
    if (isTuttiError(error) && error.code === "journal-failed") return "left";
    throw error;
  }
}

/**
 * DBOS gives a run to this process in one transaction and begins it after that: where the database goes away in between, nobody
 * performs it and it counts as performed here. What is found like this twice is given out again.
 */
function createUnknownLook({ DBOS, performing, outside }: Current, executorId: string): () => Promise<void> {
  let before = new Set<string>();
  return async () => {
    const given = await outside(() =>
      DBOS.listWorkflows({
        ...{ executorId, status: "PENDING", queueName: RECOVERED },
        ...{ loadInput: false, loadOutput: false },
      }),
    );
    const unknown = given.map(({ workflowID }) => workflowID).filter((id) => !performing.has(id));
    for (const id of unknown) if (before.has(id)) await outside(() => DBOS.resumeWorkflow(id));
    before = new Set(unknown);
  };
}

/**
 * DBOS counts the steps of a workflow and knows each by its number, so those that were begun before are counted again. Nothing
 * is asked: a step that was cut off is noted as lost, as it is in the journal.
 */
async function repeatSteps({ DBOS, outside }: Current, id: string): Promise<void> {
  const steps = (await outside(() => DBOS.listWorkflowSteps(id))) ?? [];
  const names = new Map(steps.map(({ functionID, name }) => [functionID, name]));
  const count = Math.max(-1, ...names.keys()) + 1;
  for (let number = 0; number < count; number++)
    await DBOS.runStep(async () => "lost", { name: names.get(number) ?? "lost" });
}

/**
 * Whatever becomes of DBOS's note, the work is done once: the journal has what came of it, and decides whether it may be done.
 * So it does not wait for DBOS, which looks first whether it has a note of it.
 */
function toCheckpoint({ DBOS, outside }: Current): Checkpoint {
  return async (name, work) => {
    const worked = outside(work);
    worked.catch(() => {});
    try {
      await DBOS.runStep(() => worked.then(() => "done"), { name });
    } catch {
      // Another process has taken the run over, or the database is closed: the journal refuses what must not be written.
    }
    await worked;
  };
}

/** Notes of runs that are over are of no more use. */
async function sweep(DBOS: LoadedDbos["DBOS"]): Promise<void> {
  for (;;) {
    const ended = await DBOS.listWorkflows({
      status: ["SUCCESS", "ERROR"],
      endTime: new Date(Date.now() - KEPT_MS).toISOString(),
      limit: SWEEP_AT_ONCE,
      loadInput: false,
      loadOutput: false,
    });
    if (ended.length > 0) await DBOS.deleteWorkflows(ended.map(({ workflowID }) => workflowID));
    if (ended.length < SWEEP_AT_ONCE) return;
  }
}

function toStartError(error: unknown, runId: string): unknown {
  if ((error as Error).constructor.name === "DBOSWorkflowIDInUseError")
    return new TuttiError("run-busy", `Run ${runId} is being performed by another process`);
  if (isTuttiError(error)) return error;
  return new TuttiError("journal-failed", `Run ${runId} could not be begun: ${messageOf(error)}`, {
    cause: error,
  });
}

function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new TuttiError(
      "journal-failed",
      "The journal's database does not answer. Try again in a moment.",
    );
    timer = setTimeout(() => reject(error), limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
