// What a fuzz target is, and how one input is tried: by the run (run.ts) and by the test over the corpus.

import type fc from "fast-check";
import { isTuttiError } from "../src/base/errors.ts";
import { startCpuClock } from "../src/testing/cpu-clock.ts";

export interface FuzzTarget {
  /** Also the folder of its corpus. */
  name: string;
  /** Throws where the input shows a fault. Our own error is a refusal, not a fault. */
  check(input: Buffer): void | Promise<void>;
  /** Words that mean something to the parser: mutations put them in. */
  tokens?: readonly string[];
  /** Inputs of the right kind, beside those that are made from the corpus. */
  inputs?: fc.Arbitrary<string>;
  /** For each case, where it needs a file or a process. */
  overheadMs?: number;
}

/** Several times what the slowest honest input takes on a slow machine; what is quadratic is far beyond it. */
const MS_PER_KB = 20;
const OVERHEAD_MS = 100;
/** The processor may have been busy with what was there before: only what is slow each time is slow. */
const TRIES = 3;

/** Undefined where the target holds. */
export async function findFault(target: FuzzTarget, input: Buffer): Promise<string | undefined> {
  const allowedMs = (target.overheadMs ?? OVERHEAD_MS) + (MS_PER_KB * input.length) / 1_000;
  let tookMs = 0;
  for (let i = 0; i < TRIES; i++) {
    const cpuMs = startCpuClock();
    try {
      await target.check(input);
    } catch (error) {
      if (!isTuttiError(error))
        return error instanceof Error ? (error.stack ?? error.message) : String(error);
      // A bug of ours, said politely.
      if (error.code === "internal") return `internal: ${error.message}`;
    }
    tookMs = cpuMs();
    if (tookMs <= allowedMs) return undefined;
  }
  return `${Math.round(tookMs)} ms for ${input.length} bytes; at most ${Math.round(allowedMs)} ms are allowed`;
}

/** For a target's own property. */
export function must(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}

/** As text, where half a character at a cut is nobody's fault. */
export function toText(input: Buffer): string {
  return input.toString("utf8");
}

/** Two texts in one input: at the first line that is "%%". */
export function toTwo(input: Buffer): [string, string] {
  const [first = "", ...rest] = toText(input).split("\n%%\n");
  return [first, rest.join("\n%%\n")];
}

/** The same bytes in pieces, of lengths that depend on the bytes alone. */
export function toPieces(input: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, i = 0; at < input.length; i++) {
    const length = 1 + ((input[at]! * 7 + i * 13) % 40);
    pieces.push(input.subarray(at, at + length));
    at += length;
  }
  return pieces;
}
