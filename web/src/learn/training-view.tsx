// One training, or two beside each other: how it stands, its curves, whom it came to ask, what it wrote.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { useLocation } from "wouter";
import type { TrainingReport, TrainingSummary } from "../../../src/gateway/dashboard/types.ts";
import { toAskedChart, toCharts, toFacts, toHeadline, toTestTables } from "../../../src/learn/report/view.ts";
import { sendJson } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ChartView } from "../ui/chart.tsx";
import { Choice } from "../ui/field.tsx";
import { ErrorNote, Loaded } from "../ui/notes.tsx";
import { DataTable } from "../ui/table.tsx";
import { Tag, type Tone } from "../ui/tag.tsx";
import { Samples } from "./samples.tsx";
import { useTraining } from "./use-training.ts";

interface Props {
  id: string;
  other: string | undefined;
  trainings: readonly TrainingSummary[];
}

export function TrainingView({ id, other, trainings }: Props) {
  const training = useTraining(id);
  const { data: second } = useTraining(other);
  const [, navigate] = useLocation();
  const others = trainings.filter((each) => each.id !== id).map((each) => each.id);
  const compareWith = (name: string) =>
    navigate(
      ["/learn", id, name]
        .filter(Boolean)
        .map((part, i) => (i ? encodeURIComponent(part) : part))
        .join("/"),
    );
  return (
    <Loaded query={training} what="Reading the training">
      {(report) => (
        <>
          <Head report={report}>
            {others.length > 0 && (
              <Choice
                label="Compare with"
                value={other ?? ""}
                options={[["", "nothing"], ...others]}
                onChange={compareWith}
              />
            )}
          </Head>
          <Curves report={report} second={second} />
          <Card title="What it wrote, early and late">
            <Samples samples={report.samples} />
          </Card>
          {report.results.length > 0 && (
            <Card title="On test tasks that it has never seen">
              {toTestTables(report.results, report.summary.isSimulated).map(({ world, table }) => (
                <section key={table.label}>
                  {world !== undefined && <h3>{world}</h3>}
                  <DataTable view={table} />
                </section>
              ))}
            </Card>
          )}
          <Card title="How it was made">
            <div className="stack">
              <pre className="block wrap">{report.summary.command}</pre>
              {report.notices.map((notice) => (
                <p key={notice} className="muted small">
                  {notice}
                </p>
              ))}
            </div>
          </Card>
        </>
      )}
    </Loaded>
  );
}

function Curves({ report, second }: { report: TrainingReport; second: TrainingReport | undefined }) {
  const [shown, { charts, small }] = useMemo(() => {
    const reports = second ? [report, second] : [report];
    return [reports, toCharts(reports.map((each) => ({ ...each, name: each.summary.id })))];
  }, [report, second]);
  return (
    <>
      <div className="chart-grid">
        {[...charts, ...small].map((chart) => (
          <Card key={chart.title} title={chart.title}>
            <ChartView chart={chart} height={small.includes(chart) ? 140 : 200} />
          </Card>
        ))}
      </div>
      {shown.map((each) => (
        <Asked key={each.summary.id} report={each} />
      ))}
    </>
  );
}

function Asked({ report: { summary, iterations } }: { report: TrainingReport }) {
  const chart = useMemo(() => toAskedChart(iterations), [iterations]);
  return (
    <Card title={`Who is asked over time: ${summary.id}`}>
      {chart ? (
        <ChartView chart={chart} height={230} />
      ) : (
        <p className="muted">Nobody was asked yet: that begins after the warm-up.</p>
      )}
    </Card>
  );
}

const TONES: Record<TrainingSummary["state"], Tone> = {
  running: "accent",
  done: "good",
  stopped: "plain",
  failed: "bad",
};

export function StateTag({ state, stage }: Pick<TrainingSummary, "state" | "stage">) {
  return (
    <Tag tone={TONES[state]}>
      {state === "running" && <span className="spinner" aria-hidden="true" />}
      {state}
      {state === "running" && stage && `, ${stage}`}
    </Tag>
  );
}

function Head({ report, children }: { report: TrainingReport; children: ReactNode }) {
  const { summary } = report;
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: () => sendJson("POST", `v1/trainings/${encodeURIComponent(summary.id)}/stop`),
    onSuccess: () => client.invalidateQueries({ queryKey: ["v1/trainings"] }),
  });
  const { iterations, total, isSimulated, state, problem } = summary;
  const headline = toHeadline(report.validations);
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
            <span data-testid="iterations">
              {toFacts(report.iterations, { ...summary, engine: report.engine }).join(", ")}
            </span>
          </div>
          {headline && <p>{headline}</p>}
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
