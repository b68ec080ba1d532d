import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createFiles } from "../../testing/temporary-files.ts";
import { loadTaskSet } from "./load.ts";

const { folder, write, writeRows } = createFiles();
// Made by us with hyparquet-writer: a list column, a list of structs, Snappy.
const SAMPLES = fileURLToPath(new URL("./samples/", import.meta.url));

async function firstOf(name: string, ...rows: unknown[]) {
  const { id, tasks } = await loadTaskSet(writeRows(name, ...rows));
  expect(tasks).toHaveLength(rows.length);
  return { id, task: tasks[0]! };
}

describe("published sets are recognised by their columns", () => {
  test("MATH-500", async () => {
    const { task } = await firstOf("a/math.jsonl", {
      problem: "What is $1+1$?",
      solution: "It is $\\boxed{2}$.",
      answer: "2",
      subject: "Prealgebra",
      level: 1,
      unique_id: "test/prealgebra/1.json",
    });
    expect(task).toEqual({
      id: "test/prealgebra/1.json",
      set: "math500",
      category: "Prealgebra",
      family: "level 1",
      prompt: "What is $1+1$?",
      answer: "2",
      grader: "maths",
    });
  });

  test("MMLU from Parquet: positions become letters", async () => {
    const { id, tasks } = await loadTaskSet(join(SAMPLES, "mmlu.parquet"));
    expect(id).toBe("mmlu");
    expect(tasks.map(({ answer, grader }) => `${answer} ${grader}`)).toEqual([
      "B choice",
      "C choice",
      "D choice",
    ]);
    expect(tasks[2]).toMatchObject({
      id: "mmlu/2",
      category: "number_theory",
      choices: ["9", "15", "21", "2"],
    });
  });

  test("RLPR from Parquet: the question without its template", async () => {
    const { id, tasks } = await loadTaskSet(join(SAMPLES, "rlpr.parquet"));
    expect(id).toBe("rlpr");
    expect(tasks.map(({ prompt, answer, category }) => [prompt, answer, category])).toEqual([
      ["What is the derivative of x^2?", "2x", "Mathematics"],
      ["Name the metal that is liquid at room temperature.", "mercury", "Chemistry"],
    ]);
  });

  test("MMLU-Pro", async () => {
    const { task } = await firstOf("a/pro.jsonl", {
      question_id: 70,
      question: "Which is even?",
      options: ["1", "2", "3"],
      answer: "B",
      answer_index: 1,
      category: "math",
      src: "sample",
    });
    expect(task).toMatchObject({
      id: "70",
      set: "mmlu-pro",
      answer: "B",
      category: "math",
      family: "sample",
    });
  });

  test("GPQA-Diamond: options are shuffled the same way every time, and not all alike", async () => {
    const heading =
      "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3,High-level domain,Subdomain";
    const lines = Array.from(
      { length: 20 },
      (_, i) => `r${i},"What is, in words,\n${i}?",right ,a,b,c,Physics,Waves`,
    );
    const file = write("a/gpqa_diamond.csv", [`\uFEFF${heading}`, ...lines].join("\r\n"));
    const { id, tasks } = await loadTaskSet(file);
    expect(id).toBe("gpqa-diamond");
    expect(tasks[3]).toMatchObject({
      id: "r3",
      prompt: "What is, in words,\n3?",
      category: "Physics",
      family: "Waves",
    });
    for (const { choices, answer } of tasks) expect(choices![answer.charCodeAt(0) - 65]).toBe("right");
    expect(new Set(tasks.map(({ answer }) => answer)).size).toBe(4);
    expect((await loadTaskSet(file)).tasks).toEqual(tasks);
  });

  test("GSM8K", async () => {
    const { id, task } = await firstOf("a/g.jsonl", {
      question: "How much?",
      answer: "9 * 2 = 18\n#### 1,018",
    });
    expect(id).toBe("gsm8k");
    expect(task).toMatchObject({ answer: "1018", grader: "numeric" });
  });

  test("AIME, in both spellings", async () => {
    const old = await firstOf("a/aime.jsonl", {
      ID: "2024-I-1",
      Problem: "Find it.",
      Solution: "…",
      Answer: 33,
    });
    expect(old.task).toMatchObject({ id: "2024-I-1", set: "aime", answer: "33", grader: "numeric" });
    const other = await firstOf("a/aime25.jsonl", { problem: "Find it.", answer: "033", id: "0" });
    expect(other.task).toMatchObject({ set: "aime", answer: "33" });
  });

  test("HumanEval", async () => {
    const { task } = await firstOf("a/h.jsonl", {
      task_id: "Sample/0",
      prompt: "def twice(x):\n",
      entry_point: "twice",
      canonical_solution: "    return 2 * x\n",
      test: "def check(candidate):\n    assert candidate(2) == 4\n",
    });
    expect(task).toMatchObject({ id: "Sample/0", set: "humaneval", answer: "", grader: "code" });
    expect(task.tests).toMatchObject({ language: "python", style: "function", entry: "twice" });
    expect(task.tests!.check).toMatch(/candidate\(2\) == 4[\s\S]*check\(twice\)/);
  });

  test("BigCodeBench", async () => {
    const { task } = await firstOf("a/b.jsonl", {
      task_id: "Sample/1",
      complete_prompt: "…",
      instruct_prompt: "Write task_func.",
      test: "import unittest\nclass TestCases(unittest.TestCase):\n    pass\n",
      entry_point: "task_func",
      libs: "['random', 'itertools']",
    });
    expect(task).toMatchObject({ prompt: "Write task_func.", set: "bigcodebench", family: "random" });
    expect(task.tests!.check).toContain("loadTestsFromTestCase(TestCases)");
  });

  test("BBH: a folder of files, each a family", async () => {
    writeRows("bbh/navigate.jsonl", { input: "Do you return?\nOptions:\n- Yes\n- No", target: "No" });
    writeRows("bbh/snarks/test-00000-of-00001.jsonl", { input: "Which?\n(A) x\n(B) y", target: "(B)" });
    write(
      "bbh/web_of_lies.json",
      JSON.stringify({ canary: "…", examples: [{ input: "Lies?", target: "Yes" }] }),
    );
    const { id, tasks } = await loadTaskSet(join(folder, "bbh"));
    expect(id).toBe("bbh");
    expect(tasks.map(({ id, category, answer, grader }) => [id, category, answer, grader])).toEqual([
      ["bbh/navigate/0", "navigate", "No", "text"],
      ["bbh/snarks/1", "snarks", "B", "choice"],
      ["bbh/web_of_lies/2", "web_of_lies", "Yes", "text"],
    ]);
  });
});

describe("LiveCodeBench", () => {
  const row = {
    question_title: "Sum",
    question_content: "Add two numbers.",
    platform: "atcoder",
    question_id: "abc1",
    starter_code: "",
    difficulty: "easy",
    public_test_cases: JSON.stringify([{ input: "1 2", output: "3", testtype: "stdin" }]),
    metadata: "{}",
  };
  // Written by Python's pickle, protocol 4: [{"input": "3 4", "output": "7", "testtype": "stdin"}].
  const PICKLED = "eJxrYJlqxQABPWbR1UqZeQWlJUpWCkrGCiZKOgpK+aUlUAFzELcktbikpLIgFSRQXJKSmadUGztFDwBV2BMJ";
  const OBJECTS = "eJxrYJlqxgABsVNqp2j0sGbmFZSWTOlhNlYwmdLDll9aAuYymk/p4ShJLS4pqSxIndLDWlySkpk3pTRRDwCYahad";

  test("public and private cases are put together", async () => {
    const { task } = await firstOf("a/lcb.jsonl", { ...row, private_test_cases: PICKLED });
    expect(task).toMatchObject({ id: "abc1", category: "atcoder", family: "easy", grader: "code" });
    expect(task.tests).toMatchObject({ language: "python", style: "stdin" });
    expect(task.tests!.cases).toEqual([
      { input: "1 2", output: "3" },
      { input: "3 4", output: "7" },
    ]);
  });

  test("a long text in a pickle is read whole", async () => {
    const cases = JSON.stringify([{ input: "é".repeat(90_000), output: "1", testtype: "stdin" }]);
    const header = Buffer.from([0x80, 4, 0x58, 0, 0, 0, 0]);
    header.writeUInt32LE(Buffer.byteLength(cases), 3);
    const packed = deflateSync(Buffer.concat([header, Buffer.from(cases), Buffer.from([0x94, 0x2e])]));
    const { task } = await firstOf("a/lcb2.jsonl", { ...row, private_test_cases: packed.toString("base64") });
    expect(task.tests!.cases![1]!.input).toHaveLength(90_000);
  });

  test("a pickle of anything else is refused by its line", async () => {
    const file = writeRows("a/lcb3.jsonl", row, { ...row, question_id: "2", private_test_cases: OBJECTS });
    await expect(loadTaskSet(file)).rejects.toThrow(/lcb3\.jsonl:2: private_test_cases cannot be read/);
  });

  test("functions are called with one argument a line, long integers kept", async () => {
    const { task } = await firstOf("a/lcb4.jsonl", {
      ...row,
      platform: "leetcode",
      starter_code: "class Solution:\n    def add(self, a: List[int], b: int) -> int:\n        ",
      public_test_cases: JSON.stringify([
        { input: "[1, 2]\n9007199254740993", output: "3", testtype: "functional" },
      ]),
      metadata: '{"func_name": "add"}',
    });
    expect(task.prompt).toContain("class Solution:");
    expect(task.tests).toMatchObject({ style: "function", entry: "add" });
    expect(task.tests!.cases).toEqual([{ input: "[[1, 2],9007199254740993]", output: "3" }]);
  });
});
