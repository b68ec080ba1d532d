// How many graded runs a second the bench makes on recordings: one worker, and the weighted vote of five,
// through the performer with the memory store. Recorded replies cost nothing, so what is left is ours.
// The peer is the vote alone (extract, compare, count), without any performer. `--alone` runs one of them,
// for a profiler. Run: npm run build && node speed/bench.mjs

import { createRandom } from "../dist/base/random.js";
import { estimateShare, pairedDifference } from "../dist/base/statistics.js";
import { createConstant, solve, solveAndVote } from "../dist/baseline/decide.js";
import { evaluate } from "../dist/bench/evaluate.js";
import { createRecordedPool, gradeRecorded } from "../dist/recording/replay.js";
import { createConsensusWorker } from "../dist/worker/consensus.js";

const WORKERS = 5;
const COUNT = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 2000);
const isAlone = process.argv.includes("--alone");

// ---- A recording in memory: five workers of different skill, answers as real ones look ------------
const random = createRandom(1);
const tasks = Array.from({ length: COUNT }, (_, i) => ({
  id: `task-${i}`,
  set: "speed",
  category: `category ${i % 8}`,
  subtask: `subtask ${i % 40}`,
  prompt: `Question ${i}: ${"some words of an ordinary question ".repeat(20)}`,
  answer: String(i * 7),
  grader: "recorded",
}));
const ids = Array.from({ length: WORKERS }, (_, i) => `worker-${i}`);
const outcomes = new Map();
for (const { id: task, answer } of tasks)
  for (const [i, worker] of ids.entries()) {
    const isRight = random.next() < 0.5 + i / 12;
    const said = isRight ? answer : String(random.integer(1, 40));
    outcomes.set(`${task}/${worker}`, [
      { task, worker, sample: 0, answer: said, score: isRight ? 1 : 0, tokens: 200 },
    ]);
  }
const recording = {
  folder: "memory",
  sets: [{ id: "speed", tasks, source: "memory" }],
  outcomesOf: (task, worker) => outcomes.get(`${task}/${worker}`) ?? [],
  workersOf: () => ids,
  tasksOf: () => tasks,
};
const profiles = new Map(ids.map((id, i) => [id, { success: 0.5 + i / 12, tasks: 100, topics: {} }]));
const { members } = createRecordedPool(recording, "speed", { profiles });
const pool = {
  members: [...members, { worker: createConsensusWorker(), price: { inputUsd: 0, outputUsd: 0 } }],
};

const perform = (conductor) =>
  evaluate({
    conductor,
    rounds: 1,
    pool,
    tasks,
    world: { isInstant: true, grade: (task, run) => gradeRecorded(recording, task, run) },
    seed: 1,
    concurrency: 1,
  });
const voters = ids.map((_, i) => i);
const single = createConstant("single", [solve(WORKERS - 1)]);
const vote = createConstant("vote-5", solveAndVote(voters, WORKERS));

// ---- The peer: the same vote with nothing around it -------------------------------------------------
const consensus = createConsensusWorker();
const signal = new AbortController().signal;
async function bareVote() {
  for (const { id } of tasks) {
    const visible = ids.map((worker, step) => ({
      ...{ round: 0, step, worker: step, subtask: "" },
      reply: `Answer: ${recording.outcomesOf(id, worker)[0].answer}`,
      success: profiles.get(worker).success,
    }));
    for await (const _ of consensus.ask({ brief: { visible } }, signal));
  }
}

async function rateOf(work) {
  await work();
  const rates = [];
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    await work();
    rates.push(COUNT / ((performance.now() - started) / 1000));
  }
  return rates.sort((a, b) => a - b)[2];
}
const show = (name, rate) =>
  console.log(`${name.padEnd(40)} ${Math.round(rate).toLocaleString("en").padStart(9)} a second`);

if (isAlone) {
  show("graded runs, weighted vote of five", await rateOf(() => perform(vote)));
} else {
  show("graded runs, one worker", await rateOf(() => perform(single)));
  show("graded runs, weighted vote of five", await rateOf(() => perform(vote)));
  show("votes of five without the performer", await rateOf(bareVote));
  const [a, b] = [0.6, 0.63].map((share) =>
    Array.from({ length: 1000 }, () => (random.next() < share ? 1 : 0)),
  );
  const timed = async (work) =>
    1000 /
    ((await rateOf(async () => {
      for (let i = 0; i < COUNT / 10; i++) work(i);
    })) /
      10);
  console.log(
    `${"interval of a share, 1,000 tasks".padEnd(40)} ${(await timed((seed) => estimateShare(a, { seed }))).toFixed(2).padStart(9)} ms`,
  );
  console.log(
    `${"paired difference, 1,000 tasks".padEnd(40)} ${(await timed((seed) => pairedDifference(a, b, { seed }))).toFixed(2).padStart(9)} ms`,
  );
}
