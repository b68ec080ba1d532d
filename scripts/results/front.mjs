// What the page of results says in dollars: the two numbers of each curve, and whether a goal is reached.
import { toDifference, toDollars, toFigure, toShare, toTable } from "./figures.mjs";

/** As in the sentences of `tutti bench front`: within a point, by the whole interval, is the same quality. */
const NO_WORSE = 0.01;

export function toFrontLines({ single, curves, unreached, isSimulated }) {
  const rows = curves.map(({ name, sameQuality, sameCost }) => [
    name,
    toDifference(sameQuality.points),
    toShare(sameQuality.share),
    toDifference(sameCost.points),
    toShare(sameCost.share),
  ]);
  return [
    `Each curve against the best single worker, ${single.name} (${(single.accuracy * 100).toFixed(1)} % at ${toDollars(single.usd)} a task${isSimulated ? ", simulated dollars" : ""}). Prices were chosen on training and validation tasks, once for its quality at the least dollars, once for the best quality at its cost:`,
    toTable(
      [
        "",
        "aimed at its quality: points",
        "share of its cost",
        "aimed at its cost: points",
        "share of its cost",
      ],
      rows,
    ),
    unreached.length === 0
      ? "Every single worker is reached by a curve that reads the question, at its cost or below."
      : `No curve that reads the question reaches ${unreached.join(", ")} at the same cost or below.`,
  ];
}

/** `methods`: rows that are no upper bound and know no verdict. */
export function toGoal(goal, result, methods) {
  if (goal.sameQualityAtMost !== undefined) return toCostGoal(goal, result);
  const { metric: id, atLeast, atMost } = goal;
  const metric = result.metrics.find((each) => each.id === id);
  const isReached = methods
    .filter(({ reads }) => reads === "question" || reads === "nothing")
    .some(({ figures }) =>
      atMost === undefined ? figures[id]?.mean >= atLeast : figures[id]?.mean <= atMost,
    );
  const bound = atMost === undefined ? `≥ ${toFigure(atLeast, metric)}` : `≤ ${toFigure(atMost, metric)}`;
  return `${metric.title} ${bound}: ${isReached ? "reached" : "not reached"}`;
}

/** The quality of the best single worker at a share of its cost: of the cheapest curve that keeps it, or of one row. */
function toCostGoal({ row: name, sameQualityAtMost }, { rows, front }) {
  const wanted = `same quality at ≤ ${Math.round(sameQualityAtMost * 100)} % of the cost`;
  if (name !== undefined) {
    const row = rows.find((each) => each.name === name);
    const share = row.usd / rows.find((each) => each.name === "best-single").usd;
    const found = `${Math.round(share * 100)} % at ${toDifference(row.against)} points`;
    if (share > sameQualityAtMost) return `${wanted} with ${name}: not reached, ${found}`;
    return `${wanted} with ${name}: ${row.against.low >= -NO_WORSE ? "reached" : "reached in cost, same quality not shown"}, ${found}`;
  }
  const kept = front.curves
    .filter(({ reads, sameQuality }) => reads === "question" && sameQuality.points.low >= -NO_WORSE)
    .toSorted((a, b) => a.sameQuality.share.mean - b.sameQuality.share.mean)[0];
  if (!kept) return `${wanted}: not reached, no curve keeps the quality`;
  const { share } = kept.sameQuality;
  return `${wanted}: ${share.mean <= sameQualityAtMost ? "reached" : "not reached"}, ${kept.name} at ${toShare(share)}`;
}
