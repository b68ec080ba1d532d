// How Conductors learn: trainings that run and that ran, their curves, what they wrote early and late, two beside
// each other. A training in the rehearsal can be started from here: it costs nothing.

import { useState } from "react";
import { Link } from "wouter";
import { toPoints } from "../../../src/base/format.ts";
import type { TrainingSummary } from "../../../src/gateway/dashboard/types.ts";
import type { PageProps } from "../shell/pages.ts";
import { Button } from "../ui/button.tsx";
import { Card, PageHead } from "../ui/card.tsx";
import { Empty, Loaded } from "../ui/notes.tsx";
import { type Column, number, Table } from "../ui/table.tsx";
import { useJson } from "../ui/use-json.ts";
import { When } from "../ui/values.tsx";
import { StartForm } from "./start-form.tsx";
import { StateTag, TrainingView } from "./training-view.tsx";
import "./learn.css";

export default function Page({ rest }: PageProps) {
  const [id = "", other] = rest.split("/");
  const trainings = useJson<{ data: TrainingSummary[] }>("v1/trainings", undefined, {
    refetchInterval: 4_000,
  });
  const [isStarting, setIsStarting] = useState(false);
  const found = trainings.data?.data ?? [];
  const isRunning = found.some(({ isOurs }) => isOurs);
  return (
    <div className="stack">
      <PageHead
        title="Learn"
        actions={
          found.length > 0 && (
            <Button
              kind="primary"
              aria-expanded={isStarting}
              disabled={isRunning}
              title={isRunning ? "One at a time: stop the one that runs first" : undefined}
              onClick={() => setIsStarting(!isStarting)}
            >
              Train in the rehearsal
            </Button>
          )
        }
      >
        A Conductor learns by reinforcement whom to ask, what to tell them and what they may see.
      </PageHead>
      {isStarting && found.length > 0 && <StartForm onStart={() => setIsStarting(false)} />}
      <Loaded query={trainings}>
        {({ data }) =>
          data.length === 0 ? <Nothing /> : <Found trainings={data} shown={id || data[0]!.id} other={other} />
        }
      </Loaded>
    </div>
  );
}

function Nothing() {
  return (
    <>
      <Empty title="Nobody has trained here yet">
        <p>
          Train in the rehearsal: simulated tasks and workers, no key, no cost. The curves move within
          seconds; a Conductor that beats its best worker takes some minutes.
        </p>
        <pre>tutti train --minutes 10</pre>
      </Empty>
      <StartForm onStart={() => {}} />
    </>
  );
}

interface FoundProps {
  trainings: readonly TrainingSummary[];
  shown: string;
  other: string | undefined;
}

function Found({ trainings, shown, other }: FoundProps) {
  return (
    <>
      <Card title="Trainings" className="list-card">
        <Table label="Trainings" columns={toColumns(shown)} rows={trainings} keyOf={({ id }) => id} />
      </Card>
      <TrainingView key={shown} id={shown} other={other} trainings={trainings} />
    </>
  );
}

function toColumns(shown: string): Column<TrainingSummary>[] {
  return [
    {
      title: "Name",
      cell: ({ id }) => (
        <Link href={`/learn/${encodeURIComponent(id)}`} aria-current={id === shown ? "true" : undefined}>
          {id}
        </Link>
      ),
    },
    { title: "State", cell: (training) => <StateTag {...training} /> },
    { title: "World", cell: ({ world }) => world },
    number("Seed", ({ seed }) => seed),
    number("Iterations", ({ iterations, total }) =>
      total === undefined ? iterations : `${iterations} of ${total}`,
    ),
    number("Best on the validation split, %", ({ best }) =>
      best ? `${toPoints(best.accuracy)} (${toPoints(best.low)} – ${toPoints(best.high)})` : "–",
    ),
    number("Began", ({ startedAt }) => <When at={startedAt} />),
  ];
}
