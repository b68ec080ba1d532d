// Points, coins between points, and paired differences with their intervals. Part of experiments/turns.mjs.

import { createRandom } from "../../dist/base/random.js";

const RESAMPLES = 1000;
/** What everybody is compared at. */
export const AT_CALLS = [1.2, 1.5, 2, 2.5, 3, 4];

/** Of one set: by family the points in the order of their calls, each with the scores of the tasks in the same order. */
export function toCurve(contenders, rows) {
  const tasks = [...rows.get(contenders[0].id).keys()];
  const curves = {};
  for (const { id, family, cost } of contenders) {
    const own = tasks.map((task) => {
      const row = rows.get(id).get(task);
      if (!row) throw new Error(`${id} has no row of task ${task}`);
      return row;
    });
    const calls = mean(own.map((row) => row.calls));
    const scores = own.map((row) => row.score);
    curves[family] ??= [];
    curves[family].push({ id, cost, calls, accuracy: mean(scores), scores });
  }
  for (const points of Object.values(curves)) points.sort((a, b) => a.calls - b.calls);
  return { tasks: tasks.length, curves };
}

/** With at most so many calls on average: scores, calls. Of a curve without such a point undefined. */
export function atCalls(points, calls) {
  const [first] = points;
  if (first.calls > calls + 1e-9) return undefined;
  const after = points.findIndex((point) => point.calls > calls);
  if (after < 0) return points.at(-1);
  const [a, b] = [points[after - 1], points[after]];
  const share = (calls - a.calls) / (b.calls - a.calls);
  return { calls, scores: a.scores.map((score, i) => (1 - share) * score + share * b.scores[i]) };
}

/** A rule at fewer calls than it makes is a coin between it and the rule of one call that it begins with. */
export function ruleCurve(curves, rule) {
  const single = rule.startsWith("neighbours") || rule === "ask-until-sure" ? "neighbours" : "best-single";
  const series = rule.replace(/-[35]$/, "");
  const points = Object.keys(curves)
    .filter((id) => id === single || id === rule || (rule !== series && id.replace(/-[35]$/, "") === series))
    .flatMap((id) => curves[id]);
  return points.sort((a, b) => a.calls - b.calls);
}

/** Each family against each rule: over the sets together, at equal calls and where the rule itself sits. */
export function compareTogether(sets, families, rules) {
  return families.map((family) => ({
    family,
    atEqualCalls: AT_CALLS.flatMap((calls) =>
      rules.flatMap((rule) => {
        const pairs = sets.map(({ curves }) => [
          atCalls(curves[family], calls),
          atCalls(ruleCurve(curves, rule), calls),
        ]);
        if (pairs.some(([own, other]) => !own || !other)) return [];
        return [{ calls, rule, ...difference(pairs) }];
      }),
    ),
    whereRuleSits: rules.map((rule) => {
      const pairs = sets.map(({ curves }) => {
        const [other] = curves[rule];
        return [atCalls(curves[family], other.calls) ?? curves[family][0], other];
      });
      const calls = mean(pairs.map(([, other]) => other.calls));
      return { rule, calls, own: mean(pairs.map(([own]) => own.calls)), ...difference(pairs) };
    }),
    asGoodAs: rules.map((rule) => ({ rule, share: callsForSame(sets, family, rule) })),
  }));
}

/** The least share of the rule's calls with which the family's curve reaches its accuracy, over the sets together. */
function callsForSame(sets, family, rule) {
  const wanted = mean(sets.map(({ curves }) => curves[rule][0].accuracy));
  for (let share = 0.2; share <= 1.001; share += 0.01) {
    const own = sets.map(({ curves }) => atCalls(curves[family], Math.max(share * curves[rule][0].calls, 1)));
    if (own.every(Boolean) && mean(own.map(({ scores }) => mean(scores))) >= wanted)
      return (
        mean(sets.map(({ curves }, i) => Math.min(own[i].calls, curves[rule][0].calls))) /
        mean(sets.map(({ curves }) => curves[rule][0].calls))
      );
  }
  return undefined;
}

/**
 * In points; tasks are resampled inside of their sets. Every set weighs the same, and under `byTask` every task does: the
 * small sets have wide intervals, so both are told.
 */
function difference(pairs) {
  const own = pairs.map(([a, b]) => a.scores.map((score, i) => 100 * (score - b.scores[i])));
  const random = createRandom(1);
  const resampled = Array.from({ length: RESAMPLES }, () =>
    own.map((values) => mean(values.map(() => values[random.integer(0, values.length - 1)]))),
  );
  const sizes = own.map(({ length }) => length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const byTask = (means) => means.reduce((sum, value, i) => sum + (value * sizes[i]) / total, 0);
  const summarise = (join) => {
    const sampled = resampled.map(join).sort((a, b) => a - b);
    return {
      points: join(own.map(mean)),
      low: sampled[Math.floor(0.025 * RESAMPLES)],
      high: sampled[Math.ceil(0.975 * RESAMPLES) - 1],
    };
  };
  return { ...summarise(mean), byTask: summarise(byTask) };
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
