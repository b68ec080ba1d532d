// The port of a published protocol: what it takes, what it measures of a router that asks one worker per question,
// and what is published on it. One file per protocol implements it; `protocols.ts` lists them.

import type { Estimate } from "../../base/statistics.ts";
import type { TrainingTask } from "../../baseline/types.ts";
import type { ProtocolFields, Rewording } from "../../recording/protocol-fields.ts";
import type { Recording } from "../../recording/types.ts";
import type { GradedTask } from "../../task/types.ts";
import type { Pool } from "../../worker/types.ts";

export type ProtocolName = "routerarena" | "routellm" | "routerdc";

/** A recording with what only protocols read of it. */
export interface ProtocolMaterial {
  recording: Recording;
  fields: ReadonlyMap<string, ProtocolFields>;
  rewordings: readonly Rewording[];
}

/** What a router may learn from where it is not the recording itself. */
export interface OutsideFit {
  /** For people: folder, sets, which worker stands for which. */
  source: string;
  training: readonly TrainingTask[];
}

export interface ProtocolOptions {
  seed: number;
  /** Opens what `--fit` names for these tasks and workers; absent where nothing was named. */
  openFit?: (tasks: readonly GradedTask[], workers: readonly string[]) => Promise<OutsideFit>;
}

/** What a router looks at when it chooses: `label` is the true category or subtask, which no user would give. */
export type Reads = "nothing" | "question" | "label" | "outcome";

/** Success expected of each worker of the pool, by number, for one task. */
type RouterEstimate = (task: GradedTask) => Float64Array;

/** Asks one worker per question. */
export interface OneCallRouter {
  id: string;
  /** One line: what it does. */
  summary: string;
  reads: Reads;
  /** It learns from outcomes of training tasks. */
  isFitted: boolean;
  /** With two workers it gives the strong one's score less the weak one's, and nothing else: no choice among more. */
  isForTwo?: boolean;
  fit(context: RouterContext): RouterEstimate;
  /** The number of whom it asks. Absent: whoever it expects most of. */
  fitChoice?(context: RouterContext): (task: GradedTask) => number;
}

export interface RouterContext {
  pool: Pool;
  training: readonly TrainingTask[];
  seed: number;
  /** Score of a worker on a task, 0..1: for the oracle alone. */
  scoreOf(task: string, worker: string): number;
}

/** A column of the table. */
export interface ProtocolMetric {
  id: string;
  title: string;
  /** How a value is written: a share as points (58.5), a plain share (.603), or dollars. */
  unit: "points" | "share" | "usd";
  /** What it is, in a line. */
  meaning: string;
}

/** A published figure, or one that follows from published files. */
export interface Anchor {
  name: string;
  metrics: Readonly<Record<string, number>>;
  source: string;
  /** Year, or year and month, of the figure. */
  date: string;
}

export interface CurvePoint {
  /** Share of calls to the strong model. */
  calls: number;
  /** Performance gap recovered. */
  recovered: number;
}

export interface ProtocolRow {
  router: string;
  summary: string;
  reads: Reads;
  /** Of each metric that could be measured. */
  metrics: Readonly<Record<string, Estimate>>;
  /** By deciles, where the protocol draws one. */
  curve?: readonly CurvePoint[];
}

/** A protocol over one recording, ready to measure routers. */
export interface PreparedProtocol {
  tasks: readonly GradedTask[];
  workers: readonly string[];
  /** How it was split, fitted and graded, a sentence each. */
  how: readonly string[];
  metrics: readonly ProtocolMetric[];
  /** Why a router cannot be measured here; undefined where it can. */
  refuse(router: OneCallRouter): string | undefined;
  measure(router: OneCallRouter): ProtocolRow;
  /** Chosen worker per task and, where there are any, per rewording: what a submission file is made of. */
  choose?(router: OneCallRouter, tasks: readonly GradedTask[]): string[];
}

export interface Protocol {
  id: ProtocolName;
  title: string;
  /** Measured where nobody is named. */
  routers: readonly string[];
  anchors: readonly Anchor[];
  /** What the anchors were measured on, where it is not what is measured here. */
  anchorNote: string;
  /** Throws a usage error that says what the recording lacks. */
  prepare(material: ProtocolMaterial, options: ProtocolOptions): Promise<PreparedProtocol>;
}

/** All that was measured, as `--json` prints it. */
export interface ProtocolResult {
  protocol: ProtocolName;
  title: string;
  recording: string;
  tasks: number;
  workers: readonly string[];
  how: readonly string[];
  metrics: readonly ProtocolMetric[];
  rows: readonly ProtocolRow[];
  anchors: readonly Anchor[];
  anchorNote: string;
  refused: readonly { router: string; reason: string }[];
  seed: number;
}
