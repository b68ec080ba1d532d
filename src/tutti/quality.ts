// How much an answer may take: the one table that the command, the config, the gateway and the dashboard read. What a
// person names explicitly (--rounds, --budget-usd, --conductor) comes before it. Figures: docs/experiments/conductor/quality.md.

import { usageError } from "../base/errors.ts";
import { shorten } from "../base/format.ts";
import { QUALITIES, type Quality } from "../base/quality-names.ts";
import { didYouMean } from "../base/suggest.ts";
import type { TuttiConfig } from "../config/schema.ts";

export interface QualityTraits {
  /** One worker of the cheaper half of the pool answers, and nobody plans. */
  isSingle: boolean;
  /** Workflows beyond those of the config. */
  moreRounds: number;
  /** Times the dollars that the config allows for a question. */
  budget: number;
  /** So many steps at least, unless the task is trivial: what a prompted Conductor is told. Absent: as few as it needs. */
  teamSize?: number;
  /** The strongest model of the pool plans, whatever it costs; otherwise the strongest of the cheaper half. */
  isPlannedByStrongest: boolean;
  /** Times the cost per call by which native and TRINITY choose how many to ask. */
  costPerCall: number;
  /** What it does, in a line. */
  summary: string;
  /** Right answers and calls of workers for a question in the rehearsal, which is a simulation. */
  measured: string;
}

export const QUALITY_TRAITS: Record<Quality, QualityTraits> = {
  economy: {
    isSingle: true,
    moreRounds: 0,
    budget: 0.5,
    isPlannedByStrongest: false,
    costPerCall: 4,
    summary: "one worker of the cheaper half, no planning, half the budget",
    measured: "54 % right, 1.0 calls, 1 % of the cost of balanced",
  },
  balanced: {
    isSingle: false,
    moreRounds: 0,
    budget: 1,
    isPlannedByStrongest: false,
    costPerCall: 1,
    summary: "a team as small as the question allows",
    measured: "85 % right, 2.4 calls",
  },
  high: {
    isSingle: false,
    moreRounds: 1,
    budget: 2,
    teamSize: 3,
    isPlannedByStrongest: false,
    costPerCall: 0.5,
    summary: "larger teams, a second round, twice the budget",
    measured: "92 % right, 3.3 calls, 1.4 times the cost",
  },
  max: {
    isSingle: false,
    moreRounds: 2,
    budget: 4,
    teamSize: 4,
    isPlannedByStrongest: true,
    costPerCall: 0.25,
    summary: "the largest teams, planned by the strongest, three rounds, four times the budget",
    measured: "92 % right, 3.9 calls, 1.6 times the cost",
  },
};

/** Of a journal, which may be of another version. */
export function isQuality(quality: string | undefined): quality is Quality {
  return (QUALITIES as readonly (string | undefined)[]).includes(quality);
}

/** For callers in plain JavaScript. */
export function checkQuality(quality: string): asserts quality is Quality {
  if (isQuality(quality)) return;
  throw usageError(
    `quality must be ${QUALITIES.join(", ")}, not "${shorten(quality)}".${didYouMean(quality, QUALITIES)}`,
  );
}

const MOST_ROUNDS = 10;

/** How many workflows it may take. */
export function toRounds(config: Pick<TuttiConfig, "rounds">, quality: Quality): number {
  const { isSingle, moreRounds } = QUALITY_TRAITS[quality];
  return isSingle ? 1 : Math.min(MOST_ROUNDS, config.rounds + moreRounds);
}

/** null: no limit. */
export function toBudgetUsd({ limits }: Pick<TuttiConfig, "limits">, quality: Quality): number | null {
  return limits.usd === null ? null : limits.usd * QUALITY_TRAITS[quality].budget;
}

function toLine(name: Quality): string {
  const { summary, measured } = QUALITY_TRAITS[name];
  return `  ${name.padEnd(9)} ${summary}\n            (simulated: ${measured})`;
}

/** The table for `--help`. */
export function describeQualities(): string {
  return QUALITIES.map((name) => toLine(name)).join("\n");
}
