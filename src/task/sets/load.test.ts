import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createFiles } from "../../testing/temporary-files.ts";
import { FORMATS } from "./formats.ts";
import { loadTaskSet } from "./load.ts";

const { write, writeRows } = createFiles();

describe("tasks of one's own", () => {
  test("the answer decides how it is graded", async () => {
    const tests = { language: "javascript", style: "stdin", cases: [{ input: "", output: "1" }] };
    const { id, tasks } = await loadTaskSet(
      writeRows(
        "own/quiz.jsonl",
        { prompt: "1?", answer: 42 },
        { prompt: "2?", answer: "-1,234.5" },
        { prompt: "3?", answer: "Paris" },
        { prompt: "4?", answer: "\\frac{1}{2}" },
        { prompt: "5?", answer: { a: [1] } },
        { prompt: "6?", answer: "blue", choices: ["red", "blue"] },
        { prompt: "7?", answer: "b", choices: ["x", "y"] },
        { prompt: "8?", answer: 1, choices: ["x", "y"] },
        { prompt: "9?", tests },
        {
          prompt: "10?",
          answer: "5",
          grader: "text",
          id: "own",
          category: "c",
          subtask: "s",
          tolerance: 0.1,
        },
      ),
    );
    expect(id).toBe("quiz");
    expect(tasks.map(({ answer, grader }) => `${answer} ${grader}`)).toEqual([
      "42 numeric",
      "-1,234.5 numeric",
      "Paris text",
      "\\frac{1}{2} maths",
      '{"a":[1]} json',
      "B choice",
      "B choice",
      "B choice",
      " code",
      "5 text",
    ]);
    expect(tasks[0]).toMatchObject({ id: "quiz/0", category: "plain", family: "plain" });
    expect(tasks[8]!.tests).toEqual(tests);
    expect(tasks[9]).toMatchObject({ id: "own", category: "c", family: "s", tolerance: 0.1 });
  });

  test("compressed, with mixed line ends and blank lines", async () => {
    const text = '{"prompt":"a","answer":"1"}\r\n\n{"prompt":"b","answer":"2"}\r{"prompt":"c","answer":"ü"}';
    const { tasks } = await loadTaskSet(write("own/z.jsonl.gz", gzipSync(text)));
    expect(tasks.map(({ prompt, answer }) => prompt + answer)).toEqual(["a1", "b2", "cü"]);
  });

  test("CSV, with options as JSON", async () => {
    const { tasks } = await loadTaskSet(
      write("own/q.csv", 'prompt,answer,choices\n"a, b",B,"[""x"",""y""]"\nc,3,\n'),
    );
    expect(tasks.map(({ prompt, grader }) => [prompt, grader])).toEqual([
      ["a, b", "choice"],
      ["c", "numeric"],
    ]);
  });

  test("several sets in one file must be told apart", async () => {
    const file = writeRows(
      "own/many.jsonl",
      { prompt: "a", answer: "1", set: "x" },
      { prompt: "b", answer: "2", set: "y" },
    );
    await expect(loadTaskSet(file)).rejects.toThrow("several sets (x, y): name one with --set");
    await expect(loadTaskSet(file, { set: "z" })).rejects.toThrow('No set "z"');
    const { id, tasks } = await loadTaskSet(file, { set: "y" });
    expect([id, tasks.map(({ prompt }) => prompt)]).toEqual(["y", ["b"]]);
  });

  test.each([
    ['{"prompt":"a","answer":"1"}\n{"prompt":', /bad\.jsonl:2: not JSON/],
    ['[1]\n{"prompt":"a","answer":"1"}', /bad\.jsonl:1: a row must be a JSON object/],
    ['{"prompt":"a","answer":""}', /bad\.jsonl:1: "answer" must not be empty/],
    ['{"prompt":" ","answer":"1"}', /bad\.jsonl:1: "prompt" must be a text/],
    ['{"prompt":"a","answer":"z","choices":["x","y"]}', /:1: the answer "z" names none of the 2 choices/],
    ['{"prompt":"a","answer":7,"choices":["x","y"]}', /:1: the answer 7 names none/],
    ['{"prompt":"a","answer":"1","choices":"x"}', /:1: "choices" must be a list/],
    ['{"prompt":"a","answer":"1","grader":"guess"}', /:1: "grader" must be one of .*, not "guess"/],
    ['{"prompt":"a","answer":"1","grader":"code"}', /:1: the grader "code" needs "tests"/],
    ['{"prompt":"a","answer":"1","tolerance":-1}', /:1: "tolerance" must be a number from 0, not -1/],
    [
      '{"prompt":"a","tests":{"language":"cobol","style":"stdin"}}',
      /:1: "tests" cannot be used: tests\.language/,
    ],
    ['{"prompt":"a","tests":{"language":"python","style":"stdin"}}', /:1: "tests" must have "cases"/],
    [
      '{"id":"i","prompt":"a","answer":"1"}\n{"id":"i","prompt":"b","answer":"1"}',
      /:2: the id "i" is there twice/,
    ],
    ['{"prompt":"a","answer":"1"}\n{"question":"b","answer":"1"}', /:2: has no "prompt"/],
    ['{"frage":"a"}', /its columns \(frage\) are those of no set we know/],
    ["", /holds no task/],
  ])("%s is refused with its place", async (text, message) => {
    const error = await loadTaskSet(write("own/bad.jsonl", text)).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "bad-file", message: expect.stringMatching(message) });
  });

  test("many bad lines: the first ones are shown, the others counted", async () => {
    const file = write("own/many-bad.jsonl", "x\n".repeat(1000));
    await expect(loadTaskSet(file)).rejects.toThrow(/:5: [^\n]*\n… and 995 more$/);
  });

  test.each([
    [
      "cut.jsonl.gz",
      gzipSync(JSON.stringify({ prompt: "a".repeat(5000) })).subarray(0, 40),
      /ends too early/,
    ],
    ["no.jsonl.gz", Buffer.from("no gzip at all"), /not valid gzip/],
    ["latin.jsonl", Buffer.from([0x7b, 0xe9, 0x7d]), /not UTF-8/],
    ["bad.csv", Buffer.from('prompt,answer\n"a,1\n'), /not valid CSV/],
    ["bad.parquet", Buffer.from("PAR0 nothing"), /not a Parquet file/],
  ])("%s is refused", async (name, bytes, message) => {
    await expect(loadTaskSet(write(`own/${name}`, bytes))).rejects.toThrow(message);
  });

  test("a file of an unknown kind", async () => {
    await expect(loadTaskSet(write("own/t.txt", "hello"))).rejects.toMatchObject({ code: "usage" });
  });
});

describe("a missing file is answered with the command that fetches it", () => {
  test.each([
    [
      "math500",
      "curl -L --create-dirs -o math500.jsonl https://huggingface.co/datasets/HuggingFaceH4/MATH-500/resolve/main/test.jsonl",
    ],
    [
      "sets/mmlu_pro.jsonl",
      "-o sets/mmlu_pro.parquet https://huggingface.co/datasets/TIGER-Lab/MMLU-Pro/resolve/main/data/test-00000-of-00001.parquet",
    ],
    ["./mmlu.parquet", "-o ./mmlu.parquet https://huggingface.co/datasets/cais/mmlu/resolve/main/all/"],
    ["gpqa", '-H "Authorization: Bearer $HF_TOKEN" -o gpqa-diamond.csv'],
    [
      "bbh",
      'do curl -L --create-dirs -o "bbh/$t.parquet" "https://huggingface.co/datasets/lukaemon/bbh/resolve/main/$t/test-00000-of-00001.parquet"; done',
    ],
  ])("%s", async (path, command) => {
    await expect(loadTaskSet(path)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining(command),
    });
  });

  test("every published set can be fetched, also when only named as the format", async () => {
    for (const { id, download, title } of FORMATS) {
      if (!download) continue;
      const error: Error = await loadTaskSet("missing/tasks.jsonl", { format: id }).catch((thrown) => thrown);
      expect(error.message).toContain(`${title} is fetched with:`);
      expect(error.message).toContain(`https://huggingface.co/datasets/${download.dataset}/resolve/main/`);
    }
  });

  test("a name nobody knows lists the published sets", async () => {
    await expect(loadTaskSet("nowhere.jsonl")).rejects.toThrow(/math500, mmlu, mmlu-pro, gpqa-diamond/);
    await expect(loadTaskSet("nowhere.jsonl", { format: "nope" })).rejects.toThrow(/No task format "nope"/);
  });
});
