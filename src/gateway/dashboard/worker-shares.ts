// Who did the work: calls and money by worker, added up from the journal. The journal's summaries know runs only,
// so the events of the newest runs are read; a run that is over is read once and remembered.

import { setImmediate as pause } from "node:timers/promises";
import type { PoolEntry, RunEvent, RunSummary, Store } from "../../store/types.ts";

/** Of one worker, in one run or in many. Simulated money is money of the rehearsal's workers only. */
export interface Work {
  calls: number;
  costUsd: number;
  /** Asks that failed. */
  failures: number;
  /** Asks that got a reply, and how long those took together. */
  replies: number;
  replyMs: number;
}

export interface Shares {
  byWorker: ReadonlyMap<string, Work>;
  /** The Conductors' own, counted apart. */
  planning: Work;
  runs: number;
  /** There are more runs in this time than were read: these are the newest. */
  isCut: boolean;
}

export interface ShareFilter {
  /** Start of the run, milliseconds since 1970. */
  from: number;
  keyId?: string;
}

interface RunWork {
  byWorker: Map<string, Work>;
  planning: Work;
  /** Ids of simulated workers. */
  simulated: ReadonlySet<string>;
}

const MOST_RUNS = 1_000;
const PAGE = 200;
const MOST_REMEMBERED = 10_000;
const READ_AT_ONCE = 25;

/** One worker on one day (UTC). */
export interface DayOfWork extends Pick<Work, "calls" | "costUsd"> {
  day: string;
  workerId: string;
  runs: number;
  isSimulated: boolean;
}

export function createShareReader() {
  const known = new Map<string, RunWork>();

  async function workOf(store: Store, { id, state }: RunSummary): Promise<RunWork> {
    const remembered = known.get(id);
    if (remembered) return remembered;
    const work = toWork(await store.loadRun(id));
    if (state !== "ended") return work;
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(id, work);
    return work;
  }

  async function* worksOf(store: Store, runs: readonly RunSummary[]) {
    for (const [index, run] of runs.entries()) {
      // The journal is read without a wait; requests that run now must not wait for all of it.
      if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await pause();
      yield { run, work: await workOf(store, run) };
    }
  }

  return {
    async read(store: Store, { from, keyId }: ShareFilter): Promise<Shares> {
      const { runs, isCut } = await newest(store, from, keyId);
      const byWorker = new Map<string, Work>();
      const planning = none();
      for await (const { work } of worksOf(store, runs)) {
        add(planning, work.planning);
        for (const [id, each] of work.byWorker) add(entry(byWorker, id), each);
      }
      return { byWorker, planning, runs: runs.length, isCut };
    },
    async readDays(store: Store, { from, keyId }: ShareFilter) {
      const { runs, isCut } = await newest(store, from, keyId);
      const days = new Map<string, DayOfWork>();
      for await (const { run, work } of worksOf(store, runs)) {
        const day = new Date(run.startedAt).toISOString().slice(0, 10);
        for (const [workerId, { calls, costUsd }] of work.byWorker) {
          const before = days.get(`${day} ${workerId}`);
          days.set(`${day} ${workerId}`, {
            ...{ day, workerId, isSimulated: work.simulated.has(workerId) },
            runs: (before?.runs ?? 0) + 1,
            calls: (before?.calls ?? 0) + calls,
            costUsd: (before?.costUsd ?? 0) + costUsd,
          });
        }
      }
      return { days: [...days.values()], isCut };
    },
  };
}

async function newest(store: Store, from: number, keyId: string | undefined) {
  const runs: RunSummary[] = [];
  for (;;) {
    const last = runs.at(-1);
    const before = { startedBefore: last?.startedAt, beforeId: last?.id };
    const page = await store.listRuns({ limit: PAGE, keyId, ...before });
    const within = page.filter(({ startedAt }) => startedAt >= from);
    runs.push(...within);
    const isAll = page.length < PAGE || within.length < page.length;
    // Samples of trainings ("t_") are in the journal to be looked at; nobody asked for them.
    if (isAll || runs.length >= MOST_RUNS)
      return { runs: runs.filter(({ id }) => !id.startsWith("t_")), isCut: !isAll };
  }
}

function toWork(events: readonly RunEvent[]): RunWork {
  const byWorker = new Map<string, Work>();
  const planning = none();
  let pool: PoolEntry[] = [];
  for (const event of events) {
    if (event.type === "run-start") pool = event.pool;
    else if (event.type === "plan-end" || event.type === "plan-error") add(planning, toAsk(event));
    else if (event.type === "step-end" || event.type === "step-error")
      add(entry(byWorker, pool[event.worker]?.id ?? ""), toAsk(event));
  }
  const simulated = new Set(pool.filter(({ isSimulated }) => isSimulated).map(({ id }) => id));
  return { byWorker, planning, simulated };
}

type AskEnd = Extract<RunEvent, { type: "plan-end" | "plan-error" | "step-end" | "step-error" }>;

function toAsk({ type, spending: { calls, costUsd = 0 }, durationMs }: AskEnd): Work {
  const isReply = type === "plan-end" || type === "step-end";
  return isReply
    ? { calls, costUsd, failures: 0, replies: 1, replyMs: durationMs }
    : { calls, costUsd, failures: 1, replies: 0, replyMs: 0 };
}

function none(): Work {
  return { calls: 0, costUsd: 0, failures: 0, replies: 0, replyMs: 0 };
}

function entry(map: Map<string, Work>, id: string): Work {
  const known = map.get(id);
  if (known) return known;
  const work = none();
  map.set(id, work);
  return work;
}

function add(sum: Work, one: Work): void {
  for (const name of Object.keys(one) as (keyof Work)[]) sum[name] += one[name];
}
