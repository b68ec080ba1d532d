// Do the words matter? The subtasks of one question are given to another, workers and access lists stay.
// Part of experiments/rehearsal.mjs.

import { createRandom } from "../../dist/base/random.js";
import { toDecision } from "../../dist/conductor/text.js";
import { renderWorkflow } from "../../dist/workflow/render.js";
import { accuracyOf, compare, overSeeds, perform, SEED, toDepth } from "./lab.mjs";
import { difference, heading, percent, table } from "./print.mjs";

const GENERIC = "Answer the question.";
const MAX_STEPS = 5;

export async function measure(lab) {
  const { fitted } = lab;
  const seeds = [];
  for (const who of lab.trained) {
    const plans = toDepth(await lab.plansOf(who), 1);
    const own = await perform(fitted, plans, who.name);
    const parsed = plans.map(({ texts }) => {
      const decision = toDecision(texts[0], { pool: fitted.pool, maxSteps: MAX_STEPS, rounds: [] });
      return decision.type === "workflow" ? decision.workflow.steps : undefined;
    });
    const shuffled = shuffle(parsed);
    const generic = parsed.map((steps) => steps?.map((step) => ({ ...step, subtask: GENERIC })));
    const rowsOf = (changed) =>
      perform(
        fitted,
        plans.map((plan, i) =>
          changed[i] ? { ...plan, texts: [renderWorkflow({ steps: changed[i] })] } : plan,
        ),
        who.name,
      );
    const [withShuffled, withGeneric] = [await rowsOf(shuffled), await rowsOf(generic)];
    const subtasks = parsed.flatMap((steps) => steps?.map(({ subtask }) => subtask) ?? []);
    seeds.push({
      name: who.name,
      accuracy: {
        own: accuracyOf(own),
        shuffled: accuracyOf(withShuffled),
        generic: accuracyOf(withGeneric),
      },
      shuffled: compare(withShuffled, own),
      generic: compare(withGeneric, own),
      changedShare: shareChanged(parsed, shuffled),
      differentSubtasks: new Set(subtasks).size,
    });
  }
  return {
    seeds,
    overSeeds: {
      shuffled: overSeeds(
        seeds.map(({ shuffled }) => shuffled.mean),
        false,
      ),
      generic: overSeeds(
        seeds.map(({ generic }) => generic.mean),
        false,
      ),
    },
  };
}

/** All subtasks of one other question; where none is as long, each from some other question at its position. */
function shuffle(parsed) {
  const random = createRandom(SEED);
  const other = (i, length) => {
    const able = [...parsed.keys()].filter((j) => j !== i && (parsed[j]?.length ?? 0) >= length);
    return able.length > 0 ? parsed[random.pick(able)] : undefined;
  };
  return parsed.map((steps, i) => {
    if (!steps) return undefined;
    const donor = other(i, steps.length);
    return steps.map((step, position) => {
      const from = donor ?? other(i, position + 1) ?? steps;
      return { ...step, subtask: from[position].subtask };
    });
  });
}

function shareChanged(before, after) {
  const pairs = before.flatMap(
    (steps, i) => steps?.map(({ subtask }, at) => subtask !== after[i][at].subtask) ?? [],
  );
  return pairs.filter(Boolean).length / Math.max(1, pairs.length);
}

export function toLines({ seeds }) {
  return [
    ...heading("Words"),
    `First rounds only. Shuffled: the workers and access lists of a question with the subtasks of another. Generic: every step is told “${GENERIC}”`,
    "",
    ...table(
      [
        "",
        "own words, right %",
        "shuffled %",
        "shuffled − own",
        "generic %",
        "generic − own",
        "subtasks changed by shuffling, %",
        "different subtasks",
      ],
      seeds.map(({ name, accuracy, shuffled, generic, changedShare, differentSubtasks }) => [
        ...[name, percent(accuracy.own), percent(accuracy.shuffled), difference(shuffled)],
        ...[percent(accuracy.generic), difference(generic), percent(changedShare), differentSubtasks],
      ]),
    ),
  ];
}
