// Parquet files that no writer would write: each is a few hundred bytes and asks its reader for gigabytes or hours.
// Made by hand, in Thrift's compact protocol, as far as the format's readers look.

type Field = [id: number, type: number, bytes: number[]];

const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];
const MAGIC = [...Buffer.from("PAR1")];

function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return [...bytes, Number(rest)];
}
const zigzag = (value: number) => varint(value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value));
const i32 = (id: number, value: number): Field => [id, I32, zigzag(value)];
const i64 = (id: number, value: number): Field => [id, I64, zigzag(value)];
const text = (id: number, value: string): Field => [
  id,
  BINARY,
  [...varint(value.length), ...Buffer.from(value)],
];
const struct = (...fields: Field[]): number[] => {
  let before = 0;
  const bytes: number[] = [];
  for (const [id, type, value] of fields) {
    bytes.push(((id - before) << 4) | type, ...value);
    before = id;
  }
  return [...bytes, 0];
};
const listOf = (id: number, type: number, items: number[][]): Field => [
  id,
  LIST,
  [(items.length << 4) | type, ...items.flat()],
];

interface Page {
  /** As the header claims. */
  values: number;
  unpackedBytes?: number;
  /** 0 none, 2 gzip. */
  codec?: number;
  bytes: number[];
  /** 0 plain, 8 dictionary. */
  encoding?: number;
  rows?: number;
}

/** One optional column of texts in one page. */
function toFile({ values, unpackedBytes, codec = 0, bytes, encoding = 0, rows = values }: Page): Buffer {
  const header = struct(i32(1, 0), i32(2, unpackedBytes ?? bytes.length), i32(3, bytes.length), [
    5,
    STRUCT,
    struct(i32(1, values), i32(2, encoding), i32(3, 3), i32(4, 3)),
  ]);
  const chunk = [...header, ...bytes];
  const column = struct(
    i32(1, 6),
    listOf(2, I32, [zigzag(encoding)]),
    listOf(3, BINARY, [[6, ...Buffer.from("prompt")]]),
    i32(4, codec),
    i64(5, values),
    i64(6, chunk.length),
    i64(7, chunk.length),
    i64(9, 4),
  );
  const footer = struct(
    i32(1, 1),
    listOf(2, STRUCT, [
      struct(text(4, "schema"), i32(5, 1)),
      struct(i32(1, 6), i32(3, 1), text(4, "prompt"), i32(6, 0)),
    ]),
    i64(3, rows),
    listOf(4, STRUCT, [
      struct(listOf(1, STRUCT, [struct(i64(2, 4), [3, STRUCT, column])]), i64(2, chunk.length), i64(3, rows)),
    ]),
  );
  return withFooter(chunk, footer);
}

function withFooter(chunk: number[], footer: number[]): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.from([...MAGIC, ...chunk, ...footer, ...length, ...MAGIC]);
}

/** Levels as a run of one value, in the form with its length before it. */
const run = (count: number) => {
  const bytes = [...varint(count * 2), 1];
  return [bytes.length, 0, 0, 0, ...bytes];
};

const deep = (count: number, bytes: number[]) => Array.from({ length: count }, () => bytes).flat();

export const PARQUET_BOMBS: Readonly<Record<string, Buffer>> = {
  "rows that are not there": toFile({ values: 1, rows: 2 ** 31, bytes: run(1) }),
  "a run of a billion levels": toFile({ values: 1, bytes: run(2 ** 29) }),
  "a page of a billion values": toFile({ values: 2 ** 30, rows: 1, bytes: run(2 ** 29) }),
  "a page that claims two gigabytes": toFile({
    ...{ values: 1, codec: 2, unpackedBytes: 2 ** 31 - 1 },
    bytes: run(1),
  }),
  "a page of negative length": toFile({ values: 1, codec: 2, unpackedBytes: -5, bytes: run(1) }),
  // Each list claims 32 million elements, the first of which is the next list.
  "lists in lists": withFooter([], [0x19, ...deep(2_000, [0xf9, ...varint(32_000_000)])]),
  "structs in structs": withFooter([], deep(200_000, [0x1c])),
  "a footer of nothing": withFooter([], []),
  "no file": Buffer.from("PAR1"),
};

/** A small file that is right, to see that the others are refused for what is wrong with them. */
export const SOUND_PARQUET = toFile({
  values: 2,
  bytes: [...run(2), 2, 0, 0, 0, ...Buffer.from("hi"), 3, 0, 0, 0, ...Buffer.from("you")],
});
