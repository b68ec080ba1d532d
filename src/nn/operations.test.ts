// Every operation on the engine: its value against a plain reference, its gradient against differences.

import { describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { openTestEngine } from "../testing/learn/engines.ts";
import {
  checkGradients,
  evaluate,
  type GradientCase,
  randomTensor,
} from "../testing/learn/gradient-check.ts";
import { Graph, gradientsOf, type Value } from "./graph.ts";
import * as operations from "./operations.ts";
import type { Tensor, Tensors } from "./types.ts";

const {
  add,
  concat,
  expand,
  exp,
  rsqrt,
  greater,
  logSoftmax,
  multiply,
  negate,
  oneHot,
  matmul,
  reshape,
  rmsNorm,
  gather,
  scale,
  shift,
  silu,
  slice,
  softmax,
  split,
  subtract,
  sum,
  transposeLast,
  sumAll,
  transpose,
} = operations;

const { name, engine } = await openTestEngine();

// ---- The reference: tensors read by index, with broadcasting ------------------------------------------

type Index = readonly number[];
type Read = (index: Index) => number;

function indicesOf(dims: Index): Index[] {
  return dims.reduce<Index[]>(
    (all, dim) => all.flatMap((index) => Array.from({ length: dim }, (_, i) => [...index, i])),
    [[]],
  );
}

/** Right-aligned; a dimension of 1 is repeated. */
function reader({ dims, data }: Tensor): Read {
  return (index) => {
    const own = index.slice(index.length - dims.length);
    return data[dims.reduce((at, dim, i) => at * dim + (dim === 1 ? 0 : own[i]!), 0)]!;
  };
}

const range = (length: number) => Array.from({ length }, (_, i) => i);
const added = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

interface Case extends GradientCase {
  name: string;
  dims: Index;
  reference(read: Record<string, Read>, index: Index): number;
}

/** Small random tensors of these shapes, named a, b, c in order. */
function toCase(
  name: string,
  shapes: Index[],
  build: (...values: Value[]) => Value,
  dims: Index,
  reference: (read: Read[], index: Index) => number,
  { center = 0, constants = {} }: { center?: number; constants?: Tensors } = {},
): Case {
  const random = createRandom(name);
  const names = ["a", "b", "c"].slice(0, shapes.length);
  return {
    name,
    dims,
    inputs: Object.fromEntries(names.map((each, i) => [each, randomTensor(shapes[i]!, random, center)])),
    constants,
    build: (values) => build(...[...names, ...Object.keys(constants)].map((each) => values[each]!)),
    reference: (read, index) =>
      reference(
        [...names, ...Object.keys(constants)].map((each) => read[each]!),
        index,
      ),
  };
}

const spread = (dims: Index): Tensor => randomTensor(dims, createRandom("constant"));
const numbers = (dims: Index, ...data: number[]): Tensor => ({ dims, data: Int32Array.from(data) });
const row = (index: Index, at: number) => [...index.slice(0, -1), at];

function logSumExp(read: Read, index: Index, width: number): number {
  return Math.log(added(range(width).map((i) => Math.exp(read(row(index, i))))));
}

const CASES: Case[] = [
  ...[
    [
      [2, 3],
      [2, 3],
      [2, 3],
    ],
    [[2, 3], [3], [2, 3]],
    [[3], [2, 3], [2, 3]],
    [
      [2, 1, 3],
      [4, 1],
      [2, 4, 3],
    ],
    [[2, 3], [], [2, 3]],
    [[1, 1], [1], [1, 1]],
  ].flatMap(([a, b, dims]) => [
    toCase(`add [${a}] and [${b}]`, [a!, b!], add, dims!, ([x, y], at) => x!(at) + y!(at)),
    toCase(`subtract [${b}] from [${a}]`, [a!, b!], subtract, dims!, ([x, y], at) => x!(at) - y!(at)),
    toCase(`multiply [${a}] and [${b}]`, [a!, b!], multiply, dims!, ([x, y], at) => x!(at) * y!(at), {
      center: 1,
    }),
  ]),
  toCase("multiply by something untrained", [[2, 3]], multiply, [2, 3], ([x, y], at) => x!(at) * y!(at), {
    constants: { k: spread([1, 3]) },
  }),
  toCase(
    "scale",
    [[2, 3]],
    (a) => scale(a, -1.5),
    [2, 3],
    ([x], at) => -1.5 * x!(at),
  ),
  toCase(
    "shift",
    [[2, 3]],
    (a) => shift(a, 0.25),
    [2, 3],
    ([x], at) => x!(at) + 0.25,
  ),
  toCase("negate", [[2, 3]], negate, [2, 3], ([x], at) => -x!(at)),
  toCase("exp", [[2, 3]], exp, [2, 3], ([x], at) => Math.exp(x!(at))),
  toCase("rsqrt", [[2, 3]], rsqrt, [2, 3], ([x], at) => x!(at) ** -0.5, { center: 1 }),
  toCase("silu", [[2, 5]], silu, [2, 5], ([x], at) => x!(at) / (1 + Math.exp(-x!(at)))),
  toCase(
    "a value used twice",
    [[2, 3]],
    (a) => add(multiply(a, a), a),
    [2, 3],
    ([x], at) => x!(at) ** 2 + x!(at),
  ),
  toCase(
    "a value used on two ways of unequal length",
    [[3]],
    (a) => multiply(exp(negate(a)), a),
    [3],
    ([x], at) => Math.exp(-x!(at)) * x!(at),
  ),

  ...[
    { name: "of two matrices", a: [2, 3], b: [3, 4] },
    { name: "with a shared matrix", a: [2, 2, 3], b: [3, 2] },
    { name: "with a shared matrix, four dimensions", a: [2, 1, 2, 3], b: [3, 2] },
    { name: "matrix by matrix", a: [2, 2, 3], b: [2, 3, 2] },
    { name: "matrix by matrix, four dimensions", a: [1, 2, 2, 3], b: [1, 2, 3, 1] },
  ].map(({ name, a, b }) =>
    toCase(`product ${name}`, [a, b], matmul, [...a.slice(0, -1), b.at(-1)!], ([x, y], at) =>
      added(
        range(a.at(-1)!).map((k) => x!([...at.slice(0, -1), k]) * y!([...at.slice(0, -2), k, at.at(-1)!])),
      ),
    ),
  ),
  toCase(
    "matmul with something untrained on its left",
    [[3, 2]],
    (a, k) => matmul(k, a),
    [2, 4, 2],
    ([x, k], [i, j, l]) => added(range(3).map((m) => k!([i!, j!, m]) * x!([m, l!]))),
    { constants: { k: spread([2, 4, 3]) } },
  ),

  toCase("transposeLast", [[2, 3, 4]], transposeLast, [2, 4, 3], ([x], [i, j, k]) => x!([i!, k!, j!])),
  toCase(
    "transpose by a rotation, which is not its own inverse",
    [[2, 3, 4]],
    (a) => transpose(a, [1, 2, 0]),
    [3, 4, 2],
    ([x], [i, j, k]) => x!([k!, i!, j!]),
  ),
  toCase(
    "reshape",
    [[2, 6]],
    (a) => reshape(a, [4, 3]),
    [4, 3],
    ([x], [i, j]) => x!([Math.floor((i! * 3 + j!) / 6), (i! * 3 + j!) % 6]),
  ),
  toCase(
    "reshape to what is left",
    [[2, 3]],
    (a) => reshape(a, [-1]),
    [6],
    ([x], [i]) => x!([Math.floor(i! / 3), i! % 3]),
  ),
  ...[
    { name: "at the beginning", start: 0, end: 2 },
    { name: "in the middle", start: 1, end: 3 },
    { name: "at the end", start: 3, end: 5 },
    { name: "of all", start: 0, end: 5 },
  ].map(({ name, start, end }) =>
    toCase(
      `slice ${name}`,
      [[2, 5, 2]],
      (a) => slice(a, 1, start, end),
      [2, end - start, 2],
      ([x], [i, j, k]) => x!([i!, j! + start, k!]),
    ),
  ),
  toCase(
    "split, each piece used, one of them twice",
    [[2, 5]],
    (a) => {
      const [left, middle, right] = split(a, 1, [2, 1, 2]) as [Value, Value, Value];
      return add(multiply(left, exp(right)), multiply(middle, middle));
    },
    [2, 2],
    ([x], [i, j]) => x!([i!, j!]) * Math.exp(x!([i!, j! + 3])) + x!([i!, 2]) ** 2,
  ),
  ...[0, 1, 2].map((piece) =>
    toCase(
      `split, only piece ${piece} used, beside the whole`,
      [[2, 3, 2]],
      (a) => add(multiply(split(a, 1, [1, 1, 1])[piece]!, a), a),
      [2, 3, 2],
      ([x], [i, j, k]) => x!([i!, piece, k!]) * x!([i!, j!, k!]) + x!([i!, j!, k!]),
    ),
  ),
  toCase(
    "concat, with an untrained part",
    [
      [2, 1],
      [2, 3],
    ],
    (a, b, k) => concat([a, k, b], 1),
    [2, 6],
    ([x, y, k], [i, j]) => (j! < 1 ? x!([i!, 0]) : j! < 3 ? k!([i!, j! - 1]) : y!([i!, j! - 3])),
    { constants: { k: spread([2, 2]) } },
  ),
  toCase(
    "sum over the first axis",
    [[3, 2]],
    (a) => sum(a, [0]),
    [1, 2],
    ([x], [, j]) => added(range(3).map((i) => x!([i, j!]))),
  ),
  toCase(
    "sum over two axes",
    [[2, 3, 2]],
    (a) => sum(a, [0, 2]),
    [1, 3, 1],
    ([x], [, j]) => added(range(2).flatMap((i) => range(2).map((k) => x!([i, j!, k])))),
  ),
  toCase("sumAll", [[2, 3]], sumAll, [], ([x]) => added(indicesOf([2, 3]).map((at) => x!(at)))),
  toCase(
    "expand a row",
    [[1, 3]],
    (a) => expand(a, [2, 3]),
    [2, 3],
    ([x], at) => x!(at),
  ),
  toCase(
    "expand to more dimensions",
    [[3]],
    (a) => expand(a, [2, 3]),
    [2, 3],
    ([x], at) => x!(at),
  ),
  toCase(
    "expand one number",
    [[]],
    (a) => expand(a, [2, 2]),
    [2, 2],
    ([x], at) => x!(at),
  ),

  ...[0, 30].flatMap((center) => [
    toCase(
      `softmax around ${center}`,
      [[2, 4]],
      softmax,
      [2, 4],
      ([x], at) => Math.exp(x!(at) - logSumExp(x!, at, 4)),
      { center },
    ),
    toCase(
      `logSoftmax around ${center}`,
      [[2, 4]],
      logSoftmax,
      [2, 4],
      ([x], at) => x!(at) - logSumExp(x!, at, 4),
      { center },
    ),
  ]),
  toCase(
    "rmsNorm",
    [[2, 2, 4], [4]],
    rmsNorm,
    [2, 2, 4],
    ([x, gain], at) => {
      const squares = range(4).map((i) => x!(row(at, i)) ** 2);
      return (x!(at) / Math.sqrt(added(squares) / 4 + 1e-6)) * gain!([at.at(-1)!]);
    },
    { center: 0.7 },
  ),
  toCase(
    "gather, the same one several times",
    [[4, 2]],
    gather,
    [2, 3, 2],
    ([table, which], [i, j, k]) => table!([which!([i!, j!]), k!]),
    { constants: { k: numbers([2, 3], 1, 3, 1, 1, 0, 3) } },
  ),
];

describe(name, () => {
  test.skipIf(!engine).each(CASES)("$name", async ({ dims, reference, ...given }) => {
    const { value, gradients } = await checkGradients(engine!, given);
    const tensors = { ...given.inputs, ...given.constants };
    const read = Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, reader(tensor)]));
    expect(value.dims).toEqual(dims);
    for (const [i, index] of indicesOf(dims).entries())
      expect(value.data[i], `value at [${index}]`).toBeCloseTo(reference(read, index), 4);
    for (const [name, { exact, estimated }] of Object.entries(gradients)) {
      expect(exact.length).toBe(estimated.length);
      expect(exact.some((slope) => Math.abs(slope) > 1e-3)).toBe(true);
      for (const [i, slope] of exact.entries())
        expect(Math.abs(slope - estimated[i]!), `gradient of ${name} at ${i}`).toBeLessThan(
          2e-3 * (1 + Math.abs(slope)),
        );
    }
  });

  test.skipIf(!engine)("greater is 1 where the left is greater, not where they are equal", async () => {
    const inputs = {
      a: { dims: [2, 2], data: Float32Array.of(1, 2, 3, -4) },
      b: { dims: [2], data: Float32Array.of(2, 2) },
    };
    const { data } = await evaluate(engine!, { inputs, build: ({ a, b }) => greater(a!, b!) });
    expect([...data]).toEqual([0, 0, 1, 0]);
  });

  test.skipIf(!engine)("oneHot marks each number, and none that is outside", async () => {
    const inputs = { a: numbers([4], 2, 0, -1, 3) };
    const { data, dims } = await evaluate(engine!, { inputs, build: ({ a }) => oneHot(a!, 3) });
    expect(dims).toEqual([4, 3]);
    expect([...data]).toEqual([0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  test.skipIf(!engine)("a missing input is named", async () => {
    const graph = new Graph();
    graph.output("value", negate(graph.input("question", [1])));
    const session = await engine!.load(graph.toModel());
    await expect(session.run({})).rejects.toThrow('The graph needs an input "question"');
    await session.close();
  });
});

test("every operation is among the cases", () => {
  const untested = Object.keys(operations).filter(
    (name) =>
      !["greater", "oneHot", "sizeOf"].includes(name) && !CASES.some((each) => each.name.startsWith(name)),
  );
  expect(untested).toEqual([]);
});

describe("what does not fit is refused when the graph is built", () => {
  const graph = new Graph();
  const of = (...dims: number[]) => graph.weight(`w${dims}`, dims);
  test.each([
    ["shapes that cannot be broadcast", () => add(of(2, 3), of(2)), "[2,3] and [2] do not fit together"],
    ["matmuls of other lengths", () => matmul(of(2, 3), of(2, 3)), "No product of [2,3] and [2,3]"],
    ["matmuls of other leading shapes", () => matmul(of(2, 1, 3), of(4, 3, 1)), "No product of"],
    ["reshaping to another size", () => reshape(of(2, 3), [4]), "[2,3] does not fit into [4]"],
    ["a graph without outputs", () => graph.toModel(), "A graph without outputs computes nothing"],
    [
      "a weight that the loss does not depend on",
      () => gradientsOf(sumAll(of(2)), [of(7)], graph.constant([1], [])),
      'The loss does not depend on "w7"',
    ],
    [
      "a weight behind something that lets no gradient pass",
      () => {
        const weight = of(5);
        return gradientsOf(sumAll(greater(weight, of(5))), [weight], graph.constant([1], []));
      },
      'The loss does not depend on "w5"',
    ],
  ])("%s", (_, build, message) => {
    expect(build).toThrow(message);
  });

  test("equal small constants are kept once, others apart", () => {
    const one = graph.constant(Float32Array.of(1, 2), [2]);
    expect(graph.constant(Float32Array.of(1, 2), [2])).toBe(one);
    expect(graph.constant(Float32Array.of(1, 2), [2, 1])).not.toBe(one);
    expect(graph.constant(Int32Array.of(1, 2), [2])).not.toBe(one);
    expect(graph.constant([1, 2], [2])).not.toBe(one);
  });
});
