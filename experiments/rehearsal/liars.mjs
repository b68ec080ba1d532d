// One or two workers of the pool lie since they were measured: how much accuracy each Conductor loses.
// Part of experiments/rehearsal.mjs.

import { bootstrapMean, meanOf, pairedDifference } from "../../dist/base/statistics.js";
import { changePools } from "../../dist/bench/fitting.js";
import { toRight } from "../../dist/bench/results.js";
import { withLiars } from "../../dist/world/rehearsal-pools.js";
import {
  learnedRounds,
  measure as measureRows,
  overSeeds,
  perform,
  SEED,
  take,
  toDepth,
  write,
} from "./lab.mjs";
import { difference, heading, percent, points, table } from "./print.mjs";

const TASKS = 100;
const WORKERS = 7;
const BASELINES = ["best-single", "lookup-category", "lookup-subtask", "vote-3", "vote-5", "vote-all"];
/** Whose loss that of a trained one is compared with. */
const AGAINST = ["lookup-category", "lookup-subtask", "vote-3", "vote-5", "vote-all"];
const SETTINGS = {
  one: Array.from({ length: WORKERS }, (_, i) => [i]),
  two: Array.from({ length: WORKERS }, (_, i) => [i, (i + 3) % WORKERS]),
};

export async function measure(lab) {
  const losses = { one: new Map(), two: new Map() };
  const rights = { one: new Map(), two: new Map() };
  for (const [count, settings] of Object.entries(SETTINGS))
    for (const [number, which] of settings.entries()) {
      lab.tell(`  ${count}: ${number + 1} of ${settings.length}`);
      // Other tasks for every setting: more of them are asked in all.
      const honest = take(lab.fitted, number * TASKS, TASKS);
      const lying = changePools(honest, (pool) => withLiars(pool, which));
      for (const contender of contenders(lab)) {
        const before = await contender.honest(honest);
        const after = await contender.lying(lying, honest);
        const known = losses[count].get(contender.name) ?? [];
        losses[count].set(contender.name, [
          ...known,
          ...before.map((row, i) => toRight(row) - toRight(after[i])),
        ]);
        const right = rights[count].get(contender.name) ?? [];
        rights[count].set(contender.name, [...right, ...after.map(toRight)]);
      }
    }
  const names = [...losses.one.keys()];
  const summary = (count) =>
    names.map((name) => {
      const own = losses[count].get(name);
      const isTrained = !BASELINES.includes(name);
      const against = isTrained
        ? AGAINST.map((id) => [id, pairedDifference(own, losses[count].get(id), { seed: SEED })])
        : [];
      const right = meanOf(rights[count].get(name));
      return { name, right, loss: bootstrapMean(own, { seed: SEED }), against: Object.fromEntries(against) };
    });
  const [one, two] = [summary("one"), summary("two")];
  const own = (list) =>
    list.filter(({ against }) => Object.keys(against).length > 0).map(({ loss }) => loss.mean);
  return {
    tasks: TASKS,
    isRepeated: lab.fitted.test.length < WORKERS * TASKS,
    ...{ one, two },
    overSeeds: { one: overSeeds(own(one), false), two: overSeeds(own(two), false) },
  };
}

/** What was written or done before anybody lied is known of the honest pool already. */
function contenders(lab) {
  const pick = (rows, { test }) => {
    const byTask = new Map(rows.map((row) => [row.task, row]));
    return test.map(({ id }) => byTask.get(id));
  };
  const trained = lab.trained.flatMap((who) =>
    (learnedRounds(who) ? [1, 2] : [1]).map((depth) => ({
      name: `${who.name}, ${depth === 1 ? "one round" : "two rounds"}`,
      honest: async (fitted) => pick(await lab.rowsOf(who, depth), fitted),
      // A first round does not depend on who lies; a second reads what was said.
      lying: async (fitted, { test }) => {
        const ids = new Set(test.map(({ id }) => id));
        const plans =
          depth === 1
            ? toDepth(await lab.plansOf(who), 1).filter(({ task }) => ids.has(task.id))
            : await write(fitted, who, depth);
        return pick(await perform(fitted, plans, who.name), fitted);
      },
    })),
  );
  const baselines = BASELINES.map((id) => ({
    name: id,
    honest: async (fitted) => pick(await lab.baselineRows(id), fitted),
    lying: (fitted) => measureRows(fitted, id),
  }));
  return [...trained, ...baselines];
}

export function toLines({ tasks, isRepeated, one, two }) {
  const lines = (title, list) => [
    `**${title}**`,
    "",
    ...table(
      ["", "right % then", "loss, points", ...AGAINST.map((id) => `loss minus that of ${id}`)],
      list.map(({ name, right, loss, against }) => [
        ...[name, percent(right), `${points(loss.mean)} (${points(loss.low)} … ${points(loss.high)})`],
        ...AGAINST.map((id) => (against[id] ? difference(against[id]) : "")),
      ]),
    ),
  ];
  return [
    ...heading("Liars"),
    `A liar keeps the profile that was measured while it was honest, and states wrong answers. Loss of accuracy, mean over who lies, ${tasks} test tasks for each; differences below 0: the trained one loses less.${isRepeated ? " **The tasks are too few, so some were asked several times: these intervals are too narrow.**" : ""}`,
    "",
    ...lines("One of seven lies", one),
    ...lines("Two of seven lie (seven pairs)", two),
  ];
}
