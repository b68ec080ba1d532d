import type { TrainingSummary } from "../../../src/gateway/dashboard/types.ts";
import { Tag, type Tone } from "../ui/tag.tsx";

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
