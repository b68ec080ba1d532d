// What later rounds mend and spoil: the same checkpoint with one, two and three rounds, on the same tasks.
// Part of experiments/rehearsal.mjs.

import { toRight } from "../../dist/bench/results.js";
import { accuracyOf, callsOf, compare, learnedRounds, overSeeds } from "./lab.mjs";
import { difference, heading, percent, table, two } from "./print.mjs";

const DEPTHS = [1, 2, 3];

export async function measure(lab) {
  const seeds = [];
  const without = lab.trained.filter((who) => !learnedRounds(who)).map(({ name }) => name);
  for (const who of lab.trained.filter(learnedRounds)) {
    const rows = [];
    for (const depth of DEPTHS) rows.push(await lab.rowsOf(who, depth));
    const count = (before, after, from, to) =>
      before.filter((row, i) => toRight(row) === from && toRight(after[i]) === to).length;
    seeds.push({
      name: who.name,
      depths: DEPTHS.map((depth, i) => ({
        ...{ depth, accuracy: accuracyOf(rows[i]), calls: callsOf(rows[i]) },
        goesOn: rows[i].filter((row) => row.rounds > 1).length / rows[i].length,
        ...(i > 0 && {
          mended: count(rows[i - 1], rows[i], 0, 1),
          spoiled: count(rows[i - 1], rows[i], 1, 0),
          callsAdded: callsOf(rows[i]) - callsOf(rows[i - 1]),
          difference: compare(rows[i], rows[i - 1]),
        }),
      })),
    });
  }
  const second = seeds.map(({ depths }) => depths[1]);
  if (seeds.length === 0) return { seeds, without };
  return { seeds, without, overSeeds: overSeeds(second.map(({ mended, spoiled }) => mended - spoiled)) };
}

export function toLines({ seeds, without }) {
  return [
    ...heading("Rounds"),
    ...(without.length > 0 ? [`Trained for one round only: ${without.join(", ")}.`, ""] : []),
    ...(seeds.length === 0
      ? []
      : table(
          [
            "",
            "rounds",
            "right %",
            "calls",
            "calls added",
            "mended",
            "spoiled",
            "difference, points",
            "goes on, % of tasks",
          ],
          seeds.flatMap(({ name, depths }) =>
            depths.map((each) => [
              ...[name, each.depth, percent(each.accuracy), two(each.calls)],
              ...(each.depth === 1
                ? ["", "", "", ""]
                : [two(each.callsAdded), each.mended, each.spoiled, difference(each.difference)]),
              percent(each.goesOn),
            ]),
          ),
        )),
  ];
}
