import { describe, expect, it } from "vitest";
import { findBaseline } from "../baseline/all.ts";
import type { ComposeRequest } from "../conductor/types.ts";
import { saveTinyCheckpoint } from "../testing/learn/tiny-checkpoint.ts";
import { playedConductor, scriptedWorker, step, toPool } from "../testing/stage.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { Step } from "../workflow/types.ts";
import { openRecordedSets } from "../world/recorded-sets.ts";
import { createRehearsalSet } from "../world/sets.ts";
import type { WorldSet } from "../world/types.ts";
import { type BenchOptions, runBench } from "./bench.ts";
import { createMemoryFolder } from "./folder.ts";
import { createNativeContender, onlyRecorded } from "./native.ts";

function options(set: WorldSet, parts: Partial<BenchOptions>): BenchOptions {
  return {
    ...{ set, withOracle: false, seed: 1, splitBy: "prompt", splitSeed: 0, samples: 1, concurrency: 1 },
    contenders: [],
    folder: createMemoryFolder(),
    ...parts,
  };
}

const TRAINING = {
  ...{ isSimulated: false, command: "none", seed: 1, iterations: 0, engine: "none", date: "2026-01-01" },
  world: "sums + verses",
};

async function openSums(): Promise<WorldSet> {
  const { folder, writeRows } = createFiles();
  const tasks = Array.from({ length: 16 }, (_, i) => ({
    ...{ id: `sums/${i}`, set: "sums", category: "c", subtask: "s" },
    ...{ prompt: `What is ${i} and ${i}?`, answer: String(2 * i) },
  }));
  writeRows("tasks.jsonl", ...tasks);
  writeRows(
    "outcomes.jsonl",
    ...tasks.flatMap(({ id, answer }, i) =>
      ["even", "odd"].map((worker, number) => {
        const score = i % 2 === number ? 1 : 0;
        return { task: id, worker, sample: 0, answer: score === 1 ? answer : "?", score, tokens: 5 };
      }),
    ),
  );
  return (await openRecordedSets([{ folder }]))[0]!;
}

// An untrained model writes every plan to its full length: on a busy machine that takes a while.
describe("the trained Conductor in a bench", { timeout: 60_000 }, () => {
  it("is measured without a mask, with its own rounds, beside the others", async () => {
    const set = createRehearsalSet({ count: 30, seed: 1 });
    const folder = await saveTinyCheckpoint();
    const native = createNativeContender({ id: "native", folder, set });
    expect(native).toMatchObject({ needsHandOffs: true, rounds: 2, readsProfiles: true });
    const contenders = [native, findBaseline("best-single")];
    const { results, refused, rows } = await runBench(options(set, { contenders }));
    expect(refused).toEqual([]);
    const of = (id: string) => results.find(({ conductor }) => conductor === id)!;
    // Untrained it writes no workflow, and nobody hides that: the strongest worker answered instead.
    expect(of("native").validShare).toBe(0);
    expect(of("native").n).toBe(of("best-single").n);
    expect(rows.filter(({ conductor }) => conductor === "native").every(({ calls }) => calls === 1)).toBe(
      true,
    );
  });

  it("is refused by another split than the one it was trained with, where it was trained on the set", async () => {
    const set = await openSums();
    const folder = await saveTinyCheckpoint({ handOffs: false, training: TRAINING });
    const byFamily = await saveTinyCheckpoint({
      handOffs: false,
      training: TRAINING,
      about: { splitBy: "family", splitSeed: 3 },
    });
    const elsewhere = await saveTinyCheckpoint({
      handOffs: false,
      training: { ...TRAINING, world: "verses" },
    });
    const contenders = Object.entries({ folder, byFamily, elsewhere }).map(([id, path]) =>
      createNativeContender({ id, folder: path, set }),
    );
    const refusedBy = async (parts: Partial<BenchOptions>) => {
      const { refused } = await runBench(options(set, { contenders, ...parts }));
      return refused.map(({ conductor }) => conductor);
    };
    expect(await refusedBy({})).toEqual(["byFamily"]);
    expect(await refusedBy({ splitSeed: 1 })).toEqual(["folder", "byFamily"]);
  });

  it("is refused on a recording where it learned to hand over, and in a pool that is too large", async () => {
    const set = await openSums();
    const handing = await saveTinyCheckpoint({ handOffs: true });
    const small = await saveTinyCheckpoint({ handOffs: false, limits: { workers: 2, rounds: 1 } });
    const contenders = [
      createNativeContender({ id: "handing", folder: handing, set }),
      createNativeContender({ id: "small", folder: small, set }),
      findBaseline("best-single"),
    ];
    const { refused, results } = await runBench(options(set, { contenders }));
    expect(refused).toEqual([
      { conductor: "handing", reason: expect.stringContaining("replies of one worker to another") },
      {
        conductor: "small",
        reason: expect.stringContaining("3 workers, and native:tiny can plan for at most 2"),
      },
    ]);
    expect(results.map(({ conductor }) => conductor)).toEqual(["best-single"]);
  });
});

describe("a plan on a recording", () => {
  const pool = toPool([scriptedWorker("a", ""), scriptedWorker("b", ""), createConsensusWorker()]);
  const samples: Record<string, number[]> = { a: [1], b: [0, 1] };
  const rounds = [{ workflow: { steps: [step(0, "go")] }, replies: ["x"] }];

  async function decide(steps: Step[], earlier: ComposeRequest["rounds"] = []) {
    const conductor = onlyRecorded(playedConductor({ steps }), {
      recorded: (_, worker) => samples[worker]!,
    });
    const task = { id: "t", messages: [] };
    const request = { task, pool, rounds: earlier, errors: [], maxSteps: 5, seed: 1 };
    for await (const event of conductor.compose(request, new AbortController().signal))
      if (event.type === "plan-end") return event.decision;
    throw new Error("a plan must end");
  }

  it.each<[string, Step[], ComposeRequest["rounds"]?]>([
    ["of single asks and a vote", [step(0, "go"), step(1, "go"), step(2, "vote", "all")]],
    ["that asks again where there is another sample", [step(1, "go"), step(1, "go")]],
    ["whose first step may see all of nothing", [step(0, "go", "all")]],
    ["of a later round with somebody else", [step(1, "go")], rounds],
  ])("%s is performed", async (_, steps, earlier) => {
    expect(await decide(steps, earlier)).toEqual({ type: "workflow", workflow: { steps } });
  });

  it.each<[string, Step[], RegExp, ComposeRequest["rounds"]?]>([
    ["hands over", [step(0, "go"), step(1, "go", [0])], /Step 1 .+"b" would see replies/],
    ["hands over all", [step(0, "go"), step(1, "go", "all")], /Step 1 .+"b" would see replies/],
    ["hands over the round before", [step(1, "go", "all")], /Step 0 .+"b" would see replies/, rounds],
    ["asks too often", [step(0, "go"), step(0, "go")], /Step 1 .+"a" is asked 2 times, of 1 recorded/],
    ["asks too often in two rounds", [step(0, "go")], /Step 0 .+"a" is asked 2 times/, rounds],
  ])("that %s is no valid one", async (_, steps, message, earlier) => {
    expect(await decide(steps, earlier)).toMatchObject({
      type: "format-error",
      error: { code: "not-recorded", message: expect.stringMatching(message) },
    });
  });
});
