// A step in the graph: who, told what, how far, how long, how expensive, and the end of what it has said so far.

import type { NodeProps } from "@xyflow/react";
import { toDelay, toMoney } from "../../../src/base/format.ts";
import type { RunStep } from "../../../src/perform/run.ts";
import { Elapsed, workerColour } from "../ui/values.tsx";
import { Ends } from "./ends.tsx";
import { NODE } from "./layout.ts";

interface StepNodeData extends Record<string, unknown> {
  step: RunStep;
  isSelected: boolean;
  isAnswer: boolean;
  isCritical: boolean;
  /** The run is over. */
  isOver: boolean;
  onSelect: (step: RunStep) => void;
}

const STATES: Record<RunStep["state"], { sign: string; word: string }> = {
  pending: { sign: "○", word: "waits for others" },
  running: { sign: "", word: "is working" },
  waiting: { sign: "◷", word: "will be asked again" },
  done: { sign: "✓", word: "done" },
  failed: { sign: "✗", word: "failed" },
};

/** The run ended before the step did. */
const LEFT = {
  stopped: { sign: "■", word: "was stopped" },
  unasked: { sign: "○", word: "was not asked" },
};

const SHOWN = 180;

export function StepNode({ data }: NodeProps) {
  const { step, isSelected, isAnswer, isCritical, isOver, onSelect } = data as unknown as StepNodeData;
  const isLeft = isOver && step.state !== "done" && step.state !== "failed";
  const { sign, word } = isLeft
    ? LEFT[step.startedAt === undefined ? "unasked" : "stopped"]
    : STATES[step.state];
  const isWorking = step.state === "running" && !isLeft;
  const hasTrouble = step.failures.some(({ error }) => error.code !== "aborted");
  const name = shortName(step.workerId);
  const text = tailOf(step.reply || step.partial || "");
  const classes = [
    "step-node nopan",
    step.state,
    isSelected && "selected",
    isAnswer && "is-answer",
    isCritical && "critical",
  ];
  return (
    <>
      <Ends />
      <button
        type="button"
        className={classes.filter(Boolean).join(" ")}
        style={{ width: NODE.width, height: NODE.height, borderLeftColor: workerColour(step.worker) }}
        aria-pressed={isSelected}
        title={step.subtask || undefined}
        onClick={() => onSelect(step)}
      >
        <span className="visually-hidden">{`Round ${step.round + 1}, step ${step.step + 1}, ${word}: `}</span>
        <span className="step-head">
          <span className={`step-sign ${step.state}`} aria-hidden="true">
            {isWorking ? <span className="spinner" /> : sign}
          </span>
          <span className="step-worker cut">{name}</span>
          <span className="step-metrics number">
            {isWorking && step.startedAt !== undefined ? (
              <Elapsed since={step.startedAt} />
            ) : (
              step.durationMs !== undefined && toDelay(step.durationMs)
            )}
            {step.state === "done" && step.costUsd !== undefined && ` · ${toMoney(step.costUsd)}`}
          </span>
        </span>
        <span className="step-subtask cut">{step.subtask || "the question as it is"}</span>
        <span className="step-text">
          <span>{text || (step.state === "failed" ? (step.failures.at(-1)?.error.message ?? "") : "")}</span>
        </span>
        {(step.insteadOf || hasTrouble) && (
          <span className="step-mark" title={toMark(step)}>
            ↻
          </span>
        )}
      </button>
    </>
  );
}

function toMark({ insteadOf, failures }: RunStep): string {
  const tries = failures.map(({ worker, error }) => `${worker}: ${error.message}`).join("\n");
  return insteadOf ? `Instead of ${insteadOf}\n${tries}` : tries;
}

/** Without the provider, which all of them share more often than not. */
export function shortName(workerId: string): string {
  return workerId.slice(workerId.indexOf("/") + 1);
}

/** The end of a text as one line: it is where the answer is, and where something moves. */
function tailOf(text: string): string {
  const tail = text.length > SHOWN * 2 ? text.slice(-SHOWN * 2) : text;
  const line = tail.replace(/\s+/g, " ").trim();
  return line.length > SHOWN ? `…${line.slice(-SHOWN)}` : line;
}
