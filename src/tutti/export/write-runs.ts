// Rows of runs as JSON lines or as a Parquet file, piece by piece.

import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { type ColumnType, EXPORT_COLUMNS, type ExportRow } from "./columns.ts";

type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** Both return how many rows they wrote. */
export type WriteRuns = (rows: AsyncIterable<ExportRow>, write: WriteBytes) => Promise<number>;

/** A time is ISO 8601 in UTC. */
export const writeJsonLines: WriteRuns = async (rows, write) => {
  let count = 0;
  for await (const row of rows) {
    const line = Object.fromEntries(
      EXPORT_COLUMNS.map(({ name, type }) => [name, type === "time" ? toIso(row[name]) : row[name]]),
    );
    await write(Buffer.from(`${JSON.stringify(line)}\n`));
    count++;
  }
  return count;
};

function toIso(value: unknown): string | null {
  return value === null ? null : new Date(value as number).toISOString();
}

/** Of one row group, which is in memory as a whole: so many runs, or so many characters of them. */
const GROUP_ROWS = 1_000;
const GROUP_CHARACTERS = 16_000_000;

const PARQUET_TYPES = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
  json: { type: "BYTE_ARRAY", converted_type: "JSON" },
} as const satisfies Record<ColumnType, object>;

export const writeParquet: WriteRuns = async (rows, write) => {
  const bytes = new ByteWriter();
  // What is there goes out, and the buffer begins again; `offset` goes on counting the whole file.
  const flush = async () => {
    const chunk = new Uint8Array(bytes.buffer, 0, bytes.index).slice();
    bytes.index = 0;
    await write(chunk);
  };
  const parquet = new ParquetWriter({
    writer: Object.assign(bytes, { flush, finish: flush }),
    createdBy: "tutti",
    schema: [
      { name: "run", num_children: EXPORT_COLUMNS.length },
      ...EXPORT_COLUMNS.map(({ name, type, isRequired }) => ({
        name,
        ...PARQUET_TYPES[type],
        repetition_type: isRequired ? ("REQUIRED" as const) : ("OPTIONAL" as const),
      })),
    ],
  });
  let count = 0;
  let group: ExportRow[] = [];
  let characters = 0;
  const writeGroup = async () => {
    const columnData = EXPORT_COLUMNS.map(({ name, type }) => ({
      name,
      data: group.map((row) => toParquet(row[name], type)),
    }));
    if (group.length > 0) await parquet.write({ columnData, rowGroupSize: group.length });
    group = [];
    characters = 0;
  };
  for await (const row of rows) {
    count++;
    group.push(row);
    characters += JSON.stringify(row).length;
    if (group.length >= GROUP_ROWS || characters >= GROUP_CHARACTERS) await writeGroup();
  }
  await writeGroup();
  await parquet.finish();
  return count;
};

function toParquet(value: unknown, type: ColumnType): unknown {
  if (value === null) return null;
  switch (type) {
    case "integer":
      return BigInt(Math.round(value as number));
    case "time":
      return new Date(value as number);
    default:
      return value;
  }
}
