// One bench: the chart, the table, categories, and two Conductors side by side.

import { useState } from "react";
import { toCount, toPercent } from "../../../src/base/format.ts";
import type { BenchResult } from "../../../src/bench/types.ts";
import type { BenchReport } from "../../../src/gateway/dashboard/types.ts";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { Duration, Money } from "../ui/figures.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Categories } from "./categories.tsx";
import { ComparisonCard } from "./comparison.tsx";
import type { Unit } from "./front.ts";
import { FrontChart } from "./front-chart.tsx";

export function BenchView({ report }: { report: BenchReport }) {
  const { summary, counts, results, refused } = report;
  const [unit, setUnit] = useState<Unit>("calls");
  const ranked = results.toSorted((a, b) => b.accuracy - a.accuracy);
  const [first, second] = ranked.filter(({ conductor }) => conductor !== "oracle");
  const [a, setA] = useState(
    results.find(({ conductor }) => conductor === "best-single")?.conductor ?? second?.conductor ?? "",
  );
  const [b, setB] = useState(first?.conductor ?? "");
  if (results.length === 0)
    return <p className="note">No rows yet: they appear here while the bench is running.</p>;
  return (
    <>
      <Card
        title={`What accuracy takes: ${summary.set || summary.id}`}
        aside={
          <Field label="Against">
            <select value={unit} onChange={(event) => setUnit(event.target.value as Unit)}>
              <option value="calls">calls a task</option>
              <option value="cost">cost a task</option>
            </select>
          </Field>
        }
      >
        {summary.isSimulated && (
          <p className="muted small">
            Simulated: workers and tasks are the rehearsal's. Nothing here says anything about a real model.
          </p>
        )}
        <FrontChart results={results} unit={unit} marked={[a, b]} />
      </Card>
      <Card
        title="Results"
        aside={
          counts && (
            <span className="muted small">
              {toCount(counts.test, "test task")}; fitted on {counts.train}, seed {report.seed}
            </span>
          )
        }
      >
        <Table
          label="Results by Conductor"
          columns={toColumns(summary.isSimulated)}
          rows={ranked}
          keyOf={({ conductor }) => conductor}
        />
        {refused.map(({ conductor, reason }) => (
          <p key={conductor} className="muted small">
            {conductor} was not measured: {reason}
          </p>
        ))}
      </Card>
      <ComparisonCard
        id={summary.id}
        names={ranked.map(({ conductor }) => conductor)}
        {...{ a, b, setA, setB }}
      />
      <Card title="By category">
        <Categories results={ranked} />
      </Card>
    </>
  );
}

function toColumns(isSimulated: boolean): Column<BenchResult>[] {
  return [
    { title: "Conductor", cell: ({ conductor }) => <span className="mono">{conductor}</span> },
    { title: "Accuracy", align: "right", cell: ({ accuracy }) => toPercent(accuracy) },
    {
      title: "95 % interval",
      align: "right",
      cell: ({ low, high }) => `${toPercent(low)} – ${toPercent(high)}`,
    },
    { title: "Tasks", align: "right", cell: ({ n }) => n },
    { title: "Calls", align: "right", cell: ({ calls }) => calls.toFixed(2) },
    { title: "Its own", align: "right", cell: ({ conductorCalls }) => conductorCalls.toFixed(2) },
    {
      title: "Cost a task",
      align: "right",
      cell: ({ costUsd }) => <Money usd={costUsd} isSimulated={isSimulated} />,
    },
    { title: "Delay", align: "right", cell: ({ durationMs }) => <Duration ms={durationMs} /> },
    { title: "Steps", align: "right", cell: ({ steps }) => steps.toFixed(1) },
    { title: "Valid plans", align: "right", cell: ({ validShare }) => toPercent(validShare) },
    { title: "Not graded", align: "right", cell: ({ ungraded, outages }) => ungraded + outages },
  ];
}
