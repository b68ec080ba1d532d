// What a recorded reply cost: as it was recorded, at list prices, or unknown. Unknown is never nothing: whatever shows
// a cost must be able to say which of these it is.

import type { GradedTask } from "../task/types.ts";
import type { ListPrice, RecordedOutcome, Recording } from "./types.ts";

/**
 * recorded: dollars of each call. list: list prices and the recorded tokens. list-assumed: list prices and a reply
 * of usual length, because nobody recorded how long they were. unknown: neither dollars nor a list price.
 */
export type CostSource = "recorded" | "list" | "list-assumed" | "unknown";

/** Where the dollars of a set of recorded workers come from. */
export interface RecordedCosts {
  /** Of the workers whose cost is known, the least certain; "unknown" where it is known of nobody. */
  source: CostSource;
  /** Ids of those whose cost nobody knows. */
  unknown: readonly string[];
}

/** Of a reply whose length was not recorded. */
const ASSUMED_OUTPUT_TOKENS = 600;
const CHARACTERS_PER_TOKEN = 4;
const LEAST_CERTAIN: readonly CostSource[] = ["list-assumed", "list", "recorded"];

export function costOfOutcome(
  outcome: RecordedOutcome,
  promptCharacters: number,
  price: ListPrice | undefined,
): { usd?: number; source: CostSource } {
  if (outcome.costUsd !== undefined) return { usd: outcome.costUsd, source: "recorded" };
  if (!price) return { source: "unknown" };
  // Tokens of 0 are unknown ones: no model replies with nothing to everything.
  const output = outcome.outputTokens ?? (outcome.tokens > 0 ? outcome.tokens : undefined);
  const input = outcome.inputTokens ?? promptCharacters / CHARACTERS_PER_TOKEN;
  const usd =
    (input * price.inputUsdPerMillion + (output ?? ASSUMED_OUTPUT_TOKENS) * price.outputUsdPerMillion) / 1e6;
  return { usd, source: output === undefined ? "list-assumed" : "list" };
}

/** What the replies of one worker to the tasks of a set cost. */
export interface WorkerCost {
  source: CostSource;
  /** The dearest reply: what a budget must have for one more. Undefined where it is unknown. */
  mostUsd?: number;
}

/** The least certain of its replies counts. */
export function measureWorkerCost(
  recording: Recording,
  tasks: readonly GradedTask[],
  worker: string,
): WorkerCost {
  const price = recording.prices.get(worker);
  let mostUsd = 0;
  const sources = new Set<CostSource>();
  for (const task of tasks)
    for (const outcome of recording.outcomesOf(task.id, worker)) {
      const { usd, source } = costOfOutcome(outcome, charactersOf(task), price);
      if (usd === undefined) return { source };
      mostUsd = Math.max(mostUsd, usd);
      sources.add(source);
    }
  return { source: leastCertain(sources), mostUsd };
}

export function charactersOf({ prompt, choices = [] }: Pick<GradedTask, "prompt" | "choices">): number {
  return choices.reduce((sum, choice) => sum + choice.length, prompt.length);
}

/** Of a set: `costs` by worker. */
export function toRecordedCosts(costs: ReadonlyMap<string, WorkerCost>): RecordedCosts {
  const known = [...costs.values()].map(({ source }) => source).filter((source) => source !== "unknown");
  const unknown = [...costs].filter(([, { source }]) => source === "unknown").map(([worker]) => worker);
  return { source: leastCertain(new Set(known)), unknown };
}

function leastCertain(sources: ReadonlySet<CostSource>): CostSource {
  return LEAST_CERTAIN.find((source) => sources.has(source)) ?? "unknown";
}

/** For people, wherever costs are shown; undefined where dollars are simply as recorded. */
export function toCostWords({ source, unknown }: RecordedCosts): string | undefined {
  if (source === "unknown")
    return "What a call cost was not recorded, and no list price is known: costs are unknown (—).";
  const words = {
    recorded: "",
    list: "Dollars are at list prices, for the recorded tokens.",
    "list-assumed": `Dollars are at list prices, for replies of ${ASSUMED_OUTPUT_TOKENS} tokens: how long they were was not recorded.`,
  }[source];
  const rest =
    unknown.length === 0
      ? ""
      : `No price is known of ${unknown.join(", ")}: whoever asks ${unknown.length === 1 ? "it" : "them"} has no cost (—).`;
  return [words, rest].filter(Boolean).join(" ") || undefined;
}
