// A process of its own that reads one Parquet file and writes its rows as JSON lines. A file from a stranger can make
// its reader loop for hours or ask for all memory there is, with a few bytes; whatever it does here ends with this
// process. It has no environment and is given nothing but the file's path.

import { asyncBufferFromFile, type Compressors, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { compressors, decompressZstd } from "hyparquet-compressors";

/** One line that this process writes. The last one is an end or an error: without it, the process died. */
export type ParquetLine = { row: unknown } | { end: number } | { error: string };

/** Of one page, unpacked: writers make pages of one to a hundred megabytes. */
const MOST_PAGE_BYTES = 512_000_000;
/** Of all pages, unpacked. */
const MOST_BYTES = 2_000_000_000;
/** Rows of one group are in memory together. */
const MOST_ROWS = 5_000_000;

let unpackedBytes = 0;

/** Before memory is taken for what a header claims. */
function countPage(length: number): void {
  unpackedBytes += length;
  if (!(length >= 0 && length <= MOST_PAGE_BYTES && unpackedBytes <= MOST_BYTES))
    throw new Error(
      `it claims pages of ${length} bytes; at most ${MOST_PAGE_BYTES / 1e6} MB a page and ${MOST_BYTES / 1e9} GB in all are read`,
    );
}

const bounded: Compressors = Object.fromEntries(
  Object.entries({
    ...compressors,
    ZSTD: (input: Uint8Array, length: number) => decompressZstd(input, new Uint8Array(length)),
  }).map(([codec, unpack]) => [
    codec,
    (input: Uint8Array, length: number) => {
      countPage(length);
      return unpack(input, length);
    },
  ]),
);

async function main(path: string): Promise<void> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const groups = metadata.row_groups.map(({ num_rows }) => Number(num_rows));
  const claimed = groups.reduce((sum, rows) => sum + (rows >= 0 ? rows : Number.NaN), 0);
  if (!(claimed <= MOST_ROWS)) throw new Error(`it claims ${claimed} rows; at most ${MOST_ROWS} are read`);
  let rowStart = 0;
  for (const count of groups) {
    const rowEnd = rowStart + count;
    const rows = await parquetReadObjects({ file, metadata, compressors: bounded, rowStart, rowEnd });
    for (const row of rows) await write({ row: toPlain(row) });
    rowStart = rowEnd;
  }
  await write({ end: rowStart });
}

/** Done when there is room for more. */
function write(line: ParquetLine): Promise<void> | undefined {
  if (process.stdout.write(`${JSON.stringify(line)}\n`)) return undefined;
  return new Promise((resolve) => process.stdout.once("drain", resolve));
}

/** As JSON has it. 64-bit integers are small in task files; bytes (pictures) are nobody's task. */
function toPlain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint8Array) return null;
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlain(inner)]));
}

main(process.argv[2]!).catch((error: unknown) =>
  write({ error: error instanceof Error ? error.message : String(error) }),
);
