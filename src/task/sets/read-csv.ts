// Rows of a CSV file with a heading. Quoted fields may hold line ends; the line said in messages is the
// one on which a row ends.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import type { TuttiError } from "../../base/errors.ts";
import { checkHeap } from "../../files/bounds.ts";
import { badFile } from "../../files/problems.ts";
import type { OnRow, SourceRow } from "../../files/read-jsonl.ts";
import { readChunks } from "../../files/read-lines.ts";

/** Of one row. A field may be one character long, and each is a text of its own in memory. */
const MOST_ROW_BYTES = 16_000_000;
/** The heading is read first: what has more columns is no set of tasks. */
const MOST_COLUMNS = 10_000;
const MOST_HEADING_BYTES = 1_000_000;

export async function readCsv(file: string, onRow: OnRow): Promise<void> {
  const columns = (heading: string[]) => {
    if (heading.length > MOST_COLUMNS) throw tooMany(file, heading.length);
    return heading;
  };
  const parser = parse({ columns, bom: true, info: true, skip_empty_lines: true });
  let line = 0;
  let openBytes = 0;
  /** Bytes since the last row, before they are parsed. */
  async function* count(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of chunks) {
      openBytes += chunk.length;
      const most = line === 0 ? MOST_HEADING_BYTES + chunk.length : MOST_ROW_BYTES;
      if (openBytes > most) throw tooLong(file, line + 1);
      checkHeap(file, line);
      yield chunk;
    }
  }
  try {
    await readChunks(file, async (chunks) => {
      await pipeline(Readable.from(count(chunks)), parser, async (records) => {
        for await (const { record, info } of records as AsyncIterable<Parsed>) {
          line = info.lines;
          openBytes = 0;
          onRow(record, line);
        }
      });
    });
  } catch (error) {
    throw error instanceof CsvError ? badFile(`${file}: not valid CSV: ${error.message}`, error) : error;
  }
}

function tooMany(file: string, columns: number): TuttiError {
  return badFile(`${file}:1: has ${columns} columns; at most ${MOST_COLUMNS} are read`);
}

function tooLong(file: string, line: number): TuttiError {
  const most = line === 1 ? MOST_HEADING_BYTES : MOST_ROW_BYTES;
  return badFile(
    `${file}:${line}: the ${line === 1 ? "heading" : "row"} has more than ${most / 1e6} MB, the most that is read`,
  );
}

interface Parsed {
  record: SourceRow;
  info: { lines: number };
}
