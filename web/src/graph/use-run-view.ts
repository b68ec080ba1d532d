// Watches a run: its past from the journal, then what happens, folded into one view. Text arrives faster than a
// screen can show it, so the view is published once a frame.

import { useEffect, useMemo, useState } from "react";
import { type Run, toRun } from "../../../src/perform/run.ts";
import { readEvents } from "../api.ts";
import { applyEvent, NO_VIEW, type RunView } from "./view.ts";

export interface Watched {
  view: RunView;
  run: Run | undefined;
  /** All that was and will be has been read. */
  isComplete: boolean;
  error: unknown;
}

export function useRunView(runId: string | undefined): Watched {
  const [watched, setWatched] = useState<Omit<Watched, "run"> & { runId: string | undefined }>(
    nothing(runId),
  );
  useEffect(() => {
    if (runId === undefined) return;
    const leaving = new AbortController();
    let view = NO_VIEW;
    let frame = 0;
    const publish = (more: { isComplete?: boolean; error?: unknown } = {}) => {
      cancelAnimationFrame(frame);
      frame = 0;
      setWatched({ ...nothing(runId), view, ...more });
    };
    const watch = async () => {
      try {
        for await (const event of readEvents(runId, leaving.signal)) {
          view = applyEvent(view, event);
          frame ||= requestAnimationFrame(() => publish());
        }
        publish({ isComplete: true });
      } catch (error) {
        if (!leaving.signal.aborted) publish({ isComplete: true, error });
      }
    };
    void watch();
    return () => {
      cancelAnimationFrame(frame);
      leaving.abort();
    };
  }, [runId]);
  const current = watched.runId === runId ? watched : nothing(runId);
  const { view, isComplete, error } = current;
  const run = useMemo(() => view.state && toRun(view.state), [view.state]);
  return { view, run, isComplete, error };
}

function nothing(runId: string | undefined) {
  return { runId, view: NO_VIEW, isComplete: false, error: undefined as unknown };
}
