// What all parts share: the test tasks, the trained Conductors with what they write, and the baselines' rows.
// Part of experiments/rehearsal.mjs.

import { meanOf, pairedDifference } from "../../dist/base/statistics.js";
import { findBaseline } from "../../dist/baseline/all.js";
import {
  measureBaseline,
  openRehearsalArena,
  performPlans,
  scriptedPlanner,
} from "../../dist/bench/arena.js";
import { toRight } from "../../dist/bench/results.js";
import { openTrained, writeTestPlans } from "../../dist/learn/evaluate-trained.js";
import { readProblem } from "../../dist/rehearsal/questions.js";

/** Of questions made for these experiments and nothing else, and of all chance in them. */
export const TASK_SEED = 5_000_000;
export const SEED = 1;
/** As deep as rounds are looked at, for a Conductor that has learned them. */
const DEEPEST = 3;

export const signal = new AbortController().signal;
const measuring = { seed: SEED, signal };

export async function openLab({ checkpoint, tasks, threads, costs }, tell) {
  const arena = openArena(tasks);
  const trained = [];
  for (const [number, folder] of checkpoint.entries())
    trained.push({
      name: `trained ${number + 1}`,
      folder,
      cost: costs[number] ?? costs[0],
      ...(await openTrained(folder, { threads })),
    });
  const plans = new Map();
  const rows = new Map();
  const baselines = new Map();
  return {
    ...{ arena, trained, tell },
    problems: new Map(arena.test.map(({ id, prompt }) => [id, readProblem(prompt)])),
    /** To the deepest round that is looked at; what would come of fewer rounds is a part of it. */
    async plansOf(who) {
      if (!plans.has(who)) {
        tell(`${who.name} plans ${arena.test.length} tasks`);
        plans.set(who, await write(arena, who, learnedRounds(who) ? DEEPEST : 1));
      }
      return plans.get(who);
    },
    /** On the tasks of the lab, with so many rounds; by default as it was trained. */
    async rowsOf(who, depth = who.card.limits.rounds) {
      const key = `${who.name} ${depth}`;
      if (!rows.has(key))
        rows.set(key, await perform(arena, toDepth(await this.plansOf(who), depth), who.name));
      return rows.get(key);
    },
    async baselineRows(id) {
      if (!baselines.has(id)) baselines.set(id, await measure(arena, id));
      return baselines.get(id);
    },
    close: () => Promise.all(trained.map((each) => each.close())),
  };
}

/** So many test tasks, of all families and difficulties in turn. */
export function openArena(tasks, { pool, seed = TASK_SEED } = {}) {
  const arena = openRehearsalArena({ count: 3 * tasks + 100, seed, ...(pool && { pool }) });
  return take(arena, 0, tasks);
}

export function take(arena, first, count) {
  const { test } = arena;
  return {
    ...arena,
    test: Array.from({ length: Math.min(count, test.length) }, (_, i) => test[(first + i) % test.length]),
  };
}

export function measure(arena, id) {
  return measureBaseline(arena, id === scriptedPlanner.id ? scriptedPlanner : findBaseline(id), measuring);
}

export function write(arena, { policy, card, cost = card.cost }, rounds) {
  return writeTestPlans(arena, policy, { rounds, size: card.size, cost, ...measuring });
}

export function perform(arena, plans, name) {
  return performPlans(arena, plans, { name, ...measuring });
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
