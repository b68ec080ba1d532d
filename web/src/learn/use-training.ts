// A training as it grows: what is new is asked for and added to what was there, so that hours of metrics are sent
// once. What is told twice of an iteration counts as it was told last, as in the folder itself.

import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TrainingReport, TrainingSummary } from "../../../src/gateway/dashboard/types.ts";
import { getJson } from "../api.ts";

const LIVE_MS = 1_000;

/** Undefined: none. */
export function useTraining(id: string | undefined) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["training", id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => load(client, id!, signal),
    refetchInterval: ({ state }) => (isLive(state.data?.summary) ? LIVE_MS : false),
    // Rows are merged by hand: comparing all of them each second would be work for nothing.
    structuralSharing: false,
  });
}

/** When it has learned all, it is still measured on test tasks: that is told last. */
function isLive(summary: TrainingSummary | undefined): boolean {
  return summary !== undefined && (summary.state === "running" || summary.isOurs);
}

async function load(client: QueryClient, id: string, signal: AbortSignal): Promise<TrainingReport> {
  const before = client.getQueryData<TrainingReport>(["training", id]);
  const last = before?.iterations.at(-1)?.iteration;
  // The last iteration again: its evaluation is told after it.
  const query = last === undefined || last < 1 ? undefined : { after: last - 1 };
  const fresh = await getJson<TrainingReport>(`v1/trainings/${encodeURIComponent(id)}`, query, signal);
  if (!before || !query) return fresh;
  return {
    ...fresh,
    iterations: merge(before.iterations, fresh.iterations),
    validations: merge(before.validations, fresh.validations),
    samples: merge(before.samples, fresh.samples),
  };
}

function merge<T extends { iteration: number }>(before: readonly T[], fresh: readonly T[]): T[] {
  const first = fresh[0]?.iteration ?? Number.POSITIVE_INFINITY;
  return [...before.filter(({ iteration }) => iteration < first), ...fresh];
}
