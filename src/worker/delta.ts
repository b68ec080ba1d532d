// Replies that are kept: as whole as they can be.

import type { WorkerEvent } from "./types.ts";

/** Pieces of text that follow each other become one: the file is smaller, and replaying it quicker. */
export function mergeDeltas(events: readonly WorkerEvent[]): WorkerEvent[] {
  const merged: WorkerEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (last && last.type === event.type && (last.type === "text-delta" || last.type === "reasoning-delta"))
      merged[merged.length - 1] = { ...last, text: last.text + (event as typeof last).text };
    else merged.push(event);
  }
  return merged;
}
