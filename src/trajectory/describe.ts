// A turn's decision in a line for people: the trace, the dashboard and progress say the same words.

import { toCost } from "../base/format.ts";
import type { CheckPlan, SideShape, StuckSign, TurnDecision } from "./types.ts";

const STUCK: Record<StuckSign, string> = {
  "same-error": "the same error came again and again",
  loop: "the same calls were made again with the same results",
  "no-progress": "nothing has worked for many turns",
};
const SHAPES: Record<SideShape, string> = {
  ping: "a ping",
  title: "a title",
  summary: "a short summary",
};

export function describeTurn(decision: TurnDecision, nameOf: (worker: number) => string): string {
  switch (decision.kind) {
    case "stay":
      return `stays with ${nameOf(decision.worker)}${toPrice(decision.usd, decision.missUsd)}${toCheck(decision.check, nameOf)}`;
    case "switch": {
      const { worker, from, usd, missUsd, gainUsd, because, check } = decision;
      const why = because === "value" ? "it is worth more from here on" : STUCK[because];
      return `goes from ${nameOf(from)} to ${nameOf(worker)}: ${why}, ${toCost(gainUsd)} more${toPrice(usd, missUsd)}${toCheck(check, nameOf)}`;
    }
    case "ask-conductor":
      return `the Conductor is asked after ${decision.turns} turns: ${STUCK[decision.because]}${decision.usd === undefined ? "" : ` (help costs about ${toCost(decision.usd)})`}`;
    case "verify":
      return `${nameOf(decision.worker)} verifies the answer for about ${toCost(decision.usd)}, worth ${toCost(decision.gainUsd)}`;
    case "send-back":
      return `the answer goes back to ${nameOf(decision.worker)} with the diagnosis`;
    case "keep-answer":
      return decision.because === "accepted" ? "the answer is accepted" : "no verdict: the answer is kept";
    case "side-request": {
      const { shape, worker, usd, usualUsd } = decision;
      const saved =
        usd === undefined || usualUsd === undefined
          ? ""
          : `, about ${toCost(usd)} in place of ${toCost(usualUsd)}`;
      return `${SHAPES[shape]} beside the work: ${nameOf(worker)} is the cheapest that can${saved}`;
    }
  }
}

function toPrice(usd: number | undefined, missUsd = 0): string {
  if (usd === undefined) return "";
  const miss = missUsd > 0 ? `, ${toCost(missUsd)} of it to read the conversation anew` : "";
  return ` (next turn about ${toCost(usd)}${miss})`;
}

function toCheck(check: CheckPlan | undefined, nameOf: (worker: number) => string): string {
  return check ? `; an answer would be verified by ${nameOf(check.worker)}` : "";
}

export interface TurnLine {
  /** "3" or "3–7": of the returns of tools, from 1. */
  turns: string;
  text: string;
}

/**
 * The turns of a step; those that only stayed are told once, with the price of the last of them. `before`: turns of the same
 * loop in earlier rounds.
 */
export function describeTurns(
  decisions: readonly TurnDecision[],
  nameOf: (worker: number) => string,
  before = 0,
): TurnLine[] {
  const lines: TurnLine[] = [];
  for (let first = 0; first < decisions.length; ) {
    const decision = decisions[first]!;
    let last = first;
    while (decision.kind === "stay" && isLikeIt(decision, decisions[last + 1])) last++;
    const [from, to] = [before + first + 1, before + last + 1];
    const turns = last === first ? `${from}` : `${from}–${to}`;
    lines.push({ turns, text: describeTurn(decisions[last]!, nameOf) });
    first = last + 1;
  }
  return lines;
}

/** How many turns of the loop were decided in rounds before this one. */
export function countTurns(
  steps: readonly { round: number; decisions?: readonly TurnDecision[] }[],
  round: number,
): number {
  return steps.reduce((sum, { round: of, decisions = [] }) => sum + (of < round ? decisions.length : 0), 0);
}

function isLikeIt(decision: TurnDecision, next: TurnDecision | undefined): boolean {
  return decision.kind === "stay" && next?.kind === "stay" && next.worker === decision.worker;
}
