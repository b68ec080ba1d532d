import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CalibrationTask } from "../types.ts";
import type { QuestionEncoder } from "./encoder.ts";
import { alignEmbeddings, base64Length, embedTasks, fromBase64, toBase64, toUnitVector } from "./vectors.ts";

const signal = new AbortController().signal;
const toTasks = (...texts: string[]): CalibrationTask[] => texts.map((text) => ({ text }));

/** Remembers what it was asked. */
function createEncoder(id: string, dimension: number) {
  const asked: string[] = [];
  const encoder: QuestionEncoder = {
    id,
    async encode(texts) {
      asked.push(...texts);
      return texts.map((text) => toUnitVector(Array.from({ length: dimension }, (_, i) => text.length + i))!);
    },
  };
  return { encoder, asked };
}

it("vectors come back from base64 as they were, and the missing ones as missing", () => {
  const number = fc.float({ min: -1, max: 1, noNaN: true });
  const rows = fc.array(fc.option(fc.array(number, { minLength: 3, maxLength: 3 }), { nil: undefined }));
  fc.assert(
    fc.property(rows, (given) => {
      const vectors = given.map((row) => row && toUnitVector(row));
      const text = toBase64({ encoder: "x", dimension: 3, vectors });
      expect(text).toHaveLength(base64Length(vectors.length, 3));
      const back = fromBase64(text, 3);
      expect(back.map((vector) => vector === undefined)).toEqual(vectors.map((each) => each === undefined));
      for (const [i, vector] of back.entries())
        for (const [j, value] of (vector ?? []).entries()) expect(value).toBeCloseTo(vectors[i]![j]!, 5);
    }),
    { seed: 1 },
  );
});

describe("tasks are embedded once", () => {
  it("twins once, known ones not again, also in another order", async () => {
    const { encoder, asked } = createEncoder("a", 2);
    const tasks = toTasks("one", "three", "one", "");
    const first = (await embedTasks(tasks, undefined, encoder, signal))!;
    expect(asked).toEqual(["one", "three"]);
    expect(first.vectors[2]).toBe(first.vectors[0]);
    expect(first.vectors[3]).toBeUndefined();
    const later = toTasks("three", "seven", "one");
    const known = alignEmbeddings(later, { tasks, embeddings: first });
    const second = (await embedTasks(later, known, encoder, signal))!;
    expect(asked).toEqual(["one", "three", "seven"]);
    expect(second.vectors[0]).toBe(first.vectors[1]);
    await embedTasks(later, second, encoder, signal);
    expect(asked).toHaveLength(3);
  });

  it("by another encoder all again; so too where the same one has another dimension now", async () => {
    const tasks = toTasks("one", "three");
    const first = await embedTasks(tasks, undefined, createEncoder("a", 2).encoder, signal);
    const other = createEncoder("b", 2);
    expect(await embedTasks(tasks, first, other.encoder, signal)).toMatchObject({ encoder: "b" });
    expect(other.asked).toEqual(["one", "three"]);
    const changed = createEncoder("a", 5);
    const known = { ...first!, vectors: [first!.vectors[0], undefined] };
    const second = (await embedTasks(tasks, known, changed.encoder, signal))!;
    expect(second.dimension).toBe(5);
    expect(second.vectors.map((vector) => vector?.length)).toEqual([5, 5]);
  });
});
