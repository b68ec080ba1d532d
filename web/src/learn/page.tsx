// How Conductors learn: trainings that run and that ran, their curves, what they wrote early and late, two beside
// each other. A training in the rehearsal can be started from here: it costs nothing.

import { useState } from "react";
import { Link } from "wouter";
import { toPercent } from "../../../src/base/format.ts";
import type { TrainingSummary } from "../../../src/gateway/dashboard/types.ts";
import type { PageProps } from "../shell/pages.ts";
import { Button } from "../ui/button.tsx";
import { Card, PageHead } from "../ui/card.tsx";
import { When } from "../ui/figures.tsx";
import { Empty, ErrorNote, Loading } from "../ui/notes.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { StartForm } from "./start-form.tsx";
import { StateTag } from "./state-tag.tsx";
import { TrainingView } from "./training-view.tsx";
import { useTrainings } from "./use-training.ts";
import "./learn.css";

export default function Page({ rest }: PageProps) {
  const [id = "", other] = rest.split("/");
  const { data: trainings, error } = useTrainings();
  const [isStarting, setIsStarting] = useState(false);
  const shown = id || trainings?.[0]?.id;
  const isRunning = trainings?.some(({ isOurs }) => isOurs) ?? false;
  return (
    <div className="stack">
      <PageHead
        title="Learn"
        actions={
          trainings &&
          trainings.length > 0 && (
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
      {error && <ErrorNote error={error} />}
      {!trainings && !error && <Loading />}
      {isStarting && trainings && trainings.length > 0 && <StartForm onStart={() => setIsStarting(false)} />}
      {trainings?.length === 0 && <Nothing />}
      {trainings && trainings.length > 0 && <List trainings={trainings} shown={shown} />}
      {shown && <TrainingView key={shown} id={shown} other={other} trainings={trainings ?? []} />}
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

function List({ trainings, shown }: { trainings: readonly TrainingSummary[]; shown: string | undefined }) {
  return (
    <Card title="Trainings" className="learn-list">
      <Table label="Trainings" columns={COLUMNS(shown)} rows={trainings} keyOf={({ id }) => id} />
    </Card>
  );
}

const COLUMNS = (shown: string | undefined): Column<TrainingSummary>[] => [
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
  { title: "Seed", align: "right", cell: ({ seed }) => seed },
  {
    title: "Iterations",
    align: "right",
    cell: ({ iterations, total }) => (total === undefined ? iterations : `${iterations} of ${total}`),
  },
  {
    title: "Best on validation questions",
    align: "right",
    cell: ({ best }) =>
      best ? `${toPercent(best.accuracy)} (${toPercent(best.low)} – ${toPercent(best.high)})` : "–",
  },
  { title: "Began", align: "right", cell: ({ startedAt }) => <When at={startedAt} /> },
];
