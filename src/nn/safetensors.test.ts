import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isTuttiError } from "../base/errors.ts";
import { fromHalf, fromSafetensors, toHalf, toSafetensors } from "./safetensors.ts";
import type { Weights } from "./types.ts";

const tensor = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 }).chain((dims) => {
  const count = dims.reduce((product, size) => product * size, 1);
  return fc.array(fc.float(), { minLength: count, maxLength: count }).map((numbers) => ({
    dims,
    data: Float32Array.from(numbers),
  }));
});
const anyName = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("10", "9", "__proto__", "a.b", '"'),
);
const anyWeights = fc.uniqueArray(fc.tuple(anyName, tensor), { selector: ([name]) => name, maxLength: 6 });
const anyMetadata = fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true });

const bitsOf = (data: Float32Array) => [...new Uint32Array(data.buffer, data.byteOffset, data.length)];
const byName = (weights: Weights) =>
  [...weights].map(([name, { dims, data }]) => ({ name, dims: [...dims], bits: bitsOf(data) }));

test("weights and metadata come back bit for bit, sorted by name", () => {
  fc.assert(
    fc.property(anyWeights, anyMetadata, (list, metadata) => {
      const weights: Weights = new Map(list);
      const read = fromSafetensors(toSafetensors(weights, metadata));
      expect(read.metadata).toEqual(metadata);
      expect(byName(read.weights).sort(compareNames)).toEqual(byName(weights).sort(compareNames));
      const reversed: Weights = new Map([...list].reverse());
      expect(toSafetensors(reversed, metadata)).toEqual(toSafetensors(weights, metadata));
    }),
    { seed: 1, numRuns: 300 },
  );
});

const compareNames = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

test("names that objects treat as special are names like any other", () => {
  const metadata = JSON.parse('{"__proto__":"x","constructor":"y","1":"z"}') as Record<string, string>;
  const weights: Weights = new Map([["__proto__", { dims: [1], data: Float32Array.of(7) }]]);
  const read = fromSafetensors(toSafetensors(weights, metadata));
  expect(Object.entries(read.metadata).sort()).toEqual(Object.entries(metadata).sort());
  expect(read.weights.get("__proto__")!.data[0]).toBe(7);
});

test("NaNs keep their bits, and views into larger buffers are written alone", () => {
  const bits = Uint32Array.of(1, 0x7fc0_0000, 0x7fa0_1234, 0xffff_ffff, 0x8000_0000, 2);
  const data = new Float32Array(bits.buffer, 4, 4);
  const read = fromSafetensors(toSafetensors(new Map([["w", { dims: [4], data }]]), {}));
  expect(bitsOf(read.weights.get("w")!.data)).toEqual([0x7fc0_0000, 0x7fa0_1234, 0xffff_ffff, 0x8000_0000]);
});

test("the file is laid out as the format says", () => {
  const weights: Weights = new Map([
    ["b", { dims: [2, 1], data: Float32Array.of(1, -2) }],
    ["a", { dims: [], data: Float32Array.of(0.5) }],
  ]);
  const bytes = toSafetensors(weights, { kind: "test" });
  const headerBytes = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const header = Buffer.from(bytes.subarray(8, 8 + headerBytes)).toString();
  expect(headerBytes % 8).toBe(0);
  expect(header.trimEnd()).toBe(
    '{"__metadata__":{"kind":"test"},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},' +
      '"b":{"dtype":"F32","shape":[2,1],"data_offsets":[4,12]}}',
  );
  expect(Buffer.from(bytes.subarray(8 + headerBytes)).toString("hex")).toBe("0000003f0000803f000000c0");
});

const python = spawnSync("python3", ["-c", "print(1)"]);
test.skipIf(python.status !== 0)("python reads the same numbers", () => {
  const bytes = toSafetensors(new Map([["w", { dims: [3], data: Float32Array.of(1.5, -2, 2 ** 40) }]]), {
    é: "ü",
  });
  const script =
    "import sys,struct,json;b=sys.stdin.buffer.read();n=struct.unpack('<Q',b[:8])[0];h=json.loads(b[8:8+n]);" +
    "s,e=h['w']['data_offsets'];print(json.dumps([h['__metadata__'],struct.unpack('<3f',b[8+n+s:8+n+e])]))";
  const { stdout } = spawnSync("python3", ["-c", script], { input: bytes });
  expect(JSON.parse(String(stdout))).toEqual([{ é: "ü" }, [1.5, -2, 2 ** 40]]);
});

test("as F16 every number comes back as its nearest half", () => {
  const data = Float32Array.of(0.1, -2.71, 65_504, 1e-7, 1e-9, Number.NaN, Number.NEGATIVE_INFINITY);
  const bytes = toSafetensors(new Map([["w", { dims: [7], data }]]), {}, { dtype: "F16" });
  const read = fromSafetensors(bytes).weights.get("w")!;
  expect([...read.data]).toEqual([...fromHalf(toHalf(data))]);
  expect([...read.data]).toEqual([
    0.0999755859375,
    -2.7109375,
    65_504,
    1.1920928955078125e-7,
    0,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
  ]);
  expect(bytes.length).toBeLessThan(toSafetensors(new Map([["w", { dims: [7], data }]]), {}).length);
});

const everyHalf = Uint16Array.from({ length: 65_536 }, (_, i) => i);

test("every half survives the way to a single and back", () => {
  const back = toHalf(fromHalf(everyHalf));
  const isNan = (half: number) => (half & 0x7fff) > 0x7c00;
  const wrong = [...everyHalf].filter((half) => (isNan(half) ? !isNan(back[half]!) : back[half] !== half));
  expect(wrong).toEqual([]);
  expect(fromHalf(Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400))).toEqual(
    Float32Array.of(1, -2, 65_504, 2 ** -24, 2 ** -14),
  );
});

test("toHalf takes the nearest half, and of two equally near the even one", () => {
  const positive = [...fromHalf(everyHalf.subarray(0, 0x7c00)), 65_536];
  const single = fc.oneof(
    fc.float({ min: 0, max: 65_536, noNaN: true }),
    fc.float({ min: 0, max: Math.fround(2 ** -13), noNaN: true }),
    fc.nat({ max: 0x7bff }).map((half) => (positive[half]! + positive[half + 1]!) / 2),
    fc
      .nat({ max: 0x7bff })
      .map((half) => Math.fround(((positive[half]! + positive[half + 1]!) / 2) * (1 - 2 ** -23))),
  );
  fc.assert(
    fc.property(single, fc.boolean(), (value, isNegative) => {
      const above = Math.max(
        1,
        positive.findIndex((half) => half >= value),
      );
      const [down, up] = [value - positive[above - 1]!, positive[above]! - value];
      const expected = down < up || (down === up && above % 2 === 1) ? above - 1 : above;
      expect(toHalf(Float32Array.of(isNegative ? -value : value))[0]).toBe(
        expected + (isNegative ? 0x8000 : 0),
      );
    }),
    { seed: 2, numRuns: 1000 },
  );
});

// ---- What is refused ----------------------------------------------------------------------------

function fileOf(header: unknown, dataBytes: number, claimed?: bigint): Uint8Array {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + dataBytes);
  new DataView(bytes.buffer).setBigUint64(0, claimed ?? BigInt(text.length), true);
  bytes.set(text, 8);
  return bytes;
}
const entry = (begin: number, end: number, shape: unknown = [(end - begin) / 4], dtype = "F32") => ({
  dtype,
  shape,
  data_offsets: [begin, end],
});

test.each([
  ["an empty file", new Uint8Array(0), /0 bytes, too few/],
  ["an absurd header length", fileOf({}, 0, 2n ** 63n), /header claims 9223372036854775808 bytes/],
  ["a header that is cut off", fileOf({}, 0, 100n), /claims 100 bytes, but only 2 follow/],
  ["no JSON", fileOf("{nonsense", 0), /not JSON/],
  ["bytes that are no text", fileOf("{}", 0).with(8, 0xff), /not JSON/],
  ["a list", fileOf([], 0), /not a JSON object/],
  ["another dtype", fileOf({ a: entry(0, 8, [2], "BF16") }, 8), /"a" has dtype "BF16"; F32 and F16/],
  ["no shape", fileOf({ a: { dtype: "F32", data_offsets: [0, 4] } }, 4), /tensor "a": \.shape/],
  ["a negative size", fileOf({ a: entry(0, 4, [-1]) }, 4), /tensor "a": \.shape\.0/],
  ["a size that does not fit", fileOf({ a: entry(0, 8, [3]) }, 8), /\[3\] of F32 needs 12 bytes, it has 8/],
  [
    "a size beyond all numbers",
    fileOf({ a: entry(0, 4, Array(40).fill(2 ** 52)) }, 4),
    /needs Infinity bytes/,
  ],
  ["an end before its beginning", fileOf({ a: entry(4, 0, [1]) }, 4), /needs 4 bytes, it has -4/],
  [
    "data that is cut off",
    fileOf({ a: entry(0, 8), b: entry(8, 16) }, 12),
    /"b" ends at 16, but there are 12/,
  ],
  ["an overlap", fileOf({ a: entry(0, 8), b: entry(4, 12) }, 12), /"b" overlaps another/],
  ["a gap", fileOf({ a: entry(0, 4), b: entry(8, 12) }, 12), /gap from 4 to 8, before tensor "b"/],
  ["a gap at the start", fileOf({ a: entry(4, 8) }, 8), /gap from 0 to 4/],
  ["bytes at the end", fileOf({ a: entry(0, 4) }, 9), /5 bytes at its end/],
  [
    "metadata that is no text",
    fileOf({ __metadata__: { a: 1 } }, 0),
    /"__metadata__" must be an object that holds texts/,
  ],
])("refused: %s", (_, bytes, message) => {
  const error = thrownBy(() => fromSafetensors(bytes));
  expect(isTuttiError(error) && error.code).toBe("bad-checkpoint");
  expect(String(error)).toMatch(message);
});

test("a good file that is cut off anywhere is refused", () => {
  const weights: Weights = new Map([["w", { dims: [2, 2], data: Float32Array.of(1, 2, 3, 4) }]]);
  const bytes = toSafetensors(weights, { a: "b" });
  // At an odd place in a larger buffer, as a file read in parts may be.
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  expect(byName(fromSafetensors(shifted.subarray(3)).weights)).toEqual(byName(weights));
  for (let length = 0; length < bytes.length; length++) {
    const error = thrownBy(() => fromSafetensors(bytes.subarray(0, length)));
    expect(isTuttiError(error) && error.code).toBe("bad-checkpoint");
  }
});

test("a file with one byte changed is read or refused, never anything else", () => {
  const bytes = toSafetensors(new Map([["w", { dims: [2], data: Float32Array.of(1, 2) }]]), { a: "b" });
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 255 }), (place, value) => {
      const error = thrownBy(() => fromSafetensors(bytes.with(place, value)));
      expect(error === undefined || (isTuttiError(error) && error.code === "bad-checkpoint")).toBe(true);
    }),
    { seed: 3, numRuns: 1000 },
  );
});

test("weights that cannot be written are named", () => {
  const write = (name: string, dims: number[], numbers: number[], dtype?: "F16") =>
    toSafetensors(new Map([[name, { dims, data: Float32Array.from(numbers) }]]), {}, dtype ? { dtype } : {});
  expect(() => write("w", [3], [1, 2])).toThrow(/"w" of shape \[3\] holds 2 numbers instead of 3/);
  expect(() => write("__metadata__", [1], [1])).toThrow(/cannot be called "__metadata__"/);
  expect(() => write("w", [1], [65_520], "F16")).toThrow(/"w" holds 65520.*F32/);
});

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
