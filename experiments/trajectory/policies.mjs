// The policies that are compared: step-level routing with and without its parts, and the simple rules beside it.

import { play } from "./play.mjs";
import { SPLITS, WORKERS } from "./rules.mjs";

export const WORTHS = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8];
const SHRINK = 20;
export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
export const costOf = (rows) => mean(rows.map(({ usd }) => usd));
export const rightOf = (rows) => mean(rows.map(({ right }) => right));

const FULL = { verify: "worth-it", switches: true, canAsk: true };
/** Step-level routing, and what it is without one of its parts. */
export const VARIANTS = {
  "step-level": FULL,
  "without the cache term": { ...FULL, ignoresCache: true },
  "without verification": { ...FULL, verify: "never" },
  "without switches": { ...FULL, switches: false },
  "without the Conductor when stuck": { ...FULL, canAsk: false },
};

export async function playAll(world, tasks, policyOf) {
  const rows = [];
  for (const task of tasks) rows.push(await play(world.createEpisode(task), ...policyOf(task)));
  return rows;
}

export function tasksOf(world, split, share) {
  return Array.from({ length: Math.ceil(SPLITS[split] * share) }, (_, n) => world.createTask(split, n));
}

/** What training tasks tell of each worker, by kind of task: success, drawn towards its own mean, and dollars of a run. */
export function toProfiles(train, singles) {
  return (kind) =>
    WORKERS.map((_, number) => {
      const rows = singles[number];
      const own = rows.filter((_, n) => train[n].kind === kind);
      const success = rightOf(rows);
      const probability = (rightOf(own) * own.length + success * SHRINK) / (own.length + SHRINK);
      return {
        success,
        probability,
        tasks: rows.length,
        topics: {},
        runUsd: costOf(own.length ? own : rows),
      };
    });
}

function byValue(worthUsd) {
  return (profiles) => {
    const worths = profiles.map(({ probability, runUsd }) => worthUsd * probability - runUsd);
    return worths.indexOf(Math.max(...worths));
  };
}

/** Who takes the first turn: whoever would be worth most alone, or a cheap one that can be left. */
function toBeginnings(worthUsd) {
  return { "by value": byValue(worthUsd), "cheap first": byValue(worthUsd / 4) };
}

/** All policies of one seed, by name; each takes the profiles for a task. */
export function toPolicies(worths = WORTHS) {
  const policies = new Map();
  for (const worthUsd of worths) {
    policies.set(`route once @${worthUsd}`, { family: "route once", policy: { first: byValue(worthUsd) } });
    for (const [name, settings] of Object.entries(VARIANTS))
      for (const [begins, first] of Object.entries(toBeginnings(worthUsd)))
        policies.set(`${name} @${worthUsd}, ${begins}`, {
          family: name,
          policy: { first, trajectory: { ...settings, worthUsd }, helper: WORKERS.length - 1 },
        });
  }
  for (const begins of [0, 1, 2])
    for (const to of [2, 3, 4])
      for (const after of [2, 3, 5])
        if (to > begins)
          policies.set(`escalate ${begins}→${to} after ${after}`, {
            family: "escalate after failures",
            policy: { first: () => begins, escalate: { after, to } },
          });
  return policies;
}
