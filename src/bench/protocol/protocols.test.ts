import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SHARED_STYLE } from "../../report/style.ts";
import { createFiles } from "../../testing/temporary-files.ts";
import { toRecoveryCurve } from "./curve.ts";
import { openMaterial } from "./material.ts";
import { openOutsideFit } from "./outside-fit.ts";
import { findProtocol, type RunProtocolOptions, runProtocol } from "./protocols.ts";
import { toProtocolReport } from "./report.ts";
import { toArenaScore } from "./router-arena.ts";
import { findRouter } from "./routers.ts";
import { createTwinFinder } from "./twins.ts";
import type { ProtocolResult } from "./types.ts";
import { toProtocolHeadline } from "./view.ts";

const files = createFiles();
const WORDS = ["river", "cello", "lemma", "orbit", "wheat"];

interface Made {
  category: string;
  /** Right or wrong by worker. */
  scores: Record<string, number>;
  extra?: object;
  prompt?: string;
  cost?: Record<string, number>;
}

function record(name: string, made: readonly Made[], rewordings: object[] = []): string {
  const folder = join(files.folder, name);
  files.writeRows(
    `${name}/tasks.jsonl`,
    ...made.map(({ category, extra, prompt }, i) => ({
      ...{ id: `t${i}`, set: name, category, subtask: category, answer: "" },
      prompt: prompt ?? `About the ${category} of number ${i}, which is ${WORDS[i % 5]}?`,
      ...extra,
    })),
  );
  files.writeRows(
    `${name}/outcomes.jsonl`,
    ...made.flatMap(({ scores, cost }, i) =>
      Object.entries(scores).map(([worker, score]) => ({
        ...{ task: `t${i}`, worker, sample: 0, answer: null, score, tokens: 1, costUsd: cost?.[worker] },
      })),
    ),
  );
  if (rewordings.length > 0) files.writeRows(`${name}/robustness.jsonl`, ...rewordings);
  return folder;
}

async function run(name: string, folder: string, options: Partial<RunProtocolOptions> = {}) {
  return runProtocol(findProtocol(name), await openMaterial(folder), { seed: 0, ...options });
}

function figure({ rows }: ProtocolResult, router: string, metric: string): number {
  return rows.find((row) => row.router === router)!.metrics[metric]!.mean;
}

describe("the arena score", () => {
  it("is the published formula, at the ends of the cost scale too", () => {
    // Paix2, August 2026: 79.69 % at $0.27 is 77.63.
    expect(toArenaScore(0.7969, 0.27)).toBeCloseTo(0.7763, 3);
    expect(toArenaScore(0.8, 0.0044)).toBeCloseTo((1.1 * 0.8) / (0.08 + 1));
    expect(toArenaScore(0.8, 0.001)).toBe(toArenaScore(0.8, 0.0044));
    expect(toArenaScore(0.8, 200)).toBe(0);
  });
});

describe("RouterArena", () => {
  const cost = { cheap: 0.001, dear: 0.01 };
  const made: Made[] = [
    { category: "a", scores: { cheap: 1, dear: 1 }, cost },
    { category: "a", scores: { cheap: 0, dear: 1 }, cost },
    { category: "b", scores: { cheap: 0.5, dear: 0 }, cost },
    { category: "b", scores: { cheap: 1, dear: 0 }, cost },
  ];
  const folder = record("arena", made, [{ task: "t0", prompt: "Said otherwise" }]);

  it("counts the cheapest right model, its cost and its score", async () => {
    const result = await run("routerarena", folder);
    expect(figure(result, "single:dear", "accuracy")).toBe(0.5);
    expect(figure(result, "single:dear", "cost")).toBeCloseTo(10);
    // t2 has no right model. Of the others: right with the optimal one on t1 alone.
    expect(figure(result, "single:dear", "optSel")).toBeCloseTo(1 / 3);
    expect(figure(result, "single:dear", "optCost")).toBeCloseTo((0.001 + 0.01) / 0.02);
    expect(figure(result, "single:dear", "optAcc")).toBeCloseTo(2 / 3);
    expect(figure(result, "oracle", "optSel")).toBe(1);
    expect(figure(result, "single:cheap", "robustness")).toBe(1);
  });

  it("fits nothing on its own data: who must learn is refused, by name with an error", async () => {
    const result = await run("routerarena", folder);
    expect(result.refused.map(({ router }) => router)).toContain("router");
    expect(result.rows.every(({ router }) => !["neighbours", "lookup-category"].includes(router))).toBe(true);
    await expect(run("routerarena", folder, { routers: ["neighbours"] })).rejects.toThrow(
      "nothing may be fitted on RouterArena's data",
    );
  });

  const fitOn =
    (other: string, options: object = {}) =>
    async () => {
      const material = await openMaterial(folder);
      return runProtocol(findProtocol("routerarena"), material, {
        seed: 0,
        openFit: (tasks, workers) =>
          openOutsideFit({ tested: material.recording, folder: other, ...options }, tasks, workers),
      });
    };

  it("refuses to fit on itself, and on its questions in other wrappings", async () => {
    await expect(fitOn(folder)()).rejects.toThrow("is the recording that is tested");
    const wrapped = record("wrapped", [
      { category: "c", scores: { cheap: 1, dear: 0 } },
      { category: "c", scores: { cheap: 1, dear: 0 }, prompt: "about the A of number 1, which is cello" },
    ]);
    await expect(fitOn(wrapped)()).rejects.toMatchObject({ code: "test-in-training" });
    const result = await fitOn(wrapped, { withoutTwins: true })();
    expect(result.how[0]).toContain("without 1 twin of tested questions");
    expect(figure(result, "best-single", "accuracy")).toBe(figure(result, "single:cheap", "accuracy"));
  });

  it("wants the same workers in what is fitted on, or a name for who stands for them", async () => {
    const other = record("other", [{ category: "c", scores: { small: 1, dear: 0 } }]);
    await expect(fitOn(other)()).rejects.toThrow("--map-workers cheap=<worker>");
    await expect(fitOn(other, { workerNames: new Map([["cheap", "smal"]]) })()).rejects.toThrow(
      'Did you mean "small"?',
    );
    const result = await fitOn(other, { workerNames: new Map([["cheap", "small"]]) })();
    expect(result.how[0]).toContain("small stands for cheap");
  });

  it("needs dollars of every call", async () => {
    const free = record("free", [{ category: "a", scores: { cheap: 1, dear: 1 } }]);
    await expect(run("routerarena", free)).rejects.toThrow('it lacks the dollars of every call ("costUsd")');
  });
});

describe("RouteLLM", () => {
  /** The strong model is worth asking on stem only. */
  const made: Made[] = Array.from({ length: 200 }, (_, i) => ({
    category: i % 2 ? "stem" : "law",
    scores: { weak: i % 2 ? 0 : 1, strong: i % 10 === 0 ? 0 : 1 },
    extra: i === 0 ? { contaminated: true } : {},
  }));
  const folder = record("llm", made);

  it("scores each question by a router that has not seen it, without contaminated ones", async () => {
    const result = await run("routellm", folder, {
      routers: ["lookup-category", "random-worker", "router"],
    });
    expect(result.tasks).toBe(199);
    // Half of the calls recover more than the gap: on law the strong one loses.
    expect(figure(result, "lookup-category", "cpt50")).toBeLessThan(0.26);
    expect(figure(result, "router", "apgr")).toBeGreaterThan(figure(result, "random-worker", "apgr") + 0.2);
    expect(result.rows[0]!.curve).toHaveLength(11);
    expect(toProtocolHeadline(result)).toContain("Without labels the best is router");
    const page = toProtocolReport(result, "tutti bench");
    expect(page).toContain("What a share of strong calls recovers");
    // A shape without a style is a black area.
    const drawn = page.match(/<svg.*<\/svg>/s)![0].matchAll(/class="([^"]*)"/g);
    const unstyled = [...drawn].filter(
      ([, names]) => !new RegExp(`\\.${names!.replace(" ", "\\.")}[ ,]`).test(SHARED_STYLE),
    );
    expect(unstyled.map(([, names]) => names)).toEqual([]);
  });

  it("refuses what has no curve, and a recording with more than two workers", async () => {
    await expect(run("routellm", folder, { routers: ["single:weak"] })).rejects.toThrow("there is no curve");
    const three = record("three", [{ category: "a", scores: { a: 1, b: 0, c: 1 } }]);
    await expect(run("routellm", three)).rejects.toThrow(
      "exactly two workers, a strong and a weak one (it has 3)",
    );
  });

  it("has the area of a straight line where scores say nothing", () => {
    const outcomes = Array.from({ length: 100 }, (_, i) => ({ weak: i % 2, strong: 1 }));
    const weights = new Uint8Array(100).fill(1);
    const order = outcomes.map((_, i) => i);
    const even = toRecoveryCurve({ order, scores: new Float64Array(100), outcomes, weights });
    expect(even.figures).toEqual({
      apgr: expect.closeTo(0.5),
      cpt50: expect.closeTo(0.5),
      cpt80: expect.closeTo(0.8),
    });
    // All questions that the strong one wins come first: half the calls recover all.
    const sorted = order.toSorted((a, b) => outcomes[a]!.weak - outcomes[b]!.weak);
    const scores = Float64Array.from(outcomes, ({ weak }) => -weak);
    const best = toRecoveryCurve({ order: sorted, scores, outcomes, weights });
    expect(best.figures.cpt50).toBeCloseTo(0.25);
    expect(best.figures.apgr).toBeCloseTo(0.75);
  });
});

describe("RouterDC", () => {
  const made: Made[] = [
    ...Array.from({ length: 60 }, (_, i) => ({
      category: i % 2 ? "maths" : "law",
      scores: { m: i % 2, l: 1 - (i % 2) },
      extra: { split: i < 40 ? "train" : "test" },
    })),
    { category: "chess", scores: { m: 1, l: 0 }, extra: { split: "test" } },
  ];

  it("fits on train, tests on test, and tells sets in from sets out of distribution", async () => {
    const result = await run("routerdc", record("dc", made));
    expect(result.tasks).toBe(21);
    expect(figure(result, "lookup-category", "inside")).toBe(1);
    expect(figure(result, "best-single", "inside")).toBe(0.5);
    expect(figure(result, "oracle", "outside")).toBe(1);
    expect(result.metrics.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["inside", "outside", "set:maths", "set:chess"]),
    );
  });

  it("has an interval below each figure where the sets are many, and every worker alone", async () => {
    const result = await run("routerdc", record("wide", made));
    expect(result.rows.map(({ router }) => router)).toEqual(expect.arrayContaining(["single:m", "single:l"]));
    expect(toProtocolReport(result, "tutti bench")).toContain("<td>50.0<br><small>(");
  });

  it("leaves twins of test tasks out of the training", async () => {
    const twin = { ...made[0]!, prompt: "The same?" };
    const result = await run(
      "routerdc",
      record("twins", [...made, twin, { ...twin, extra: { split: "test" } }]),
    );
    expect(result.how.join(" ")).toContain("1 training task left out");
  });

  it("says what a recording lacks", async () => {
    const folder = record("unsplit", [{ category: "a", scores: { a: 1, b: 1 } }]);
    await expect(run("routerdc", folder)).rejects.toThrow(
      'it lacks tasks with "split": "train" and tasks with "split": "test"',
    );
  });
});

describe("routers", () => {
  it("that read the question are handed no label, id or answer", async () => {
    const folder = record(
      "labels",
      Array.from({ length: 40 }, (_, i) => ({
        category: i % 2 ? "x" : "y",
        prompt: i < 20 ? `Same words ${i}` : `Other words ${i}`,
        scores: { a: i % 2, b: 1 - (i % 2) },
        extra: { split: i < 30 ? "train" : "test" },
      })),
    );
    // The words say nothing: only who is given the label can know.
    const result = await run("routerdc", folder, { routers: ["lookup-category", "router"] });
    expect(figure(result, "lookup-category", "inside")).toBe(1);
    expect(figure(result, "router", "inside")).toBeLessThan(1);
    expect(result.rows.map(({ reads }) => reads)).toEqual(["label", "question"]);
  });

  it("that ask several workers are refused with the reason, wrong names with the nearest", () => {
    expect(() => findRouter("vote-3", ["a"])).toThrow("one call per question");
    expect(() => findRouter("neigbours", ["a"])).toThrow('Did you mean "neighbours"?');
    expect(() => findRouter("single:alpa", ["alpha"])).toThrow('Did you mean "alpha"?');
    expect(() => findProtocol("router-arena")).toThrow('Did you mean "routerarena"?');
  });
});

describe("twins", () => {
  const isTwin = createTwinFinder([
    {
      prompt:
        "Please solve this. Question: How many apples has Ann if she had ten and ate three? Answer briefly.",
    },
  ]);

  it("are found inside a wrapper, and not by a common phrase", () => {
    expect(isTwin({ prompt: "How many apples has Ann if she had ten and ate three?" })).toBe(true);
    expect(isTwin({ prompt: "How many apples has Ben if he had ten and gave three to Ann?" })).toBe(false);
    expect(isTwin({ prompt: "Answer briefly." })).toBe(false);
  });
});
