// Why a run ended, or that it has not, in words.

import type { RunSummary, StopReason } from "../../../src/store/types.ts";
import { Tag, type Tone } from "../ui/tag.tsx";

export const STOP_REASONS: Record<StopReason, { word: string; tone: Tone; title: string }> = {
  done: { word: "done", tone: "good", title: "It has its answer" },
  "tool-calls": { word: "tool calls", tone: "accent", title: "It waits for tools of the client" },
  "budget-usd": {
    word: "budget",
    tone: "warn",
    title: "The dollars of this question were used up: the best answer so far",
  },
  "budget-calls": {
    word: "call limit",
    tone: "warn",
    title: "As many calls as allowed were made: the best answer so far",
  },
  "budget-tokens": {
    word: "token limit",
    tone: "warn",
    title: "As many tokens as allowed were used: the best answer so far",
  },
  deadline: { word: "deadline", tone: "warn", title: "Time was up: the best answer so far" },
  cancelled: { word: "stopped", tone: "warn", title: "Somebody stopped it: the best answer so far" },
  refused: { word: "refused", tone: "warn", title: "A person refused the plan" },
  "worker-failed": {
    word: "worker failed",
    tone: "warn",
    title: "The last step got no reply: the answer is an earlier one",
  },
  "invalid-output": {
    word: "invalid output",
    tone: "bad",
    title: "The answer is not as the client's schema wants it",
  },
  "answer-cut": { word: "answer cut", tone: "bad", title: "The answer broke off while it was read" },
  failed: { word: "failed", tone: "bad", title: "Nobody replied" },
  "journal-failed": {
    word: "journal failed",
    tone: "bad",
    title: "A reply could not be written down, so nothing more was asked",
  },
};

export function StopTag({ reason }: { reason: StopReason }) {
  const { word, tone, title } = STOP_REASONS[reason] ?? { word: reason, tone: "plain", title: "" };
  return (
    <Tag tone={tone} title={title}>
      {word}
    </Tag>
  );
}

export function StateTag({ state, stopReason }: Pick<RunSummary, "state" | "stopReason">) {
  if (state === "running")
    return (
      <Tag tone="accent">
        <span className="spinner" aria-hidden="true" /> running
      </Tag>
    );
  if (state === "interrupted")
    return (
      <Tag tone="warn" title="Its process ended before it did: tutti runs resume goes on with it">
        interrupted
      </Tag>
    );
  return stopReason ? <StopTag reason={stopReason} /> : <Tag>ended</Tag>;
}
