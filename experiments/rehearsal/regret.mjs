// How far the first workflow of a trained Conductor is from the best one that brute force finds.
// Part of experiments/rehearsal.mjs.

import { hashSeed } from "../../dist/base/random.js";
import { bootstrapMean, meanOf } from "../../dist/base/statistics.js";
import { findBaseline } from "../../dist/baseline/all.js";
import { scriptedPlanner } from "../../dist/bench/test-sets.js";
import { toDecision } from "../../dist/conductor/text.js";
import { findBestWorkflow, simulateWorkflow } from "../../dist/rehearsal/best-workflow.js";
import { gradeProblem } from "../../dist/rehearsal/questions.js";
import { toMessages } from "../../dist/task/types.js";
import { overSeeds, SEED, signal } from "./lab.mjs";
import { heading, percent, points, table, two } from "./print.mjs";

const PROBLEMS = 60;
const REPETITIONS = 12;
/** As often, and with the same chance, as the finalists of the search are simulated. */
const FINAL_REPETITIONS = 4 * REPETITIONS;
const FINAL_SEED = hashSeed("final", SEED);
const MAX_STEPS = 13;
const BESIDE = [findBaseline("best-single"), findBaseline("lookup-category"), scriptedPlanner];

export async function measure(lab) {
  const { fitted, problems, tell } = lab;
  const tasks = spread(fitted.test, problems);
  const { pool } = fitted;
  const names = [...lab.trained.map(({ name }) => name), ...BESIDE.map(({ id }) => id)];
  const planners = [];
  for (const who of lab.trained) planners.push(await recite(lab, who));
  for (const baseline of BESIDE) planners.push(decideBy(fitted.fit(baseline), pool));
  const rows = [];
  for (const [number, task] of tasks.entries()) {
    if (number % 10 === 0) tell(`  ${number} of ${tasks.length}`);
    const problem = problems.get(task.id);
    const best = await findBestWorkflow(problem, pool, { repetitions: REPETITIONS, seed: SEED, signal });
    const own = [];
    for (const plan of planners) own.push(await simulate(await plan(task), problem, pool));
    rows.push({ difficulty: problem.difficulty, family: problem.family, best, own });
  }
  const some = (list, i) => {
    const regrets = list.map(({ best, own }) => best.success - own[i].success);
    return {
      n: list.length,
      success: meanOf(list.map(({ own }) => own[i].success)),
      ...bootstrapMean(regrets, { seed: SEED }),
    };
  };
  const conductors = names.map((name, i) => ({
    name,
    all: some(rows, i),
    byDifficulty: [1, 2, 3].map((level) =>
      some(
        rows.filter(({ difficulty }) => difficulty === level),
        i,
      ),
    ),
  }));
  const means = conductors.slice(0, lab.trained.length).map(({ all }) => all.mean);
  const shapes = {};
  for (const { best } of rows) shapes[best.shape] = (shapes[best.shape] ?? 0) + 1;
  return {
    problems: tasks.length,
    best: {
      success: meanOf(rows.map(({ best }) => best.success)),
      calls: meanOf(rows.map(({ best }) => best.calls)),
      shapes,
    },
    conductors,
    overSeeds: overSeeds(means, false),
  };
}

/** One of each family and difficulty in turn, until there are enough. */
function spread(tasks, problems) {
  const cells = new Map();
  for (const task of tasks) {
    const { family, difficulty } = problems.get(task.id);
    const key = `${difficulty} ${family}`;
    cells.set(key, [...(cells.get(key) ?? []), task]);
  }
  const turns = [...cells.keys()].sort().map((key) => cells.get(key));
  const chosen = [];
  for (let depth = 0; chosen.length < Math.min(PROBLEMS, tasks.length); depth++) {
    // The second time round every third cell, so that difficulties stay in balance.
    const wanted = turns.filter((_, i) => depth === 0 || i % 3 === depth % 3);
    chosen.push(...wanted.flatMap((cell) => cell[depth] ?? []));
  }
  return chosen.slice(0, PROBLEMS);
}

/** The workflow of its first round; none where it is not valid. */
async function recite(lab, who) {
  const texts = new Map((await lab.plansOf(who)).map(({ task, texts: [first] }) => [task.id, first]));
  return async (task) => {
    const decision = toDecision(texts.get(task.id), {
      pool: lab.fitted.pool,
      maxSteps: MAX_STEPS,
      rounds: [],
    });
    return decision.type === "workflow" ? decision.workflow : undefined;
  };
}

function decideBy(conductor, pool) {
  return async (task) => {
    const asked = { id: task.id, messages: toMessages(task) };
    const request = { task: asked, pool, rounds: [], errors: [], maxSteps: MAX_STEPS, seed: SEED };
    for await (const event of conductor.compose(request, signal))
      if (event.type === "plan-end" && event.decision.type === "workflow") return event.decision.workflow;
    return undefined;
  };
}

async function simulate(workflow, problem, pool) {
  if (!workflow) return { success: 0 };
  let right = 0;
  for (let repetition = 0; repetition < FINAL_REPETITIONS; repetition++) {
    const seed = hashSeed(FINAL_SEED, repetition);
    const { reply } = await simulateWorkflow(workflow, problem, pool, { seed, signal });
    right += gradeProblem(problem, reply).score;
  }
  return { success: right / FINAL_REPETITIONS };
}

export function toLines({ problems, best, conductors }) {
  const shapes = Object.entries(best.shapes)
    .map(([shape, count]) => `${shape} ${count}`)
    .join(", ");
  const cell = ({ mean, low, high }) => `${points(mean)} (${points(low)} … ${points(high)})`;
  return [
    ...heading("Regret"),
    `${problems} test problems of all families and difficulties; the best of all workflows of five shapes succeeds in ${percent(best.success)} % with ${two(best.calls)} calls (${shapes}). Each workflow of a Conductor, of its first round, is simulated as often and with the same chance as the finalists of the search. The best is the best of many, so it looks a little better than it is.`,
    "",
    ...table(
      ["", "succeeds %", "regret, points", "difficulty 1", "2", "3"],
      conductors.map(({ name, all, byDifficulty }) => [
        ...[name, percent(all.success), cell(all), ...byDifficulty.map((level) => points(level.mean))],
      ]),
    ),
  ];
}
