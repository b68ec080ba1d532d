// How many calls go into easy and hard questions, by difficulty and by family.
// Part of experiments/rehearsal.mjs.

import { groupBy } from "../../dist/bench/results.js";
import { familyOf } from "../../dist/rehearsal/questions.js";
import { accuracyOf, callsOf, overSeeds } from "./lab.mjs";
import { heading, percent, table, two } from "./print.mjs";

const MANY_STAGES = 3;

export function isEasy(problem) {
  return problem.difficulty === 1 || familyOf(problem).recall;
}

export function isHard(problem) {
  return problem.difficulty === 3 && problem.stages.length >= MANY_STAGES && !familyOf(problem).recall;
}

export async function measure(lab) {
  const seeds = [];
  for (const who of lab.trained) {
    const rows = await lab.rowsOf(who);
    const some = (belongs) => {
      const own = rows.filter(({ task }) => belongs(lab.problems.get(task)));
      return { n: own.length, calls: callsOf(own), accuracy: accuracyOf(own) };
    };
    const families = [...groupBy(rows, ({ family }) => family).keys()].sort();
    seeds.push({
      name: who.name,
      easy: some(isEasy),
      hard: some(isHard),
      difficulties: [1, 2, 3].map((level) => ({ level, ...some(({ difficulty }) => difficulty === level) })),
      families: families.map((id) => ({ id, ...some(({ family }) => family === id) })),
    });
  }
  return {
    seeds,
    overSeeds: {
      easy: overSeeds(
        seeds.map(({ easy }) => easy.calls),
        false,
      ),
      hard: overSeeds(seeds.map(({ hard }) => hard.calls)),
    },
  };
}

export function toLines({ seeds }) {
  const { difficulties, families } = seeds[0];
  const kinds = [
    ["easy: difficulty 1, or a fact to recall", ({ easy }) => easy],
    [`hard: difficulty 3 in ${MANY_STAGES} stages or more`, ({ hard }) => hard],
    ...difficulties.map(({ level }, i) => [`difficulty ${level}`, (seed) => seed.difficulties[i]]),
    ...families.map(({ id }, i) => [id, (seed) => seed.families[i]]),
  ];
  return [
    ...heading("Calls by kind of question"),
    ...table(
      ["", "tasks", ...seeds.flatMap(({ name }) => [`${name}: calls`, "right %"])],
      kinds.map(([label, of]) => [
        ...[label, of(seeds[0]).n],
        ...seeds.flatMap((seed) => [two(of(seed).calls), percent(of(seed).accuracy)]),
      ]),
    ),
  ];
}
