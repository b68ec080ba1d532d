// The test cases of LiveCodeBench. Public ones are JSON. Private ones are base64 of zlib of a Python
// pickle of JSON text: of pickles only that one shape, a lone text, is read, and nothing is executed.
// They are unpacked when they are asked for: a release of a few hundred tasks unpacks to gigabytes.

import { inflateSync, constants as zlib } from "node:zlib";
import { badFile, quote } from "../../files/problems.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import type { CodeTests } from "../types.ts";

type Cases = NonNullable<CodeTests["cases"]>;

interface RawCase {
  input: string;
  output: string;
  testtype: string;
}

export function toLiveCodeTests(row: SourceRow): CodeTests {
  const shown = parseCases(row.public_test_cases, "public_test_cases");
  const hidden = row.private_test_cases;
  const isFunction =
    shown[0]?.testtype === "functional" || /\bclass Solution\b/.test(String(row.starter_code));
  const toCases = (raw: RawCase[]): Cases => (isFunction ? raw.map(toCall) : raw.map(toExchange));
  const entry = isFunction ? functionName(row.metadata) : undefined;
  if (typeof hidden === "string") checkPacked(hidden);
  return {
    language: "python",
    style: isFunction ? "function" : "stdin",
    entry,
    get cases() {
      return toCases([...shown, ...(hidden ? parseCases(unpack(hidden), "private_test_cases") : [])]);
    },
  };
}

function toExchange({ input, output }: RawCase) {
  return { input, output };
}

/** One argument a line, each as JSON. The texts are kept, so that long integers stay exact. */
function toCall({ input, output }: RawCase) {
  return { input: `[${input.trim().split("\n").join(",")}]`, output };
}

function functionName(metadata: unknown): string {
  const { func_name: name } = (typeof metadata === "string" ? JSON.parse(metadata) : metadata) ?? {};
  if (typeof name === "string" && name !== "") return name;
  throw badFile(`metadata must be JSON that names the function as "func_name", not ${quote(metadata)}`);
}

function parseCases(value: unknown, column: string): RawCase[] {
  let cases: unknown = value;
  try {
    if (typeof value === "string") cases = JSON.parse(value);
  } catch {
    cases = undefined;
  }
  const isCase = (each: RawCase) => typeof each?.input === "string" && typeof each.output === "string";
  if (Array.isArray(cases) && cases.every(isCase)) return cases as RawCase[];
  throw badFile(`${column} must be JSON such as [{"input": "1", "output": "2", "testtype": "stdin"}]`);
}

// ---- The pickle -----------------------------------------------------------------------------------

/** Enough for the header of the pickle, before a text of any length begins. */
const HEADER_BYTES = 2048;

/** Looks at the beginning only: whether it is the one shape that can be read. */
function checkPacked(packed: string): void {
  if (isJson(packed)) return;
  const start = Buffer.from(packed.slice(0, HEADER_BYTES), "base64");
  try {
    findText(inflateSync(start, { finishFlush: zlib.Z_SYNC_FLUSH }));
  } catch (error) {
    throw unreadable(error);
  }
}

function unpack(packed: unknown): unknown {
  if (typeof packed !== "string" || isJson(packed)) return packed;
  try {
    const bytes = inflateSync(Buffer.from(packed, "base64"));
    const { start, length } = findText(bytes);
    return bytes.toString("utf8", start, start + length);
  } catch (error) {
    throw unreadable(error);
  }
}

function isJson(text: string): boolean {
  return /^\s*\[/.test(text);
}

function unreadable(error: unknown) {
  const why = (error as Error).message;
  return badFile(
    `private_test_cases cannot be read (${why}); it must be base64 of zlib of a pickled JSON text`,
    error,
  );
}

/** Where the text stands in a pickle that holds a text and nothing else. */
function findText(bytes: Buffer): { start: number; length: number } {
  let at = 0;
  for (;;) {
    switch (bytes[at]) {
      case 0x80: // PROTO, one byte of version
        at += 2;
        break;
      case 0x95: // FRAME, eight bytes of length
        at += 9;
        break;
      case 0x8c: // SHORT_BINUNICODE
        return { start: at + 2, length: bytes.readUInt8(at + 1) };
      case 0x58: // BINUNICODE
        return { start: at + 5, length: bytes.readUInt32LE(at + 1) };
      case 0x8d: // BINUNICODE8
        return { start: at + 9, length: Number(bytes.readBigUInt64LE(at + 1)) };
      default:
        throw new Error("its pickle holds something else than a text");
    }
  }
}
