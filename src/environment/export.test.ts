import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGrader } from "../task/grade/grade.ts";
import { add, toMember, toSum } from "../testing/learn/small-world.ts";
import { BAD, createSumsFinder, GOOD, planFor, sumLabel } from "../testing/learn/sums-finder.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { splitOf } from "../world/split.ts";
import { createTasksWorld } from "../world/tasks.ts";
import { writeExport } from "./export.ts";
import { poseRehearsal, poseSecondRounds, poseTasks } from "./export-questions.ts";
import { EXPORT_ENGINES, type ExportEngine, toDatasetRow, toPrompt } from "./export-rows.ts";
import { createQuestionFinder } from "./find-question.ts";
import { digestTasks, parseLabel, toLabelText } from "./label.ts";
import type { JournalRow } from "./rollout-journal.ts";

const files = createFiles();
const splits = poseRehearsal({ pools: "random", seed: 2, train: 12, test: 4 });

function exportTo(engine: ExportEngine, name: string = engine) {
  return writeExport({
    ...{
      engine,
      folder: join(files.folder, name),
      splits,
      world: "rehearsal (simulated)",
      isSimulated: true,
    },
    ...{ url: "http://10.0.0.5:7879", model: "Qwen/Qwen2.5-7B-Instruct", serve: "tutti rl serve" },
  });
}

const readRows = (folder: string, name: string) =>
  readFileSync(join(folder, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("rows", () => {
  const [first] = splits.train;
  const label = toLabelText(first!.label);
  const prompt = toPrompt(first!);

  test.each<[ExportEngine, object]>([
    ["openrlhf", { prompt, label, metadata: { task: "rehearsal/train/0" } }],
    ["slime", { prompt, label, metadata: { task: "rehearsal/train/0" } }],
    ["trl", { prompt, label, metadata: { task: "rehearsal/train/0" } }],
    [
      "verl",
      {
        data_source: "tutti/rehearsal",
        prompt,
        ability: first!.question.task.category,
        reward_model: { style: "rule", ground_truth: label },
        extra_info: { index: 7, task: "rehearsal/train/0" },
      },
    ],
    ["nemo-gym", { responses_create_params: { input: prompt }, label, task_id: "rehearsal/train/0#7" }],
  ])("of %s are as it reads them", (engine, row) => {
    expect(toDatasetRow(engine, first!, 7)).toEqual(row);
  });

  test("the prompt is the Conductor's, with the question and without names", () => {
    expect(prompt.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(prompt[1]!.content).toContain(first!.question.task.prompt);
    expect(prompt[1]!.content).toContain("Model id 0:");
    expect(prompt[1]!.content).not.toContain("rehearsal/");
  });

  test("a label alone finds the same question with the same pool in another process", () => {
    for (const posed of [...splits.train, ...splits.test]) {
      const { question } = createQuestionFinder().find(parseLabel(toLabelText(posed.label)));
      expect(toPrompt({ label: posed.label, question })).toEqual(toPrompt(posed));
    }
  });

  test("pools are random and renumbered, and training and test questions do not mix", () => {
    expect(new Set(splits.train.map(({ question }) => question.pool.members.length)).size).toBeGreaterThan(2);
    expect(splits.train.every(({ question }) => splitOf(question.task) === "train")).toBe(true);
    expect(splits.test.every(({ question }) => splitOf(question.task) === "test")).toBe(true);
  });
});

describe("a folder", () => {
  test.each(EXPORT_ENGINES)("for %s has both files and a README with its command", (engine) => {
    const exported = exportTo(engine);
    expect(exported).toMatchObject({ train: 12, test: 4 });
    expect(readRows(exported.folder, "train.jsonl")).toHaveLength(12);
    expect(readRows(exported.folder, "test.jsonl")).toHaveLength(4);
    const readme = readFileSync(join(exported.folder, "README.md"), "utf8");
    expect(readme).toContain("**simulated**");
    const needed: Record<ExportEngine, string> = {
      openrlhf: "--reward.remote_url http://10.0.0.5:7879/rl/openrlhf",
      slime: "--rm-type remote_rm --rm-url http://10.0.0.5:7879/rl/slime",
      trl: "--reward_funcs conductor_reward.conductor_reward",
      verl: `reward.custom_reward_function.path=${exported.folder}/conductor_reward.py`,
      "nemo-gym": "resources_servers/tutti_conductor/configs/tutti_conductor.yaml",
    };
    expect(readme).toContain(needed[engine]);
    expect(existsSync(join(exported.folder, "conductor_reward.py"))).toBe(
      engine === "trl" || engine === "verl",
    );
    expect(existsSync(join(exported.folder, "nemo_gym", "app.py"))).toBe(engine === "nemo-gym");
  });

  test("that is in use is refused", () => {
    exportTo("slime", "twice");
    expect(() => exportTo("slime", "twice")).toThrow(/is not empty/);
    expect(() => exportTo("slime", "twice/train.jsonl")).toThrow(/is not a folder/);
    mkdirSync(join(files.folder, "empty"));
    expect(() => exportTo("slime", "empty")).not.toThrow();
  });
});

test("tasks of one's own: every training task once, more of them with other pools, never a test task", () => {
  const tasks = Array.from({ length: 60 }, (_, i) => toSum(i + 1));
  const members = ["a", "b", "c", "d"].map((id) => toMember(id, add, 0.5));
  const world = createTasksWorld({
    ...{ set: { id: "sums", tasks, source: "here" }, pool: { members }, grader: createGrader() },
    ...{ seed: 0, pools: "random" },
  });
  const digest = digestTasks(tasks);
  const all = poseTasks(world, digest, {});
  expect(all.train.map(({ question }) => question.task.id)).toEqual(world.splits.train.map(({ id }) => id));
  expect(all.test.every(({ question }) => splitOf(question.task) === "test")).toBe(true);
  const many = poseTasks(world, digest, { train: 4 * world.splits.train.length, test: 1 });
  expect(many.test).toHaveLength(1);
  const pools = many.train.map(({ label }) => JSON.stringify(label));
  expect(new Set(pools).size).toBeGreaterThan(2 * world.splits.train.length);
  const finder = createQuestionFinder({ world, digest });
  for (const { label, question } of many.train.slice(0, 20))
    expect(toPrompt({ label, question: finder.find(label).question })).toEqual(toPrompt({ label, question }));
});

describe("second rounds", () => {
  const { signal } = new AbortController();
  const row = (number: number, completion: string, isRight: boolean, isValid = true): JournalRow => ({
    ...{ key: `${number}${completion}`, at: 0, label: sumLabel(number), completion, isRight, isValid },
    ...{ reward: isRight ? 1 : isValid ? 0.5 : 0, calls: 1, steps: 1, costUsd: 0 },
  });
  const finder = createSumsFinder();
  const numbers = (split: string) =>
    Array.from({ length: 100 }, (_, i) => i).filter((number) => splitOf(toSum(number)) === split);
  const [one, two] = numbers("train");
  const [tested] = numbers("test");

  test("show what the team did, and carry the first round in the label", async () => {
    const rows = [
      row(one!, planFor(GOOD), true),
      row(one!, planFor(BAD), false),
      row(two!, "babble", false, false),
    ];
    const posed = await poseSecondRounds(rows, finder, { train: 9, test: 9, seed: 0, signal });
    expect(posed.test).toEqual([]);
    expect(posed.train).toHaveLength(2);
    const mend = posed.train.find(({ label }) => label.before?.[0] === planFor(BAD))!;
    const text = toPrompt(mend)[1]!.content;
    expect(text).toContain("Round 1, as you planned it:");
    expect(text).toContain("Answer: 0");
    expect(text).toContain("accept it with three empty lists");
  });

  test("the last right and the last wrong of a question, and none of a second round", async () => {
    const old = row(one!, planFor(GOOD, "an older plan"), true);
    const later: JournalRow = { ...row(one!, "x", true), label: sumLabel(one!, { before: ["y"] }) };
    const rows = [old, row(one!, planFor(GOOD), true), later];
    const posed = await poseSecondRounds(rows, finder, { train: 9, test: 9, seed: 0, signal });
    expect(posed.train.map(({ label }) => label.before)).toEqual([[planFor(GOOD)]]);
  });

  test("what was evaluated on a test question stays a test", async () => {
    const rows = [row(one!, planFor(GOOD), true), row(tested!, planFor(GOOD), true)];
    const posed = await poseSecondRounds(rows, finder, { train: 9, test: 9, seed: 0, signal });
    expect(posed.train.map(({ question }) => question.task.id)).toEqual([`sum/${one}`]);
    expect(posed.test.map(({ question }) => question.task.id)).toEqual([`sum/${tested}`]);
  });

  test("nothing valid is nothing to go on from", async () => {
    const rows = [row(one!, "babble", false, false)];
    await expect(poseSecondRounds(rows, finder, { train: 1, test: 0, seed: 0, signal })).rejects.toThrow(
      /no valid first round/,
    );
  });
});
