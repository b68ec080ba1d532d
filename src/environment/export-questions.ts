// Which questions are exported: of the rehearsal, of a set of tasks, or those that a team has answered once
// and that are asked for a second round. Training and test questions never mix.

import { usageError } from "../base/errors.ts";
import { createRandom, hashSeed } from "../base/random.ts";
import { performTexts } from "../world/rollout.ts";
import { splitOf } from "../world/split.ts";
import type { TasksWorld } from "../world/tasks.ts";
import type { PosedQuestion } from "./export-rows.ts";
import { type QuestionFinder, rehearsalWorldOf } from "./find-question.ts";
import { parseLabel } from "./label.ts";
import type { JournalRow } from "./rollout-journal.ts";

export interface PosedSplits {
  train: PosedQuestion[];
  test: PosedQuestion[];
}

export function poseRehearsal(options: {
  pools: "fixed" | "random";
  seed: number;
  train: number;
  test: number;
}): PosedSplits {
  const { pools, seed } = options;
  const world = rehearsalWorldOf(pools, seed);
  const pose = (split: "train" | "test", count: number): PosedQuestion[] =>
    Array.from({ length: count }, (_, number) => ({
      label: { world: "rehearsal", pools, seed, split, number },
      question: world.sampleFrom(split, number),
    }));
  return { train: pose("train", options.train), test: pose("test", options.test) };
}

/** Every task once, with a sampled pool; of the test tasks so many. */
export function poseTasks(
  world: TasksWorld,
  digest: string,
  { train, test }: { train?: number; test?: number },
): PosedSplits {
  const pose = (tasks: TasksWorld["splits"]["train"], count = tasks.length): PosedQuestion[] =>
    Array.from({ length: count }, (_, i) => {
      const question = world.pose(tasks[i % tasks.length]!, Math.floor(i / tasks.length));
      const pool = question.pool.members.map(({ worker }) => worker.id);
      return { label: { world: "tasks", digest, task: question.task.id, pool }, question };
    });
  return { train: pose(world.splits.train, train), test: pose(world.splits.test, test) };
}

/**
 * From what was performed: at most one right and one wrong first round a question, so that accepting and
 * mending are both worth something. Replies come from the cache where they were paid for. What an engine has
 * evaluated on test questions stays a test.
 */
export async function poseSecondRounds(
  rows: readonly JournalRow[],
  finder: QuestionFinder,
  { seed, signal, ...counts }: { train: number; test: number; seed: number; signal: AbortSignal },
): Promise<PosedSplits> {
  const splits: PosedSplits = { train: [], test: [] };
  for (const { key, label: text, completion } of chooseFirstRounds(rows, seed)) {
    const label = parseLabel(text);
    const { question, world } = finder.find(label);
    const split = splitOf(question.task) === "train" ? "train" : "test";
    if (splits[split].length >= counts[split]) continue;
    const outcome = await performTexts({
      ...{ world, question, texts: [completion], signal },
      // As it was performed the first time.
      seed: hashSeed("environment", key),
    });
    if (outcome.isOutage) continue;
    splits[split].push({ label: { ...label, before: [completion] }, question, rounds: outcome.rounds });
  }
  if (splits.train.length === 0)
    throw usageError("The journal holds no valid first round: a second one has nothing to go on from");
  return splits;
}

function chooseFirstRounds(rows: readonly JournalRow[], seed: number): JournalRow[] {
  const byQuestion = new Map<string, JournalRow>();
  // Late rows are of a better policy: the last ones are what a second round will meet.
  for (const row of rows) {
    if (!row.isValid || parseLabel(row.label).before) continue;
    byQuestion.set(`${row.label} ${row.isRight}`, row);
  }
  return createRandom(hashSeed("second rounds", seed)).shuffle([...byQuestion.values()]);
}
