// What is left to do when a run is over: metrics for Prometheus, and what a client did not want kept is deleted.
// A run that waits for tools of the client is not over; should they never return, it is deleted an hour later.

import type { Log } from "../../http/log.ts";
import { inferFeedback } from "../../perform/feedback.ts";
import { findRated } from "../../perform/rated.ts";
import { type Run, toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { Store } from "../../store/types.ts";
import type { SessionLedger } from "../access/sessions.ts";
import type { Metrics } from "../http/metrics.ts";

const WAIT_MS = 3_600_000;
const MOST_WAITING = 1_000;

export function countRun(metrics: Metrics, run: Run, before?: Run): void {
  metrics.addCost(run.costUsd - (before?.costUsd ?? 0), run.isSimulated);
  metrics.addTokens({
    inputTokens: run.usage.inputTokens - (before?.usage.inputTokens ?? 0),
    outputTokens: run.usage.outputTokens - (before?.usage.outputTokens ?? 0),
  });
  for (const { round, step, workerId, state, failures, toolCalls } of run.steps) {
    const earlier = before?.steps.find((other) => other.round === round && other.step === step);
    const failed = failures.slice(earlier?.failures.length ?? 0);
    for (const { worker } of failed) metrics.addWorkerCall(worker, "error");
    const isNew = earlier?.state !== "done" || earlier.toolCalls !== toolCalls;
    if (state === "done" && isNew) metrics.addWorkerCall(workerId, "ok");
  }
}

/** Beside the bill: what the whole conversation has taken. */
export async function countSession(sessions: SessionLedger, run: Run, before?: Run): Promise<void> {
  const { session } = run.origin ?? {};
  if (session === undefined) return;
  await sessions.add(session, run.costUsd - (before?.costUsd ?? 0), run.calls - (before?.calls ?? 0));
}

/** What the run tells of itself: journaled beside what people say of it. */
export async function journalInferred(store: Store, run: Run, log: Log): Promise<void> {
  const inferred = inferFeedback(run);
  if (!inferred || run.feedback?.some(({ isInferred }) => isInferred)) return;
  try {
    const about = findRated(run);
    const keyId = run.origin?.keyId;
    await store.append([{ type: "run-feedback", runId: run.id, at: Date.now(), ...inferred, keyId, about }]);
  } catch (error) {
    log.error("what a run tells of itself could not be journaled", { run: run.id, error });
  }
}

export async function deletePrivate(store: Store, run: Run, log: Log): Promise<void> {
  if (!run.origin?.isPrivate || run.stopReason === "tool-calls") return;
  try {
    await store.stripRun(run.id);
  } catch (error) {
    log.error("the content of a private run could not be deleted", { run: run.id, error });
  }
}

/** Private runs that nobody goes on with: those that wait for tools, and those whose process died. */
export async function sweepPrivate(store: Store, log: Log, now: number): Promise<void> {
  try {
    const startedBefore = now - WAIT_MS;
    const waiting = await store.listRuns({ stopReason: "tool-calls", startedBefore, limit: MOST_WAITING });
    const cut = await store.listRuns({ state: "interrupted", startedBefore, limit: MOST_WAITING });
    for (const { id, isStripped, origin } of [...waiting, ...cut]) {
      if (isStripped || !origin) continue;
      const state = fold(await store.loadRun(id));
      if (state && toRun(state).origin?.isPrivate) await store.stripRun(id);
    }
  } catch (error) {
    log.error("private runs could not be looked through", { error });
  }
}
