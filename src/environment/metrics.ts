// What has been answered, for /metrics, for /health and for the line in the terminal. Failures are counted
// apart from rewards: a mean reward is a mean of true ones.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { finiteMean } from "../base/statistics.ts";
import { FAILURE_KINDS, type FailureKind, type Performed, type TrainingEngine } from "./types.ts";

/** About one batch of an engine. */
const RECENT = 256;
const ANSWER_SECONDS = [0.01, 0.05, 0.25, 1, 5, 10, 30, 60, 110, 170, 300, 600];

/** Where an answer came from: performed for it, kept from before, or joined to one that was under way. */
export type Source = "performed" | "kept" | "joined";

export interface Snapshot {
  /** Rollouts with a true reward, those before a restart included. */
  performed: number;
  /** Answers without a performance: from the journal, and together with one under way. */
  kept: number;
  joined: number;
  failures: Record<FailureKind, number>;
  /** Of the last 256 rollouts with a true reward; NaN before the first. */
  reward: number;
  validShare: number;
  rightShare: number;
  rolloutsPerSecond: number;
  /** What the performed workflows cost, and one of them on average. */
  costUsd: number;
  costPerRolloutUsd: number;
}

export interface RolloutMetrics {
  addAnswer(engine: TrainingEngine, source: Source | undefined, durationMs: number): void;
  addPerformed(performed: Performed): void;
  /** Performed before this server was started. */
  addEarlier(performed: Performed): void;
  addFailure(kind: FailureKind): void;
  snapshot(): Snapshot;
  text(): Promise<string>;
  readonly contentType: string;
}

export function createRolloutMetrics({
  isSimulated,
  gate,
  now,
}: {
  isSimulated: boolean;
  gate: { readonly running: number; readonly waiting: number };
  now: () => number;
}): RolloutMetrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const answered = counter("tutti_rl_answers_total", "Submissions answered.", ["engine", "source"]);
  const rollouts = counter("tutti_rl_rollouts_total", "Rollouts performed, by result.", ["result"]);
  const failed = counter("tutti_rl_failures_total", "Submissions without a true reward.", ["kind"]);
  const rewards = counter("tutti_rl_reward_sum", "Sum of the true rewards.");
  const cost = counter("tutti_rl_cost_usd_total", "Dollars that the workflows cost.", ["simulated"]);
  const calls = counter("tutti_rl_calls_total", "Calls of workers, kept replies included.");
  const seconds = new Histogram({
    name: "tutti_rl_answer_seconds",
    help: "From the arrival of a request to its answer.",
    labelNames: ["engine"],
    buckets: ANSWER_SECONDS,
    registers,
  });
  for (const state of ["running", "waiting"] as const)
    new Gauge({
      name: `tutti_rl_${state}`,
      help: `Rollouts that are ${state}.`,
      registers,
      collect() {
        this.set(gate[state]);
      },
    });
  // Series that are there from the start: an alert on failures must not depend on the first one.
  for (const kind of FAILURE_KINDS) failed.inc({ kind }, 0);

  const sources: Record<Source, number> = { performed: 0, kept: 0, joined: 0 };
  const failures = Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, 0])) as Record<FailureKind, number>;
  const recent: { at: number; performed: Performed }[] = [];
  let costUsd = 0;
  let count = 0;
  const addEarlier = (performed: Performed) => {
    costUsd += performed.costUsd;
    count++;
  };
  const meanRecent = (value: (performed: Performed) => number) =>
    finiteMean(recent.map(({ performed }) => value(performed)));
  return {
    addAnswer(engine, source, durationMs) {
      answered.inc({ engine, source: source ?? "none" });
      seconds.observe({ engine }, durationMs / 1000);
      if (source) sources[source]++;
    },
    addPerformed(performed) {
      const { reward, isValid, isRight } = performed;
      rollouts.inc({ result: isRight ? "right" : isValid ? "wrong" : "invalid" });
      rewards.inc(reward);
      calls.inc(performed.calls);
      if (performed.costUsd > 0) cost.inc({ simulated: String(isSimulated) }, performed.costUsd);
      addEarlier(performed);
      recent.push({ at: now(), performed });
      if (recent.length > RECENT) recent.shift();
    },
    addEarlier,
    addFailure(kind) {
      failed.inc({ kind });
      failures[kind]++;
    },
    snapshot: () => ({
      performed: count,
      kept: sources.kept,
      joined: sources.joined,
      failures: { ...failures },
      reward: meanRecent(({ reward }) => reward),
      validShare: meanRecent(({ isValid }) => (isValid ? 1 : 0)),
      rightShare: meanRecent(({ isRight }) => (isRight ? 1 : 0)),
      rolloutsPerSecond: toRate(recent, now()),
      costUsd,
      costPerRolloutUsd: count === 0 ? 0 : costUsd / count,
    }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Engines send in bursts: the time since the last rollout counts too. */
function toRate(recent: readonly { at: number }[], now: number): number {
  const [first] = recent;
  if (first === undefined || recent.length < 2) return 0;
  return recent.length / (Math.max(1, now - first.at) / 1000);
}
