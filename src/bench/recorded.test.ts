// The bench against a calculation of its own on real recordings, from the raw files and without any of the
// bench's code but the split. Skipped where the recordings are not.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { findBaseline } from "../baseline/all.ts";
import { openRecordedSets } from "../world/recorded-sets.ts";
import { splitOf } from "../world/split.ts";
import { runBench } from "./bench.ts";
import { createMemoryFolder } from "./folder.ts";

const FOLDER = fileURLToPath(new URL("../../../shared/recorded/reasoning-gym", import.meta.url));
const SET = "reasoning-gym-hard";
/** What the recordings' own page says of half fitted, half tested, mean of six splits. */
const PUBLISHED: Record<string, number> = {
  "best-single": 0.582,
  "lookup-category": 0.594,
  "lookup-subtask": 0.612,
  "vote-3": 0.597,
  "vote-5": 0.601,
  "vote-all": 0.6,
  "random-worker": 0.357,
  oracle: 0.683,
};

interface Row {
  id: string;
  set: string;
  prompt: string;
  subtask: string;
  choices?: string[];
}
interface OutcomeRow {
  task: string;
  worker: string;
  sample: number;
  answer: string | null;
  score: number;
}

const read = <T>(name: string): T[] =>
  gunzipSync(readFileSync(`${FOLDER}/${name}.jsonl.gz`))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

describe.skipIf(!existsSync(FOLDER))(
  "on recorded models (skipped where ../shared/recorded is absent)",
  () => {
    it("agrees with a calculation from the raw files, and with what is published, within its intervals", async () => {
      const [set] = await openRecordedSets([{ folder: FOLDER, set: SET }]);
      const { results, rows, refused } = await runBench({
        set: set!,
        contenders: Object.keys(PUBLISHED)
          .filter((id) => id !== "oracle")
          .concat("self-reflection")
          .map(findBaseline),
        withOracle: true,
        ...{
          seed: 0,
          splitBy: "prompt",
          splitSeed: 0,
          samples: 1,
          concurrency: 1,
          folder: createMemoryFolder(),
        },
      });
      const tasks = read<Row>("tasks").filter(({ set }) => set === SET);
      const first = read<OutcomeRow>("outcomes").filter(({ sample }) => sample === 0);
      const outcomes = new Map(first.map((row) => [`${row.task} ${row.worker}`, row]));
      const workers = [...new Set(first.map(({ worker }) => worker))].filter((worker) =>
        tasks.every(({ id }) => outcomes.has(`${id} ${worker}`)),
      );
      const right = (task: Row, worker: string) =>
        outcomes.get(`${task.id} ${worker}`)!.score >= 0.99 ? 1 : 0;
      const share = (of: Row[], isRight: (task: Row) => number) =>
        of.reduce((sum, task) => sum + isRight(task), 0) / of.length;
      const train = tasks.filter((task) => splitOf(task) === "train");
      const test = tasks.filter((task) => splitOf(task) === "test");
      const bestOf = (some: Row[]) =>
        workers.toSorted(
          (a, b) => share(some, (task) => right(task, b)) - share(some, (task) => right(task, a)),
        )[0]!;
      const best = bestOf(train);
      const of = (id: string) => results.find(({ conductor }) => conductor === id)!;

      expect(of("best-single").n).toBe(test.length);
      expect(of("best-single").accuracy).toBeCloseTo(
        share(test, (task) => right(task, best)),
        12,
      );
      expect(of("oracle").accuracy).toBeCloseTo(
        share(test, (task) => Math.max(...workers.map((w) => right(task, w)))),
        12,
      );
      // Everybody votes for the text of their answer with their accuracy on training tasks.
      const weights = new Map(workers.map((worker) => [worker, share(train, (task) => right(task, worker))]));
      const vote = share(test, (task) => {
        const groups = new Map<string, { weight: number; score: number }>();
        for (const worker of workers) {
          const { answer } = outcomes.get(`${task.id} ${worker}`)!;
          const key = answer?.trim().toLowerCase() ?? "";
          if (key === "") continue;
          const group = groups.get(key) ?? { weight: 0, score: 0 };
          groups.set(key, {
            weight: group.weight + weights.get(worker)!,
            score: Math.max(group.score, right(task, worker)),
          });
        }
        return [...groups.values()].reduce((a, b) => (b.weight > a.weight ? b : a), { weight: 0, score: 0 })
          .score;
      });
      expect(Math.abs(of("vote-all").accuracy - vote)).toBeLessThan(0.015);
      const table = share(test, (task) => {
        const same = train.filter(({ subtask }) => subtask === task.subtask);
        return right(task, same.length > 0 ? bestOf(same) : best);
      });
      expect(Math.abs(of("lookup-subtask").accuracy - table)).toBeLessThan(0.015);

      for (const [id, published] of Object.entries(PUBLISHED)) {
        const { low, high } = of(id);
        expect([id, low <= published && published <= high]).toEqual([id, true]);
      }
      expect(rows.every(({ ungraded, isOutage }) => !ungraded && !isOutage)).toBe(true);
      expect(refused).toEqual([
        { conductor: "self-reflection", reason: expect.stringContaining("cannot replay") },
      ]);
    }, 60_000);
  },
);
