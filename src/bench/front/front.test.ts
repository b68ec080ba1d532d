// A made-up recording where the words of a question tell who is needed: half of the questions are easy for the cheap worker.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findBaseline } from "../../baseline/all.ts";
import { loadRecording } from "../../recording/load.ts";
import { createRecordedSet } from "../../world/sets.ts";
import { runBench } from "../bench.ts";
import { createMemoryFolder } from "../folder.ts";
import { parsePricePoint, toPricePoint } from "../price-point.ts";
import { drawFrontCurves, toSvgFile } from "./chart.ts";
import { choosePrice } from "./curve.ts";
import { measureFront } from "./front.ts";
import { toFrontPage } from "./page.ts";
import { toFrontSentences } from "./words.ts";

const TASKS = Array.from({ length: 200 }, (_, i) => ({
  ...{ id: `t${i}`, set: "s", category: i % 2 ? "easy" : "hard", subtask: "u", answer: "?" },
  prompt: i % 2 ? `add the apples ${i} and ${i + 1}` : `prove the theorem number ${i} of topology`,
}));

async function openSet() {
  const folder = mkdtempSync(join(tmpdir(), "tutti-front-"));
  const rows = TASKS.flatMap(({ id }, i) => [
    { task: id, worker: "cheap", sample: 0, answer: null, score: i % 2 ? 1 : 0, tokens: 0, costUsd: 0.01 },
    { task: id, worker: "expensive", sample: 0, answer: null, score: i % 10 ? 1 : 0, tokens: 0, costUsd: 1 },
  ]);
  const toText = (all: object[]) => all.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(join(folder, "tasks.jsonl"), toText(TASKS));
  writeFileSync(join(folder, "outcomes.jsonl"), toText(rows));
  return createRecordedSet(await loadRecording(folder), "s");
}

const SPLIT = { seed: 1, splitBy: "prompt", splitSeed: 0 } as const;

test("a curve shows the same quality for half of the dollars where the words tell who is needed", async () => {
  const front = await measureFront({
    set: await openSet(),
    contenders: [findBaseline("router"), findBaseline("lookup-category"), findBaseline("random-worker")],
    ...SPLIT,
  });
  const [router, lookup, single] = front.curves;
  expect(front.single).toMatchObject({ name: "expensive", costUsd: 1 });
  expect(router!.points.length).toBeGreaterThan(5);
  expect(single!.points).toHaveLength(1);
  expect(single).not.toHaveProperty("sameQuality");
  for (const curve of [router!, lookup!]) {
    const { difference, costShare, point } = curve.sameQuality!;
    expect(difference.mean).toBeGreaterThanOrEqual(0);
    expect(costShare.mean).toBeGreaterThan(0.3);
    expect(costShare.mean).toBeLessThan(0.65);
    expect(costShare.low).toBeLessThanOrEqual(costShare.mean);
    expect(costShare.high).toBeGreaterThanOrEqual(costShare.mean);
    expect(point.costUsd).toBeCloseTo(costShare.mean);
  }
  expect(router!.points.at(-1)!.costUsd).toBeCloseTo(0.01);
  expect(front.unbeaten).toEqual([]);
  expect(toFrontSentences(front).join("\n")).toMatch(
    /router: the same quality \(.* points\) at \d+ % \[\d+ … \d+\] of the cost/,
  );
});

test("the picture holds every curve and worker, and names are text", async () => {
  const front = await measureFront({ set: await openSet(), contenders: [findBaseline("router")], ...SPLIT });
  const svg = toSvgFile(
    drawFrontCurves(
      { ...front, singles: [front.singles[0]!, { ...front.singles[1]!, name: "<script>" }] },
      "cost",
    ),
  );
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
  for (const word of ["router", "&lt;script&gt;", "dollars a question"]) expect(svg).toContain(word);
  expect(svg).not.toContain("<script>");
  expect(toFrontPage(front, "tutti bench front")).toContain("All points");
});

test("a target is met by a price that was chosen on tasks that are not tested", async () => {
  const contenders = ["router@match-best", "router@max:0.02usd"].map((id) => {
    const { name, point } = parsePricePoint(id)!;
    return toPricePoint(id, findBaseline(name), point);
  });
  const { results, chosen } = await runBench({
    ...{ set: await openSet(), contenders: [findBaseline("best-single"), ...contenders], withOracle: false },
    ...{ ...SPLIT, samples: 1, concurrency: 1, folder: createMemoryFolder() },
  });
  const [single, matching, cheap] = results;
  expect(chosen!.map(({ conductor }) => conductor)).toEqual(["router@match-best", "router@max:0.02usd"]);
  expect(matching!.accuracy).toBeGreaterThanOrEqual(single!.accuracy);
  expect(matching!.costUsd! / single!.costUsd!).toBeLessThan(0.65);
  expect(cheap!.costUsd!).toBeLessThanOrEqual(0.02);
});

test("where no price meets a target, the nearest one is taken", () => {
  const points = [
    { costPerUsd: 0, accuracy: 0.7, costUsd: 1 },
    { costPerUsd: 1, accuracy: 0.6, costUsd: 0.5 },
  ];
  const curve = { points, single: { accuracy: 0.8, costUsd: 1 } };
  expect(choosePrice(curve, { type: "match-best" }).costPerUsd).toBe(0);
  expect(choosePrice(curve, { type: "max", usd: 0.1 }).costPerUsd).toBe(1);
});
