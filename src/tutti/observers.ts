// Observers of every run, for traces and metrics of one's own. They hear what listeners hear, in the same order, after
// it is in the journal (pieces of text excepted, which are journaled later). Nobody waits for them, and one that
// throws hurts no run.

import { messageOf } from "../base/errors.ts";
import type { RunEvent } from "../store/types.ts";

export interface RunObserver {
  /** Every event of every run, nested runs included. */
  onEvent(event: RunEvent): void;
}

/** Tells an event to all of them. Undefined where there is nobody to tell. */
export function createObserve(
  observers: readonly RunObserver[] = [],
  onNotice: (text: string) => void,
): ((event: RunEvent) => void) | undefined {
  if (observers.length === 0) return undefined;
  const failed = (error: unknown) => onNotice(`An observer of runs failed: ${messageOf(error)}`);
  return (event) => {
    for (const observer of observers) {
      try {
        // An async function is a valid observer too, and its failure must not end the process.
        const told: unknown = observer.onEvent(event);
        if (told instanceof Promise) told.catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  };
}
