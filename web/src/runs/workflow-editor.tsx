// A workflow by hand: change what the Conductor wrote and have it performed. What is not valid cannot be.

import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { Run, RunStep } from "../../../src/perform/run.ts";
import { MAX_STEPS, type Step, type Workflow } from "../../../src/workflow/types.ts";
import { validateWorkflow } from "../../../src/workflow/validate.ts";
import { toPositions } from "../../../src/workflow/waves.ts";
import { startRun } from "../ask/chat-stream.ts";
import { RunGraph } from "../graph/run-graph.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/notes.tsx";
import { toWorkflowBody } from "./chat-body.ts";
import { addStep, moveStep, removeStep, toggleAccess } from "./edit-workflow.ts";

export function WorkflowEditor({ run, onClose }: { run: Run; onClose: () => void }) {
  const [, navigate] = useLocation();
  const written = run.rounds.findLast(({ steps }) => steps.length > 0)?.workflow ?? { steps: [] };
  const [workflow, setWorkflow] = useState<Workflow>(() => toEditable(written));
  const [problem, setProblem] = useState<unknown>();
  const [isStarting, setIsStarting] = useState(false);
  const wrong = validateWorkflow(workflow, { workers: run.pool.length });
  const perform = async () => {
    setIsStarting(true);
    setProblem(undefined);
    try {
      navigate(`/runs/${await startRun(toWorkflowBody(run, workflow))}`);
    } catch (error) {
      setProblem(error);
      setIsStarting(false);
    }
  };
  const changeStep = (position: number, more: Partial<Step>) =>
    setWorkflow({ steps: workflow.steps.map((step, i) => (i === position ? { ...step, ...more } : step)) });
  const preview = useMemo(() => toPreview(run, workflow), [run, workflow]);
  return (
    <Card
      title="Edit the workflow and perform it"
      aside={
        <Button kind="quiet" isSmall onClick={onClose} aria-label="Close the editor">
          ✕
        </Button>
      }
    >
      <div className="columns">
        <ol className="stack plain-list">
          {workflow.steps.map((step, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its position
            <li key={position}>
              <EditedStep
                run={run}
                step={step}
                position={position}
                count={workflow.steps.length}
                onChange={(more) => changeStep(position, more)}
                onMove={(by) => setWorkflow(moveStep(workflow, position, by))}
                onRemove={() => setWorkflow(removeStep(workflow, position))}
              />
            </li>
          ))}
        </ol>
        <div className="stack">
          <RunGraph run={preview} label="The edited workflow as a graph" onSelect={ignore} maxHeight={420} />
          {wrong && (
            <p className="note warn small" role="status">
              {wrong.message}
            </p>
          )}
          {problem !== undefined && <ErrorNote error={problem} />}
          <div className="row">
            <Button
              disabled={workflow.steps.length >= MAX_STEPS}
              onClick={() => setWorkflow(addStep(workflow))}
            >
              Add a step
            </Button>
            <Button
              kind="primary"
              disabled={wrong !== undefined || isStarting}
              onClick={() => void perform()}
            >
              Perform it
            </Button>
          </div>
        </div>
      </div>
    </Card>
  );
}

const ignore = () => {};

interface StepProps {
  run: Run;
  step: Step;
  position: number;
  count: number;
  onChange: (more: Partial<Step>) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

function EditedStep({ run, step, position, count, onChange, onMove, onRemove }: StepProps) {
  const name = `Step ${position + 1}`;
  const seen = toPositions(step.access, position);
  return (
    <fieldset className="editor-step">
      <legend>{name}</legend>
      <div className="row">
        <select
          aria-label={`${name}: worker`}
          value={step.worker}
          onChange={(event) => onChange({ worker: Number(event.target.value) })}
        >
          {run.pool.map(({ id }, number) => (
            <option key={id} value={number}>
              {id}
            </option>
          ))}
        </select>
        <Button
          isSmall
          kind="quiet"
          disabled={position === 0}
          onClick={() => onMove(-1)}
          aria-label={`${name}: earlier`}
        >
          ↑
        </Button>
        <Button
          isSmall
          kind="quiet"
          disabled={position === count - 1}
          onClick={() => onMove(1)}
          aria-label={`${name}: later`}
        >
          ↓
        </Button>
        <Button isSmall kind="quiet" onClick={onRemove} aria-label={`${name}: remove`}>
          ✕
        </Button>
      </div>
      <textarea
        aria-label={`${name}: subtask`}
        rows={2}
        value={step.subtask}
        placeholder="What it is to do"
        onChange={(event) => onChange({ subtask: event.target.value })}
      />
      <div className="row small">
        <span className="muted">sees</span>
        {position === 0 && <span className="muted">nothing: it is the first</span>}
        {Array.from({ length: position }, (_, other) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its position
          <label key={other} className="row">
            <input
              type="checkbox"
              checked={seen.includes(other)}
              onChange={() => onChange({ access: toggleAccess(step.access, position, other) })}
            />
            step {other + 1}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** One worker that got the question as it is has no subtask; a workflow by hand needs one. */
function toEditable({ steps }: Workflow): Workflow {
  if (steps.length === 0) return { steps: [{ worker: 0, subtask: "Answer the question.", access: [] }] };
  return { steps: steps.map((step) => ({ ...step, subtask: step.subtask || "Answer the question." })) };
}

function toPreview(run: Run, workflow: Workflow): Run {
  const steps = workflow.steps.map(
    ({ worker, subtask, access }, step): RunStep => ({
      ...{ round: 0, step, worker, subtask, access, state: "pending", reply: "", calls: 0, failures: [] },
      workerId: run.pool[worker]?.id ?? `worker ${worker}`,
      usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
      cacheSavedUsd: 0,
    }),
  );
  const round = {
    workflow,
    steps,
    plan: "",
    planErrors: [],
    planUsage: run.usage,
    planCostUsd: 0,
    planMs: 0,
  };
  return { ...run, rounds: [round], steps, settings: { ...run.settings, rounds: 1 }, answerStep: undefined };
}
