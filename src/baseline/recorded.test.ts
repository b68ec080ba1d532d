// The baselines on a recording of real models, beside a straight computation from its raw rows and
// the figures its README states. Skipped where the recording is not there: it is not part of the project.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { normaliseAnswer } from "../answer/normalise.ts";
import { createRandom } from "../base/random.ts";
import type { Conductor } from "../conductor/types.ts";
import { performRun } from "../perform/driver.ts";
import { toRun } from "../perform/run.ts";
import { loadRecording } from "../recording/load.ts";
import { createRecordedPool, gradeRecorded } from "../recording/replay.ts";
import { type RecordedOutcome, type Recording, RIGHT, type TaskRow } from "../recording/types.ts";
import { type GradedTask, toMessages } from "../task/types.ts";
import { toStage, toStart } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { Pool } from "../worker/types.ts";
import { findBaseline } from "./all.ts";
import { createOracle } from "./oracle.ts";
import { measurePool } from "./strength.ts";
import type { Baseline, TrainingTask } from "./types.ts";

const folder = resolve(import.meta.dirname, "../../../shared/recorded/reasoning-gym");
const set = "reasoning-gym-hard";
const isThere = existsSync(folder);
if (!isThere) console.warn(`No recording in ${folder}: the baselines are not compared with it.`);

const SPLITS = 3;
/** From the README of the recordings: mean of six splits, half fitted, half tested. */
const STATED = { "best-single": 0.582, "lookup-subtask": 0.612, "vote-3": 0.597, oracle: 0.683 };

describe.skipIf(!isThere)("on recorded outcomes of real models, half fitted and half tested", () => {
  test("each baseline does what a straight computation says, and what is stated", {
    timeout: 60_000,
  }, async () => {
    const { tasks, rows, workers } = readRaw();
    const recording = await loadRecording(folder, { set });
    const recorded = createRecordedPool(recording, set, { workers });
    const pool: Pool = { members: [...recorded.members, { worker: createConsensusWorker() }] };
    const isRight = (task: string, worker: string) => rows.get(task)!.get(worker)!.score >= RIGHT;
    const scoresOf = (task: GradedTask) => workers.map((worker) => (isRight(task.id, worker) ? 1 : 0));
    const labels = new Map(tasks.map(({ id, category, subtask: family }) => [id, { category, family }]));
    const baselines = ["best-single", "lookup-subtask", "vote-3", "neighbours"].map(findBaseline);
    const totals = new Map<string, { performed: number; straight: number }>();

    for (let split = 0; split < SPLITS; split++) {
      const shuffled = createRandom(split).shuffle(recording.tasksOf(set));
      const half = Math.floor(shuffled.length / 2);
      const training = shuffled
        .slice(0, half)
        .map((task): TrainingTask => ({ task, scores: scoresOf(task) }));
      const held = shuffled.slice(half);
      const measured = measurePool(pool, training);
      const straight = computeStraight(training, held, workers, rows);
      for (const baseline of [...baselines, createOracle(isRight)]) {
        const conductor = baseline.fit({ pool: measured, training, labels, seed: split });
        let right = 0;
        for (const task of held) {
          if (await isAnsweredRight(task, baseline, measured, conductor, recording)) right++;
        }
        const sums = totals.get(baseline.id) ?? { performed: 0, straight: 0 };
        sums.performed += right / held.length / SPLITS;
        sums.straight += (straight[baseline.id as keyof typeof straight] ?? Number.NaN) / SPLITS;
        totals.set(baseline.id, sums);
      }
    }

    for (const id of ["best-single", "lookup-subtask", "oracle"]) {
      expect([id, totals.get(id)!.performed.toFixed(6)]).toEqual([id, totals.get(id)!.straight.toFixed(6)]);
    }
    // The straight count compares whole texts; the performer compares what a reply states.
    expect(Math.abs(totals.get("vote-3")!.performed - totals.get("vote-3")!.straight)).toBeLessThan(0.005);
    for (const [id, stated] of Object.entries(STATED)) {
      expect([id, Math.abs(totals.get(id)!.performed - stated) < 0.02]).toEqual([id, true]);
    }
    expect(totals.get("neighbours")!.performed).toBeGreaterThan(totals.get("best-single")!.performed + 0.01);
  });
});

/** Through the performer where several are asked; one who is asked alone is looked up, which is faster. */
async function isAnsweredRight(
  task: GradedTask,
  { rounds }: Baseline,
  pool: Pool,
  conductor: Conductor,
  recording: Recording,
): Promise<boolean> {
  const asked = { id: task.id, messages: toMessages(task) };
  const start = { ...toStart(pool, { rounds }), task: asked };
  const request = { task: asked, pool, rounds: [], errors: [], maxSteps: 5, seed: 1 };
  for await (const event of conductor.compose(request, new AbortController().signal)) {
    if (event.type !== "plan-end" || event.decision.type !== "workflow") continue;
    const [first, ...others] = event.decision.workflow.steps;
    if (others.length > 0) continue;
    return recording.outcomesOf(task.id, pool.members[first!.worker]!.worker.id)[0]!.score >= RIGHT;
  }
  const run = toRun(await performRun(start, toStage(pool, conductor)));
  return gradeRecorded(recording, task, run).score >= RIGHT;
}

/** The same by plain loops: no pool, no Conductor, no performer. */
function computeStraight(
  training: readonly TrainingTask[],
  held: readonly GradedTask[],
  workers: string[],
  rows: Map<string, Map<string, RecordedOutcome>>,
) {
  const overall = workers.map(
    (_, w) => training.reduce((sum, { scores }) => sum + scores[w]!, 0) / training.length,
  );
  const order = workers.map((_, w) => w).sort((a, b) => overall[b]! - overall[a]!);
  const share = (right: (task: GradedTask) => boolean) => held.filter(right).length / held.length;
  const outcome = (task: GradedTask, w: number) => rows.get(task.id)!.get(workers[w]!)!;
  const isRight = (task: GradedTask, w: number) => outcome(task, w).score >= RIGHT;
  const mean = overall.reduce((a, b) => a + b, 0) / overall.length;

  const lookUp = (task: GradedTask) => {
    const cell = training.filter((each) => each.task.family === task.family);
    const estimate = (w: number) => {
      const usual = (overall[w]! * training.length + 8 * mean) / (training.length + 8);
      return (cell.reduce((sum, { scores }) => sum + scores[w]!, 0) + 8 * usual) / (cell.length + 8);
    };
    const estimates = order.map(estimate);
    return order[estimates.indexOf(Math.max(...estimates))]!;
  };
  const vote = (task: GradedTask) => {
    const weights = new Map<string, number>();
    for (const w of order.slice(0, 3)) {
      const answer = normaliseAnswer(outcome(task, w).answer ?? "");
      if (answer !== "") weights.set(answer, (weights.get(answer) ?? 0) + overall[w]!);
    }
    const [winner] = [...weights].sort((a, b) => b[1] - a[1])[0] ?? [""];
    return order.slice(0, 3).find((w) => normaliseAnswer(outcome(task, w).answer ?? "") === winner)!;
  };
  return {
    "best-single": share((task) => isRight(task, order[0]!)),
    "lookup-subtask": share((task) => isRight(task, lookUp(task))),
    "vote-3": share((task) => isRight(task, vote(task))),
    oracle: share((task) => workers.some((_, w) => isRight(task, w))),
  };
}

function readRaw() {
  const read = <Row>(name: string): Row[] =>
    gunzipSync(readFileSync(`${folder}/${name}.jsonl.gz`))
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  const tasks = read<TaskRow>("tasks").filter((task) => task.set === set);
  const rows = new Map(tasks.map(({ id }) => [id, new Map<string, RecordedOutcome>()]));
  for (const outcome of read<RecordedOutcome>("outcomes")) {
    if (outcome.sample === 0) rows.get(outcome.task)?.set(outcome.worker, outcome);
  }
  const workers = [...new Set([...rows.values()].flatMap((of) => [...of.keys()]))];
  return { tasks, rows, workers };
}
