// One question: what was asked, the team at work, and the answer below it.

import { useCallback, useState } from "react";
import { Link } from "wouter";
import type { RunStep } from "../../../src/perform/run.ts";
import { RunGraph } from "../graph/run-graph.tsx";
import { useRunView } from "../graph/use-run-view.ts";
import { StepPanel } from "../runs/step-panel.tsx";
import { StopTag } from "../runs/stop-tag.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { ErrorNote } from "../ui/notes.tsx";
import { Tag } from "../ui/tag.tsx";
import { Duration, Elapsed, Money } from "../ui/values.tsx";
import { OfferExample } from "./examples.tsx";
import type { ChatTurn } from "./session.ts";

interface Props {
  turn: ChatTurn;
  isLast: boolean;
  onPick: (question: string) => void;
}

export function TurnView({ turn, isLast, onPick }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const isShown = isLast || isOpen;
  const { state, error, fields, question } = turn;
  return (
    <article className="turn" aria-label={`Question: ${question.slice(0, 80)}`}>
      <p className="question">{question}</p>
      {!isLast && turn.runId !== undefined && (
        <button
          type="button"
          className="button quiet small"
          aria-expanded={isShown}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isShown ? "Hide the team's work" : "Show the team's work"}
        </button>
      )}
      {isShown && <TeamWork turn={turn} />}
      {(turn.answer !== "" || state !== "running") && (
        <div className="answer" aria-live="polite" aria-busy={state === "running"}>
          <Markdown text={turn.answer} />
          {state === "running" && <span className="caret" aria-hidden="true" />}
          {state === "failed" && <ErrorNote error={error} />}
        </div>
      )}
      {fields && (
        <p className="row small muted">
          <Money usd={fields.cost_usd} isSimulated={fields.simulated === true} />
          <span>
            {fields.calls} {fields.calls === 1 ? "call" : "calls"}
          </span>
          {fields.stop_reason !== "done" && <StopTag reason={fields.stop_reason} />}
          {fields.simulated && <Tag title="Workers of the rehearsal: no real model was asked">simulated</Tag>}
          <Link href={`/runs/${turn.runId}`}>Open the run</Link>
        </p>
      )}
      {isLast && state === "done" && fields?.simulated && (
        <OfferExample question={question} onPick={onPick} />
      )}
    </article>
  );
}

function TeamWork({ turn }: { turn: ChatTurn }) {
  const { view, run, error } = useRunView(turn.runId);
  const [selected, setSelected] = useState<{ round: number; step: number }>();
  const select = useCallback(
    (step: RunStep) =>
      setSelected((was) => (was?.round === step.round && was.step === step.step ? undefined : step)),
    [],
  );
  if (error) return <ErrorNote error={error} />;
  if (!run) {
    if (turn.state !== "running") return null;
    return (
      <p className="waiting muted" role="status">
        <span className="spinner" aria-hidden="true" /> The Conductor is reading the question…
      </p>
    );
  }
  const step = selected && run.rounds[selected.round]?.steps[selected.step];
  return (
    <>
      <RunGraph run={run} planText={view.planText} selected={selected} onSelect={select} maxHeight={440} />
      {turn.state === "running" && (
        <p className="row small muted">
          <Elapsed since={run.startedAt} />{" "}
          <Money usd={run.costUsd} isSimulated={run.isSimulated} estimatedUsd={run.estimatedUsd} />
        </p>
      )}
      {turn.state !== "running" && !turn.fields && (
        <p className="row small muted">
          <Duration ms={run.durationMs} />
        </p>
      )}
      {step && <StepPanel run={run} step={step} onClose={() => setSelected(undefined)} />}
    </>
  );
}
