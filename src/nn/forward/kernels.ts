// The arithmetic of the forward pass on plain Float32Arrays, row by row. A row's result never depends on how many
// others are computed with it, so a plan is the same to the bit in any batch. Sums are kept in double precision.

/** [inner, columns] → [columns, inner]: then a product reads both sides in the order they lie in memory. */
export function transposed(data: Float32Array, inner: number, columns: number): Float32Array {
  const result = new Float32Array(data.length);
  for (let i = 0; i < inner; i++)
    for (let j = 0; j < columns; j++) result[j * inner + i] = data[i * columns + j]!;
  return result;
}

/** What a product is of: `rows` rows of `x` from `first` on, times a transposed matrix of `columns` × `inner`. */
export interface Product {
  x: Float32Array;
  matrix: Float32Array;
  inner: number;
  columns: number;
  first?: number;
  rows: number;
}

/**
 * `out` gets rows × columns numbers, in the same rows. Two rows by four columns at a time: every number that is
 * loaded is used two or four times, and all eight sums stay in registers.
 */
export function multiplyRows(
  { x, matrix, inner, columns, first = 0, rows }: Product,
  out: Float32Array,
): void {
  const end = first + rows;
  const paired = columns - (columns % 4);
  let row = first;
  for (; row + 1 < end; row += 2) {
    const a = row * inner;
    const b = a + inner;
    const to = row * columns;
    for (let column = 0; column < paired; column += 4) {
      const c = column * inner;
      const d = c + inner;
      const e = d + inner;
      const f = e + inner;
      let ac = 0;
      let ad = 0;
      let ae = 0;
      let af = 0;
      let bc = 0;
      let bd = 0;
      let be = 0;
      let bf = 0;
      for (let i = 0; i < inner; i++) {
        const left = x[a + i]!;
        const right = x[b + i]!;
        const one = matrix[c + i]!;
        const two = matrix[d + i]!;
        const three = matrix[e + i]!;
        const four = matrix[f + i]!;
        ac += left * one;
        ad += left * two;
        ae += left * three;
        af += left * four;
        bc += right * one;
        bd += right * two;
        be += right * three;
        bf += right * four;
      }
      const at = to + column;
      out[at] = ac;
      out[at + 1] = ad;
      out[at + 2] = ae;
      out[at + 3] = af;
      out[at + columns] = bc;
      out[at + columns + 1] = bd;
      out[at + columns + 2] = be;
      out[at + columns + 3] = bf;
    }
    for (let column = paired; column < columns; column++) {
      out[to + column] = dot(x, a, matrix, column * inner, inner);
      out[to + columns + column] = dot(x, b, matrix, column * inner, inner);
    }
  }
  if (row < end) multiplyRow(x, row, matrix, inner, columns, out);
}

/** One row alone, as when a single plan is written: the same sums in the same order. */
function multiplyRow(
  x: Float32Array,
  row: number,
  matrix: Float32Array,
  inner: number,
  columns: number,
  out: Float32Array,
): void {
  const a = row * inner;
  const to = row * columns;
  const paired = columns - (columns % 4);
  for (let column = 0; column < paired; column += 4) {
    const c = column * inner;
    const d = c + inner;
    const e = d + inner;
    const f = e + inner;
    let ac = 0;
    let ad = 0;
    let ae = 0;
    let af = 0;
    for (let i = 0; i < inner; i++) {
      const left = x[a + i]!;
      ac += left * matrix[c + i]!;
      ad += left * matrix[d + i]!;
      ae += left * matrix[e + i]!;
      af += left * matrix[f + i]!;
    }
    const at = to + column;
    out[at] = ac;
    out[at + 1] = ad;
    out[at + 2] = ae;
    out[at + 3] = af;
  }
  for (let column = paired; column < columns; column++)
    out[to + column] = dot(x, a, matrix, column * inner, inner);
}

export function dot(a: Float32Array, from: number, b: Float32Array, start: number, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += a[from + i]! * b[start + i]!;
  return sum;
}

const EPSILON = 1e-6;

/** x / √(mean of squares + ε) · gain, for the rows from `first` to `end`. */
export function normRows(
  x: Float32Array,
  gain: Float32Array,
  [first, end]: readonly [number, number],
  out: Float32Array,
): void {
  const width = gain.length;
  for (let row = first; row < end; row++) {
    const at = row * width;
    const scale = 1 / Math.sqrt(dot(x, at, x, at, width) / width + EPSILON);
    for (let i = 0; i < width; i++) out[at + i] = x[at + i]! * scale * gain[i]!;
  }
}

/** Rotary position, in place: the halves of each head are turned against each other. */
export function rotate(
  data: Float32Array,
  from: number,
  { heads, size }: { heads: number; size: number },
  [cosine, sine]: readonly [Float32Array, Float32Array],
): void {
  const half = size / 2;
  for (let head = 0; head < heads; head++) {
    const at = from + head * size;
    for (let i = 0; i < half; i++) {
      const a = data[at + i]!;
      const b = data[at + half + i]!;
      data[at + i] = a * cosine[i]! - b * sine[i]!;
      data[at + half + i] = b * cosine[i]! + a * sine[i]!;
    }
  }
}

/** silu(gate) · up, in the place of the gate. */
export function gate(gates: Float32Array, ups: Float32Array, first: number, end: number): void {
  for (let i = first; i < end; i++) {
    const value = gates[i]!;
    gates[i] = (value / (1 + Math.exp(-value))) * ups[i]!;
  }
}

/** Scores become probabilities, in place. */
export function softmax(scores: Float32Array, first: number, end: number): void {
  let highest = Number.NEGATIVE_INFINITY;
  for (let i = first; i < end; i++) if (scores[i]! > highest) highest = scores[i]!;
  let sum = 0;
  for (let i = first; i < end; i++) {
    const value = Math.exp(scores[i]! - highest);
    scores[i] = value;
    sum += value;
  }
  for (let i = first; i < end; i++) scores[i]! /= sum;
}
