// The operations a model is made of, each with its gradient rule. Shapes are known when the graph is built,
// so a rule can undo a broadcast or a reshape without asking at run time.

import { TuttiError } from "../base/errors.ts";
import type { Backward, Graph, Value } from "./graph.ts";

// ---- Arithmetic, with broadcasting ------------------------------------------------------------------

export function add(a: Value, b: Value): Value {
  const backward = (g: Value) => [sumTo(g, a.dims), sumTo(g, b.dims)];
  return a.graph.node("Add", [a, b], { dims: broadcast(a, b) }, { backward });
}

export function subtract(a: Value, b: Value): Value {
  const backward = (g: Value) => [sumTo(g, a.dims), sumTo(negate(g), b.dims)];
  return a.graph.node("Sub", [a, b], { dims: broadcast(a, b) }, { backward });
}

export function multiply(a: Value, b: Value): Value {
  const backward = (g: Value) => [
    a.isTrained ? sumTo(multiply(g, b), a.dims) : undefined,
    b.isTrained ? sumTo(multiply(g, a), b.dims) : undefined,
  ];
  return a.graph.node("Mul", [a, b], { dims: broadcast(a, b) }, { backward });
}

export function scale(a: Value, factor: number): Value {
  return multiply(a, a.graph.constant(Float32Array.of(factor), []));
}

export function shift(a: Value, by: number): Value {
  return add(a, a.graph.constant(Float32Array.of(by), []));
}

export function negate(a: Value): Value {
  return elementwise(a, "Neg", { backward: (g) => [negate(g)] });
}

export function exp(a: Value): Value {
  const result: Value = elementwise(a, "Exp", { backward: (g) => [multiply(g, result)] });
  return result;
}

/** 1 / √a. */
export function rsqrt(a: Value): Value {
  const result = elementwise(elementwise(a, "Sqrt"), "Reciprocal");
  // −½ a^(−3/2)
  return withRule(result, [a], (g) => {
    const cube = multiply(multiply(result, result), result);
    return [multiply(g, scale(cube, -0.5))];
  });
}

/** a · sigmoid(a). */
export function silu(a: Value): Value {
  const gate = elementwise(a, "Sigmoid");
  const result = a.graph.node("Mul", [a, gate], { dims: a.dims });
  // s + a·s·(1 − s), and a·s is the result.
  return withRule(result, [a], (g) => {
    const slope = add(gate, multiply(result, shift(negate(gate), 1)));
    return [multiply(g, slope)];
  });
}

/** 1 where a > b, else 0. No gradient passes. */
export function greater(a: Value, b: Value): Value {
  const dims = broadcast(a, b);
  const truth = a.graph.node("Greater", [a, b], { dims, kind: "bool" });
  return a.graph.node("Cast", [truth], { dims }, { attributes: { to: 1 } });
}

// ---- Matrix products ---------------------------------------------------------------------------------------

/** Of the last two dimensions. `b` has the same leading dimensions as `a`, or none. */
export function matmul(a: Value, b: Value): Value {
  const leading = a.dims.slice(0, -2);
  const [rows, inner] = a.dims.slice(-2) as [number, number];
  const columns = b.dims.at(-1)!;
  const isShared = b.dims.length === 2;
  const fits = b.dims.at(-2) === inner && (isShared || sameDims(b.dims.slice(0, -2), leading));
  if (!fits) throw new TuttiError("bad-graph", `No product of [${a.dims}] and [${b.dims}]`);
  const backward = (g: Value) => {
    const toA = a.isTrained ? matmul(g, transposeLast(b)) : undefined;
    if (!b.isTrained) return [toA, undefined];
    if (!isShared || leading.length === 0) return [toA, matmul(transposeLast(a), g)];
    // One large product instead of many small ones that are summed.
    const flat = (value: Value) => reshape(value, [-1, value.dims.at(-1)!]);
    return [toA, matmul(transposeLast(flat(a)), flat(g))];
  };
  return a.graph.node("MatMul", [a, b], { dims: [...leading, rows, columns] }, { backward });
}

/** The last two dimensions change places. */
export function transposeLast(a: Value): Value {
  const order = [...a.dims.keys()];
  return transpose(a, [...order.slice(0, -2), order.at(-1)!, order.at(-2)!]);
}

// ---- Shapes -----------------------------------------------------------------------------------------

export function transpose(a: Value, order: readonly number[]): Value {
  const inverse = order.map((_, at) => order.indexOf(at));
  const dims = order.map((at) => a.dims[at]!);
  const attributes = { perm: order };
  return a.graph.node("Transpose", [a], { dims }, { attributes, backward: (g) => [transpose(g, inverse)] });
}

/** One of the dims may be −1: what is left. */
export function reshape(a: Value, wanted: readonly number[]): Value {
  const size = sizeOf(a.dims);
  const known = sizeOf(wanted.filter((dim) => dim >= 0));
  const dims = wanted.map((dim) => (dim < 0 ? size / known : dim));
  if (sizeOf(dims) !== size) throw new TuttiError("bad-graph", `[${a.dims}] does not fit into [${wanted}]`);
  const target = a.graph.constant(dims, [dims.length]);
  return a.graph.node("Reshape", [a, target], { dims }, { backward: (g) => [reshape(g, a.dims), undefined] });
}

export function slice(a: Value, axis: number, start: number, end: number): Value {
  const dims = a.dims.map((dim, at) => (at === axis ? end - start : dim));
  const { graph } = a;
  const bounds = [[start], [end], [axis]].map((values) => graph.constant(values, [1]));
  const backward = (g: Value) => {
    const zeros = (count: number) =>
      count === 0
        ? []
        : [
            zerosOf(
              a,
              g.dims.map((dim, at) => (at === axis ? count : dim)),
            ),
          ];
    const parts = [...zeros(start), g, ...zeros(a.dims[axis]! - end)];
    return [parts.length === 1 ? g : concat(parts, axis)];
  };
  return graph.node("Slice", [a, ...bounds], { dims }, { backward });
}

/** All of `a` in pieces of these sizes along an axis. Cheaper than slices: their gradients are joined once. */
export function split(a: Value, axis: number, sizes: readonly number[]): Value[] {
  const join = (pieces: readonly (Value | undefined)[]) => {
    const dims = (size: number) => a.dims.map((dim, at) => (at === axis ? size : dim));
    const all = sizes.map((size, i) => pieces[i] ?? zerosOf(a, dims(size)));
    return concat(all, axis);
  };
  const whole: Value = { ...a, inputs: [a], backward: (g) => [g], join };
  let end = 0;
  return sizes.map((size, piece) => {
    const { backward: _, ...part } = slice(whole, axis, end, end + size);
    end += size;
    return { ...part, piece, inputs: [whole], isTrained: a.isTrained };
  });
}

export function concat(parts: readonly Value[], axis: number): Value {
  const [first] = parts as [Value];
  const length = parts.reduce((sum, { dims }) => sum + dims[axis]!, 0);
  const dims = first.dims.map((dim, at) => (at === axis ? length : dim));
  const backward = (g: Value) => {
    let at = 0;
    return parts.map((part) => {
      const start = at;
      at += part.dims[axis]!;
      return part.isTrained ? slice(g, axis, start, at) : undefined;
    });
  };
  return first.graph.node("Concat", parts, { dims }, { attributes: { axis }, backward });
}

/** Sum over these axes, which stay with length 1. */
export function sum(a: Value, axes: readonly number[]): Value {
  const dims = a.dims.map((dim, at) => (axes.includes(at) ? 1 : dim));
  const which = a.graph.constant([...axes], [axes.length]);
  return a.graph.node("ReduceSum", [a, which], { dims }, { backward: (g) => [expand(g, a.dims), undefined] });
}

/** All of it as one number. */
export function sumAll(a: Value): Value {
  return reshape(sum(a, [...a.dims.keys()]), []);
}

export function expand(a: Value, dims: readonly number[]): Value {
  if (sameDims(a.dims, dims)) return a;
  const target = a.graph.constant([...dims], [dims.length]);
  return a.graph.node("Expand", [a, target], { dims }, { backward: (g) => [sumTo(g, a.dims), undefined] });
}

// ---- Along the last dimension -----------------------------------------------------------------------

export function softmax(a: Value): Value {
  const last = a.dims.length - 1;
  const backward = (g: Value) => {
    const weighted = multiply(g, result);
    return [subtract(weighted, multiply(result, sum(weighted, [last])))];
  };
  const result: Value = elementwise(a, "Softmax", { attributes: { axis: last }, backward });
  return result;
}

export function logSoftmax(a: Value): Value {
  const last = a.dims.length - 1;
  const backward = (g: Value) => [subtract(g, multiply(exp(result), sum(g, [last])))];
  const result: Value = elementwise(a, "LogSoftmax", { attributes: { axis: last }, backward });
  return result;
}

/** a / √(mean of squares + ε) · gain. */
export function rmsNorm(a: Value, gain: Value): Value {
  const last = a.dims.length - 1;
  const width = a.dims[last]!;
  const square = scale(sum(multiply(a, a), [last]), 1 / width);
  const inverse = rsqrt(shift(square, 1e-6));
  const unit = multiply(a, inverse);
  const result = multiply(unit, gain);
  return withRule(result, [a, gain], (g) => {
    const scaled = multiply(g, gain);
    const along = scale(sum(multiply(scaled, unit), [last]), 1 / width);
    const toA = multiply(inverse, subtract(scaled, multiply(unit, along)));
    return [toA, sumTo(multiply(g, unit), gain.dims)];
  });
}

// ---- Choosing by number -----------------------------------------------------------------------------

/** 1 at the place of each number, else 0: [..., depth]. A number outside gives a row of zeros. */
export function oneHot(numbers: Value, depth: number): Value {
  const { graph } = numbers;
  const range = graph.constant(
    Int32Array.from({ length: depth }, (_, i) => i),
    [depth],
  );
  const column = reshape(numbers, [...numbers.dims, 1]);
  const dims = [...numbers.dims, depth];
  const truth = graph.node("Equal", [column, range], { dims, kind: "bool" });
  return graph.node("Cast", [truth], { dims }, { attributes: { to: 1 } });
}

/** Rows of a table. The gradient is a matmul with the one-hot numbers: so the order of summing is fixed. */
export function gather(table: Value, numbers: Value): Value {
  const [depth, width] = table.dims as [number, number];
  const dims = [...numbers.dims, width];
  const backward = (g: Value) => {
    const places = reshape(oneHot(numbers, depth), [-1, depth]);
    return [matmul(transposeLast(places), reshape(g, [-1, width])), undefined];
  };
  return table.graph.node("Gather", [table, numbers], { dims }, { attributes: { axis: 0 }, backward });
}

// ---- Helpers ----------------------------------------------------------------------------------------

/** A result of the same shape. */
function elementwise(a: Value, operation: string, options?: Parameters<Graph["node"]>[3]): Value {
  return a.graph.node(operation, [a], { dims: a.dims }, options);
}

/** A result of several nodes that has one gradient rule of its own, shorter than that of its parts. */
function withRule(result: Value, inputs: readonly Value[], backward: Backward): Value {
  return { ...result, inputs, backward, isTrained: inputs.some(({ isTrained }) => isTrained) };
}

/** Undoes a broadcast: sums what was repeated. */
function sumTo(a: Value, dims: readonly number[]): Value {
  if (sameDims(a.dims, dims)) return a;
  const lead = a.dims.length - dims.length;
  const axes = [...a.dims.keys()].filter((at) => at < lead || (dims[at - lead] === 1 && a.dims[at] !== 1));
  const summed = axes.length > 0 ? sum(a, axes) : a;
  return sameDims(summed.dims, dims) ? summed : reshape(summed, dims);
}

function zerosOf({ graph }: Value, dims: readonly number[]): Value {
  const zero = graph.constant(new Float32Array(1), []);
  return graph.node("Expand", [zero, graph.constant([...dims], [dims.length])], { dims });
}

function broadcast(a: Value, b: Value): number[] {
  const length = Math.max(a.dims.length, b.dims.length);
  return Array.from({ length }, (_, at) => {
    const one = a.dims[at - length + a.dims.length] ?? 1;
    const other = b.dims[at - length + b.dims.length] ?? 1;
    if (one !== other && one !== 1 && other !== 1)
      throw new TuttiError("bad-graph", `[${a.dims}] and [${b.dims}] do not fit together`);
    return Math.max(one, other);
  });
}

export function sizeOf(dims: readonly number[]): number {
  return dims.reduce((size, dim) => size * dim, 1);
}

function sameDims(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((dim, at) => dim === b[at]);
}
