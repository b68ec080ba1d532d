// The runs of a journal as rows, one after the other: of a journal with millions of runs a few dozen are in memory. Runs
// that begin meanwhile are left out, since it goes from the newest there was into the past.

import { isTuttiError } from "../../base/errors.ts";
import { toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { RunFilter, RunSummary, Store } from "../../store/types.ts";
import { withoutContent } from "../../store/without-content.ts";
import { type ExportRow, toExportRow } from "./columns.ts";

const PAGE_RUNS = 200;
/** Read at the same time: a journal in Postgres answers many at once. */
const AT_ONCE = 8;

export interface ReadRunsOptions {
  /** Milliseconds since 1970: from inclusive, until exclusive. */
  since?: number;
  until?: number;
  /** With those that the gateway asked again, unseen. */
  shadows?: boolean;
  signal?: AbortSignal;
  /** Of a run whose rows are damaged: it is left out. */
  onDamaged?: (runId: string) => void;
}

/** Newest first. Nested runs are part of the run at their head. */
export async function* readRuns(store: Store, options: ReadRunsOptions = {}): AsyncGenerator<ExportRow> {
  const { since, until, shadows, signal, onDamaged } = options;
  let cursor: Pick<RunFilter, "startedBefore" | "beforeId"> = { startedBefore: until };
  for (;;) {
    const page = await store.listRuns({ limit: PAGE_RUNS, startedFrom: since, shadows, ...cursor });
    for (let from = 0; from < page.length; from += AT_ONCE) {
      signal?.throwIfAborted();
      const some = page.slice(from, from + AT_ONCE);
      const rows = await Promise.all(some.map((summary) => readRow(store, summary, onDamaged)));
      for (const row of rows) if (row) yield row;
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE_RUNS) return;
    cursor = { startedBefore: last.startedAt, beforeId: last.id };
  }
}

/** Nothing where it was deleted meanwhile. A run that is private keeps its words to itself, also while it is not over. */
async function readRow(
  store: Store,
  { id, state }: RunSummary,
  onDamaged?: (runId: string) => void,
): Promise<ExportRow | undefined> {
  const events = await store.loadRun(id).catch((error: unknown) => {
    if (isTuttiError(error) && error.code === "journal-damaged") return undefined;
    throw error;
  });
  try {
    const isPrivate = events?.some((event) => event.type === "run-start" && event.origin?.isPrivate);
    const folded = fold((isPrivate ? events?.flatMap((event) => withoutContent(event) ?? []) : events) ?? []);
    if (folded) return toExportRow(toRun(folded), state);
    if (events) return undefined;
  } catch {
    // Events that can be read and make no run: a row is missing or was changed by hand.
  }
  onDamaged?.(id);
  return undefined;
}
