// Inputs that are almost right: what a corpus has, changed a little, and now and then made long, because what takes the
// square of its length is seen only there.

import type { Random } from "../src/base/random.ts";

const LONGEST_BYTES = 64_000;
/** Where numbers, texts and containers of most formats have their edges. */
const EDGES = [
  ...[
    "0",
    "-1",
    "1e999",
    "9007199254740993",
    "NaN",
    "null",
    "true",
    '""',
    "[]",
    "{}",
    "\0",
    "\r\n",
    "\u2028",
  ],
  ...["__proto__", "constructor", "\ud83d\ude00", "\u202e", "\\", '"', "'", "`", "%00", "../", "\ufeff"],
];

type Mutation = (input: Buffer, random: Random, other: () => Buffer) => Buffer;

const join = (...parts: Buffer[]) => Buffer.concat(parts);
const placeIn = (input: Buffer, random: Random) => random.integer(0, input.length);
/** A part of it, of any length. */
function partOf(input: Buffer, random: Random): [from: number, to: number] {
  const from = placeIn(input, random);
  return [from, random.integer(from, Math.min(input.length, from + 2 ** random.integer(0, 12)))];
}

const flipBit: Mutation = (input, random) => {
  if (input.length === 0) return input;
  const copy = Buffer.from(input);
  const at = random.integer(0, input.length - 1);
  copy[at] = copy[at]! ^ (1 << random.integer(0, 7));
  return copy;
};
const setByte: Mutation = (input, random) => {
  const at = placeIn(input, random);
  return join(input.subarray(0, at), Buffer.from([random.integer(0, 255)]), input.subarray(at + 1));
};
const cutOff: Mutation = (input, random) => input.subarray(0, placeIn(input, random));
const takeOut: Mutation = (input, random) => {
  const [from, to] = partOf(input, random);
  return join(input.subarray(0, from), input.subarray(to));
};
const double: Mutation = (input, random) => {
  const [from, to] = partOf(input, random);
  return join(input.subarray(0, to), input.subarray(from));
};
const repeat: Mutation = (input, random) => {
  const [from, to] = partOf(input, random);
  const part = input.subarray(from, to);
  if (part.length === 0) return input;
  const times = random.integer(2, Math.max(2, Math.floor(2 ** random.integer(4, 16) / part.length)));
  return join(input.subarray(0, to), ...Array.from({ length: times }, () => part), input.subarray(to));
};
const splice: Mutation = (input, random, other) => {
  const [from, to] = partOf(input, random);
  const given = other();
  const [start, end] = partOf(given, random);
  return join(input.subarray(0, from), given.subarray(start, end), input.subarray(to));
};
const swap: Mutation = (input, random) => {
  const [from, to] = partOf(input, random);
  const end = random.integer(to, Math.min(input.length, to + 200));
  return join(
    input.subarray(0, from),
    input.subarray(to, end),
    input.subarray(from, to),
    input.subarray(end),
  );
};

const MUTATIONS: readonly Mutation[] = [flipBit, setByte, cutOff, takeOut, double, repeat, splice, swap];

/** One to six changes of something in the corpus. */
export function mutate(corpus: readonly Buffer[], tokens: readonly string[], random: Random): Buffer {
  const other = () => (corpus.length > 0 ? random.pick(corpus) : Buffer.alloc(0));
  const words = [...EDGES, ...tokens];
  const putWord: Mutation = (input) => {
    const at = placeIn(input, random);
    return join(input.subarray(0, at), Buffer.from(random.pick(words)), input.subarray(at));
  };
  let input = other();
  for (let count = random.integer(1, 6); count > 0; count--) {
    const change = random.next() < 0.3 ? putWord : random.pick(MUTATIONS);
    input = change(input, random, other).subarray(0, LONGEST_BYTES);
  }
  return input;
}
