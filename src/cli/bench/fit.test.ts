// `tutti bench --fit`: what is fitted comes from one recording, what is tested from another, in its own process.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OverSets } from "../../bench/over-sets.ts";
import type { BenchResult } from "../../bench/types.ts";
import { createHome, runTutti } from "../../testing/command.ts";

let folder: string;

interface Made {
  set: string;
  from: number;
  to: number;
  workers: string[];
}

/** "even" and "odd" know these numbers, everybody else every third. The same number is the same question in any recording. */
function writeRecording(name: string, parts: readonly Made[]): void {
  const rows = parts.flatMap(({ set, from, to, workers }) =>
    Array.from({ length: to - from }, (_, at) => ({ i: from + at, set, workers })),
  );
  const tasks = rows.map(({ i, set }) => ({
    ...{ id: `${set}/${i}`, set, category: i % 2 === 0 ? "even" : "odd", subtask: `rest ${i % 12}` },
    ...{ prompt: `What is twice ${i}?`, answer: String(2 * i) },
  }));
  const outcomes = rows.flatMap(({ i, set, workers }) =>
    workers.map((worker) => {
      const isRight = worker === "even" ? i % 2 === 0 : worker === "odd" ? i % 2 === 1 : i % 3 === 0;
      const answer = isRight ? String(2 * i) : "?";
      return { task: `${set}/${i}`, worker, sample: 0, answer, score: isRight ? 1 : 0, tokens: 10 };
    }),
  );
  const lines = (each: object[]) => each.map((row) => `${JSON.stringify(row)}\n`).join("");
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "tasks.jsonl"), lines(tasks));
  writeFileSync(join(folder, name, "outcomes.jsonl"), lines(outcomes));
}

beforeAll(() => {
  folder = createHome();
  writeRecording("monday", [
    { set: "sums", from: 0, to: 60, workers: ["even", "odd", "gone"] },
    { set: "few", from: 100, to: 110, workers: ["even", "other"] },
  ]);
  writeRecording("friday", [{ set: "sums", from: 50, to: 90, workers: ["odd", "new", "even"] }]);
  writeRecording("later", [
    { set: "sums", from: 50, to: 90, workers: ["odd", "even"] },
    { set: "more", from: 200, to: 220, workers: ["odd", "even"] },
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bench = (...args: string[]) => runTutti(["bench", ...args], { cwd: folder });
const fitted = ["--fit", "monday", "--fit-set", "sums"];
const who = ["--conductor", "best-single,lookup-category,oracle"];

describe("another recording", () => {
  it("is fitted on, by the workers that both have, without the questions of both", async () => {
    const { code, stdout, stderr } = await bench(
      ...[...fitted, "--recording", "friday", ...who, "--json", "--out", "a"],
    );
    expect([code, stderr]).toEqual([0, ""]);
    const results = JSON.parse(stdout) as BenchResult[];
    expect(results.map(({ n }) => n)).toEqual([30, 30, 30]);
    // The categories come from Monday: the lookup would be as good as the best single worker without them.
    expect(results[1]!.accuracy).toBe(1);
    expect(results[0]!.fittedOn).toEqual({
      ...{ folder: "monday", sets: ["sums"], tasks: 60, available: 60, leftOut: 10 },
      workers: { both: 2, fitted: 3, tested: 3 },
    });
    const rows = readFileSync(join(folder, "a/rows.jsonl"), "utf8");
    expect(rows).not.toMatch(/"sums\/5\d"/);
    const { pool } = JSON.parse(readFileSync(join(folder, "a/bench.json"), "utf8"));
    expect(pool.map(({ id }: { id: string }) => id)).toEqual(["odd", "even", "consensus"]);
    expect(pool[0].profile.source).toBe("measured on 60 training tasks");
  });

  it("is named in the table and the report", async () => {
    const { stdout } = await bench(
      ...[...fitted, "--fit-tasks", "20", "--recording", "friday", "--limit", "12", ...who, "--out", "b"],
    );
    const line =
      "Fitted on 20 sampled of 60 tasks of sums in monday, with the 2 workers that both have (of 3 there and 3 here). 10 tasks of the test that are also there are left out.";
    expect(stdout).toContain("20 tasks to learn from, 12 test tasks");
    expect(stdout.replace(/\s+/g, " ")).toContain(line);
    expect(stdout).not.toContain("split by");
    const report = readFileSync(join(folder, "b/report.html"), "utf8");
    expect(report).toContain(line);
    expect(report).toContain("None: 20 training tasks of another recording, 12 test tasks.");
  });

  it("tests every set of the recording", async () => {
    const { stdout } = await bench(
      ...[...fitted, "--recording", "later", ...who, "--json", "--no-report", "--out", "c"],
    );
    const { sets, over } = JSON.parse(stdout) as { sets: BenchResult[][]; over: OverSets[] };
    expect(sets.map(([first]) => [first!.set, first!.n])).toEqual([
      ["sums", 30],
      ["more", 20],
    ]);
    expect(over.map(({ conductor }) => conductor)).toEqual(["best-single", "lookup-category", "oracle"]);
  });

  it("is not mixed in a folder with a bench that was fitted on something else", async () => {
    const args = ["--recording", "friday", "--conductor", "best-single", "--no-report", "--out", "d"];
    await bench(...fitted, ...args);
    const { code, stderr } = await bench(...args);
    expect(code).toBe(2);
    expect(stderr).toContain("d holds another bench");
  });
});

describe("few tasks of the train split", () => {
  it("are a sample: another seed, other tasks; the test stays", async () => {
    const run = async (seed: string, out: string) => {
      const { stdout } = await bench(
        ...["--recording", "friday", "--fit-tasks", "5", "--seed", seed, ...who, "--json", "--out", out],
      );
      const { pool } = JSON.parse(readFileSync(join(folder, out, "bench.json"), "utf8"));
      return { result: (JSON.parse(stdout) as BenchResult[])[0]!, pool: JSON.stringify(pool) };
    };
    const [one, two] = [await run("1", "e"), await run("2", "f")];
    expect(one.result.fittedOn).toMatchObject({ tasks: 5, leftOut: 0 });
    expect(one.result.n).toBe(two.result.n);
    expect(one.pool).not.toBe(two.pool);
  });
});

describe("bad input", () => {
  it.each([
    [
      "too few workers in both",
      ["--fit", "monday", "--recording", "friday"],
      'Only one of 3 workers of "sums" also answered every task of "sums" and "few" in monday: there must be two or more. Name other sets with --set and --fit-set',
    ],
    [
      "nothing left to test",
      ["--fit", "friday", "--recording", "friday"],
      'Every task of "sums" is also in friday: none is left to test',
    ],
    [
      "a split",
      [...fitted, "--recording", "friday", "--split-seed", "0"],
      "--fit and --split-seed exclude each other",
    ],
    [
      "an unknown set",
      ["--fit", "monday", "--fit-set", "sum", "--recording", "friday"],
      'No set "sum" in monday',
    ],
  ])("%s", async (_name, args, message) => {
    const { code, stderr } = await bench(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
