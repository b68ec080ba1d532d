// A run in full: the team's work as a graph, where the time went, the answer, and what to do with it.

import { useCallback, useMemo, useState } from "react";
import { Link } from "wouter";
import type { Run, RunStep } from "../../../src/perform/run.ts";
import { toNodeId } from "../graph/model.ts";
import { RunGraph } from "../graph/run-graph.tsx";
import { useRunView, type Watched } from "../graph/use-run-view.ts";
import { Card } from "../ui/card.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Empty, ErrorNote, Loading } from "../ui/notes.tsx";
import { Tag } from "../ui/tag.tsx";
import { CacheSaving, Duration, Elapsed, Money, Tokens, When } from "../ui/values.tsx";
import { Compare } from "./compare.tsx";
import { toCriticalPath } from "./critical-path.ts";
import { toText } from "./message-list.tsx";
import { RunActions, type Tool } from "./run-actions.tsx";
import { StepPanel } from "./step-panel.tsx";
import { StateTag } from "./stop-tag.tsx";
import { Timeline } from "./timeline.tsx";
import { TrajectoryCard } from "./trajectory-card.tsx";
import { TurnList } from "./turn-list.tsx";
import { WorkflowEditor } from "./workflow-editor.tsx";

export function RunPage({ id }: { id: string }) {
  const watched = useRunView(id);
  const { run, error, isComplete } = watched;
  if (run) return <Shown run={run} watched={watched} />;
  if (error) return <ErrorNote error={error} />;
  if (!isComplete) return <Loading what="Loading the run" />;
  return (
    <Empty title={`There is no run "${id.slice(0, 40)}"`}>
      <p>
        <Link href="/runs">All runs</Link>
      </p>
    </Empty>
  );
}

function Shown({ run, watched }: { run: Run; watched: Watched }) {
  const { view, isComplete, error } = watched;
  const [selected, setSelected] = useState<{ round: number; step: number }>();
  const [tool, setTool] = useState<Tool>();
  const select = useCallback(
    (step: RunStep) =>
      setSelected((was) => (was?.round === step.round && was.step === step.step ? undefined : step)),
    [],
  );
  const critical = useMemo(() => toCriticalPath(view), [view]);
  // Where everything is on it, there is nothing to tell apart.
  const isTelling = run.steps.some((each) => !critical.has(toNodeId(each.round, each.step)));
  const step = selected && run.rounds[selected.round]?.steps[selected.step];
  const isRunning = run.stopReason === undefined && !isComplete;
  return (
    <>
      <RunHead run={run} isRunning={isRunning} />
      <RunActions run={run} isRunning={isRunning} tool={tool} onTool={setTool} />
      {error !== undefined && <ErrorNote error={error} />}
      {run.error && <ErrorNote error={new Error(run.error.message)} />}
      {tool === "edit" && <WorkflowEditor run={run} onClose={() => setTool(undefined)} />}
      {tool === "compare" && <Compare run={run} onClose={() => setTool(undefined)} />}
      <RunGraph
        run={run}
        planText={view.planText}
        selected={selected}
        onSelect={select}
        critical={isTelling ? critical : undefined}
      />
      {step && <StepPanel run={run} step={step} onClose={() => setSelected(undefined)} />}
      <TurnList run={run} />
      <TrajectoryCard run={run} />
      <div className="columns">
        <Card title="Answer">
          {!run.hasAnswer || run.isStripped ? (
            <p className="muted">
              {run.isStripped ? "It was not kept." : isRunning ? "Not yet." : "There is none."}
            </p>
          ) : (
            <Markdown text={run.answer} />
          )}
        </Card>
        <Card title="Where the time went" aside={<Duration ms={run.durationMs} />}>
          <Timeline run={run} view={view} critical={critical} />
        </Card>
      </div>
    </>
  );
}

function RunHead({ run, isRunning }: { run: Run; isRunning: boolean }) {
  const asked = run.task.messages.findLast(({ role }) => role === "user");
  const question = asked ? toText(asked) : "";
  const state = isRunning ? "running" : run.stopReason === undefined ? "interrupted" : "ended";
  const { settings, origin, parent } = run;
  return (
    <div className="run-head">
      <p className="small">
        <Link href="/runs">Runs</Link> <span className="muted">/ {run.id}</span>
        {parent && (
          <>
            {" "}
            <span className="muted">for a step of</span>{" "}
            <Link href={`/runs/${parent.runId}`}>{parent.runId}</Link>
          </>
        )}
      </p>
      <h1 title={question}>{question || "A question that was not kept"}</h1>
      <p className="row small run-facts">
        <StateTag state={state} stopReason={run.stopReason} />
        {run.isSimulated && <Tag title="Workers of the rehearsal: no real model was asked">simulated</Tag>}
        <When at={run.startedAt} />
        {isRunning ? <Elapsed since={run.startedAt} /> : <Duration ms={run.durationMs} />}
        <Money usd={run.costUsd} isSimulated={run.isSimulated} estimatedUsd={run.estimatedUsd} />
        {run.unpricedCalls > 0 && <Tag tone="warn">{run.unpricedCalls} calls of unknown price</Tag>}
        <span>
          {run.calls} {run.calls === 1 ? "call" : "calls"}
          {run.conductorCalls > 0 && ` and ${run.conductorCalls} of the Conductor`}
        </span>
        <Tokens input={run.usage.inputTokens} output={run.usage.outputTokens} />
        <CacheSaving
          tokens={run.usage.cachedInputTokens}
          savedUsd={run.cacheSavedUsd}
          isSimulated={run.isSimulated}
        />
        {origin && <span>model {origin.model}</span>}
        <span title={settings.conductorReason}>Conductor {settings.conductor}</span>
        {origin?.keyId && <span>key {origin.keyId}</span>}
        {origin?.user && <span>user {origin.user}</span>}
      </p>
    </div>
  );
}
