// What recorded replies cost: charged as recorded, at list prices where only those are known, never as nothing.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findBaseline } from "../baseline/all.ts";
import { runBench } from "../bench/bench.ts";
import { createMemoryFolder } from "../bench/folder.ts";
import { performRun } from "../perform/driver.ts";
import { toRun } from "../perform/run.ts";
import { playedConductor, step, toStage, toStart } from "../testing/stage.ts";
import { createRecordedSet } from "../world/sets.ts";
import { toCostWords } from "./costs.ts";
import { loadRecording } from "./load.ts";
import { createRecordedPool } from "./replay.ts";

type Row = Record<string, unknown>;

const TASKS = Array.from({ length: 40 }, (_, i) => ({
  ...{
    id: `t${i}`,
    set: "s",
    category: "c",
    subtask: "u",
    prompt: `what is ${i} and ${i * 7}?`,
    answer: "7",
  },
}));

/** Two workers, the second one right more often and dearer. */
function makeFolder(of: (worker: number, task: number) => Row, prices?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "tutti-costs-"));
  const outcomes = TASKS.flatMap(({ id }, task) =>
    ["cheap", "strong"].map((worker, number) => ({
      ...{ task: id, worker, sample: 0, answer: null, score: number === 1 || task % 2 ? 1 : 0, tokens: 0 },
      ...of(number, task),
    })),
  );
  const toText = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(join(folder, "tasks.jsonl"), toText(TASKS));
  writeFileSync(join(folder, "outcomes.jsonl"), toText(outcomes));
  if (prices !== undefined) writeFileSync(join(folder, "prices.json"), prices);
  return folder;
}

async function bench(folder: string, ...ids: string[]) {
  const set = createRecordedSet(await loadRecording(folder), "s");
  return runBench({
    ...{ set, contenders: ids.map(findBaseline), withOracle: false, seed: 1, splitBy: "prompt" },
    ...{ splitSeed: 0, samples: 1, concurrency: 1, folder: createMemoryFolder() },
  });
}

const DOLLARS = (worker: number) => ({ costUsd: worker === 1 ? 0.5 : 0.01, calls: worker === 1 ? 30 : 10 });

describe("a replayed reply", () => {
  test("costs the dollars and the calls that were recorded", async () => {
    const { results, pool } = await bench(makeFolder(DOLLARS), "single:cheap", "best-single");
    expect(results.map(({ conductor, costUsd, calls }) => [conductor, costUsd, calls])).toEqual([
      ["single:cheap", expect.closeTo(0.01), 10],
      ["best-single", expect.closeTo(0.5), 30],
    ]);
    expect(results[0]).toMatchObject({ costSource: "recorded", routingEntropy: 0 });
    expect(pool.members[1]!.profile!.callUsd).toBeCloseTo(0.5);
  });

  test("costs what the list says for its tokens, and it is said so", async () => {
    const price =
      '{"cheap":{"inputUsdPerMillion":1,"outputUsdPerMillion":2},"strong":{"inputUsdPerMillion":10,"outputUsdPerMillion":20}}';
    const folder = makeFolder(() => ({ inputTokens: 100, outputTokens: 50, tokens: 50 }), price);
    const { results, set } = await bench(folder, "single:cheap", "best-single");
    expect(results[0]).toMatchObject({ costUsd: expect.closeTo(0.0002), costSource: "list" });
    expect(toCostWords(set.costs!)).toContain("at list prices, for the recorded tokens");
    const unknownLength = await bench(
      makeFolder(() => ({}), price),
      "best-single",
    );
    expect(unknownLength.results[0]).toMatchObject({ costSource: "list-assumed" });
    expect(toCostWords(unknownLength.set.costs!)).toContain("replies of 600 tokens");
  });

  test("of unknown price has no cost, instead of none", async () => {
    const { results, set, pool } = await bench(
      makeFolder(() => ({})),
      "best-single",
    );
    expect(results[0]!.costUsd).toBeUndefined();
    expect(pool.members[0]!.price).toBeUndefined();
    expect(toCostWords(set.costs!)).toContain("unknown (—)");
  });
});

describe("a dollar limit on a recorded pool", () => {
  const performWithin = async (folder: string, usd: number, ...workers: number[]) => {
    const pool = createRecordedPool(await loadRecording(folder), "s");
    const start = toStart(pool, { limits: { usd }, rounds: workers.length });
    const plays = workers.map((worker) => ({ steps: [step(worker, "Solve it.")] }));
    const task = { ...start.task, id: "t1" };
    return toRun(await performRun({ ...start, task }, toStage(pool, playedConductor(...plays))));
  };

  test("is kept by the recorded costs: a reply that could go over it is not asked for", async () => {
    const folder = makeFolder(DOLLARS);
    const run = await performWithin(folder, 0.3, 0, 1);
    const done = run.steps.filter(({ state }) => state === "done");
    expect(done.map(({ workerId }) => workerId)).toEqual(["cheap"]);
    expect(run).toMatchObject({ costUsd: expect.closeTo(0.01), stopReason: "budget-usd" });
  });

  test("lets through what fits, and counts it", async () => {
    const run = await performWithin(makeFolder(DOLLARS), 0.6, 0, 1);
    expect(run.steps.map(({ workerId }) => workerId)).toEqual(["cheap", "strong"]);
    expect(run.costUsd).toBeCloseTo(0.51);
  });

  test("asks nobody whose cost is unknown", async () => {
    const run = await performWithin(
      makeFolder(() => ({})),
      0.6,
      0,
    );
    expect(run).toMatchObject({ calls: 0, stopReason: "budget-usd" });
  });
});

describe("replies that were never recorded", () => {
  const COMPARING = ["vote-3", "vote-all", "neighbours-vote-3", "cascade", "ask-until-sure"];

  test("are not voted on: the first worker's score is no vote", async () => {
    const { results, refused } = await bench(makeFolder(DOLLARS), "best-single", ...COMPARING);
    expect(results.map(({ conductor }) => conductor)).toEqual(["best-single"]);
    expect(refused.map(({ conductor }) => conductor)).toEqual(COMPARING);
    expect(refused[0]!.reason).toContain("nobody's reply to any task was recorded");
  });

  test("are graded right where one worker is asked", async () => {
    const { results } = await bench(makeFolder(DOLLARS), "single:cheap", "single:strong", "neighbours");
    expect(results[1]).toMatchObject({ accuracy: 1, ungraded: 0 });
    expect(results[0]!.accuracy).toBeLessThan(0.9);
  });

  test("do not stop a vote where they were", async () => {
    const folder = makeFolder((worker, task) => ({ answer: worker === 1 || task % 2 ? "7" : "8" }));
    expect((await bench(folder, "vote-all")).refused).toEqual([]);
  });
});

describe("a recording with bad costs is refused by file and line", () => {
  const refusal = (folder: string) =>
    loadRecording(folder).then(
      () => "loaded",
      (error: Error) => error.message,
    );
  const at = (line: Row) => (worker: number, task: number) => (task === 3 && worker === 0 ? line : {});

  test.each([
    [{ costUsd: -1 }, '"costUsd" must be a number from 0, not -1'],
    [{ costUsd: 5e6 }, '"costUsd" must be at most 1,000 (in which unit is it?), not 5000000'],
    [{ costUsd: "0.1" }, '"costUsd" must be a number from 0'],
    [{ costEur: 0.2 }, '"costEur" is not known: what a reply cost is in dollars, as "costUsd"'],
    [{ currency: "EUR" }, '"currency" must be USD, not "EUR"'],
    [{ calls: 1e9 }, '"calls" must be at most 100,000'],
    [{ inputTokens: -4 }, '"inputTokens" must be a number from 0'],
  ])("%j", async (row, message) => {
    const text = await refusal(makeFolder(at(row)));
    expect(text).toContain("outcomes.jsonl:7: ");
    expect(text).toContain(message);
  });

  test("a cost that is missing where the worker has others", async () => {
    const folder = makeFolder((worker, task) => (worker === 1 && task === 5 ? {} : DOLLARS(worker)));
    expect(await refusal(folder)).toMatch(
      /outcomes\.jsonl:12: "costUsd" is missing, though other outcomes of strong/,
    );
  });

  test.each([
    [
      '{\n"a":{"inputUsdPerMillion":1,"outputUsdPerMillion":1},\n"a":{"inputUsdPerMillion":2,"outputUsdPerMillion":2}}',
      'prices.json:3: two prices for "a", the first in line 2',
    ],
    [
      '{\n"a":{"inputUsdPerMillion":-1,"outputUsdPerMillion":1}}',
      'prices.json:2: the price of "a": "inputUsdPerMillion" must be dollars',
    ],
    ['{"a":{"inputUsdPerMillion":1,"outputUsdPerMillion":1,"currency":"EUR"}}', '"currency" must be USD'],
    ['{"a":3}', "must be an object"],
    ["[]", "must be an object of workers"],
    ["{", "not JSON"],
  ])("prices %s", async (prices, message) => {
    expect(await refusal(makeFolder(() => ({}), prices))).toContain(message);
  });
});
