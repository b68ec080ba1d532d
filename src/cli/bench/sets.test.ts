// `tutti bench` on a recording with several sets, in its own process; only Ctrl-C is pressed from inside.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { bestSingle } from "../../baseline/single.ts";
import type { Baseline } from "../../baseline/types.ts";
import type { OverSets } from "../../bench/over-sets.ts";
import type { BenchResult } from "../../bench/types.ts";
import { createHome, runTutti } from "../../testing/command.ts";
import { saveTinyCheckpoint } from "../../testing/learn/tiny-checkpoint.ts";
import { createFiles } from "../../testing/temporary-files.ts";
import { openRecordedSets } from "../../world/recorded-sets.ts";
import type { BenchFlags } from "./measure.ts";
import { benchSets } from "./sets.ts";

interface Printed {
  sets: BenchResult[][];
  over: OverSets[];
}

/** Of twice as many and of squares; "odd" knows the odd ones. The third worker is there in one set only. */
const SETS = { sums: ["even", "odd", "third"], "square roots": ["even", "odd"] };

let folder: string;

function toRecording(count: number, sets: Record<string, readonly string[]>) {
  const tasks = Object.keys(sets).flatMap((set) =>
    Array.from({ length: count }, (_, i) => ({
      ...{ id: `${set}/${i}`, set, category: i % 2 === 0 ? "even" : "odd", subtask: `rest ${i % 3}` },
      ...{ prompt: `What of ${set} is ${i}?`, answer: String(i) },
    })),
  );
  const outcomes = tasks.flatMap(({ id, set }, number) =>
    sets[set]!.map((worker) => {
      const i = number % count;
      const isRight = worker === "third" ? i % 3 === 0 : (i % 2 === 0) === (worker === "even");
      const score = isRight ? 1 : 0;
      return { task: id, worker, sample: 0, answer: isRight ? String(i) : "?", score, tokens: 10 };
    }),
  );
  return { tasks, outcomes };
}

const lines = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

beforeAll(() => {
  folder = createHome();
  const small = toRecording(1, { small: ["even"] });
  for (const [name, { tasks, outcomes }] of Object.entries({
    two: toRecording(40, SETS),
    uneven: ((large) => ({
      tasks: [...large.tasks, ...small.tasks],
      outcomes: [...large.outcomes, ...small.outcomes],
    }))(toRecording(40, SETS)),
  })) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "tasks.jsonl"), lines(tasks));
    writeFileSync(join(folder, name, "outcomes.jsonl"), lines(outcomes));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bench = (...args: string[]) => runTutti(["bench", ...args], { cwd: folder });
const WHO = ["--conductor", "best-single,lookup-category,single:third,oracle"];
const two = ["--recording", "two", ...WHO];
const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");

describe("a recording with several sets", () => {
  it("prints what each set prints alone, and the mean of those measured on all", async () => {
    const { code, stdout, stderr } = await bench(...two, "--json", "--out", "json");
    expect([code, stderr]).toEqual([0, ""]);
    const { sets, over } = JSON.parse(stdout) as Printed;
    const alone = await bench(...two, "--set", "sums", "--json", "--out", "alone");
    expect(sets).toHaveLength(2);
    expect(sets[0]).toEqual(JSON.parse(alone.stdout));
    expect(sets[1]!.map(({ set, conductor }) => `${set}: ${conductor}`)).toEqual([
      "square roots: best-single",
      "square roots: lookup-category",
      "square roots: oracle",
    ]);
    expect(over.map(({ conductor }) => conductor)).toEqual(["best-single", "lookup-category", "oracle"]);
    const [first, second] = sets.map(([single]) => single!);
    expect(over[0]!.accuracy).toBeCloseTo((first!.accuracy + second!.accuracy) / 2, 10);
    expect(over[0]).toMatchObject({ sets: 2, n: first!.n + second!.n, calls: 1 });
    expect(over[1]!.accuracy).toBe(1);
    expect(existsSync(join(folder, "alone/rows.jsonl"))).toBe(true);
  });

  it("gives people a table for each set under its name, the mean at the end, and one page over all", async () => {
    const { code, stdout, stderr } = await bench(...two, "--out", "text");
    expect(code).toBe(0);
    const at = [/^sums · 3 recorded workers/m, /^square roots · 2 recorded workers/m, /^Over 2 sets: /m].map(
      (heading) => stdout.search(heading),
    );
    expect(at[0]).toBe(0);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(stdout.slice(at[1], at[2])).toMatch(/Refused: single:third/);
    expect(stdout.slice(at[2])).toMatch(/^lookup-category +100\.0 .* 1\.00$/m);
    expect(stdout.slice(at[2])).not.toContain("single:third");
    expect(stderr.trim()).toBe(join("text", "index.html"));
    expect(read("text/index.html")).toContain('href="./square-roots/report.html"');
    expect(read("text/square-roots/report.html")).toContain("Bench: square roots");
  });

  it("takes those that are named, in their order; one of them is a bench of one set", async () => {
    const { stdout } = await bench(
      ...["--recording", "uneven", "--set", "square roots", "--set", "sums", "--set", "sums"],
      ...[...WHO, "--json", "--no-report", "--out", "named"],
    );
    const { sets } = JSON.parse(stdout) as Printed;
    expect(sets.map(([first]) => first!.set)).toEqual(["square roots", "sums"]);
    expect(existsSync(join(folder, "named/index.html"))).toBe(false);
    const one = await bench(...["--recording", "two", "--set", "sums", "--conductor", "best-single"]);
    expect(one.stdout).toMatch(/^sums · /);
    expect(one.stdout).not.toContain("Over");
    expect(one.stderr).toMatch(/bench.sums-[\d-]+.report\.html/);
  });

  it("writes one CSV with the rows of all sets", async () => {
    const { stdout } = await bench(
      ...["--recording", "two", "--conductor", "best-single", "--csv", "--out", "csv"],
    );
    expect(stdout.trim().split("\r\n")).toEqual([
      expect.stringMatching(/^conductor,set,/),
      expect.stringMatching(/^best-single,sums,/),
      expect.stringMatching(/^best-single,square roots,/),
    ]);
  });

  it("goes on in its folder, and measures nothing twice", async () => {
    const args = [...two, "--json", "--out", "resumed"];
    const before = await bench(...args);
    const rows = read("resumed/square-roots/rows.jsonl");
    const kept = rows.split("\n").slice(0, 5).join("\n");
    writeFileSync(join(folder, "resumed/square-roots/rows.jsonl"), `${kept}\n`);
    rmSync(join(folder, "resumed/square-roots/results.json"));
    const first = read("resumed/sums/rows.jsonl");
    expect((await bench(...args)).stdout).toBe(before.stdout);
    expect(read("resumed/sums/rows.jsonl")).toBe(first);
    const again = read("resumed/square-roots/rows.jsonl");
    expect(again.startsWith(kept)).toBe(true);
    expect(again.split("\n")).toHaveLength(rows.split("\n").length);
  });

  it("is named after the recording where no folder is given, and its sets can be compared", async () => {
    const { stderr } = await bench(...two);
    const [path] = /bench.two-[\d-]+/.exec(stderr)!;
    const { code, stdout } = await bench(
      ...["compare", "best-single", "lookup-category", "--in", join(path!, "sums")],
    );
    expect(stdout).toMatch(/^B .*sums:lookup-category 100\.0 %$/m);
    expect(code).toBe(0);
    const newest = await bench("compare", "best-single", "lookup-category");
    expect(newest.stdout).toMatch(/^B bench.two-[\d-]+.(sums|square-roots):lookup-category 100\.0 %$/m);
  });

  it("measures a trained Conductor on each set", { timeout: 60_000 }, async () => {
    const checkpoint = await saveTinyCheckpoint({ handOffs: false });
    const { code, stdout } = await bench(
      ...["--recording", "two", "--limit", "12", "--conductor", `best-single,native:${checkpoint}`],
      ...["--json", "--no-report", "--out", "native"],
    );
    const { sets, over } = JSON.parse(stdout) as Printed;
    expect(over.map(({ conductor }) => conductor)).toEqual(["best-single", `native:${checkpoint}`]);
    expect(sets.map((results) => results[1]!.n)).toEqual(sets.map((results) => results[0]!.n));
    expect(code).toBe(0);
  });
});

describe.concurrent("what is wrong is said before anything is measured", () => {
  it.each([
    [
      "a set that is too small",
      ["--recording", "uneven", ...WHO, "--out", "bad1"],
      'The set "small" cannot be measured: 1 tasks are too few',
      "bad1",
    ],
    [
      "an unknown set among others",
      ["--recording", "two", "--set", "sums", "--set", "sum", "--out", "bad2"],
      'No set "sum" in two (there are: sums, square roots)',
      "bad2",
    ],
    [
      "a worker that one set lacks",
      ["--recording", "two", "--workers", "even,third", "--out", "bad3"],
      '"third" is not in the recording of "square roots"',
      "bad3",
    ],
    [
      "several sets of a file with tasks",
      ["--tasks", "two/tasks.jsonl", "--set", "a", "--set", "b", "--out", "bad4"],
      "--tasks measures one set at a time, not a and b",
      "bad4",
    ],
  ])("%s", async (_name, args, message, out) => {
    const { code, stderr } = await bench(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(join(folder, out))).toBe(false);
  });

  it("a folder that holds the bench of one set", async () => {
    await bench(...two, "--set", "sums", "--out", "taken");
    const { code, stderr } = await bench(...two, "--out", "taken");
    expect(stderr).toContain("taken holds the bench of one set, not of 2");
    expect(code).toBe(2);
    expect(existsSync(join(folder, "taken/square-roots"))).toBe(false);
  });
});

describe("Ctrl-C", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("ends the set that is measured and leaves the others out, without a mean", async () => {
    const sets = await openRecordedSets([{ folder: join(folder, "two") }]);
    const fit: Baseline["fit"] = (context) => {
      process.emit("SIGINT");
      return bestSingle.fit(context);
    };
    const plans = sets.map((set) => ({
      input: { set, concurrency: 1, samples: 1, notices: [] },
      chosen: { contenders: [bestSingle, { ...bestSingle, id: "slow", fit }], withOracle: false },
      identity: { set: set.id },
    }));
    const out = join(createFiles().folder, "stopped");
    const flags: BenchFlags = {
      ...{ conductor: "", report: true, seed: 0, splitBy: "prompt", splitSeed: 0, json: true, out },
    };
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const end = await benchSets(plans, flags);
    const printed = JSON.parse(String(write.mock.calls[0]![0])) as Printed;
    expect(end).toMatchObject({ isStopped: true, isUsedUp: false });
    expect(printed.sets.map((results) => results.map(({ conductor }) => conductor))).toEqual([
      ["best-single"],
    ]);
    expect(printed.over).toEqual([]);
    expect(existsSync(join(out, "sums/results.json"))).toBe(false);
    expect(readFileSync(join(out, "index.html"), "utf8")).toContain("Not finished");
  });
});
