// How much of a stranger's file is read. A few kilobytes can unpack to terabytes, and what is parsed takes several
// times the memory of its text: each bound ends in one line that names the file and what is allowed, before the
// process runs out of memory.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import { badFile } from "./problems.ts";

/** Of a file that is parsed as a whole: JSON of rows, the rows of a bench or a training. */
const MOST_WHOLE_BYTES = 256_000_000;
/** Of one line; rows of LiveCodeBench have tens of megabytes of tests. */
export const MOST_LINE_CHARACTERS = 64_000_000;
/** Unpacked, in all. What is larger can be unpacked by hand, whoever trusts it. */
const MOST_INFLATED_BYTES = 2_000_000_000;
/** Unpacked against packed, once there is more than a little; tasks and recordings reach 50. */
const MOST_RATIO = 200;
const FREE_INFLATED_BYTES = 16_000_000;
/** V8 collects before this share of the heap is used, unless half of it is held; a growing list needs the rest. */
const FULL_HEAP_SHARE = 0.7;
/** Of a value in parsed JSON, at the most: `{}` is two characters of text. */
const BYTES_OF_VALUE = 64;
/** Shorter texts fit into any heap. */
const SMALL_CHARACTERS = 1_000_000;

/** Throws where a packed file unpacks to more than is taken. */
export function checkInflated(file: string, inflatedBytes: number, packedBytes: number): void {
  if (inflatedBytes > MOST_INFLATED_BYTES)
    throw badFile(`${file}: unpacks to more than ${toSize(MOST_INFLATED_BYTES)}, the most that is read`);
  if (inflatedBytes > FREE_INFLATED_BYTES && inflatedBytes > MOST_RATIO * packedBytes)
    throw badFile(
      `${file}: unpacks to more than ${MOST_RATIO} times its size, the most that is read: unpack it by hand if you trust it`,
    );
}

export function checkLine(file: string, line: number, characters: number): void {
  if (characters > MOST_LINE_CHARACTERS)
    throw badFile(
      `${file}:${line}: the line has more than ${toSize(MOST_LINE_CHARACTERS)}, the most that is read`,
    );
}

/** Throws where what was read so far has filled the memory. `line` 0: the file as a whole. */
export function checkHeap(file: string, line: number, neededBytes = 0): void {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  if (used + neededBytes <= FULL_HEAP_SHARE * limit) return;
  const place = line > 0 ? `${file}:${line}` : file;
  throw badFile(`${place}: does not fit into the ${toSize(limit)} of memory that this process may use`);
}

/** For a text that will be parsed as JSON: whether its values will fit. */
export function checkJsonFits(file: string, line: number, text: string): void {
  if (text.length < SMALL_CHARACTERS) return;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // , [ {
    if (code === 0x2c || code === 0x5b || code === 0x7b) values++;
  }
  checkHeap(file, line, 2 * text.length + BYTES_OF_VALUE * values);
}

/** The bytes of an ordinary file, or an error that says how many are read. Errors of the system are thrown as they are. */
export function readWhole(file: string, mostBytes = MOST_WHOLE_BYTES): Buffer {
  const handle = openSync(file, "r");
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw badFile(`${file}: is not an ordinary file`);
    if (found.size > mostBytes) throw tooLarge(file, mostBytes);
    // Some files say 0 and hold more; some grow while they are read.
    const parts: Buffer[] = [];
    for (let total = 0; ; ) {
      const part = Buffer.allocUnsafe(Math.max(found.size - total, 65_536) + 1);
      const count = readSync(handle, part);
      if (count === 0) return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      total += count;
      if (total > mostBytes) throw tooLarge(file, mostBytes);
      parts.push(part.subarray(0, count));
    }
  } finally {
    closeSync(handle);
  }
}

function tooLarge(file: string, mostBytes: number) {
  return badFile(`${file}: is larger than ${toSize(mostBytes)}, the most that is read`);
}

function toSize(bytes: number): string {
  return bytes >= 1e9
    ? `${Math.round(bytes / 1e8) / 10} GB`
    : bytes >= 1e6
      ? `${Math.round(bytes / 1e6)} MB`
      : `${bytes} bytes`;
}
