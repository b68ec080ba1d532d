// The bill in the journal file: sums over the runs of the gateway and over what stays of those that were
// deleted. Names of tags come from outside; they travel as parameters and are compared, never written into a
// query or a JSON path.

import { inOrder, toTagName } from "../spending.ts";
import { SUM_COLUMNS, SUM_NAMES, SUMS, toSums } from "../sums.ts";
import type { SpendingFilter, SpendingGroup, SpendingRow } from "../types.ts";
import type { Database } from "./file.ts";
import { listed } from "./runs.ts";

export interface Bill {
  /** To be called before these runs are deleted. */
  keep(ids: string[]): void;
  sum(filter: SpendingFilter): SpendingRow[];
}

type SumRow = Omit<SpendingRow, "group" | "isSimulated"> & { simulated: number } & Record<
    `group${number}`,
    string
  >;

const COLUMNS = `started, simulated, ${SUMS.join(", ")}, model, key_id, user, metadata`;

// Nested runs are on the bill with the run at their head. Whatever has a key has a model: see `toSumQuery`.
const TOP_LEVEL = "parent IS NULL";
const BILLED = `${TOP_LEVEL} AND model IS NOT NULL`;

export function createBill(database: Database): Bill {
  const keep = database.prepare(
    `INSERT INTO bill (${COLUMNS}) SELECT ${COLUMNS} FROM runs WHERE id IN ${listed("ids")} AND ${BILLED}`,
  );
  return {
    keep(ids) {
      keep.run({ ids: JSON.stringify(ids) });
    },
    sum(filter) {
      const { groupBy = [] } = filter;
      const { sql, parameters } = toSumQuery(filter);
      const rows = (database.prepare(sql).all(parameters) as SumRow[]).map((row): SpendingRow => {
        const group = Object.fromEntries(groupBy.map((name, i) => [name, row[`group${i}`]!]));
        return { group, isSimulated: row.simulated === 1, runs: row.runs, ...toSums(row) };
      });
      return inOrder(rows, groupBy);
    },
  };
}

function toSumQuery({ keyId, from, to, groupBy = [] }: SpendingFilter): {
  sql: string;
  parameters: Record<string, string | number>;
} {
  const parameters: Record<string, string | number> = {};
  const conditions = [
    ["key_id = ", keyId],
    ["started >= ", from],
    ["started < ", to],
  ].flatMap(([condition, value], i) => {
    if (value === undefined) return [];
    parameters[`limit${i}`] = value;
    return [`${condition}:limit${i}`];
  });
  const groups = groupBy.map((group, i) => {
    if (group.startsWith("metadata.")) parameters[`name${i}`] = toTagName(group);
    return `${toExpression(group, i)} AS group${i}`;
  });
  // Each table is narrowed by itself and asked for no column too many: the index of a key is then enough.
  const arms = [
    ["runs", keyId === undefined ? BILLED : TOP_LEVEL],
    ["bill", "TRUE"],
  ].map(([table, isBilled]) => {
    const where = [isBilled, ...conditions].join(" AND ");
    return `SELECT ${[...groups, "simulated", ...SUMS].join(", ")} FROM ${table} WHERE ${where}`;
  });
  const columns = [...groupBy.map((_, i) => `group${i}`), "simulated"].join(", ");
  const sums = SUM_NAMES.map((name) => `sum(${SUM_COLUMNS[name]}) AS ${name}`).join(", ");
  const sql = `SELECT ${columns}, count(*) AS runs, ${sums}
    FROM (${arms.join(" UNION ALL ")}) GROUP BY ${columns}`;
  return { sql, parameters };
}

function toExpression(group: SpendingGroup, position: number): string {
  switch (group) {
    case "key":
      return "coalesce(key_id, '')";
    case "user":
      return "coalesce(user, '')";
    case "model":
      return "model";
    case "day":
      return "strftime('%Y-%m-%d', started / 1000, 'unixepoch')";
    default:
      return `coalesce((SELECT value FROM json_each(metadata) WHERE key = :name${position}), '')`;
  }
}
