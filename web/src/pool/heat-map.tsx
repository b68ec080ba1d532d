// What was measured of each worker, topic by topic: the stronger, the deeper its cell.

import { toPercent } from "../../../src/base/format.ts";
import type { PoolWorker } from "../../../src/gateway/dashboard/types.ts";
import { TOPICS } from "../../../src/worker/types.ts";

/** As much of the accent as its text stays readable on, light and dark. */
const DEEPEST = 52;

export function HeatMap({ workers }: { workers: readonly PoolWorker[] }) {
  const topics = TOPICS.filter((topic) =>
    workers.some(({ profile }) => profile?.topics[topic] !== undefined),
  );
  const rates = workers.flatMap(({ profile }) => Object.values(profile?.topics ?? {}));
  const [low, high] = [Math.min(...rates, 1), Math.max(...rates, 0)];
  const depthOf = (rate: number) => (high > low ? ((rate - low) / (high - low)) * DEEPEST : DEEPEST / 2);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-scroll" tabIndex={0} aria-label="Success by worker and topic">
      <table className="heat">
        <thead>
          <tr>
            <th scope="col">Worker</th>
            {topics.map((topic) => (
              <th key={topic} scope="col">
                {topic.replaceAll("-", " ")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {workers.map(({ id, profile }) => (
            <tr key={id}>
              <th scope="row" className="mono">
                {id}
              </th>
              {topics.map((topic) => {
                const rate = profile?.topics[topic];
                if (rate === undefined) return <td key={topic}>–</td>;
                const depth = depthOf(rate).toFixed(1);
                return (
                  <td
                    key={topic}
                    style={{ background: `color-mix(in srgb, var(--accent) ${depth}%, var(--card))` }}
                  >
                    {toPercent(rate)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
