// The bill, added up: what the stores share of `sumSpending`, and the whole of it for runs in memory.

import { addSums, toSums } from "./sums.ts";
import type { RunSummary, SpendingFilter, SpendingGroup, SpendingRow, Sums } from "./types.ts";

/** What stays of a run of the gateway when the run itself is deleted. */
export type BillEntry = Sums &
  Pick<RunSummary, "startedAt" | "isSimulated"> & { origin: NonNullable<RunSummary["origin"]> };

const METADATA = "metadata.";

/** The name of the tag that `metadata.NAME` is grouped by. */
export function toTagName(group: SpendingGroup): string {
  return group.slice(METADATA.length);
}

export function sumEntries(entries: Iterable<BillEntry>, filter: SpendingFilter): SpendingRow[] {
  const { keyId, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, groupBy = [] } = filter;
  const rows = new Map<string, SpendingRow>();
  for (const entry of entries) {
    const { startedAt, origin, isSimulated } = entry;
    if (startedAt < from || startedAt >= to || (keyId !== undefined && origin.keyId !== keyId)) continue;
    const group = Object.fromEntries(groupBy.map((name) => [name, toValue(entry, name)]));
    const place = JSON.stringify([isSimulated, group]);
    const row = rows.get(place);
    if (row) {
      row.runs++;
      addSums(row, entry);
    } else rows.set(place, { group, isSimulated, runs: 1, ...toSums(entry) });
  }
  return inOrder([...rows.values()], groupBy);
}

/** By the values of the groups, the first one first; real money before simulated. */
export function inOrder(rows: SpendingRow[], groupBy: readonly SpendingGroup[]): SpendingRow[] {
  return rows.sort((a, b) => {
    const differing = groupBy.find((name) => a.group[name] !== b.group[name]);
    if (differing === undefined) return Number(a.isSimulated) - Number(b.isSimulated);
    return a.group[differing]! < b.group[differing]! ? -1 : 1;
  });
}

function toValue({ startedAt, origin }: BillEntry, group: SpendingGroup): string {
  switch (group) {
    case "key":
      return origin.keyId ?? "";
    case "user":
      return origin.user ?? "";
    case "model":
      return origin.model;
    case "day":
      return new Date(startedAt).toISOString().slice(0, 10);
    default: {
      const { metadata = {} } = origin;
      const name = toTagName(group);
      return Object.hasOwn(metadata, name) ? metadata[name]! : "";
    }
  }
}
