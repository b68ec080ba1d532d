// The kinds of limits that a run may have, in one table: what a caller sets, what stops the run, how it reads. Setting,
// checking, showing and ending all go by it, so that a further kind is a line here and its accounting in
// perform/budget.ts.

import { toCount, toDelay, toMoney } from "../base/format.ts";

export interface LimitKind {
  /** Its name among the options of `ask`. */
  option: string;
  stopReason: string;
  /** The least that can be asked for. */
  min: number;
  isWhole: boolean;
  toText(value: number): string;
  /** What is said of a run that met it. */
  stopped: string;
  /** Whether a shorter answer would have helped, so that a client is told so. */
  isSaved: boolean;
}

export const LIMIT_KINDS = {
  /** Dollars of all calls, the Conductor's own included. */
  usd: {
    option: "budgetUsd",
    stopReason: "budget-usd",
    min: 0,
    isWhole: false,
    isSaved: true,
    stopped: "Stopped: the next step could have gone over the budget",
    toText: (usd: number) => toMoney(usd),
  },
  /** Calls of workers, retries and nested runs included. The Conductor's own are bounded by the rounds. */
  calls: {
    option: "maxCalls",
    stopReason: "budget-calls",
    min: 1,
    isWhole: true,
    isSaved: true,
    stopped: "Stopped at the limit",
    toText: (calls: number) => toCount(calls, "call"),
  },
  /** Input and output tokens of all calls together. */
  tokens: {
    option: "maxTokens",
    stopReason: "budget-tokens",
    min: 1,
    isWhole: true,
    isSaved: true,
    stopped: "Stopped: the next step could have gone over the limit",
    toText: (tokens: number) => toCount(tokens, "token"),
  },
  deadlineMs: {
    option: "deadlineMs",
    stopReason: "deadline",
    min: 1,
    isWhole: false,
    isSaved: false,
    stopped: "Stopped at the deadline",
    toText: toDelay,
  },
} as const satisfies Record<string, LimitKind>;

export type LimitName = keyof typeof LIMIT_KINDS;
export const LIMIT_NAMES = Object.keys(LIMIT_KINDS) as LimitName[];

/** Absent means unlimited. Limits are results: a run that meets one ends with its best answer so far. */
export type Limits = { [Name in LimitName]?: number };

export type LimitStopReason = (typeof LIMIT_KINDS)[LimitName]["stopReason"];

/** What a limit is called among the options of `ask`. */
export type LimitOption = (typeof LIMIT_KINDS)[LimitName]["option"];

/** The limit that a stop reason is about, with what was allowed: "$0.50", "3 calls". Undefined for other reasons. */
export function findLimit(
  stopReason: string | undefined,
  limits: Limits,
): { kind: LimitKind; text: string } | undefined {
  const name = LIMIT_NAMES.find((each) => LIMIT_KINDS[each].stopReason === stopReason);
  if (name === undefined) return undefined;
  const allowed = limits[name];
  return { kind: LIMIT_KINDS[name], text: allowed === undefined ? "" : LIMIT_KINDS[name].toText(allowed) };
}

/** What a Conductor is told of the limits: what is left of them. Absent: no limit. */
export interface PlanLimits {
  usd?: number;
  calls?: number;
  /** For the whole run, from its start. */
  deadlineMs?: number;
  /** For each member of the pool: what a step with it may reserve at the most. Absent without a dollar limit. */
  stepUsd?: (number | null)[];
}
