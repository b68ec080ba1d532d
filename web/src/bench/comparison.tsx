// Two Conductors on the same tasks: the paired difference, where it comes from, and which tasks flipped.

import { toCount } from "../../../src/base/format.ts";
import type { Flip } from "../../../src/bench/compare.ts";
import { toComparison } from "../../../src/bench/report/view.ts";
import type { BenchComparison } from "../../../src/gateway/dashboard/types.ts";
import { Card } from "../ui/card.tsx";
import { Choice } from "../ui/field.tsx";
import { Loaded } from "../ui/notes.tsx";
import { DataTable } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { useJson } from "../ui/use-json.ts";

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
  const query = { a: id, a_conductor: a, b: id, b_conductor: b };
  const compared = useJson<BenchComparison>("v1/comparisons", query, { enabled: isPair });
  return (
    <Card title="Two beside each other">
      <div className="stack">
        <div className="form-grid">
          <Choice label="A" options={names} value={a} onChange={setA} />
          <Choice label="B" options={names} value={b} onChange={setB} />
        </div>
        {isPair ? (
          <Loaded query={compared} what="Comparing">
            {(comparison) => <Difference comparison={comparison} />}
          </Loaded>
        ) : (
          <p className="muted">Choose two different ones.</p>
        )}
      </div>
    </Card>
  );
}

function Difference({ comparison }: { comparison: BenchComparison }) {
  const { sentence, verdict, byCategory } = toComparison(comparison);
  const { gained, lost } = comparison;
  return (
    <>
      <p>
        {sentence}{" "}
        <Tag tone={verdict.side === 0 ? "plain" : verdict.side > 0 ? "good" : "bad"}>{verdict.text}</Tag>
      </p>
      <DataTable view={byCategory} />
      <Flips title={`${toCount(gained.length, "task")} right with B, wrong with A`} flips={gained} />
      <Flips title={`${toCount(lost.length, "task")} wrong with B, right with A`} flips={lost} />
    </>
  );
}

function Flips({ title, flips }: { title: string; flips: readonly Flip[] }) {
  return (
    <details>
      <summary>{title}</summary>
      <ul className="dense-list">
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
