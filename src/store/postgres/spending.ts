// The bill in Postgres: sums over the runs of the gateway and over what stays of those that were deleted. Names of tags come
// from outside; they travel as parameters and are never written into a query.

import { inOrder, toTagName } from "../spending.ts";
import { SUM_COLUMNS, SUM_NAMES, SUMS, toSums } from "../sums.ts";
import type { SpendingFilter, SpendingGroup, SpendingRow } from "../types.ts";
import type { Client } from "./connection.ts";

const COLUMNS = `started, simulated, ${SUMS.join(", ")}, model, key_id, user_name, metadata`;

// Nested runs are on the bill with the run at their head.
const BILLED = "parent IS NULL AND model IS NOT NULL";

export type SumRow = Omit<SpendingRow, "group" | "isSimulated"> & { simulated: boolean } & Record<
    `group${number}`,
    string
  >;

/** To be called before these runs are deleted. */
export async function keepOnBill(client: Client, ids: readonly string[]): Promise<void> {
  await client.query(
    `INSERT INTO bill (${COLUMNS}) SELECT ${COLUMNS} FROM runs WHERE id = ANY ($1::text[]) AND ${BILLED}`,
    [ids],
  );
}

export function toSumQuery({ keyId, from, to, groupBy = [] }: SpendingFilter): {
  sql: string;
  values: unknown[];
} {
  const values: unknown[] = [];
  const bounds = [
    ["key_id =", keyId],
    ["started >=", from],
    ["started <", to],
  ].flatMap(([condition, value]) => (value === undefined ? [] : [`${condition} $${values.push(value)}`]));
  const groups = groupBy.map((group, i) => `${toExpression(group, values)} AS group${i}`);
  const arms = [
    ["runs", BILLED],
    ["bill", "TRUE"],
  ].map(
    ([table, isBilled]) =>
      `SELECT ${[...groups, "simulated", ...SUMS].join(", ")} FROM ${table} WHERE ${[isBilled, ...bounds].join(" AND ")}`,
  );
  const columns = [...groupBy.map((_, i) => `group${i}`), "simulated"].join(", ");
  const sums = SUM_NAMES.map((name) => `sum(${SUM_COLUMNS[name]}) AS "${name}"`).join(", ");
  const sql = `SELECT ${columns}, count(*) AS runs, ${sums}
    FROM (${arms.join(" UNION ALL ")}) AS billed GROUP BY ${columns}`;
  return { sql, values };
}

export function toSpendingRows(rows: readonly SumRow[], groupBy: readonly SpendingGroup[]): SpendingRow[] {
  const read = rows.map((row): SpendingRow => {
    const group = Object.fromEntries(groupBy.map((name, i) => [name, row[`group${i}`]!]));
    return { group, isSimulated: row.simulated, runs: row.runs, ...toSums(row) };
  });
  return inOrder(read, groupBy);
}

function toExpression(group: SpendingGroup, values: unknown[]): string {
  switch (group) {
    case "key":
      return "coalesce(key_id, '')";
    case "user":
      return "coalesce(user_name, '')";
    case "model":
      return "model";
    case "day":
      return "to_char(to_timestamp(started / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')";
    default:
      return `coalesce(metadata ->> $${values.push(toTagName(group))}::text, '')`;
  }
}
