// Events as rows of a journal that keeps text: what one append writes for one run is one row.

import type { FeedbackEvent, KeptFeedback, RunEvent } from "./types.ts";
import { toKept } from "./upgrade.ts";

/** By run, in the order in which the runs first appear: a nested run's head comes before it. What is kept nowhere is left out. */
export function groupByRun(events: readonly RunEvent[]): { runId: string; events: RunEvent[] }[] {
  const byRun = new Map<string, RunEvent[]>();
  for (const event of events) {
    const kept = toKept(event);
    if (!kept) continue;
    const others = byRun.get(kept.runId);
    if (others) others.push(kept);
    else byRun.set(kept.runId, [kept]);
  }
  return Array.from(byRun, ([runId, events]) => ({ runId, events }));
}

/** How the row of a rating begins, since it is appended alone: by this an index knows it. */
export const FEEDBACK_START = '{"type":"run-feedback"';

/** A stripped run is one row, and its ratings are rows of their own, as they were. */
export function toStrippedRows(events: readonly RunEvent[]): string[] {
  const feedback = events.filter(({ type }) => type === "run-feedback");
  const others = events.filter(({ type }) => type !== "run-feedback");
  return [...(others.length > 0 ? [toJson(others)] : []), ...feedback.map((event) => toJson([event]))];
}

/** Those that can be read: of a torn one `loadRun` tells. */
export function toKeptFeedback(rows: readonly { place: number | string; json: string }[]): KeptFeedback[] {
  return rows.flatMap(({ place, json }) => {
    try {
      return [{ place: Number(place), event: JSON.parse(json) as FeedbackEvent }];
    } catch {
      return [];
    }
  });
}

export function toJson(events: readonly RunEvent[]): string {
  return JSON.stringify(events.length === 1 ? events[0] : events);
}
