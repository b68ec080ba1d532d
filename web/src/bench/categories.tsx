// How well by kind of task: one row for each category, one column for each Conductor.

import { toPercent } from "../../../src/base/format.ts";
import type { BenchResult } from "../../../src/bench/types.ts";

const MOST_SHOWN = 10;
/** As much of the accent as its text stays readable on, light and dark. */
const DEEPEST = 52;

export function Categories({ results }: { results: readonly BenchResult[] }) {
  const shown = results.slice(0, MOST_SHOWN);
  const categories = [
    ...new Set(shown.flatMap(({ byCategory }) => byCategory.map(({ category }) => category))),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-scroll" tabIndex={0} aria-label="Accuracy by category and Conductor">
      <table className="heat-table">
        <thead>
          <tr>
            <th scope="col">Category</th>
            {shown.map(({ conductor }) => (
              <th key={conductor} scope="col" className="mono">
                {conductor}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {categories.map((category) => (
            <tr key={category}>
              <th scope="row">{category}</th>
              {shown.map(({ conductor, byCategory }) => {
                const own = byCategory.find((each) => each.category === category);
                if (!own) return <td key={conductor}>–</td>;
                return (
                  <td
                    key={conductor}
                    title={`${own.n} tasks, 95 % interval ${toPercent(own.low)} – ${toPercent(own.high)}`}
                    style={{
                      background: `color-mix(in srgb, var(--accent) ${own.accuracy * DEEPEST}%, var(--card))`,
                    }}
                  >
                    {toPercent(own.accuracy)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {results.length > MOST_SHOWN && (
        <p className="muted small">The {MOST_SHOWN} most accurate are shown.</p>
      )}
    </section>
  );
}
