// Weights as a file in the safetensors format, which other programs read too: the length of a JSON header in
// 8 bytes, the header (name, dtype, shape and place of every tensor), then the numbers, little-endian.
// A file from elsewhere is not trusted: whatever does not fit together is refused before anything is used.

import { z } from "zod";
import { TuttiError, usageError } from "../base/errors.ts";
import type { Weights } from "./types.ts";

const METADATA = "__metadata__";
const BYTES_OF = { F32: 4, F16: 2 } as const;
type Dtype = keyof typeof BYTES_OF;
/** Of a header: far above any model of ours, and below what would hurt to parse. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});

interface TensorEntry {
  name: string;
  dtype: Dtype;
  dims: number[];
  count: number;
  begin: number;
  end: number;
}

/**
 * The same weights and metadata give the same bytes: names are sorted. As F16 a file is half as large, and
 * every number is rounded to 11 significant bits; a number that is too large for that (65,520 and above) is refused.
 */
export function toSafetensors(
  tensors: Weights,
  metadata: Record<string, string>,
  options: { dtype?: Dtype } = {},
): Uint8Array {
  const dtype = options.dtype ?? "F32";
  const names = [...tensors.keys()].sort();
  // Written as text piece by piece: as keys of an object, names that look like numbers would be reordered.
  const fields = [`${JSON.stringify(METADATA)}:${toJsonObject(metadata)}`];
  let dataBytes = 0;
  for (const name of names) {
    const { dims, data } = tensors.get(name)!;
    if (name === METADATA)
      throw usageError(`A tensor cannot be called "${METADATA}": the format needs that name.`);
    if (countOf(dims) !== data.length)
      throw usageError(
        `Tensor "${name}" of shape [${dims}] holds ${data.length} numbers instead of ${countOf(dims)}.`,
      );
    const end = dataBytes + data.length * BYTES_OF[dtype];
    fields.push(
      `${JSON.stringify(name)}:${JSON.stringify({ dtype, shape: dims, data_offsets: [dataBytes, end] })}`,
    );
    dataBytes = end;
  }
  const header = new TextEncoder().encode(`{${fields.join(",")}}`);
  const headerBytes = Math.ceil(header.length / 8) * 8;

  const bytes = new Uint8Array(8 + headerBytes + dataBytes).fill(0x20, 8, 8 + headerBytes);
  bytes.set(header, 8);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(headerBytes), true);
  let place = 8 + headerBytes;
  for (const name of names) {
    const { data } = tensors.get(name)!;
    if (dtype === "F16") checkFitsHalf(name, data);
    // As bits, never as numbers: reading a NaN as a number may change it.
    const bits = dtype === "F16" ? toHalf(data) : new Uint32Array(data.buffer, data.byteOffset, data.length);
    for (let i = 0; i < bits.length; i++, place += BYTES_OF[dtype]) {
      if (dtype === "F16") view.setUint16(place, bits[i]!, true);
      else view.setUint32(place, bits[i]!, true);
    }
  }
  return bytes;
}

/** Reads F32 and F16 (widened, which is exact). The weights are copies: `bytes` may be changed afterwards. */
export function fromSafetensors(bytes: Uint8Array): { weights: Weights; metadata: Record<string, string> } {
  const { header, dataStart } = readHeader(bytes);
  const entries: TensorEntry[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(header)) {
    if (name === METADATA) metadata = readMetadata(value);
    else entries.push(readEntry(name, value));
  }
  checkLayout(entries, bytes.length - dataStart);

  const view = new DataView(bytes.buffer, bytes.byteOffset + dataStart);
  const weights: Weights = new Map();
  for (const { name, dtype, dims, count, begin } of entries) {
    let data: Float32Array;
    if (dtype === "F16") {
      const halves = new Uint16Array(count);
      for (let i = 0; i < count; i++) halves[i] = view.getUint16(begin + 2 * i, true);
      data = fromHalf(halves);
    } else {
      const bits = new Uint32Array(count);
      for (let i = 0; i < count; i++) bits[i] = view.getUint32(begin + 4 * i, true);
      data = new Float32Array(bits.buffer);
    }
    weights.set(name, { dims, data });
  }
  return { weights, metadata };
}

function readHeader(bytes: Uint8Array): { header: object; dataStart: number } {
  if (bytes.length < 8) throw badCheckpoint(`it has ${bytes.length} bytes, too few for a safetensors file`);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER_BYTES))
    throw badCheckpoint(`its header claims ${length} bytes; at most ${MAX_HEADER_BYTES} are read`);
  const dataStart = 8 + Number(length);
  if (dataStart > bytes.length)
    throw badCheckpoint(
      `its header claims ${length} bytes, but only ${bytes.length - 8} follow: it was cut off`,
    );
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, dataStart)));
  } catch (cause) {
    throw badCheckpoint("its header is not JSON", cause);
  }
  if (typeof header !== "object" || header === null || Array.isArray(header))
    throw badCheckpoint("its header is not a JSON object");
  return { header, dataStart };
}

function readMetadata(value: unknown): Record<string, string> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [];
  if (!isObject || entries.some(([, text]) => typeof text !== "string"))
    throw badCheckpoint(`"${METADATA}" must be an object that holds texts only`);
  return Object.fromEntries(entries);
}

function readEntry(name: string, value: unknown): TensorEntry {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw badCheckpoint(`tensor ${JSON.stringify(name)}: ${["", ...issue.path].join(".")} ${issue.message}`);
  }
  const { dtype, shape, data_offsets } = parsed.data;
  const label = `tensor ${JSON.stringify(name)}`;
  if (dtype !== "F32" && dtype !== "F16")
    throw badCheckpoint(`${label} has dtype "${dtype}"; F32 and F16 are read`);
  const count = countOf(shape);
  const [begin, end] = data_offsets;
  if (end - begin !== count * BYTES_OF[dtype])
    throw badCheckpoint(
      `${label}: shape [${shape}] of ${dtype} needs ${count * BYTES_OF[dtype]} bytes, it has ${end - begin}`,
    );
  return { name, dtype, dims: shape, count, begin, end };
}

/** The tensors must fill the data exactly: each starts where the one before it ends. */
function checkLayout(entries: readonly TensorEntry[], dataBytes: number): void {
  let covered = 0;
  for (const { name, begin, end } of [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    const label = `tensor ${JSON.stringify(name)}`;
    if (begin < covered)
      throw badCheckpoint(`${label} overlaps another: it starts at ${begin}, before ${covered}`);
    if (begin > covered) throw badCheckpoint(`there is a gap from ${covered} to ${begin}, before ${label}`);
    if (end > dataBytes)
      throw badCheckpoint(`${label} ends at ${end}, but there are ${dataBytes} bytes: it was cut off`);
    covered = end;
  }
  if (covered < dataBytes) throw badCheckpoint(`${dataBytes - covered} bytes at its end belong to no tensor`);
}

function countOf(dims: readonly number[]): number {
  return dims.reduce((product, size) => product * size, 1);
}

function toJsonObject(texts: Record<string, string>): string {
  const keys = Object.keys(texts).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(texts[key])}`).join(",")}}`;
}

function checkFitsHalf(name: string, data: Float32Array): void {
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    if (Math.abs(value) >= 65_520 && Number.isFinite(value))
      throw usageError(
        `Tensor "${name}" holds ${value}, which is too large for F16 (65504): write it as F32.`,
      );
  }
}

function badCheckpoint(problem: string, cause?: unknown): TuttiError {
  return new TuttiError("bad-checkpoint", `The weights cannot be read: ${problem}.`, { cause });
}

// ---- Half precision ---------------------------------------------------------------------------

/** To the nearest half, ties to the even one. Above the largest half: infinity. */
export function toHalf(numbers: Float32Array): Uint16Array {
  const singles = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  const halves = new Uint16Array(numbers.length);
  for (let i = 0; i < singles.length; i++) halves[i] = toHalfBits(singles[i]!);
  return halves;
}

function toHalfBits(single: number): number {
  const sign = (single >>> 16) & 0x8000;
  const magnitude = single & 0x7fff_ffff;
  if (magnitude > 0x7f80_0000) return sign | 0x7e00; // NaN stays NaN.
  if (magnitude >= 0x477f_f000) return sign | 0x7c00; // 65,520 and above: the nearest half would be 65,536.
  // The smallest normal half is 2^-14. Below it halves are multiples of 2^-24.
  const isSubnormal = magnitude < 0x3880_0000;
  if (isSubnormal && magnitude < 0x3300_0000) return sign; // Below 2^-25.
  const significand = isSubnormal ? (magnitude & 0x7f_ffff) | 0x80_0000 : magnitude - 0x3800_0000;
  const shift = isSubnormal ? 126 - (magnitude >>> 23) : 13;
  const kept = significand >>> shift;
  const rest = significand & ((1 << shift) - 1);
  const middle = 1 << (shift - 1);
  // A carry out of the significand raises the exponent, which is what rounding up means there.
  return sign | (kept + (rest > middle || (rest === middle && (kept & 1) === 1) ? 1 : 0));
}

/** Exact: every half is a single. */
export function fromHalf(halves: Uint16Array): Float32Array {
  const numbers = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) numbers[i] = fromHalfBits(halves[i]!);
  return numbers;
}

function fromHalfBits(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  // Powers of two by shifting: 2^(exponent − 1) is at most 2^29.
  return exponent === 0
    ? sign * fraction * 2 ** -24
    : sign * (1024 + fraction) * (1 << (exponent - 1)) * 2 ** -24;
}
