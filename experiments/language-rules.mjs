// What the words of subtasks earn under the rules of the rehearsal, before any training. All of it is simulated, on
// questions made for this and nothing else; none of them is of a test split.
// npm run build && node experiments/language-rules.mjs [--tasks 1800] [--problems 100] [--seed language-rules]

import { parseArgs } from "node:util";
import { hashSeed } from "../dist/base/random.js";
import { bootstrapMean, meanOf, pairedDifference } from "../dist/base/statistics.js";
import { findBaseline } from "../dist/baseline/all.js";
import { toRight } from "../dist/bench/results.js";
import { measureBaseline, openRehearsalTest } from "../dist/bench/test-sets.js";
import { findParts } from "../dist/instruction/question-parts.js";
import { findBestWorkflow, simulateWorkflow } from "../dist/rehearsal/best-workflow.js";
import { familyOf, gradeProblem, readProblem } from "../dist/rehearsal/questions.js";
import { kindOf } from "../dist/rehearsal/reading.js";
import { createScriptedPlanner } from "../dist/rehearsal/scripted-planner.js";
import { checkSubtask, compareSubtask, planSubtask, solveSubtask } from "../dist/rehearsal/subtasks.js";
import { difference, heading, percent, points, table, two } from "./rehearsal/print.mjs";

const SEED = 1;
const signal = new AbortController().signal;
/** The validation split is a tenth of all questions. */
const QUESTIONS_PER_TASK = 12;
const REPETITIONS = 12;
const FINAL_REPETITIONS = 4 * REPETITIONS;
const MAX_STEPS = 5;

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "1800" },
    problems: { type: "string", default: "100" },
    seed: { type: "string", default: "language-rules" },
  },
});
const count = Number(values.tasks);
const whole = openRehearsalTest({
  count: QUESTIONS_PER_TASK * count + 500,
  seed: hashSeed(values.seed),
  split: "validation",
});
const fitted = { ...whole, test: whole.test.slice(0, count) };
const problems = fitted.test.map(({ prompt }) => readProblem(prompt));
/** For each question another one, whose subtasks it is given. */
const strangers = new Map(
  problems.map(({ question }, i) => [question, problems[(i * 7 + 331) % problems.length]]),
);

// ---- Wordings: what each kind of step is told ------------------------------------------------------------

const STATE_IT = 'End with a line "Answer: …".';
const WORDINGS = {
  'scripted planner, "Answer the question"': () => "Answer the question",
  'scripted planner, "Solve it", "Check it"': (step) =>
    ({ plan: "Plan the steps", solve: "Solve it", check: "Check it", compare: "Compare the answers above" })[
      kindOf(step)
    ],
  "scripted planner, words as before these rules": wordAsBefore,
  "scripted planner, repertoire": sayFor,
  "… without the part of the question": (step, problem) => {
    const part = findParts(problem.question).find(({ isAsked }) => isAsked);
    const said = sayFor(step, problem);
    return part ? said.replaceAll(part.text, "what is asked") : said;
  },
  "… subtasks of another question": (step, { question }) => sayFor(step, strangers.get(question)),
};

function sayFor(step, problem) {
  switch (kindOf(step)) {
    case "plan":
      return planSubtask(problem);
    case "check":
      return checkSubtask(problem);
    case "compare":
      return compareSubtask(problem);
    default:
      return solveSubtask(problem, { plan: /along the plan/.test(step) });
  }
}

/** Frozen here: the sentences of the planner before workers read them. */
function wordAsBefore(step, problem) {
  const { work } = familyOf(problem);
  switch (kindOf(step)) {
    case "plan":
      return `Plan the solution without solving it: list the steps it takes to ${work}.`;
    case "check":
      return `Check the answer above; where you find a mistake, ${work} again. ${STATE_IT}`;
    case "compare":
      return `Compare the answers above and pick the one that is right. ${STATE_IT}`;
    default:
      return `Solve it step by step${/along the plan/.test(step) ? ", along the plan above" : ""}: ${work}. ${STATE_IT}`;
  }
}

/** The planner's workers, shapes and access; its subtasks in other words. */
function reword(name, word) {
  const fit = () => {
    const planner = createScriptedPlanner();
    return {
      identity: { kind: "custom", id: name },
      async *compose(request, abort) {
        for await (const event of planner.compose(request, abort)) {
          const { decision } = event;
          if (decision?.type !== "workflow") {
            yield event;
            continue;
          }
          const problem = readProblem(request.task.messages.at(-1).content);
          const steps = decision.workflow.steps.map((step) => ({
            ...step,
            subtask: word(step.subtask, problem),
          }));
          yield { ...event, decision: { ...decision, workflow: { steps } } };
        }
      },
    };
  };
  return { id: name, needsHandOffs: true, rounds: 1, fit };
}

// ---- The best workflow, beside the planner on the same questions --------------------------------------------

async function measureBest(number) {
  const chosen = fitted.test.slice(0, number);
  const planner = createScriptedPlanner();
  const rows = [];
  for (const task of chosen) {
    const problem = readProblem(task.prompt);
    const best = await findBestWorkflow(problem, fitted.pool, {
      ...{ repetitions: REPETITIONS, seed: SEED, signal },
    });
    const own = await planFor(planner, task.prompt);
    rows.push({ best, own: await simulate(own, problem) });
  }
  const shapes = {};
  for (const { best } of rows) shapes[best.shape] = (shapes[best.shape] ?? 0) + 1;
  return {
    shapes,
    best: bootstrapMean(
      rows.map(({ best }) => best.success),
      { seed: SEED },
    ),
    calls: meanOf(rows.map(({ best }) => best.calls)),
    regret: bootstrapMean(
      rows.map(({ best, own }) => best.success - own),
      { seed: SEED },
    ),
  };
}

async function planFor(planner, question) {
  const task = { messages: [{ role: "user", content: question }] };
  const request = { task, pool: fitted.pool, rounds: [], errors: [], maxSteps: MAX_STEPS, seed: SEED };
  for await (const { decision } of planner.compose(request, signal)) if (decision) return decision.workflow;
}

async function simulate(workflow, problem) {
  let right = 0;
  for (let repetition = 0; repetition < FINAL_REPETITIONS; repetition++) {
    const seed = hashSeed(hashSeed("final", SEED), repetition);
    const { reply } = await simulateWorkflow(workflow, problem, fitted.pool, { seed, signal });
    right += gradeProblem(problem, reply).score;
  }
  return right / FINAL_REPETITIONS;
}

// ---- Tables ---------------------------------------------------------------------------------------------

const measured = [];
const baselines = ["random-workflow", "best-single", "lookup-category", "lookup-subtask"].map(findBaseline);
const worded = Object.entries(WORDINGS).map(([name, word]) => reword(name, word));
for (const baseline of [...baselines, ...worded]) {
  const rows = await measureBaseline(fitted, baseline, { seed: SEED, signal });
  measured.push({ name: baseline.id, rows, right: rows.map(toRight) });
}
const of = (name) => measured.find((each) => each.name === name);
const repertoire = of("scripted planner, repertoire");
const rowOf = ({ name, rows, right }) => {
  const all = bootstrapMean(right, { seed: SEED });
  const byDifficulty = [1, 2, 3].map((level) =>
    percent(meanOf(right.filter((_, i) => problems[i].difficulty === level))),
  );
  return [
    ...[name, `${percent(all.mean)} (${percent(all.low)} … ${percent(all.high)})`, byDifficulty.join(" / ")],
    ...[two(meanOf(rows.map(({ calls }) => calls)))],
    name === repertoire.name ? "" : difference(pairedDifference(right, repertoire.right, { seed: SEED })),
  ];
};
const families = [...new Set(problems.map(({ family }) => family))];
const inFamily = ({ right }, id) => meanOf(right.filter((_, i) => problems[i].family === id));
const [generic, shuffled] = [
  'scripted planner, "Solve it", "Check it"',
  "… subtasks of another question",
].map(of);
const best = await measureBest(Number(values.problems));
const shapes = Object.entries(best.shapes)
  .map(([shape, number]) => `${shape} ${number}`)
  .join(", ");

process.stdout.write(
  `${[
    ...heading(`Words, ${fitted.test.length} questions`),
    ...table(
      ["", "right %", "difficulty 1 / 2 / 3", "calls", "against the repertoire, points"],
      measured.map(rowOf),
    ),
    ...heading("By family"),
    ...table(
      [
        "",
        "topic",
        "generic %",
        "repertoire %",
        "of another question %",
        "repertoire − generic",
        "− of another",
      ],
      families.map((id) => {
        const [plain, own, other] = [generic, repertoire, shuffled].map((each) => inFamily(each, id));
        const { topic } = problems.find(({ family }) => family === id);
        return [
          id,
          topic,
          percent(plain),
          percent(own),
          percent(other),
          points(own - plain),
          points(own - other),
        ];
      }),
    ),
    ...heading(`The best workflow, first ${values.problems} of these questions`),
    `Succeeds in ${percent(best.best.mean)} % (${percent(best.best.low)} … ${percent(best.best.high)}) with ${two(best.calls)} calls (${shapes}). Regret of the scripted planner's first workflow: ${difference(best.regret)} points.`,
  ].join("\n")}\n`,
);
