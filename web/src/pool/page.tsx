// Who can be asked: how they are, what they cost, what was measured of them, and who did the work lately.

import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { toCount, toPercent } from "../../../src/base/format.ts";
import type { PoolReport, PoolWorker } from "../../../src/gateway/dashboard/types.ts";
import type { HeatView } from "../../../src/report/table.ts";
import { isModel } from "../../../src/worker/kinds.ts";
import { TOPICS } from "../../../src/worker/types.ts";
import type { PageProps } from "../shell/pages.ts";
import { Card, PageHead } from "../ui/card.tsx";
import { Choice } from "../ui/field.tsx";
import { Loaded } from "../ui/notes.tsx";
import { type Column, HeatTable, number, Table } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { useJson } from "../ui/use-json.ts";
import { Duration, Meter, Money } from "../ui/values.tsx";
import "./pool.css";

const WINDOWS = [
  [24, "the last day"],
  [24 * 7, "the last week"],
  [24 * 30, "the last 30 days"],
  [24 * 365, "the last year"],
] as const;

const WHERE: Record<PoolReport["kind"], string> = {
  config: "Workers of the config file.",
  environment: "Workers that were found by keys in the environment and by local servers that answer.",
  rehearsal: "The rehearsal: simulated workers, no key, no cost.",
  mixed: "Workers of the config, of the environment and of the rehearsal.",
};

export default function Page(_: PageProps) {
  const [hours, setHours] = useState<number>(24 * 7);
  const pool = useJson<PoolReport>(
    "v1/pool",
    { hours },
    { refetchInterval: 5_000, placeholderData: keepPreviousData },
  );
  return (
    <div className="stack">
      <PageHead
        title="Pool"
        actions={
          <Choice
            label="Shares of"
            value={hours}
            options={WINDOWS}
            onChange={(value) => setHours(Number(value))}
          />
        }
      >
        {pool.data && WHERE[pool.data.kind]}
      </PageHead>
      <Loaded query={pool} what="Looking who is there">
        {(report) => <Pool report={report} />}
      </Loaded>
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
          <HeatTable view={toTopics(measured)} />
        ) : (
          <div className="stack">
            <p className="muted">
              Nothing was measured of these workers yet. Plans are better with profiles: measure them on a few
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
    number("No.", (worker) => worker.number),
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
    number("Reply takes", ({ work }) => <Duration ms={work.meanMs} />),
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
    number("Failed asks", ({ work }) => work.failures),
  ];
}

/** What was measured of each worker, topic by topic: the stronger, the deeper its cell. */
function toTopics(workers: readonly PoolWorker[]): HeatView {
  const rates = workers.flatMap(({ profile }) => Object.values(profile?.topics ?? {}));
  const [low, high] = [Math.min(...rates, 1), Math.max(...rates, 0)];
  const topics = TOPICS.filter((topic) =>
    workers.some(({ profile }) => profile?.topics[topic] !== undefined),
  );
  return {
    label: "Success by worker and topic",
    corner: "Worker",
    columns: topics.map((topic) => topic.replaceAll("-", " ")),
    rows: workers.map(({ id, profile }) => ({
      name: id,
      cells: topics.map((topic) => {
        const rate = profile?.topics[topic];
        if (rate === undefined) return { text: "–", shade: 0 };
        return { text: toPercent(rate), shade: high > low ? (rate - low) / (high - low) : 0.5 };
      }),
    })),
  };
}

const KINDS = {
  model: "",
  tool: "a vote, no model is called",
  verifier: "checks a reply, no model is called",
  conductor: "the Conductor itself",
} as const;

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
