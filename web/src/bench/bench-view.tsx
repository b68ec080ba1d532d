// One bench: the chart, the table, categories, and two Conductors side by side.

import { useMemo, useState } from "react";
import { toCount } from "../../../src/base/format.ts";
import { type SpendingUnit, toFrontView } from "../../../src/bench/report/front-chart.ts";
import {
  BEST_SINGLE,
  findBest,
  RESULTS_NOTE,
  toCategories,
  toHeadline,
  toResultTable,
} from "../../../src/bench/report/view.ts";
import type { BenchReport } from "../../../src/gateway/dashboard/types.ts";
import { SIMULATED } from "../../../src/report/html.ts";
import { Card } from "../ui/card.tsx";
import { Picture } from "../ui/chart.tsx";
import { Choice } from "../ui/field.tsx";
import { DataTable } from "../ui/table.tsx";
import { ComparisonCard } from "./comparison.tsx";

export function BenchView({ report }: { report: BenchReport }) {
  const { summary, counts, refused, seed } = report;
  const results = useMemo(() => report.results.toSorted((a, b) => b.accuracy - a.accuracy), [report]);
  const [unit, setUnit] = useState<SpendingUnit>("calls");
  const best = findBest(results)?.conductor ?? "";
  const other = results.find(({ conductor }) => conductor === BEST_SINGLE) ?? findBest(results, best);
  const [a, setA] = useState(other?.conductor ?? "");
  const [b, setB] = useState(best);
  const front = useMemo(() => toFrontView(results, unit, [a, b]), [results, unit, a, b]);
  const categories = useMemo(() => toCategories(results), [results]);
  if (results.length === 0)
    return <p className="note">No rows yet: they appear here while the bench is running.</p>;
  const units = [
    ["calls", "calls per task"],
    ["cost", "cost per task"],
  ] as const;
  return (
    <>
      <Card
        title={`What accuracy costs: ${summary.set || summary.id}`}
        aside={
          <Choice
            label="Against"
            value={unit}
            options={units}
            onChange={(value) => setUnit(value as SpendingUnit)}
          />
        }
      >
        {summary.isSimulated && <p className="muted small">{SIMULATED}</p>}
        <p>{toHeadline(results)}</p>
        {front ? (
          <figure>
            <div className="wide-picture">
              <Picture drawing={front.drawing} />
            </div>
            <figcaption className="muted small">{front.caption}</figcaption>
          </figure>
        ) : (
          <p className="muted">Fewer than two have spent any of it.</p>
        )}
      </Card>
      <Card
        title="Results"
        aside={
          counts && (
            <span className="muted small">
              {toCount(counts.test, "test task")}; fitted on {counts.train}, seed {seed}
            </span>
          )
        }
      >
        <DataTable view={toResultTable(results)} />
        <p className="muted small">{RESULTS_NOTE}</p>
        {refused.map(({ conductor, reason }) => (
          <p key={conductor} className="muted small">
            {conductor} was not measured: {reason}
          </p>
        ))}
      </Card>
      <ComparisonCard
        id={summary.id}
        names={results.map(({ conductor }) => conductor)}
        {...{ a, b, setA, setB }}
      />
      <Card title="By category">
        <div className="panels">
          {categories.map(({ name, n, bars }) => (
            <div key={name}>
              <h3>
                {name} <small className="muted">n = {n}</small>
              </h3>
              <Picture drawing={bars} />
            </div>
          ))}
        </div>
      </Card>
    </>
  );
}
