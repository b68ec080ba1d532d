// Rows of a Parquet file, in every compression in use. The readers are loaded at first use.

import { badFile } from "../../files/problems.ts";
import type { OnRow, SourceRow } from "../../files/read-jsonl.ts";

export async function readParquet(file: string, onRow: OnRow): Promise<void> {
  const [{ asyncBufferFromFile, parquetReadObjects }, { compressors }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet-compressors"),
  ]);
  let rows: SourceRow[];
  try {
    rows = await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors });
  } catch (error) {
    throw badFile(`${file}: not a Parquet file that can be read: ${(error as Error).message}`, error);
  }
  for (const [index, row] of rows.entries()) onRow(toPlain(row) as SourceRow, index + 1);
}

/** 64-bit integers come as BigInt, which JSON does not know; those of task files are small. */
function toPlain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlain(inner)]));
}
