// Is a Conductor worth it? Results of `tutti bench`: what accuracy costs, tables, categories, two beside each other.

import { Link } from "wouter";
import { toPoints } from "../../../src/base/format.ts";
import type { BenchReport, BenchSummary } from "../../../src/gateway/dashboard/types.ts";
import type { PageProps } from "../shell/pages.ts";
import { Card, PageHead } from "../ui/card.tsx";
import { Empty, Loaded } from "../ui/notes.tsx";
import { type Column, number, Table } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { useJson } from "../ui/use-json.ts";
import { When } from "../ui/values.tsx";
import { BenchView } from "./bench-view.tsx";
import { ShadowCard } from "./shadow-card.tsx";

export default function Page({ rest }: PageProps) {
  const benches = useJson<{ data: BenchSummary[] }>("v1/benches", undefined, { refetchInterval: 10_000 });
  return (
    <div className="stack">
      <PageHead title="Bench">
        Conductors and fixed ways of asking, on the same test tasks: how often they are right, and what that
        takes.
      </PageHead>
      <ShadowCard />
      <Loaded query={benches}>
        {({ data }) =>
          data.length === 0 ? <Nothing /> : <Found benches={data} shown={rest || data[0]!.id} />
        }
      </Loaded>
    </div>
  );
}

function Nothing() {
  return (
    <Empty title="Nothing was measured here yet">
      <p>
        Measure on the rehearsal, which costs nothing and takes about a minute, in the folder that this
        gateway was started in. Then on tasks of your own.
      </p>
      <pre>
        tutti bench --rehearsal{"\n"}tutti bench --tasks mine.jsonl --conductor best-single,vote-3,prompted
        --budget-usd 2
      </pre>
    </Empty>
  );
}

function Found({ benches, shown }: { benches: readonly BenchSummary[]; shown: string }) {
  return (
    <>
      <Card title="Benches" className="list-card">
        <Table label="Benches" columns={toColumns(shown)} rows={benches} keyOf={({ id }) => id} />
      </Card>
      <Shown key={shown} id={shown} />
    </>
  );
}

function Shown({ id }: { id: string }) {
  const path = `v1/benches/${id.split("/").map(encodeURIComponent).join("/")}`;
  const report = useJson<BenchReport>(path, undefined, {
    refetchInterval: ({ state }) => (state.data?.summary.isFinished === false ? 5_000 : false),
  });
  return (
    <Loaded query={report} what="Reading the bench">
      {(data) => <BenchView report={data} />}
    </Loaded>
  );
}

function toColumns(shown: string): Column<BenchSummary>[] {
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
    number("Measured", ({ conductors }) => conductors),
    {
      title: "Most accurate",
      cell: ({ best }) =>
        best ? `${best.conductor}, ${toPoints(best.accuracy)} % with ${best.calls.toFixed(2)} calls` : "–",
    },
    number("When", ({ changedAt }) => <When at={changedAt} />),
  ];
}
