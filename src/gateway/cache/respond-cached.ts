// A request that is answered from the cache: the answer of an earlier run, marked as such. Its tokens are those of the
// earlier answer, since clients measure their conversation by them; it costs nothing and is no call of anybody.

import type { Run } from "../../perform/run.ts";
import { openStream } from "../dialect/open-stream.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Visit } from "../http/route.ts";
import type { LiveReply } from "../runs/dispatch-request.ts";
import { toOutcome } from "../runs/outcome.ts";
import { SSE } from "../runs/respond.ts";
import type { GatewayRequest, TuttiFields } from "../types.ts";
import type { CachedReply } from "./response-cache.ts";

type Cached<K extends CachedReply["kind"]> = Extract<CachedReply, { kind: K }>;

/** What a provider said, with our word beside it. */
export function respondCachedBody(visit: Visit, metrics: Metrics, cached: Cached<"body">): void {
  const headers = countHit(visit, metrics, cached);
  const { runId, body } = cached;
  const tutti: TuttiFields = {
    ...{ run_id: runId, cost_usd: 0, calls: 0, stop_reason: "done" },
    cached_response: true,
  };
  visit.connection.json(200, { ...body, tutti }, headers);
}

/** `request` is the one that asks now. */
export async function respondCached(
  visit: Visit,
  metrics: Metrics,
  cached: Cached<"outcome">,
  request: GatewayRequest,
): Promise<void> {
  const { connection, dialect } = visit;
  const headers = countHit(visit, metrics, cached);
  const head = { ...cached.head, request };
  const outcome = {
    ...cached.outcome,
    head,
    costUsd: 0,
    cacheSavedUsd: 0,
    calls: 0,
    isCached: true as const,
  };
  if (outcome.isSimulated) connection.set({ "x-tutti-simulated": "true" });
  if (!request.isStream) return connection.json(200, dialect.toReply(outcome), headers);
  // The answer as one piece: it is all there.
  const stream = openStream(dialect, head);
  connection.begin(200, { ...SSE, ...headers });
  await connection.write(stream.begin() + stream.end(outcome));
  connection.end();
}

function countHit({ notes }: Visit, metrics: Metrics, cached: CachedReply) {
  const { runId, costUsd } = cached;
  notes.runId = runId;
  notes.isCached = true;
  metrics.addCached(costUsd, cached.kind === "outcome" && cached.outcome.isSimulated);
  return { "x-tutti-cache": "hit", "x-tutti-run-id": runId, "x-tutti-cost-usd": "0" };
}

/** What is kept of a run. Undefined unless it ended with a whole answer, and nothing of the client has to come back. */
export function toCachedReply(run: Run, { head, turn }: LiveReply): CachedReply | undefined {
  if (run.stopReason !== "done" || turn > 0) return undefined;
  const { head: asked, ...outcome } = toOutcome(run, head, turn, []);
  if (outcome.finishReason !== "stop") return undefined;
  const { request: _, ...kept } = asked;
  return { kind: "outcome", runId: run.id, costUsd: outcome.costUsd, head: kept, outcome };
}
