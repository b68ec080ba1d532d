// Who can be asked: how they are, what they cost, what was measured of them, and who did the work lately.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toCount, toPercent } from "../../../src/base/format.ts";
import type { PoolReport, PoolWorker } from "../../../src/gateway/dashboard/types.ts";
import { isModel } from "../../../src/worker/kinds.ts";
import type { WorkerKind } from "../../../src/worker/types.ts";
import { getJson } from "../api.ts";
import type { PageProps } from "../shell/pages.ts";
import { Card, PageHead } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { Duration, Meter, Money } from "../ui/figures.tsx";
import { ErrorNote, Loading } from "../ui/notes.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { HeatMap } from "./heat-map.tsx";
import "./pool.css";

const WINDOWS = [
  { hours: 24, name: "the last day" },
  { hours: 24 * 7, name: "the last week" },
  { hours: 24 * 30, name: "the last 30 days" },
  { hours: 24 * 365, name: "the last year" },
] as const;

const WHERE: Record<PoolReport["kind"], string> = {
  config: "Workers of the config file.",
  environment: "Workers that were found by keys in the environment and by local servers that answer.",
  rehearsal: "The rehearsal: simulated workers, no key, no cost.",
  mixed: "Workers of the config, of the environment and of the rehearsal.",
};

export default function Page(_: PageProps) {
  const [hours, setHours] = useState<number>(24 * 7);
  const { data, error } = useQuery({
    queryKey: ["pool", hours],
    queryFn: ({ signal }) => getJson<PoolReport>("v1/pool", { hours }, signal),
    refetchInterval: 5_000,
    placeholderData: (before) => before,
  });
  return (
    <div className="stack">
      <PageHead
        title="Pool"
        actions={
          <Field label="Shares of" className="pool-window">
            <select value={hours} onChange={(event) => setHours(Number(event.target.value))}>
              {WINDOWS.map((window) => (
                <option key={window.hours} value={window.hours}>
                  {window.name}
                </option>
              ))}
            </select>
          </Field>
        }
      >
        {data && WHERE[data.kind]}
      </PageHead>
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading what="Looking who is there" />}
      {data && <Pool report={data} />}
    </div>
  );
}

function Pool({ report }: { report: PoolReport }) {
  const { notice, workers, leftOut, window, planning, kind } = report;
  const isSimulated = kind === "rehearsal";
  const measured = workers.filter(({ profile }) => profile);
  return (
    <>
      {notice && <p className="note warn">{notice}</p>}
      <Card
        title={toCount(workers.length, "worker")}
        aside={
          <span className="muted small">
            {toCount(window.runs, "run")}, {toCount(window.calls, "call")},{" "}
            <Money usd={window.costUsd} isSimulated={isSimulated} />
            {planning.calls > 0 && <>; the Conductor's own {toCount(planning.calls, "call")} beside that</>}
            {window.isCut && "; only the newest runs are counted"}
          </span>
        }
      >
        <Table
          label="Workers of the pool"
          columns={toColumns(isSimulated)}
          rows={workers}
          keyOf={({ id }) => id}
        />
        {window.runs === 0 && (
          <p className="muted small pool-hint">
            Nobody was asked in this time. Ask something, and shares of calls and cost appear here.
          </p>
        )}
      </Card>
      <Card
        title="What they can do, by topic"
        aside={
          measured[0]?.profile?.source && <span className="muted small">{measured[0].profile.source}</span>
        }
      >
        {measured.length > 0 ? (
          <HeatMap workers={measured} />
        ) : (
          <div className="stack">
            <p className="muted">
              Nothing was measured of these workers yet. Plans are better with figures: measure them on a few
              small problems.
            </p>
            <pre className="block">tutti pool calibrate --budget 0.50</pre>
          </div>
        )}
      </Card>
      {leftOut.length > 0 && (
        <Card title="Left out">
          <Table
            label="Workers that cannot be asked"
            columns={[
              { title: "Worker", cell: ({ id }) => <span className="mono">{id}</span> },
              { title: "Why", cell: ({ detail, state }) => detail || state },
            ]}
            rows={leftOut}
            keyOf={({ id }) => id}
          />
        </Card>
      )}
    </>
  );
}

function toColumns(isSimulated: boolean): Column<PoolWorker>[] {
  return [
    { title: "No.", align: "right", cell: ({ number }) => number },
    {
      title: "Worker",
      cell: ({ id, source, kind }) => (
        <>
          <span className="mono">{id}</span>
          <span className="muted small pool-source">{KINDS[kind] || source}</span>
        </>
      ),
    },
    { title: "Health", cell: (worker) => <Health {...worker} /> },
    {
      title: <span title="Dollars per million tokens, in and out">$ per M in / out</span>,
      align: "right",
      cell: ({ price, kind }) =>
        !isModel({ kind })
          ? "–"
          : price
            ? `${toDollars(price.inputUsd)} / ${toDollars(price.outputUsd)}`
            : "unknown",
    },
    {
      title: "Success",
      align: "right",
      cell: ({ profile }) =>
        profile ? <span title={`over ${profile.tasks} tasks`}>{toPercent(profile.success)}</span> : "–",
    },
    { title: "Reply takes", align: "right", cell: ({ work }) => <Duration ms={work.meanMs} /> },
    {
      title: "Share of calls",
      cell: ({ work }) => <Share share={work.callShare} title={toCount(work.calls, "call")} />,
    },
    {
      title: "Share of cost",
      cell: ({ work }) => (
        <span className="row">
          <Share share={work.costShare} title="" /> <Money usd={work.costUsd} isSimulated={isSimulated} />
        </span>
      ),
    },
    { title: "Failed asks", align: "right", cell: ({ work }) => work.failures },
  ];
}

const KINDS: Record<WorkerKind, string> = {
  model: "",
  tool: "a vote, no model is called",
  conductor: "the Conductor itself",
};

function Share({ share, title }: { share: number; title: string }) {
  return (
    <span className="row pool-share" title={title}>
      <Meter share={share} /> <span className="number">{toPercent(share)}</span>
    </span>
  );
}

function Health({ state, detail, circuit, kind }: PoolWorker) {
  if (!isModel({ kind })) return <Tag tone="good">ready</Tag>;
  if (circuit.state === "open") {
    const seconds = Math.max(0, Math.ceil((circuit.openUntil - Date.now()) / 1000));
    return (
      <Tag tone="bad" title={`It failed ${circuit.failures} times in a row: others are asked instead`}>
        circuit open, {seconds} s
      </Tag>
    );
  }
  if (circuit.state === "trial") return <Tag tone="warn">circuit on trial</Tag>;
  return (
    <span className="row">
      <Tag tone={state === "ready" ? "good" : "warn"} title={detail}>
        {state}
      </Tag>
      {circuit.failures > 0 && <Tag tone="warn">{toCount(circuit.failures, "failure")} in a row</Tag>}
    </span>
  );
}

function toDollars(usd: number): string {
  return usd === 0 ? "0" : usd >= 0.1 ? usd.toFixed(2) : String(Number(usd.toPrecision(2)));
}
