// Runs targets one after the other, in a thread of its own: an input that never ends would stop the run with it. The
// input under trial stands in memory that is shared with run.ts, which ends the thread and keeps that input.

import { parentPort, workerData } from "node:worker_threads";
import fc from "fast-check";
import { createRandom, hashSeed } from "../src/base/random.ts";
import { readCorpus } from "./corpus.ts";
import { mutate } from "./mutate.ts";
import { type FuzzTarget, findFault } from "./target.ts";
import { TARGETS } from "./targets.ts";

export interface WorkerInput {
  /** What is tried, in this order. */
  targets: readonly string[];
  seed: number;
  /** When it must be over, of `Date.now()`. */
  endsAt: number;
  /** [cases of the target so far, length of the input under trial], then the input. */
  shared: SharedArrayBuffer;
}

/** What is told of each target. */
export interface Told {
  cases: number;
  seconds: number;
  faults: Fault[];
}

export interface Fault {
  input: Buffer;
  problem: string;
}

/** So many failing inputs of one target are enough to begin with. */
const MOST_FAULTS = 5;
/** fast-check makes inputs by the hundred; its own shrinking is left out, for the minimum is made below. */
const SAMPLES = 100;

const { targets, seed, endsAt, shared } = workerData as WorkerInput;
const state = new Int32Array(shared, 0, 2);
const trial = new Uint8Array(shared, 8);

async function tryInput(target: FuzzTarget, input: Buffer): Promise<string | undefined> {
  trial.set(input.subarray(0, trial.length));
  Atomics.store(state, 1, input.length);
  Atomics.add(state, 0, 1);
  return await findFault(target, input);
}

function* inputsOf({ name, inputs, tokens = [] }: FuzzTarget): Generator<Buffer> {
  const random = createRandom(hashSeed("fuzz", name, seed));
  const corpus = readCorpus(name).map(({ input }) => input);
  yield* corpus;
  for (let round = 0; ; round++) {
    const samples = inputs ? fc.sample(inputs, { numRuns: SAMPLES, seed: hashSeed(name, seed, round) }) : [];
    for (const sample of samples) {
      const input = Buffer.from(sample);
      yield input;
      yield mutate([input], tokens, random);
    }
    for (let i = 0; i < SAMPLES; i++) yield mutate(corpus, tokens, random);
  }
}

/** Smaller while it fails: halves, quarters, … are left out as long as that helps. */
async function minimise(target: FuzzTarget, input: Buffer): Promise<Buffer> {
  let smallest = input;
  const until = performance.now() + 5_000;
  for (let part = Math.ceil(input.length / 2); part >= 1; part = Math.floor(part / 2)) {
    for (let at = 0; at < smallest.length && performance.now() < until; ) {
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + part)]);
      if (await tryInput(target, shorter)) smallest = shorter;
      else at += part;
    }
  }
  return smallest;
}

async function run(target: FuzzTarget, until: number): Promise<Fault[]> {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const input of inputsOf(target)) {
    const problem = await tryInput(target, input);
    // The same place in the code is the same fault.
    const place = problem?.split("\n").slice(0, 3).join("\n").replace(/\d+/g, "0") ?? "";
    if (problem !== undefined && !seen.has(place)) {
      seen.add(place);
      faults.push({ input: await minimise(target, input), problem });
    }
    if (Date.now() > until || faults.length >= MOST_FAULTS) break;
  }
  return faults;
}

for (const [i, name] of targets.entries()) {
  const startedAt = Date.now();
  Atomics.store(state, 0, 0);
  // What one leaves of its time is the others'.
  const share = Math.max(0, endsAt - startedAt) / (targets.length - i);
  const faults = await run(TARGETS.find((each) => each.name === name)!, startedAt + share);
  const told: Told = { cases: Atomics.load(state, 0), seconds: (Date.now() - startedAt) / 1_000, faults };
  parentPort!.postMessage(told);
}
