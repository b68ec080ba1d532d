// Success overall and by topic from a table of scores. Few tasks say little, so every rate is shrunk
// towards one that more tasks stand behind: a worker's own towards that of all, a topic's towards the worker's.

import { type JudgeCounts, type Profile, TOPICS, type Topic } from "../worker/types.ts";
import type { Calibration, JudgeMeasurement } from "./types.ts";

/** So many imagined tasks at the rate that is shrunk to. */
const OVERALL_WEIGHT = 8;
const TOPIC_WEIGHT = 4;

export type ScoreRow = readonly (number | undefined)[];

export interface Counted {
  sums: number[];
  counts: number[];
}

/** By position of the worker; `workers` are those that count, the others stay at 0. */
export function countScores(rows: Iterable<ScoreRow>, width: number, workers: readonly number[]): Counted {
  const sums = new Array<number>(width).fill(0);
  const counts = new Array<number>(width).fill(0);
  for (const row of rows) {
    for (const worker of workers) {
      const score = row[worker];
      if (score === undefined) continue;
      sums[worker]! += score;
      counts[worker]! += 1;
    }
  }
  return { sums, counts };
}

/** The rate of each of these workers, shrunk towards that of all of them together; 0 for the others. */
export function toRates({ sums, counts }: Counted, workers: readonly number[]): number[] {
  const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
  const mean = total(sums) / Math.max(1, total(counts));
  const rates = sums.map(() => 0);
  for (const worker of workers) rates[worker] = shrink(sums[worker]!, counts[worker]!, mean, OVERALL_WEIGHT);
  return rates;
}

/** A rate from few tasks is shrunk towards one from many. */
export function shrink(sum: number, count: number, towards: number, weight: number): number {
  return (sum + weight * towards) / (count + weight);
}

/** What does not depend on a question, by position of the worker; undefined where nothing was measured. */
export function measureProfiles({
  workers,
  tasks,
  scores,
  source,
  delaysMs = [],
  callsUsd = [],
  judges = [],
}: Calibration): (Profile | undefined)[] {
  const all = [...workers.keys()];
  const overall = countScores(scores, workers.length, all);
  const rates = toRates(overall, all);
  const topics = new Set(tasks.map(({ topic }) => topic));
  const byTopic = TOPICS.filter((topic) => topics.has(topic)).map((topic) => {
    const rows = scores.filter((_, task) => tasks[task]!.topic === topic);
    return { topic, counted: countScores(rows, workers.length, all) };
  });
  return all.map((worker) => {
    const count = overall.counts[worker]!;
    if (count === 0) return undefined;
    const success = rates[worker]!;
    const ofTopics: Profile["topics"] = {};
    for (const { topic, counted } of byTopic) {
      const measured = counted.counts[worker]!;
      if (measured > 0) ofTopics[topic] = shrink(counted.sums[worker]!, measured, success, TOPIC_WEIGHT);
    }
    const [delayMs, callUsd] = [delaysMs[worker], callsUsd[worker]];
    const judging = toCounts(judges.find(({ id }) => id === workers[worker]));
    return {
      success,
      tasks: count,
      topics: ofTopics,
      source,
      delayMs,
      ...(callUsd !== undefined && { callUsd }),
      ...(judging && { judging }),
    };
  });
}

function toCounts(measured: JudgeMeasurement | undefined): JudgeCounts | undefined {
  if (!measured) return undefined;
  const { right, refusedRight, wrong, acceptedWrong } = measured;
  return { right, refusedRight, wrong, acceptedWrong };
}

/** The category of a task as a topic, where it is the name of one. */
export function topicOf(category: string): Topic | undefined {
  return TOPICS.find((topic) => topic === category);
}
