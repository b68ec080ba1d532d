// The background of a round: its number, what its plan took, and what the Conductor is writing.

import type { NodeProps } from "@xyflow/react";
import { toDelay } from "../../../src/base/format.ts";
import type { RunRound } from "../../../src/perform/run.ts";
import { Tag } from "../ui/tag.tsx";
import { Ends } from "./ends.tsx";

interface RoundNodeData extends Record<string, unknown> {
  number: number;
  round: RunRound;
  width: number;
  height: number;
  isPlanning: boolean;
  /** There is only one round, and nobody had to plan it: then nothing needs to be said. */
  isPlain: boolean;
  planText: string;
}

const SHOWN = 220;

export function RoundNode({ data }: NodeProps) {
  const { number, round, width, height, isPlanning, isPlain, planText } = data as unknown as RoundNodeData;
  const { steps, planMs, belief, fallback, planErrors, review } = round;
  const isAccepted = steps.length === 0 && !isPlanning;
  return (
    <div className={`round-node ${isAccepted ? "accepted" : ""}`} style={{ width, height }}>
      <Ends />
      <div className="round-head">
        <strong>{isPlain ? "Workflow" : `${belief ? "Turn" : "Round"} ${number + 1}`}</strong>
        {planMs > 0 && <span className="muted">planned in {toDelay(planMs)}</span>}
        {review && review !== "approved" && <Tag tone="warn">{review}</Tag>}
        {(fallback !== undefined || planErrors.length > 0) && (
          <Tag
            tone="warn"
            title={[fallback, ...planErrors.map(({ message }) => message)].filter(Boolean).join("\n")}
          >
            {fallback === undefined ? "planned again" : "fall-back"}
          </Tag>
        )}
      </div>
      {isPlanning && steps.length === 0 && (
        <p className="round-plan" role="status">
          <span className="spinner" aria-hidden="true" /> The Conductor is{" "}
          {number === 0 ? "writing the workflow" : "looking at the replies"}
          <span className="muted">{planText.slice(-SHOWN)}</span>
        </p>
      )}
      {isAccepted && (
        <p className="round-plan muted">
          {round.plan || belief || planMs > 0 ? "The Conductor accepted the answer." : "Nothing was asked."}
        </p>
      )}
    </div>
  );
}
