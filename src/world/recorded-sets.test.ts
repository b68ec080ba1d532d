import { describe, expect, test, vi } from "vitest";
import { loadRecording } from "../recording/load.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { openRecordedSets, splitSets } from "./recorded-sets.ts";
import { promptHash, splitByFamily, splitOf } from "./split.ts";

vi.mock("../recording/load.ts", { spy: true });

const files = createFiles();

interface Written {
  set: string;
  count: number;
  workers?: string[];
}

/** Every fifth question is in every set, each time as another family. */
function write(name: string, sets: Written[]): string {
  const tasks: object[] = [];
  const outcomes: object[] = [];
  for (const { set, count, workers = ["a", "b", "c"] } of sets) {
    for (let i = 0; i < count; i++) {
      const id = `${set}/${i}`;
      const prompt = i % 5 === 0 ? `Shared question ${i}?` : `Question ${i} of ${set}?`;
      const subtask = `${set} family ${Math.floor(i / 5)}`;
      tasks.push({ id, set, category: "c", subtask, prompt, answer: "yes" });
      for (const worker of workers)
        outcomes.push({ task: id, worker, sample: 0, answer: "yes", score: 1, tokens: 1 });
    }
  }
  files.writeRows(`${name}/tasks.jsonl`, ...tasks);
  files.writeRows(`${name}/outcomes.jsonl`, ...outcomes);
  return `${files.folder}/${name}`;
}

const folder = write("three", [
  { set: "one", count: 200 },
  { set: "two", count: 200, workers: ["c", "d"] },
  { set: "three", count: 100 },
]);

describe("recorded sets", () => {
  test("of one folder are read once, and come in the order they were named in", async () => {
    const opened = await openRecordedSets([
      { folder, set: "three" },
      { folder, set: "one" },
    ]);
    expect(opened.map(({ id }) => id)).toEqual(["three", "one"]);
    expect(loadRecording).toHaveBeenCalledTimes(1);
    expect(loadRecording).toHaveBeenCalledWith(folder, { sets: ["three", "one"] });
  });

  test("are all of a folder where none is named", async () => {
    const opened = await openRecordedSets([{ folder }]);
    expect(opened.map(({ id }) => id)).toEqual(["one", "two", "three"]);
    expect(opened.map(({ pool }) => pool.members.map(({ worker }) => worker.id).join())).toEqual([
      "a,b,c,consensus",
      "c,d,consensus",
      "a,b,c,consensus",
    ]);
  });

  test("split by prompt, have a shared question on the same side everywhere", async () => {
    const opened = splitSets(await openRecordedSets([{ folder }]), { splitSeed: 3 });
    for (const { splits, set } of opened) {
      for (const name of ["train", "validation", "test"] as const)
        for (const task of splits[name]) expect(splitOf(task, 3)).toBe(name);
      const count = splits.train.length + splits.validation.length + splits.test.length;
      expect(count).toBe(set.tasks.length);
    }
  });

  test("split by family, lose a shared question where another set tests or watches with it", async () => {
    const opened = splitSets(await openRecordedSets([{ folder }]), { splitBy: "family", splitSeed: 3 });
    const hashes = (name: "train" | "validation" | "test") =>
      new Set(opened.flatMap(({ splits }) => splits[name].map((task) => promptHash(task))));
    const [train, tune, tested] = [hashes("train"), hashes("validation"), hashes("test")];
    expect([...train].filter((hash) => tune.has(hash) || tested.has(hash))).toEqual([]);
    expect([...tune].filter((hash) => tested.has(hash))).toEqual([]);
    // Families alone would leave some on both sides, and the test keeps all of its tasks.
    const all = opened.flatMap(({ set }) => set.tasks);
    const by = (name: string) => all.filter((task) => splitByFamily(task, 3) === name);
    const [trainable, testable] = [by("train"), by("test")];
    expect(trainable.some((task) => tested.has(promptHash(task)))).toBe(true);
    expect(opened.flatMap(({ splits }) => splits.test)).toHaveLength(testable.length);
  });

  test("that make no sense are refused with what would be right", async () => {
    const open = (...sources: Parameters<typeof openRecordedSets>[0]) => openRecordedSets(sources);
    await expect(open()).rejects.toThrow("one set or more");
    await expect(open({ folder, set: "one" }, { folder })).rejects.toThrow('"one" is there twice');
    await expect(open({ folder, set: "four" })).rejects.toThrow(
      `No set "four" in ${folder} (there are: one, two, three)`,
    );
    await expect(open({ folder: `${folder}/gone` })).rejects.toThrow("There is no recording");
    await expect(open({ folder, set: "one", workers: [] })).rejects.toThrow("None of the workers");
    await expect(open({ folder, set: "one", workers: ["d"] })).rejects.toThrow(
      '"d" is not in the recording of "one" (there are: a, b, c)',
    );
    const nobody = `${files.folder}/gaps`;
    files.writeRows(
      "gaps/tasks.jsonl",
      ...[1, 2].map((i) => ({
        id: `${i}`,
        set: "s",
        category: "c",
        subtask: "u",
        prompt: `${i}?`,
        answer: "",
      })),
    );
    files.writeRows(
      "gaps/outcomes.jsonl",
      ...["a", "b"].map((worker, i) => ({
        task: `${i + 1}`,
        worker,
        sample: 0,
        answer: "",
        score: 1,
        tokens: 1,
      })),
    );
    await expect(open({ folder: nobody })).rejects.toThrow('Nobody answered every task of "s"');
  });
});
