// Points of the curve of those who decide in turns, as they are written after a name: measured on a recording with costs.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BenchResult } from "../../bench/types.ts";
import { createHome, runTutti } from "../../testing/command.ts";

const WORKERS: Record<string, { usd: number; isRight(i: number): boolean }> = {
  cheap: { usd: 0.01, isRight: (i) => i % 2 === 0 && i % 10 !== 0 },
  middle: { usd: 0.08, isRight: (i) => i % 3 !== 0 },
  strong: { usd: 0.5, isRight: (i) => i % 9 !== 0 },
};

/** Sums that the cheap one can do, and riddles that it cannot. */
function recorded({ withCosts = true } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "tutti-priced-"));
  const tasks = Array.from({ length: 120 }, (_, i) => ({
    ...{ id: `t${i}`, set: "sums", category: i % 2 ? "riddle" : "sum", subtask: "u", answer: String(i) },
    prompt: i % 2 ? `Solve riddle ${i * 13} of the sphinx` : `Add ${i} and ${i * 7}`,
  }));
  const outcomes = tasks.flatMap(({ id }, i) =>
    Object.entries(WORKERS).map(([worker, { usd, isRight }]) => ({
      ...{ task: id, worker, sample: 0, tokens: 5, score: isRight(i) ? 1 : 0 },
      answer: isRight(i) ? String(i) : `${worker} ${i % 4}`,
      costUsd: withCosts ? usd : undefined,
    })),
  );
  const write = (name: string, rows: object[]) =>
    writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  write("tasks.jsonl", tasks);
  write("outcomes.jsonl", outcomes);
  return folder;
}

async function measure(...conductors: string[]): Promise<BenchResult[]> {
  const args = ["bench", "--recording", recorded(), "--json", "--no-report", "--out", "out"];
  const { stdout, code } = await runTutti([...args, "--conductor", conductors.join(",")], {
    cwd: createHome(),
  });
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe.each(["trinity", "look-ahead"])("%s", (name) => {
  test("asks cheaper workers the more a dollar costs", async () => {
    const points = [`${name}@0/usd`, `${name}@2/usd`, `${name}@1000/usd`];
    const results = await measure(...points);
    expect(results.map(({ conductor }) => conductor)).toEqual(points);
    const [free, priced, dear] = results.map(({ costUsd }) => costUsd!);
    expect(priced).toBeLessThan(0.5 * free!);
    expect(dear).toBeCloseTo(0.01);
  });

  test("keeps to the dollars of a question, by a price chosen on tasks that are not tested", async () => {
    const [result] = await measure(`${name}@max:0.10usd`);
    expect(result).toMatchObject({ conductor: `${name}@max:0.10usd`, ungraded: 0 });
    expect(result!.costUsd).toBeLessThanOrEqual(0.1);
  });

  test("looks for the quality of the best single worker at a lower price", async () => {
    const [best, result] = await measure("best-single", `${name}@match-best`);
    expect(best!.costUsd).toBeCloseTo(0.5);
    // The price is chosen on other tasks: on these it may cost a little more, with weights that were learned elsewhere.
    expect(result!.costUsd).toBeLessThan((name === "look-ahead" ? 1 : 1.1) * best!.costUsd!);
  });

  test("is refused where costs were not recorded", async () => {
    const args = ["bench", "--recording", recorded({ withCosts: false }), "--no-report", "--out", "out"];
    const { stderr, code } = await runTutti([...args, "--conductor", `best-single,${name}@2/usd`], {
      cwd: createHome(),
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /@2\/usd weighs dollars, and what an ask of cheap, middle and strong costs is not known/,
    );
  });
});

test("every fixed Conductor that chooses has a price, and a target out of reach is told", async () => {
  const names = [
    "best-single",
    "vote-3",
    "neighbours-vote-3",
    "cascade",
    "ask-until-sure",
    "verified-cascade",
  ];
  const args = ["bench", "--recording", recorded(), "--no-report", "--out", "out"];
  const points = names.flatMap((name) => [`${name}@0/usd`, `${name}@1000/usd`]);
  const priced = await runTutti([...args, "--json", "--conductor", points.join(",")], { cwd: createHome() });
  const results: BenchResult[] = JSON.parse(priced.stdout);
  expect(results.map(({ conductor }) => conductor).toSorted()).toEqual(points.toSorted());
  const costOf = (id: string) => results.find(({ conductor }) => conductor === id)!.costUsd!;
  // Three workers are all that a vote of three has; the rest asks cheaper ones.
  for (const name of names.filter((each) => !each.includes("vote-3") && each !== "cascade"))
    expect(costOf(`${name}@1000/usd`), name).toBeLessThan(costOf(`${name}@0/usd`));
  expect(costOf("best-single@1000/usd")).toBeCloseTo(0.01);
  const aimed = "best-single@max:0.10usd,best-single@max:0.001usd";
  const { stdout } = await runTutti([...args, "--conductor", aimed], { cwd: createHome() });
  expect(stdout).toMatch(/best-single@max:0\.10usd: a dollar costs .* right answers; on the tasks/);
  expect(stdout.replace(/\s+/g, " ")).toMatch(
    /no point of its curve costs \$0\.001 or less there, this is the nearest/,
  );
});

describe("tutti bench --front", () => {
  test("draws the whole curve in the report and keeps it beside the results", async () => {
    const cwd = createHome();
    const args = ["bench", "--recording", recorded(), "--conductor", "best-single,router", "--out", "out"];
    expect((await runTutti([...args, "--front"], { cwd })).code).toBe(0);
    const page = readFileSync(join(cwd, "out/report.html"), "utf8");
    expect(page).toMatch(/The whole curve in dollars[\s\S]*<svg[\s\S]*router/);
    const { curves } = JSON.parse(readFileSync(join(cwd, "out/front.json"), "utf8"));
    expect(curves.map(({ conductor }: { conductor: string }) => conductor)).toEqual(["router"]);
  });

  test("is refused where there is nothing recorded", async () => {
    const { code, stderr } = await runTutti(["bench", "--rehearsal", "--front"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--front draws curves from recorded outcomes");
  });

  test("the verb alone draws those who have a price", { timeout: 60_000 }, async () => {
    const args = ["bench", "front", "--recording", recorded(), "--out", "out", "--json", "--limit", "40"];
    const { stdout } = await runTutti(args, { cwd: createHome() });
    expect(JSON.parse(stdout).curves).toHaveLength(3);
  });
});

describe("tutti ask --conductor", () => {
  const ask = (conductor: string) =>
    runTutti(["ask", "What is 6 times 7?", "--pool", "rehearsal", "--json", "--conductor", conductor]);

  test("trinity@2/usd weighs dollars, and the trace says so", async () => {
    const { stdout, code } = await ask("trinity@2/usd");
    expect(code).toBe(0);
    expect(stdout).toMatch(/"conductor": "trinity:trinity-rehearsal@2\/usd"/);
  });

  test.each([
    ["trinity@match-best", /target that only a bench can look for: tutti bench/],
    ["trinity@max:0.10usd", /target that only a bench can look for.*--budget-usd/],
    ["trinity@x/usd", /cost of a dollar before .*\/usd.* must be a number from 0.*trinity@2\/usd/],
    ["trinity@2", /cost of a call after .*@.* must be a number from 0 to 1.*trinity@2\/usd/],
  ])("%s is refused, with what would be right", async (conductor, message) => {
    const { stdout, code } = await ask(conductor);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.message).toMatch(message);
  });
});
