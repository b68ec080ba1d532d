import { expect, test } from "vitest";
import type { BenchOutcome } from "../../bench/bench.ts";
import { SHIPPED_KINDS } from "../../conductor/shipped-digests.ts";
import { loadVerdicts } from "../../config/verdicts.ts";
import { toBenchResult, toBenchRow } from "../../testing/bench-rows.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import { createFiles } from "../../testing/temporary-files.ts";
import { createConsensusWorker } from "../../worker/consensus.ts";
import { keepVerdict } from "./keep-verdict.ts";

const files = createFiles();
let homes = 0;
const TASKS = 200;
const DATE = "2026-11-19";

/** Of each Conductor how many of the tasks it gets right, from the first on. */
function toOutcome(right: Record<string, number>, parts: Partial<BenchOutcome> = {}): BenchOutcome {
  const rows = Object.entries(right).flatMap(([conductor, count]) =>
    Array.from({ length: TASKS }, (_, i) => toBenchRow(conductor, i, i < count)),
  );
  const results = Object.entries(right).map(([conductor, count]) =>
    toBenchResult(conductor, { accuracy: count / TASKS }),
  );
  const pool = toPool([...["b", "a"].map((id) => scriptedWorker(id, "")), createConsensusWorker()]);
  const outcome: Partial<BenchOutcome> = { ...{ pool, results, rows, seed: 1, isStopped: false }, ...parts };
  return { ...outcome, set: { kind: "tasks", ...parts.set } } as BenchOutcome;
}

async function keep(outcome: BenchOutcome) {
  const home = `${files.folder}/home-${homes++}`;
  return { said: await keepVerdict(outcome, home, DATE), verdicts: loadVerdicts(home) };
}

test("each trained Conductor is compared with the best of those that are not, and the better one is the default", async () => {
  const { said, verdicts } = await keep(
    toOutcome({
      native: 160,
      trinity: 152,
      "best-single": 150,
      "vote-3": 140,
      "native:mine": 190,
      oracle: 200,
    }),
  );
  expect(verdicts.map(({ conductor, against }) => [conductor, against])).toEqual(
    SHIPPED_KINDS.map((kind) => [kind, "best-single"]),
  );
  const native = verdicts.find(({ conductor }) => conductor === "native")!;
  expect(native).toMatchObject({ workers: ["a", "b"], tasks: TASKS, date: DATE });
  expect(native.difference).toBeCloseTo(0.05, 9);
  expect(native.digest).toMatch(/^[0-9a-f]{8}/);
  expect(said).toContain("native is no worse than best-single here (+5.0 points, ");
  expect(said).toContain("trinity is no worse than best-single here (+1.0 points, ");
  expect(said).toMatch(/native is now the default for this pool, for questions like those/);
});

test("one that loses is not the default, and it is said", async () => {
  const { said, verdicts } = await keep(toOutcome({ trinity: 100, "best-single": 150 }));
  expect(verdicts).toHaveLength(1);
  expect(said).toMatch(
    /^This does not show that trinity is no worse than best-single here \(-25\.0 points, .+\)\. The default stays what it is\.$/,
  );
});

test.each([
  ["no trained one was measured", toOutcome({ "best-single": 150, "native:mine": 160 })],
  ["nobody was measured beside them", toOutcome({ native: 150, trinity: 160 })],
  ["the bench was stopped", toOutcome({ native: 150, "best-single": 140 }, { isStopped: true })],
  [
    "it was no live pool",
    toOutcome({ native: 150, "best-single": 140 }, { set: { kind: "recording" } as BenchOutcome["set"] }),
  ],
])("nothing is kept where %s", async (_, outcome) => {
  expect(await keep(outcome)).toEqual({ said: undefined, verdicts: [] });
});
