// One training, or two beside each other: how it stands, its curves, whom it came to ask, what it wrote.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { toPercent } from "../../../src/base/format.ts";
import type { TrainingReport, TrainingSummary } from "../../../src/gateway/dashboard/types.ts";
import type { TestResult } from "../../../src/learn/folder.ts";
import { sendJson } from "../api.ts";
import { Legend } from "../chart/legend.tsx";
import { LineChart } from "../chart/line-chart.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { Money } from "../ui/figures.tsx";
import { ErrorNote, Loading } from "../ui/notes.tsx";
import { Table } from "../ui/table.tsx";
import { type Figure, toAsked, toAxis, toFigures } from "./figures.ts";
import { Samples } from "./samples.tsx";
import { StateTag } from "./state-tag.tsx";
import { useTraining } from "./use-training.ts";

interface Props {
  id: string;
  other: string | undefined;
  trainings: readonly TrainingSummary[];
}

export function TrainingView({ id, other, trainings }: Props) {
  const { data: report, error } = useTraining(id);
  const { data: second } = useTraining(other);
  const [, navigate] = useLocation();
  const others = trainings.filter((training) => training.id !== id);
  if (error) return <ErrorNote error={error} />;
  if (!report) return <Loading what="Reading the training" />;
  const compareWith = (name: string) =>
    navigate(`/learn/${encodeURIComponent(id)}${name === "" ? "" : `/${encodeURIComponent(name)}`}`);
  return (
    <>
      <Head report={report}>
        {others.length > 0 && (
          <Field label="Compare with">
            <select value={other ?? ""} onChange={(event) => compareWith(event.target.value)}>
              <option value="">nothing</option>
              {others.map(({ id: name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
        )}
      </Head>
      <Curves reports={second ? [report, second] : [report]} />
      {(second ? [report, second] : [report]).map((each) => (
        <Asked key={each.summary.id} report={each} />
      ))}
      <Card title="What it wrote, early and late">
        <Samples samples={report.samples} />
      </Card>
      {report.results.length > 0 && <Results {...report} />}
      <Card title="How it was made">
        <div className="stack">
          <pre className="block wrap">{report.summary.command}</pre>
          {report.engine && <p className="muted small">Engine: {report.engine}</p>}
          {report.notices
            .filter((notice) => !notice.startsWith("Engine"))
            .map((notice) => (
              <p key={notice} className="muted small">
                {notice}
              </p>
            ))}
        </div>
      </Card>
    </>
  );
}

function Head({ report, children }: { report: TrainingReport; children: React.ReactNode }) {
  const { summary } = report;
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: () => sendJson("POST", `v1/trainings/${encodeURIComponent(summary.id)}/stop`),
    onSuccess: () => client.invalidateQueries({ queryKey: ["trainings"] }),
  });
  const { iterations, total, isSimulated, state, problem } = summary;
  const seconds = report.iterations.reduce((sum, each) => sum + each.seconds, 0);
  return (
    <Card
      title={summary.id}
      aside={
        <span className="row">
          <StateTag {...summary} />
          {isSimulated && <span className="muted small">simulated workers and tasks</span>}
        </span>
      }
    >
      <div className="learn-head">
        <div className="stack">
          <div className="row">
            <progress
              max={total ?? Math.max(1, iterations)}
              value={iterations}
              aria-label="Iterations done"
            />
            <span className="number" data-testid="iterations">
              {total === undefined ? iterations : `${iterations} of ${total}`} iterations,{" "}
              {Math.round(seconds)} s
            </span>
          </div>
          {summary.best && (
            <p>
              Right on <b>{toPercent(summary.best.accuracy)}</b> of the validation questions at its best (95 %
              interval {toPercent(summary.best.low)} – {toPercent(summary.best.high)}), with{" "}
              {summary.best.calls.toFixed(2)} calls a question.
            </p>
          )}
          {!summary.best && state === "running" && (
            <p className="muted">
              The warm-up teaches the language of workflows and nothing else: watch the loss. Reward and
              accuracy begin after it.
            </p>
          )}
          {problem && <p className="note bad">{problem}</p>}
          {state === "stopped" && (
            <p className="muted">
              It was stopped, and goes on from its checkpoint with <code>tutti train --resume</code> and its
              folder.
            </p>
          )}
          {stop.error && <ErrorNote error={stop.error} />}
        </div>
        <div className="learn-actions">
          {children}
          {summary.isOurs && state !== "running" && (
            <p className="muted" role="status">
              Measuring it on test tasks that it has never seen…
            </p>
          )}
          {summary.isOurs && state === "running" && (
            <Button kind="danger" onClick={() => stop.mutate()} disabled={stop.isPending || stop.isSuccess}>
              {stop.isSuccess ? "Stopping after this iteration…" : "Stop the training"}
            </Button>
          )}
        </div>
      </div>
    </Card>
  );
}

function Curves({ reports }: { reports: readonly TrainingReport[] }) {
  const x = useMemo(() => toAxis(reports), [reports]);
  const figures = useMemo(() => order(toFigures(reports, x), reports[0]!), [reports, x]);
  return (
    <div className="chart-grid">
      {figures.map((figure) => (
        <Card key={figure.title} title={figure.title}>
          <LineChart
            x={x.slice(figure.from)}
            lines={figure.lines}
            format={figure.format}
            label={figure.title}
            xName="iteration"
            {...(figure.range && { range: figure.range })}
          />
          {legendOf(figure).length > 1 && <Legend entries={legendOf(figure)} />}
          <p className="muted small">{figure.hint}</p>
        </Card>
      ))}
    </div>
  );
}

/** In the warm-up only the loss moves: then it comes first. */
function order(figures: Figure[], { iterations }: TrainingReport): Figure[] {
  const isWarmUp = iterations.every(({ asked }) => !asked);
  return isWarmUp
    ? figures.toSorted((a, b) => Number(b.title === "Loss") - Number(a.title === "Loss"))
    : figures;
}

function legendOf({ lines }: Figure) {
  return lines.filter(({ look }) => look !== "faint").map(({ name, colour }) => ({ name, colour }));
}

function Asked({ report }: { report: TrainingReport }) {
  const { x, lines } = useMemo(() => toAsked(report), [report]);
  const last = report.iterations.findLast(({ asked }) => asked)?.asked ?? {};
  const said = Object.entries(last)
    .sort((a, b) => b[1] - a[1])
    .map(([name, share]) => `${name} ${toPercent(share)}`)
    .join(", ");
  return (
    <Card title={`Who is asked over time: ${report.summary.id}`}>
      {lines.length === 0 ? (
        <p className="muted">Nobody was asked yet: that begins after the warm-up.</p>
      ) : (
        <>
          <LineChart
            x={x}
            lines={lines}
            format={toPercent}
            label={`Share of calls by worker; at the end ${said}`}
            xName="iteration"
            height={220}
            range={{ from: 0, to: 1 }}
          />
          <Legend entries={lines.map(({ name, colour }) => ({ name, colour }))} />
        </>
      )}
    </Card>
  );
}

function Results({ results, summary }: TrainingReport) {
  return (
    <Card title="On test tasks that it has never seen">
      <Table<TestResult>
        label="Results on test tasks"
        columns={[
          { title: "Conductor", cell: ({ name, note }) => (note ? `${name} (${note})` : name) },
          { title: "Accuracy", align: "right", cell: ({ accuracy }) => toPercent(accuracy) },
          {
            title: "95 % interval",
            align: "right",
            cell: ({ low, high }) => `${toPercent(low)} – ${toPercent(high)}`,
          },
          { title: "Calls", align: "right", cell: ({ calls }) => calls.toFixed(2) },
          {
            title: "Cost a task",
            align: "right",
            cell: ({ costUsd }) => <Money usd={costUsd} isSimulated={summary.isSimulated} />,
          },
        ]}
        rows={results}
        keyOf={({ name }) => name}
      />
    </Card>
  );
}
