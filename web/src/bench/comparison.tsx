// Two Conductors on the same tasks: the paired difference, where it comes from, and which tasks flipped.

import { useQuery } from "@tanstack/react-query";
import { toCount, toPercent } from "../../../src/base/format.ts";
import type { PairedDifference } from "../../../src/base/statistics.ts";
import type { Flip } from "../../../src/bench/compare.ts";
import type { BenchComparison } from "../../../src/gateway/dashboard/types.ts";
import { getJson } from "../api.ts";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { ErrorNote, Loading } from "../ui/notes.tsx";
import { Table } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";

interface Props {
  id: string;
  names: readonly string[];
  a: string;
  b: string;
  setA: (name: string) => void;
  setB: (name: string) => void;
}

const MOST_FLIPS = 12;

export function ComparisonCard({ id, names, a, b, setA, setB }: Props) {
  const isPair = a !== "" && b !== "" && a !== b;
  const { data, error, isLoading } = useQuery({
    queryKey: ["comparison", id, a, b],
    enabled: isPair,
    queryFn: ({ signal }) =>
      getJson<BenchComparison>("v1/comparisons", { a: id, a_conductor: a, b: id, b_conductor: b }, signal),
  });
  return (
    <Card title="Two beside each other">
      <div className="stack">
        <div className="form-grid">
          <Choice label="A" names={names} value={a} onChange={setA} />
          <Choice label="B" names={names} value={b} onChange={setB} />
        </div>
        {!isPair && <p className="muted">Choose two different ones.</p>}
        {error && <ErrorNote error={error} />}
        {isLoading && <Loading what="Comparing" />}
        {isPair && data && <Difference comparison={data} />}
      </div>
    </Card>
  );
}

function Choice(props: {
  label: string;
  names: readonly string[];
  value: string;
  onChange: (name: string) => void;
}) {
  const { label, names, value, onChange } = props;
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </Field>
  );
}

function Difference({ comparison }: { comparison: BenchComparison }) {
  const { a, b, n, accuracyA, accuracyB, difference, byCategory, gained, lost } = comparison;
  const isShown = difference.low > 0 || difference.high < 0;
  return (
    <>
      <p>
        <b>{b}</b> is right on {toPercent(accuracyB)}, <b>{a}</b> on {toPercent(accuracyA)} of{" "}
        {toCount(n, "task")}: {toPoints(difference)}{" "}
        <Tag tone={!isShown ? "plain" : difference.mean > 0 ? "good" : "bad"}>
          {!isShown ? "no difference is shown" : difference.mean > 0 ? "B is better" : "B is worse"}
        </Tag>{" "}
        <span className="muted small">
          paired, p {difference.p < 0.001 ? "< 0.001" : `= ${difference.p.toFixed(3)}`}
        </span>
      </p>
      <Table
        label="Difference by category"
        columns={[
          { title: "Category", cell: ({ category }) => category },
          { title: "Tasks", align: "right", cell: (each) => each.n },
          { title: "B − A", align: "right", cell: (each) => toPoints(each.difference) },
        ]}
        rows={byCategory.toSorted((x, y) => y.difference.mean - x.difference.mean)}
        keyOf={({ category }) => category}
      />
      <Flips title={`${toCount(gained.length, "task")} right with B, wrong with A`} flips={gained} />
      <Flips title={`${toCount(lost.length, "task")} wrong with B, right with A`} flips={lost} />
    </>
  );
}

function Flips({ title, flips }: { title: string; flips: readonly Flip[] }) {
  return (
    <details>
      <summary>{title}</summary>
      <ul className="bench-flips">
        {flips.slice(0, MOST_FLIPS).map(({ task, family, answerA, answerB }) => (
          <li key={task}>
            <span className="mono">{task}</span> <span className="muted">({family})</span>
            <div className="small">
              A: {answerA.slice(0, 120) || "–"} · B: {answerB.slice(0, 120) || "–"}
            </div>
          </li>
        ))}
      </ul>
      {flips.length > MOST_FLIPS && <p className="muted small">… and {flips.length - MOST_FLIPS} more.</p>}
    </details>
  );
}

function toPoints({ mean, low, high }: PairedDifference): string {
  const points = (value: number) => `${value >= 0 ? "+" : "−"}${Math.abs(value * 100).toFixed(1)}`;
  return `${points(mean)} points (${points(low)} to ${points(high)})`;
}
