// What is asked about the past: runs, bills, who did the work, trainings, benches. Each is a function from plain data to
// plain data that may take long, so that it can be done in a thread of its own (reader.ts) or, for a journal that is
// small or not a file, where one is.

import type { Environment } from "../../config/home.ts";
import type { Query } from "../../http/target.ts";
import { SHADOW_KEY_ID } from "../../store/shadow.ts";
import type {
  RunEvent,
  RunFilter,
  RunSummary,
  SpendingFilter,
  SpendingRow,
  Store,
} from "../../store/types.ts";
import { type BillQuery, toBill, toBillCsv } from "../access/bill.ts";
import type {
  BenchComparison,
  BenchReport,
  BenchSummary,
  TrainingReport,
  TrainingSummary,
} from "../dashboard/types.ts";
import {
  createShareReader,
  type DayOfWork,
  type ShareFilter,
  type Shares,
} from "../dashboard/worker-shares.ts";
import { compareShadows, type ShadowReport } from "../shadow/compare.ts";
import { compareBenches, listBenches, showBench } from "./bench-folders.ts";
import { loadOwnEvents, showOwnMessages, showOwnRun, type Viewer } from "./own-run.ts";
import { showTraining, summariseTraining, summariseTrainings } from "./training-folders.ts";

/** Where trainings and benches lie. */
export interface Folders {
  env: Environment;
  cwd: string;
}

type BillFilter = BillQuery["filter"];
type List<T> = { object: "list"; data: T[] };

export interface Reads {
  listRuns(filter: RunFilter): Promise<RunSummary[]>;
  /** Whose-ever it is: the caller looks. */
  loadRun(id: string): Promise<RunEvent[]>;
  /** Throws "not-found" for one that is not there, or not this key's. */
  loadOwnEvents(id: string, viewer: Viewer): Promise<RunEvent[]>;
  showOwnRun(id: string, viewer: Viewer): Promise<object>;
  showOwnMessages(id: string, viewer: Viewer): Promise<object>;
  sumSpending(filter: SpendingFilter): Promise<SpendingRow[]>;
  /** As it is sent, for a bill may have a line for each run. */
  toBill(filter: BillFilter): Promise<object>;
  toBillCsv(filter: BillFilter): Promise<string>;
  sumShares(filter: ShareFilter): Promise<Shares>;
  /** Shadow runs beside their originals. */
  compareShadows(options: { limit?: number }): Promise<ShadowReport>;
  sumDays(filter: ShareFilter): Promise<{ days: DayOfWork[]; isCut: boolean }>;
  listBenches(): Promise<List<BenchSummary>>;
  showBench(id: string): Promise<BenchReport>;
  compareBenches(query: Query): Promise<BenchComparison>;
  listTrainings(oursId: string | undefined): Promise<List<TrainingSummary>>;
  summariseTraining(id: string, oursId: string | undefined): Promise<TrainingSummary>;
  showTraining(id: string, after: number, oursId: string | undefined): Promise<TrainingReport>;
}

export function createReads(openStore: () => Promise<Store>, folders: Folders): Reads {
  const shares = createShareReader();
  return {
    listRuns: async (filter) => (await openStore()).listRuns(filter),
    loadRun: async (id) => (await openStore()).loadRun(id),
    loadOwnEvents: async (id, viewer) => loadOwnEvents(await openStore(), id, viewer),
    showOwnRun: async (id, viewer) => showOwnRun(await openStore(), id, viewer),
    showOwnMessages: async (id, viewer) => showOwnMessages(await openStore(), id, viewer),
    sumSpending: async (filter) => (await openStore()).sumSpending(filter),
    toBill: async (filter) => {
      const store = await openStore();
      const isOfAll = filter.keyId === undefined;
      const { groupBy: _, ...all } = filter;
      const shadows = isOfAll ? await store.sumSpending({ ...all, keyId: SHADOW_KEY_ID }) : [];
      return toBill(await store.sumSpending(filter), filter.groupBy, shadows);
    },
    toBillCsv: async (filter) => toBillCsv(await (await openStore()).sumSpending(filter), filter.groupBy),
    sumShares: async (filter) => shares.read(await openStore(), filter),
    compareShadows: async (options) => compareShadows(await openStore(), options),
    sumDays: async (filter) => shares.readDays(await openStore(), filter),
    listBenches: async () => ({ object: "list", data: listBenches(folders) }),
    showBench: async (id) => showBench(folders, id),
    compareBenches: async (query) => compareBenches(folders, query),
    listTrainings: async (oursId) => ({ object: "list", data: summariseTrainings(folders, oursId) }),
    summariseTraining: async (id, oursId) => summariseTraining(folders, id, oursId),
    showTraining: async (id, after, oursId) => showTraining(folders, id, after, oursId),
  };
}

/** In memory of its own, so that it can be handed over to another thread. */
export function toBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
}
