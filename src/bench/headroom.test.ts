import { describe, expect, it } from "vitest";
import { toBenchRow } from "../testing/bench-rows.ts";
import { createRehearsalSet } from "../world/sets.ts";
import { splitOf } from "../world/split.ts";
import { createMemoryFolder } from "./folder.ts";
import { explainHeadroom, measureHeadroom } from "./headroom.ts";
import { toResults } from "./results.ts";

const RULES = ["lookup-category", "lookup-subtask", "neighbours", "vote-3", "vote-5", "vote-all"];
/** Of 400 tasks so many right, the same ones first. */
function figures(right: Record<string, number>) {
  const names = ["best-single", ...RULES, "oracle"];
  const rows = names.flatMap((name) =>
    Array.from({ length: 400 }, (_, i) =>
      toBenchRow(name, i, i < (right[name] ?? right["best-single"]!), {
        calls: name.startsWith("vote") ? 5 : 1,
      }),
    ),
  );
  return explainHeadroom(toResults(rows, { seed: 1, isSimulated: false }), 7).join("\n");
}

describe("headroom in words", () => {
  it("says that there is nothing to win", () => {
    expect(figures({ "best-single": 300, oracle: 304 })).toContain("next to nothing to win");
  });

  it("says that nothing simple finds it", () => {
    expect(figures({ "best-single": 200, oracle: 280 })).toContain("No simple rule is shown to beat");
  });

  it("says what there is to learn, and that the oracle is no goal", () => {
    const words = figures({ "best-single": 200, oracle: 280, "lookup-subtask": 220, "vote-5": 230 });
    expect(words).toContain("vote-5 wins 7.5 points");
    expect(words).toContain("lookup-subtask wins 5.0");
    expect(words).toContain("these 20.0 points");
    expect(words).toContain("That is no goal: with 7 workers");
  });
});

it("is measured on training and tuning tasks only, each worker asked once a task", async () => {
  const set = createRehearsalSet({ count: 80, seed: 1 });
  const folder = createMemoryFolder();
  const common = { seed: 1, splitBy: "prompt" as const, splitSeed: 0, concurrency: 1 };
  const { n, results, isSimulated } = await measureHeadroom({ set, folder, ...common });
  const usable = set.tasks.filter((task) => splitOf(task) !== "test").map(({ id }) => id);
  expect(n).toBe(usable.length);
  expect(isSimulated).toBe(true);
  const alone = folder.file("alone").rows;
  expect(alone).toHaveLength(usable.length * 7);
  expect(new Set(alone.map(({ task }) => task))).toEqual(new Set(usable));
  const accuracy = (id: string) => results.find(({ conductor }) => conductor === id)!.accuracy;
  const right = new Set(alone.filter(({ score }) => score === 1).map(({ task }) => task));
  expect(accuracy("oracle")).toBeCloseTo(right.size / usable.length, 9);
  expect(accuracy("oracle")).toBeGreaterThanOrEqual(accuracy("lookup-subtask"));
});
