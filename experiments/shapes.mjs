// Shows what shapes of teams are worth in the rehearsal, by kind of question: written by hand, with workers chosen by
// their profiles and instructions of the shipped repertoire by the scripted planner's table. Simulated, on validation questions: nothing here may be chosen on test tasks.
// npm run build && node experiments/shapes.mjs [--pools random|fixed] [--liars 0] [--questions 300]
//
// Pools with fewer than four models or without `consensus` are left out: not every shape can be staffed there.
// --liars X: in this share of the questions one worker lies.

import { setMaxListeners } from "node:events";
import { parseArgs } from "node:util";
import { hashSeed } from "../dist/base/random.js";
import { readProblem } from "../dist/rehearsal/questions.js";
import { checkSubtask, compareSubtask, planSubtask, solveSubtask } from "../dist/rehearsal/subtasks.js";
import { renderWorkflow } from "../dist/workflow/render.js";
import { createRehearsalWorld } from "../dist/world/rehearsal.js";
import { performTexts } from "../dist/world/rollout.js";
import { isEasy, isHard } from "./rehearsal/calls.mjs";
import { signal } from "./rehearsal/lab.mjs";
import { percent, table } from "./rehearsal/print.mjs";

const SEED = 7;
const TRIES = 3;
const FEWEST_MODELS = 4;
const KINDS = ["easy", "middle", "hard", "all"];

const voices = (team, count, access) =>
  team.solvers.slice(0, count).map((worker) => ["Solve", worker, access]);
const SHAPES = {
  "the best for the question, alone": ({ solvers: [a] }) => [["Solve", a, []]],
  "solve, check": ({ solvers: [a], checker }) => [
    ["Solve", a, []],
    ["Check", checker(a), "all"],
  ],
  "plan, solve": ({ solvers: [a], planner }) => [
    ["Plan", planner(a), []],
    ["Solve", a, "all"],
  ],
  "solve, check, check": ({ solvers: [a, b], checker }) => [
    ["Solve", a, []],
    ["Check", b, "all"],
    ["Check", checker(a, b), "all"],
  ],
  "plan, solve, check": ({ solvers: [a], planner, checker }) => [
    ["Plan", planner(a), []],
    ["Solve", a, "all"],
    ["Check", checker(a, planner(a)), "all"],
  ],
  "plan, solve, check, check": ({ solvers: [a], planner, checker }) => {
    const first = checker(a, planner(a));
    return [
      ["Plan", planner(a), []],
      ["Solve", a, "all"],
      ["Check", first, "all"],
      ["Check", checker(a, planner(a), first), "all"],
    ];
  },
  "three voices and a vote": (team) => [...voices(team, 3, []), ["Compare", team.vote, "all"]],
  "four voices and a vote": (team) => [...voices(team, 4, []), ["Compare", team.vote, "all"]],
  "plan, three voices and a vote": (team) => [
    ["Plan", team.planner(...team.solvers.slice(0, 3)), []],
    ...voices(team, 3, [0]),
    ["Compare", team.vote, [1, 2, 3]],
  ],
};

/** Who would stand where; undefined where the pool is too small. */
function toTeam({ members }) {
  const kindOf = (number) => members[number].worker.kind;
  const models = [...members.keys()].filter((number) => kindOf(number) === "model");
  const vote = [...members.keys()].find((number) => kindOf(number) === "tool");
  if (vote === undefined || models.length < FEWEST_MODELS) return undefined;
  const by = (rate) => [...models].sort((a, b) => rate(members[b].profile) - rate(members[a].profile));
  const other =
    (list) =>
    (...taken) =>
      list.find((number) => !taken.includes(number));
  return {
    vote,
    solvers: by(({ similar }) => similar),
    // Whoever is good in planning problems plans well, and so with logic and checking.
    planner: other(by(({ topics, success }) => topics.planning ?? success)),
    checker: other(by(({ topics, success }) => topics.logic ?? success)),
  };
}

/** Whoever solves after a plan is told to follow it. */
const SAID = {
  Plan: planSubtask,
  Solve: (problem, hasPlan) => solveSubtask(problem, { plan: hasPlan }),
  Check: checkSubtask,
  Compare: compareSubtask,
};

function toText(steps, problem) {
  const hasPlan = steps.some(([kind]) => kind === "Plan");
  return renderWorkflow({
    steps: steps.map(([kind, worker, access]) => ({ worker, subtask: SAID[kind](problem, hasPlan), access })),
  });
}

async function main() {
  const { values } = parseArgs({
    options: {
      pools: { type: "string", default: "random" },
      liars: { type: "string", default: "0" },
      questions: { type: "string", default: "300" },
    },
  });
  const [liars, validation] = [Number(values.liars), Number(values.questions)];
  const world = createRehearsalWorld({
    seed: SEED,
    pools: values.pools,
    calibrationTasks: 60,
    validation,
    liars,
  });
  setMaxListeners(0, signal);
  const right = Object.fromEntries(
    Object.keys(SHAPES).map((name) => [name, Object.fromEntries(KINDS.map((kind) => [kind, []]))]),
  );
  for (const question of world.validation) {
    const team = toTeam(question.pool);
    if (!team) continue;
    const { id, prompt } = question.task;
    const problem = readProblem(prompt);
    const kind = isEasy(problem) ? "easy" : isHard(problem) ? "hard" : "middle";
    for (const [name, toSteps] of Object.entries(SHAPES))
      for (let number = 0; number < TRIES; number++) {
        const texts = [toText(toSteps(team), problem)];
        const seed = hashSeed("shapes", number, id);
        const { isRight } = await performTexts({ world, question, texts, seed, signal });
        for (const each of [kind, "all"]) right[name][each].push(isRight ? 1 : 0);
      }
  }
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
  const count = (kind) => right[Object.keys(SHAPES)[0]][kind].length / TRIES;
  const titles = KINDS.map((kind) => `${kind} (${count(kind)})`);
  const rows = Object.entries(right).map(([name, own]) => [
    name,
    ...KINDS.map((kind) => percent(mean(own[kind]))),
  ]);
  process.stdout.write(
    `# Shapes of teams: right %, simulated, validation questions\n\n${table(["", ...titles], rows).join("\n")}\n`,
  );
}

await main();
