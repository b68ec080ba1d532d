// The published task sets we can read: which columns their files have, how they are graded, and the command
// that fetches them. Nothing is ever downloaded by us: a missing file is answered with that command.
// A file is recognised by its columns; the first format of the table whose columns are all there.

import { createRandom, hashSeed } from "../../base/random.ts";
import { badFile, quote } from "../../files/problems.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import type { CodeTests, GraderName } from "../types.ts";
import { toLiveCodeTests } from "./live-code-bench.ts";
import { PLAIN } from "./plain.ts";
import type { SourceColumn } from "./to-task.ts";

export interface TaskFormat {
  id: string;
  title: string;
  /** Names are compared in lower case. */
  columns: readonly string[];
  /** Where columns alone do not tell. */
  looksLike?(row: SourceRow): boolean;
  grader: GraderName | ((row: SourceRow) => GraderName);
  fields: {
    /** Absent: rows are numbered. */
    id?: SourceColumn;
    prompt: SourceColumn;
    answer?: SourceColumn;
    choices?: SourceColumn;
    category?: SourceColumn;
    family?: SourceColumn;
    tolerance?: SourceColumn;
    tests?: (row: SourceRow) => CodeTests | undefined;
  };
  download?: Download;
}

export interface Download {
  /** What the file (or folder) is called here. */
  file: string;
  /** Of the dataset on Hugging Face. */
  dataset: string;
  path: string;
  /** One file for each of these; `*` in the path stands for it. */
  parts?: readonly string[];
  /** Its terms must be accepted first, and a token sent. */
  isGated?: boolean;
}

const BBH_TASKS =
  "boolean_expressions causal_judgement date_understanding disambiguation_qa dyck_languages formal_fallacies geometric_shapes hyperbaton logical_deduction_five_objects logical_deduction_seven_objects logical_deduction_three_objects movie_recommendation multistep_arithmetic_two navigate object_counting penguins_in_a_table reasoning_about_colored_objects ruin_names salient_translation_error_detection snarks sports_understanding temporal_sequences tracking_shuffled_objects_five_objects tracking_shuffled_objects_seven_objects tracking_shuffled_objects_three_objects web_of_lies word_sorting";

const GPQA_OPTIONS = ["correct answer", "incorrect answer 1", "incorrect answer 2", "incorrect answer 3"];

export const FORMATS: readonly TaskFormat[] = [
  {
    id: "math500",
    title: "MATH-500",
    columns: ["problem", "answer", "subject", "level"],
    grader: "maths",
    fields: {
      id: "unique_id",
      prompt: "problem",
      answer: "answer",
      category: "subject",
      family: ({ level }) => `level ${level}`,
    },
    download: { file: "math500.jsonl", dataset: "HuggingFaceH4/MATH-500", path: "test.jsonl" },
  },
  {
    id: "mmlu",
    title: "MMLU",
    columns: ["question", "subject", "choices", "answer"],
    grader: "choice",
    fields: {
      prompt: "question",
      answer: ({ answer }) => toIndex(answer),
      choices: "choices",
      category: "subject",
    },
    download: { file: "mmlu.parquet", dataset: "cais/mmlu", path: "all/test-00000-of-00001.parquet" },
  },
  {
    id: "mmlu-pro",
    title: "MMLU-Pro",
    columns: ["question_id", "question", "options", "answer_index", "category"],
    grader: "choice",
    fields: {
      id: "question_id",
      prompt: "question",
      answer: ({ answer_index }) => toIndex(answer_index),
      choices: "options",
      category: "category",
      family: "src",
    },
    download: {
      file: "mmlu-pro.parquet",
      dataset: "TIGER-Lab/MMLU-Pro",
      path: "data/test-00000-of-00001.parquet",
    },
  },
  {
    id: "gpqa-diamond",
    title: "GPQA-Diamond",
    columns: ["question", ...GPQA_OPTIONS],
    grader: "choice",
    fields: {
      id: "record id",
      prompt: "question",
      // The right option comes first in the file, so that it must be moved, to the same place every time.
      answer: (row) => optionOrder(row).indexOf(0),
      choices: (row) => optionOrder(row).map((position) => gpqaOptions(row)[position]),
      category: "high-level domain",
      family: "subdomain",
    },
    download: {
      file: "gpqa-diamond.csv",
      dataset: "Idavidrein/gpqa",
      path: "gpqa_diamond.csv",
      isGated: true,
    },
  },
  {
    id: "livecodebench",
    title: "LiveCodeBench",
    columns: ["question_content", "starter_code", "public_test_cases", "platform", "difficulty"],
    grader: "code",
    fields: {
      id: "question_id",
      prompt: toLiveCodePrompt,
      category: "platform",
      family: "difficulty",
      tests: toLiveCodeTests,
    },
    download: {
      file: "livecodebench.jsonl",
      dataset: "livecodebench/code_generation_lite",
      path: "test6.jsonl",
    },
  },
  {
    id: "bigcodebench",
    title: "BigCodeBench",
    columns: ["task_id", "instruct_prompt", "test", "entry_point"],
    grader: "code",
    fields: {
      id: "task_id",
      prompt: "instruct_prompt",
      category: () => "code",
      // "['random', 'itertools']": the first library is the kind of work.
      family: ({ libs }) => /[\w.]+/.exec(String(libs ?? ""))?.[0],
      tests: ({ test, entry_point }) => toCheck(entry_point, `${test}\n${RUN_UNIT_TESTS}`),
    },
    download: {
      file: "bigcodebench.parquet",
      dataset: "bigcode/bigcodebench",
      path: "data/v0.1.4-00000-of-00001.parquet",
    },
  },
  {
    id: "humaneval",
    title: "HumanEval",
    columns: ["task_id", "prompt", "entry_point", "test"],
    grader: "code",
    fields: {
      id: "task_id",
      prompt: "prompt",
      category: () => "code",
      tests: ({ test, entry_point }) => toCheck(entry_point, `${test}\ncheck(${entry_point})\n`),
    },
    download: {
      file: "humaneval.parquet",
      dataset: "openai/openai_humaneval",
      path: "openai_humaneval/test-00000-of-00001.parquet",
    },
  },
  {
    id: "rlpr",
    title: "RLPR",
    columns: ["prompt", "reward_model"],
    grader: "maths",
    fields: {
      prompt: ({ prompt }) => toRlprQuestion(prompt),
      answer: "reward_model.ground_truth",
      category: "ability",
      family: "data_source",
    },
    download: { file: "rlpr.parquet", dataset: "openbmb/RLPR-Train-Dataset", path: "rlpr_train.parquet" },
  },
  {
    id: "gsm8k",
    title: "GSM8K",
    columns: ["question", "answer"],
    looksLike: ({ answer }) => /####\s*\S/.test(String(answer)),
    grader: "numeric",
    fields: {
      prompt: "question",
      answer: ({ answer }) => String(answer).split("####").at(-1)!.trim().replaceAll(",", ""),
    },
    download: { file: "gsm8k.parquet", dataset: "openai/gsm8k", path: "main/test-00000-of-00001.parquet" },
  },
  {
    id: "aime",
    title: "AIME",
    columns: ["problem", "answer"],
    looksLike: ({ answer }) => /^\d{1,3}$/.test(String(answer).trim()),
    grader: "numeric",
    fields: {
      id: "id",
      prompt: "problem",
      // "033" is how AIME writes 33.
      answer: ({ answer }) => String(Number(answer)),
    },
    download: { file: "aime.parquet", dataset: "Maxwell-Jia/AIME_2024", path: "aime_2024_problems.parquet" },
  },
  {
    id: "bbh",
    title: "BIG-Bench Hard",
    columns: ["input", "target"],
    // The options, where there are any, stand in the question itself.
    grader: ({ target }) => (LETTER.test(String(target)) ? "choice" : "text"),
    fields: {
      id: (_row, { name, position }) => `bbh/${name}/${position}`,
      prompt: "input",
      answer: ({ target }) => LETTER.exec(String(target))?.[1] ?? target,
      category: (_row, { name }) => name,
    },
    download: {
      file: "bbh",
      dataset: "lukaemon/bbh",
      path: "*/test-00000-of-00001.parquet",
      parts: BBH_TASKS.split(" "),
    },
  },
  PLAIN,
];

const LETTER = /^\s*\(([A-Z])\)\s*$/;

const RUN_UNIT_TESTS = [
  "import unittest as _unittest",
  "_result = _unittest.TextTestRunner(verbosity=0).run(",
  "    _unittest.defaultTestLoader.loadTestsFromTestCase(TestCases))",
  "if not _result.wasSuccessful():",
  "    _text = (_result.failures + _result.errors)[0][1]",
  "    raise AssertionError(_text.strip().splitlines()[-1])",
  "",
].join("\n");

function toCheck(entry: unknown, check: string): CodeTests {
  if (typeof entry !== "string" || entry === "")
    throw badFile(`"entry_point" must name a function, not ${quote(entry)}`);
  return { language: "python", style: "function", entry, check };
}

/** CSV has the position as text. */
function toIndex(value: unknown): unknown {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}

function gpqaOptions(row: SourceRow): string[] {
  return GPQA_OPTIONS.map((column) => String(row[column] ?? "").trim());
}

function optionOrder({ question }: SourceRow): number[] {
  return createRandom(hashSeed("gpqa", String(question).trim())).shuffle([0, 1, 2, 3]);
}

/** A list of messages; models without a chat template were trained with one written into the text. */
function toRlprQuestion(prompt: unknown): unknown {
  if (!Array.isArray(prompt)) return prompt;
  const text = prompt.findLast((message) => message?.role === "user")?.content;
  return typeof text === "string" ? (/\bUser:\s*([\s\S]*?)\s*Assistant:/.exec(text)?.[1] ?? text) : text;
}

function toLiveCodePrompt({ question_title, question_content, starter_code }: SourceRow): string {
  const starter = String(starter_code ?? "").trim();
  const how = starter
    ? `Complete this Python code:\n\`\`\`python\n${starter}\n\`\`\``
    : "Write a Python program that reads standard input and writes standard output.";
  return [question_title, question_content, how].filter(Boolean).join("\n\n");
}
