import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHome } from "../testing/command.ts";
import { toMadeUpCalibration, toMadeUpEmbeddings } from "../testing/embeddings.ts";
import { TOPICS } from "../worker/types.ts";
import { loadCalibration, loadCalibrations, saveCalibration, toCalibrationName } from "./file.ts";
import { selectWorkers } from "./merge.ts";
import type { SavedCalibration } from "./types.ts";

const OLD = "2026-01-01T00:00:00.000Z";
const NEW = "2026-02-01T00:00:00.000Z";

function toSaved(measuredAt: string, table: Record<string, (number | undefined)[]>, prefix = "task") {
  const columns = Object.values(table);
  const rows = columns[0]!.map((_, task) => columns.map((column) => column[task]));
  return {
    workers: Object.keys(table),
    measuredAt: columns.map(() => measuredAt),
    tasks: rows.map((_, task) => ({ text: `${prefix} ${task}`, topic: "logic" as const })),
    scores: rows,
    source: `measured ${measuredAt.slice(0, 10)}`,
    delaysMs: columns.map((_, worker) => 100 + worker),
  } satisfies SavedCalibration;
}

describe("a calibration on disk", () => {
  test("comes back as it was saved, whatever is in it", async () => {
    const home = createHome();
    const score = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined });
    const text = fc.string({ unit: "grapheme" });
    const shape = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }));
    const saved = shape.chain(([tasks, workers]) =>
      fc.record({
        workers: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: workers, maxLength: workers }),
        measuredAt: fc.constant(Array<string>(workers).fill(NEW)),
        delaysMs: fc.array(fc.option(fc.nat(), { nil: undefined }), {
          minLength: workers,
          maxLength: workers,
        }),
        tasks: fc.array(fc.record({ text, topic: fc.constantFrom(...TOPICS) }, { requiredKeys: ["text"] }), {
          minLength: tasks,
          maxLength: tasks,
        }),
        scores: fc.array(fc.array(score, { minLength: workers, maxLength: workers }), {
          minLength: tasks,
          maxLength: tasks,
        }),
        source: text,
      }),
    );
    await fc.assert(
      fc.asyncProperty(saved, async (calibration) => {
        await saveCalibration(home, "any", calibration);
        // -0 is 0 in JSON.
        const expected = {
          ...calibration,
          scores: calibration.scores.map((row) => row.map((s) => s && s + 0)),
        };
        expect(await loadCalibration(home, "any")).toEqual(expected);
      }),
      { seed: 1, numRuns: 50 },
    );
    expect(readdirSync(join(home, "calibration"))).toEqual(["any.json"]);
  });

  test("is not there where nothing was saved", async () => {
    const home = createHome();
    expect(await loadCalibration(home, "none")).toBeUndefined();
    expect(await loadCalibrations(home)).toEqual({ problems: [] });
    expect(existsSync(join(home, "calibration"))).toBe(false);
  });

  test("has a name that is one file, whatever its set is called", async () => {
    const home = createHome();
    expect(toCalibrationName("MMLU Pro/../../etc")).toBe("mmlu-pro-..-..-etc");
    expect(toCalibrationName("日本")).toBe("tasks");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (set) => {
        expect(toCalibrationName(set)).toMatch(/^[a-z0-9][a-z0-9._-]{0,99}$/);
      }),
      { seed: 1 },
    );
    await expect(saveCalibration(home, "../x", toSaved(OLD, { a: [1] }))).rejects.toThrow('not "../x"');
  });

  test.each([
    ["[1]", /is no calibration/],
    ["{", /not JSON/],
    [JSON.stringify({ version: 2 }), /"version"/],
    [
      JSON.stringify({ version: 1, source: "", workers: [], tasks: [{ text: "a" }], scores: [] }),
      /0 rows for 1 tasks/,
    ],
    [
      JSON.stringify({ version: 1, source: "", workers: [], tasks: [{ text: "a" }], scores: [[1]] }),
      /row 0 of "scores" has 1 entries for 0 workers/,
    ],
  ])("that is broken is told of by file and left out: %s", async (content, problem) => {
    const home = createHome();
    await saveCalibration(home, "good", toSaved(OLD, { a: [1, 0] }));
    writeFileSync(join(home, "calibration", "bad.json"), content);
    const { calibration, problems } = await loadCalibrations(home);
    expect(calibration!.workers).toEqual(["a"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
    expect(problems[0]).toContain(join(home, "calibration", "bad.json"));
  });

  test("that cannot be written leaves the one before", async () => {
    const home = createHome();
    const path = await saveCalibration(home, "one", toSaved(OLD, { a: [1, 0] }));
    const before = readFileSync(path, "utf8");
    const wrong = { ...toSaved(NEW, { a: [1, 0] }), scores: [[2], [0]] };
    await expect(saveCalibration(home, "one", wrong)).rejects.toThrow();
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});

describe("several calibrations", () => {
  test("are one: each worker as it was measured last, the same question once", async () => {
    const home = createHome();
    await saveCalibration(home, "first", toSaved(OLD, { a: [1, 1, 1], b: [0, 0, 0] }));
    await saveCalibration(home, "second", toSaved(NEW, { b: [1, undefined], c: [0, 1] }));
    mkdirSync(join(home, "calibration", "recording-first"));
    const { calibration, problems } = await loadCalibrations(home);
    expect(problems).toEqual([]);
    expect(calibration).toEqual({
      workers: ["a", "b", "c"],
      tasks: [0, 1, 2].map((task) => ({ text: `task ${task}`, topic: "logic" })),
      scores: [
        [1, 1, 0],
        [1, undefined, 1],
        [1, undefined, undefined],
      ],
      source: "measured 2026-01-01; measured 2026-02-01",
      delaysMs: [100, 100, 101],
    });
  });

  test("keep no question that nobody left was asked, and twins within one file apart", async () => {
    const home = createHome();
    await saveCalibration(home, "old", toSaved(OLD, { a: [1] }, "gone"));
    const twins = { ...toSaved(NEW, { a: [0, 1] }), tasks: [{ text: "same" }, { text: "same" }] };
    await saveCalibration(home, "new", twins);
    const { calibration } = await loadCalibrations(home);
    expect(calibration!.tasks).toEqual([{ text: "same" }, { text: "same" }]);
    expect(calibration!.scores).toEqual([[0], [1]]);
  });

  test("can be narrowed to some workers", () => {
    const all = toSaved(OLD, { a: [1, 0], b: [0, undefined] });
    expect(selectWorkers(all, (id) => id === "b")).toMatchObject({
      workers: ["b"],
      scores: [[0], [undefined]],
      delaysMs: [101],
    });
    expect(selectWorkers(all, () => false)).toBeUndefined();
  });
});

describe("embeddings of measured questions", () => {
  const plain = toMadeUpCalibration(5);
  const embeddings = toMadeUpEmbeddings(plain, "a");

  test("come back, and only to who wants those of their encoder", async () => {
    const home = createHome();
    const vectors = embeddings.vectors.with(2, undefined);
    await saveCalibration(home, "own", { ...plain, embeddings: { ...embeddings, vectors } });
    const { calibration } = await loadCalibrations(home, "a");
    expect(calibration!.embeddings).toMatchObject({ encoder: "a", dimension: 4 });
    for (const [task, vector] of calibration!.embeddings!.vectors.entries())
      if (task === 2) expect(vector).toBeUndefined();
      else for (const [i, value] of vector!.entries()) expect(value).toBeCloseTo(vectors[task]![i]!, 6);
    const others = [await loadCalibrations(home, "b"), await loadCalibrations(home)];
    for (const { calibration: other, problems } of others) {
      expect(other).toEqual({ ...calibration, embeddings: undefined });
      expect(problems).toEqual([]);
    }
  });

  test("leave not one byte where there are none, and older files are read", async () => {
    const home = createHome();
    const path = await saveCalibration(home, "own", plain);
    const written = readFileSync(path, "utf8");
    expect(Object.keys(JSON.parse(written))).toEqual(["version", "source", "workers", "tasks", "scores"]);
    expect((await loadCalibrations(home, "a")).calibration!.embeddings).toBeUndefined();
  });

  test("of the wrong length are a broken file", async () => {
    const home = createHome();
    const path = await saveCalibration(home, "own", { ...plain, embeddings });
    writeFileSync(path, readFileSync(path, "utf8").replace('"dimension":4', '"dimension":5'));
    const { calibration, problems } = await loadCalibrations(home, "a");
    expect(calibration).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining('"embeddings" do not hold 5 vectors of 5 numbers')]);
  });

  test("of several files are one list; a file without them, or of another dimension, has holes", async () => {
    const home = createHome();
    await saveCalibration(home, "one", { ...plain, workers: ["a", "b"], embeddings });
    const other = { ...toSaved(NEW, { c: [1, 0] }), embeddings: undefined };
    await saveCalibration(home, "two", other);
    const odd = { encoder: "a", dimension: 2, vectors: [Float32Array.of(1, 0), Float32Array.of(0, 1)] };
    await saveCalibration(home, "zzz", { ...toSaved(NEW, { d: [1, 0] }, "last"), embeddings: odd });
    const { calibration } = await loadCalibrations(home, "a");
    const has = calibration!.embeddings!.vectors.map((vector) => vector?.length);
    expect(has).toEqual([4, 4, 4, 4, 4, undefined, undefined, undefined, undefined]);
    expect(selectWorkers(calibration!, (id) => id === "c")!.embeddings).toBe(calibration!.embeddings);
  });
});
