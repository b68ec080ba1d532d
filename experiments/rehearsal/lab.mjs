// What all parts share: the test tasks, the trained Conductors with what they write, and the baselines' rows.
// Part of experiments/rehearsal.mjs.

import { meanOf, pairedDifference } from "../../dist/base/statistics.js";
import { findBaseline } from "../../dist/baseline/all.js";
import { toRight } from "../../dist/bench/results.js";
import {
  measureBaseline,
  openRehearsalTest,
  performPlans,
  scriptedPlanner,
} from "../../dist/bench/test-sets.js";
import { openTrained, writeTestPlans } from "../../dist/learn/evaluate-trained.js";
import { readProblem } from "../../dist/rehearsal/questions.js";

/** Of questions made for these experiments and nothing else, and of all chance in them. */
export const TASK_SEED = 5_000_000;
export const SEED = 1;
/** As deep as rounds are looked at, for a Conductor that has learned them. */
const DEEPEST = 3;

export const signal = new AbortController().signal;
const measuring = { seed: SEED, signal };

export function openLab({ checkpoint, tasks, costs }, tell) {
  const fitted = openTest(tasks);
  const trained = [];
  for (const [number, folder] of checkpoint.entries())
    trained.push({
      name: `trained ${number + 1}`,
      folder,
      cost: costs[number] ?? costs[0],
      ...openTrained(folder),
    });
  const plans = new Map();
  const rows = new Map();
  const baselines = new Map();
  return {
    ...{ fitted, trained, tell },
    problems: new Map(fitted.test.map(({ id, prompt }) => [id, readProblem(prompt)])),
    /** To the deepest round that is looked at; what would come of fewer rounds is a part of it. */
    async plansOf(who) {
      if (!plans.has(who)) {
        tell(`${who.name} plans ${fitted.test.length} tasks`);
        plans.set(who, await write(fitted, who, learnedRounds(who) ? DEEPEST : 1));
      }
      return plans.get(who);
    },
    /** On the tasks of the lab, with so many rounds; by default as it was trained. */
    async rowsOf(who, depth = who.card.limits.rounds) {
      const key = `${who.name} ${depth}`;
      if (!rows.has(key))
        rows.set(key, await perform(fitted, toDepth(await this.plansOf(who), depth), who.name));
      return rows.get(key);
    },
    async baselineRows(id) {
      if (!baselines.has(id)) baselines.set(id, await measure(fitted, id));
      return baselines.get(id);
    },
  };
}

/** So many test tasks, of all families and difficulties in turn. */
export function openTest(tasks, { pool, seed = TASK_SEED } = {}) {
  const fitted = openRehearsalTest({ count: 3 * tasks + 100, seed, ...(pool && { pool }) });
  return take(fitted, 0, tasks);
}

export function take(fitted, first, count) {
  const { test } = fitted;
  return {
    ...fitted,
    test: Array.from({ length: Math.min(count, test.length) }, (_, i) => test[(first + i) % test.length]),
  };
}

export function measure(fitted, id) {
  return measureBaseline(fitted, id === scriptedPlanner.id ? scriptedPlanner : findBaseline(id), measuring);
}

export function write(fitted, { policy, card, cost = card.cost }, rounds) {
  return writeTestPlans(fitted, policy, { rounds, size: card.size, cost, ...measuring });
}

export function perform(fitted, plans, name) {
  return performPlans(fitted, plans, { name, ...measuring });
}

export function learnedRounds({ card }) {
  return card.limits.rounds > 1;
}

/** What is not valid breaks at its last text: with fewer rounds it would not have come to that. */
export function toDepth(plans, depth) {
  return plans.map(({ task, texts, isValid }) => ({
    ...{ task, texts: texts.slice(0, depth), isValid: isValid || texts.length > depth },
  }));
}

export const accuracyOf = (rows) => meanOf(rows.map(toRight));
export const callsOf = (rows) => meanOf(rows.map(({ calls }) => calls));

/** Of the same tasks in the same order: a − b. */
export function compare(a, b) {
  return pairedDifference(a.map(toRight), b.map(toRight), { seed: SEED });
}

/** Over training seeds. */
export function overSeeds(values, isHigherBetter = true) {
  return { mean: meanOf(values), worst: isHigherBetter ? Math.min(...values) : Math.max(...values) };
}
