// What the dashboard is told beside runs, models and bills: the words that its pages and the routes share.
// Types only, so that the page can take them from here. Times are milliseconds since 1970, shares 0..1.

import type { ConductorComparison } from "../../bench/compare.ts";
import type { BenchResult } from "../../bench/types.ts";
import type { WorkerReadiness } from "../../config/discover.ts";
import type { TestResult } from "../../learn/folder.ts";
import type { TrainingStatement } from "../../learn/statement.ts";
import type { IterationMetrics, Sample, ValidationMetrics } from "../../learn/types.ts";
import type { CircuitState } from "../../perform/retry.ts";
import type { Message, PoolMember, WorkerKind } from "../../worker/types.ts";
import type { GatewayKey, toShownKey } from "../access/keys.ts";
import type { ShadowReport } from "../shadow/compare.ts";

/** GET /v1/session */
export interface DashboardSession {
  object: "session";
  /** No key was ever defined: every program of this machine may do everything. */
  isOpen: boolean;
  /** Whether keys, trainings and benches may be looked after. */
  isAdmin: boolean;
  key?: Pick<GatewayKey, "id" | "name" | "hint">;
}

/** GET /v1/shadow */
export interface ShownShadow extends ShadowReport {
  object: "shadow";
  /** Null: switched off. */
  settings: { model: string; share: number; budgetUsd: number; keys?: string[] } | null;
  /** Of the day's budget (UTC). */
  today: { spentUsd: number; reservedUsd: number; resetsAt: number };
}

// ---- Pool -----------------------------------------------------------------------------------------

/** GET /v1/pool?hours=168 */
export interface PoolReport {
  object: "pool";
  kind: "config" | "environment" | "rehearsal" | "mixed";
  /** That the workers are simulated, and what to do about it. */
  notice?: string;
  workers: PoolWorker[];
  /** Names of the config for groups of workers. */
  pools: Record<string, string[]>;
  /** Found, but cannot be asked. */
  leftOut: { id: string; state: string; detail: string }[];
  /** What shares are of: runs that began since then. `isCut`: only the newest of them were counted. */
  window: { from: number; hours: number; runs: number; isCut: boolean; calls: number; costUsd: number };
  /** The Conductors' own calls, in no share. */
  planning: { calls: number; costUsd: number };
}

/** GET /v1/pool/days?hours=720: `data`, one line for each worker and day (UTC). */
export type { DayOfWork } from "./worker-shares.ts";

export interface PoolWorker extends Omit<PoolMember, "worker"> {
  id: string;
  kind: WorkerKind;
  /** As workflows name it. */
  number: number;
  state: WorkerReadiness;
  detail?: string;
  circuit: CircuitState;
  work: {
    calls: number;
    costUsd: number;
    failures: number;
    callShare: number;
    costShare: number;
    /** Of a whole reply. */
    meanMs?: number;
  };
}

// ---- Runs -----------------------------------------------------------------------------------------

/** GET /v1/runs/{id}/messages: `data`. */
export interface StepMessages {
  round: number;
  step: number;
  workerId: string;
  messages: Message[];
}

// ---- Learn ----------------------------------------------------------------------------------------

/** GET /v1/trainings: `data`, the newest first. */
export interface TrainingSummary
  extends Pick<
    TrainingStatement,
    "world" | "isSimulated" | "seed" | "command" | "startedAt" | "endedAt" | "state" | "problem"
  > {
  id: string;
  iterations: number;
  /** Absent as long as it is not known. */
  total?: number;
  stage?: IterationMetrics["stage"];
  /** Its best evaluation on the validation split. */
  best?: Pick<ValidationMetrics, "accuracy" | "low" | "high" | "iteration" | "calls">;
  /** This gateway started it and can stop it. */
  isOurs: boolean;
}

/** GET /v1/trainings/{id}?after=99: metrics of later iterations only. What was not measured is null. */
export interface TrainingReport {
  object: "training";
  summary: TrainingSummary;
  notices: string[];
  engine?: string;
  iterations: IterationMetrics[];
  validations: ValidationMetrics[];
  samples: Sample[];
  results: TestResult[];
}

/** POST /v1/trainings */
export interface TrainingSettings {
  /** After the warm-up. */
  iterations: number;
  seed: number;
  /** small: a few times as fast, to watch the curves move; it is too small to plan well. */
  size: "small" | "usual";
}

// ---- Bench ----------------------------------------------------------------------------------------

/** GET /v1/benches: `data`, the newest first. */
export interface BenchSummary {
  id: string;
  set: string;
  changedAt: number;
  isSimulated: boolean;
  /** Rows are missing: it runs, or was stopped. */
  isFinished: boolean;
  conductors: number;
  best?: Pick<BenchResult, "conductor" | "accuracy" | "calls">;
}

/** GET /v1/benches/{id} */
export interface BenchReport {
  object: "bench";
  summary: BenchSummary;
  counts?: { train: number; validation: number; test: number };
  seed: number;
  refused: { conductor: string; reason: string }[];
  results: BenchResult[];
}

/** GET /v1/comparisons?a=BENCH&a_conductor=ID&b=BENCH&b_conductor=ID */
export type BenchComparison = ConductorComparison & { object: "comparison" };

// ---- Keys -----------------------------------------------------------------------------------------

/** GET /v1/keys: `data`. Never with its secret, nor its hash. */
export type ShownKey = ReturnType<typeof toShownKey>;

/** POST /v1/keys */
export type { KeySettings } from "../access/keys.ts";

/** Its answer: the only time that the secret is shown. */
export interface CreatedKey {
  object: "key";
  key: ShownKey;
  secret: string;
  /** It was the first one: from now on nobody gets in without a key. */
  isFirst: boolean;
}
