// Rows of a CSV file with a heading. Quoted fields may hold line ends; the line said in messages is the
// one on which a row ends.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { badFile } from "../../files/problems.ts";
import { type OnRow, readChunks, type SourceRow } from "../../files/read-jsonl.ts";

export async function readCsv(file: string, onRow: OnRow): Promise<void> {
  const parser = parse({ columns: true, bom: true, info: true, skip_empty_lines: true });
  try {
    await readChunks(file, async (chunks) => {
      await pipeline(Readable.from(chunks), parser, async (records) => {
        for await (const { record, info } of records as AsyncIterable<Parsed>) onRow(record, info.lines);
      });
    });
  } catch (error) {
    throw error instanceof CsvError ? badFile(`${file}: not valid CSV: ${error.message}`, error) : error;
  }
}

interface Parsed {
  record: SourceRow;
  info: { lines: number };
}
