// Is a Conductor worth it? Results of `tutti bench`: what accuracy costs, tables, categories, two beside each other.

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { toPercent } from "../../../src/base/format.ts";
import type { BenchReport, BenchSummary } from "../../../src/gateway/dashboard/types.ts";
import { getJson } from "../api.ts";
import type { PageProps } from "../shell/pages.ts";
import { Card, PageHead } from "../ui/card.tsx";
import { When } from "../ui/figures.tsx";
import { Empty, ErrorNote, Loading } from "../ui/notes.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { BenchView } from "./bench-view.tsx";
import "./bench.css";

export default function Page({ rest }: PageProps) {
  const { data: benches, error } = useQuery({
    queryKey: ["benches"],
    queryFn: ({ signal }) => getJson<{ data: BenchSummary[] }>("v1/benches", undefined, signal),
    select: ({ data }) => data,
    refetchInterval: 10_000,
  });
  const shown = rest || benches?.[0]?.id;
  return (
    <div className="stack">
      <PageHead title="Bench">
        Conductors and fixed ways of asking, on the same test tasks: how often they are right, and what that
        takes.
      </PageHead>
      {error && <ErrorNote error={error} />}
      {!benches && !error && <Loading />}
      {benches?.length === 0 && (
        <Empty title="Nothing was measured here yet">
          <p>
            Measure on the rehearsal, which costs nothing and takes about a minute, in the folder that this
            gateway was started in. Then on tasks of your own.
          </p>
          <pre>
            tutti bench --rehearsal{"\n"}tutti bench --tasks mine.jsonl --conductor
            best-single,vote-3,prompted --budget-usd 2
          </pre>
        </Empty>
      )}
      {benches && benches.length > 0 && (
        <Card title="Benches" className="bench-list">
          <Table label="Benches" columns={toColumns(shown)} rows={benches} keyOf={({ id }) => id} />
        </Card>
      )}
      {shown && <Shown key={shown} id={shown} />}
    </div>
  );
}

function Shown({ id }: { id: string }) {
  const { data: report, error } = useQuery({
    queryKey: ["bench", id],
    queryFn: ({ signal }) =>
      getJson<BenchReport>(
        `v1/benches/${id.split("/").map(encodeURIComponent).join("/")}`,
        undefined,
        signal,
      ),
    refetchInterval: ({ state }) => (state.data?.summary.isFinished === false ? 5_000 : false),
  });
  if (error) return <ErrorNote error={error} />;
  return report ? <BenchView report={report} /> : <Loading what="Reading the bench" />;
}

function toColumns(shown: string | undefined): Column<BenchSummary>[] {
  return [
    {
      title: "Name",
      cell: ({ id }) => (
        <Link href={`/bench/${id}`} aria-current={id === shown ? "true" : undefined}>
          {id}
        </Link>
      ),
    },
    { title: "Set", cell: ({ set }) => set },
    {
      title: "State",
      cell: ({ isFinished, isSimulated }) => (
        <span className="row">
          <Tag tone={isFinished ? "good" : "warn"}>{isFinished ? "finished" : "not finished"}</Tag>
          {isSimulated && <Tag>simulated</Tag>}
        </span>
      ),
    },
    { title: "Measured", align: "right", cell: ({ conductors }) => conductors },
    {
      title: "Most accurate",
      cell: ({ best }) =>
        best ? `${best.conductor}, ${toPercent(best.accuracy)} with ${best.calls.toFixed(2)} calls` : "–",
    },
    { title: "When", align: "right", cell: ({ changedAt }) => <When at={changedAt} /> },
  ];
}
