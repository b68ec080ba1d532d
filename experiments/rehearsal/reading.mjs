// What the plans say, for people to judge without knowing who wrote them: plans of test tasks of all families, in a random
// order, without workers, with columns to fill in. Part of experiments/rehearsal.mjs.

import { createRandom, hashSeed } from "../../dist/base/random.js";
import { groupBy } from "../../dist/bench/results.js";
import { toDecision } from "../../dist/conductor/text.js";
import { MAX_STEPS } from "../../dist/workflow/types.js";
import { SEED, toDepth } from "./lab.mjs";
import { heading } from "./print.mjs";

const COUNT = 50;
/** Of a longer question its beginning, and its end, where it asks. */
const SHOWN = { head: 160, tail: 240 };
const CLOSING = /\s*End with a line “Answer:.*$/su;
const RUBRIC = ["grammatical", "names the work", "names the right part"];

/** First rounds, of each checkpoint in turn where there are several. */
export async function measure(lab) {
  const { fitted, trained } = lab;
  const written = [];
  for (const who of trained) written.push(toDepth(await lab.plansOf(who), 1));
  const plans = sampleTasks(fitted.test).map((task, i) => {
    const who = i % trained.length;
    const { texts } = written[who].find((plan) => plan.task.id === task.id);
    const decision = toDecision(texts[0], { pool: fitted.pool, maxSteps: MAX_STEPS, rounds: [] });
    const steps = decision.type === "workflow" ? decision.workflow.steps : [];
    return {
      ...{ task: task.id, family: task.family, writtenBy: trained[who].name, question: toQuestion(task) },
      instructions: steps.map(({ subtask }) => subtask),
    };
  });
  return { seed: SEED, plans: createRandom(hashSeed("order of reading", SEED)).shuffle(plans) };
}

/** As many of each family as there can be, then one more of some. */
function sampleTasks(tasks) {
  const random = createRandom(hashSeed("reading", SEED));
  const families = random.shuffle([...groupBy(tasks, ({ family }) => family).values()]);
  const shuffled = families.map((own) => random.shuffle(own));
  const longest = Math.max(...shuffled.map((own) => own.length));
  return Array.from({ length: longest }, (_, i) => shuffled.flatMap((own) => own[i] ?? []))
    .flat()
    .slice(0, COUNT);
}

function toQuestion({ prompt }) {
  const text = prompt.replace(CLOSING, "").replace(/\s+/g, " ").trim();
  const { head, tail } = SHOWN;
  return text.length <= head + tail ? text : `${text.slice(0, head)} … ${text.slice(-tail)}`;
}

export function toLines({ plans, seed }) {
  const cell = (text) => text.replaceAll("|", "\\|").replace(/\s+/g, " ");
  const said = (instructions) =>
    instructions.length === 0
      ? "(no workflow)"
      : instructions.map((instruction, i) => `${i + 1}. ${cell(instruction)}`).join("<br>");
  return [
    ...heading("Plans to read"),
    `${plans.length} plans of test tasks (seed ${seed}), as many of each family as there can be, in a random order; who is asked is left out. For each plan: are all instructions grammatical, does each name the work that its step has to do, and is every part that is named the right part of this question?`,
    "",
    `| | question | what each step is told | ${RUBRIC.join(" | ")} |`,
    `| --: | --- | --- | ${RUBRIC.map(() => "---").join(" | ")} |`,
    ...plans.map(
      ({ question, instructions }, i) =>
        `| ${i + 1} | ${cell(question)} | ${said(instructions)} | ${RUBRIC.map(() => " ").join(" | ")} |`,
    ),
    "",
  ];
}
