// What models reply: the answer in it, the JSON in it, and how it is graded.

import fc from "fast-check";
import { extractAnswer } from "../../src/answer/extract.ts";
import { readJsonOutput } from "../../src/answer/json-output.ts";
import { normaliseAnswer, sameAnswer } from "../../src/answer/normalise.ts";
import { gradeChoice } from "../../src/task/grade/choice.ts";
import { gradeJson } from "../../src/task/grade/json.ts";
import { gradeMaths } from "../../src/task/grade/maths.ts";
import { gradeNumeric } from "../../src/task/grade/numeric.ts";
import { gradeText } from "../../src/task/grade/text.ts";
import { sameMaths } from "../../src/task/maths/same-maths.ts";
import type { Grade, GradedTask, GraderName } from "../../src/task/types.ts";
import { type FuzzTarget, must, toText, toTwo } from "../target.ts";

const WORDS = [
  "Answer: ",
  "The answer is ",
  "**",
  "\\boxed{",
  "}",
  "$",
  "(A)",
  "B.",
  "option C",
  "not ",
  "or ",
  "\n\n",
];
const MATHS = [
  "\\frac{",
  "\\sqrt{",
  "^{",
  "_{",
  "\\pi",
  "\\cup",
  "[",
  ")",
  "x",
  "1,000",
  "%",
  "\\pm",
  "!",
  "e^",
  "\\begin{pmatrix}",
];

export const answer: FuzzTarget = {
  name: "answer",
  tokens: [...WORDS, "```", "<think>", "</think>"],
  inputs: fc.string({ unit: "grapheme" }),
  check(input) {
    const text = toText(input);
    const normal = normaliseAnswer(extractAnswer(text));
    must(normaliseAnswer(normal) === normal, "normalising twice is not normalising once");
    must(sameAnswer(text, text), "an answer is not its own");
  },
};

export const jsonOutput: FuzzTarget = {
  name: "json-output",
  tokens: ["```json\n", "```", "{", "}", "[", "]", '"', ",", "Here it is: ", "\\"],
  inputs: fc.tuple(fc.string(), fc.json(), fc.string()).map((parts) => parts.join("")),
  async check(input) {
    for (const schema of [undefined, { type: "object", required: ["a"] }]) {
      const read = await readJsonOutput(toText(input), schema);
      if (read.ok) JSON.parse(read.text);
    }
  },
};

const number = fc.oneof(fc.double().map(String), fc.integer().map(String), fc.constantFrom(...MATHS));

export const maths: FuzzTarget = {
  name: "maths",
  // Up to 2,000 characters are read as maths, and a long product takes the square of its factors.
  overheadMs: 1_000,
  tokens: [...MATHS, "\n%%\n"],
  inputs: fc.array(number, { maxLength: 12 }).map((parts) => parts.join("")),
  check(input) {
    const [expected, said] = toTwo(input);
    const there = sameMaths(expected, said);
    const back = sameMaths(said, expected);
    // The shapes of messages differ; with units and percent the sides are not alike.
    if (!/[%=a-z\\°$]/i.test(expected + said))
      must(
        (there === undefined) === (back === undefined),
        `${expected} and ${said} are the same one way only`,
      );
  },
};

const GRADERS: readonly [GraderName, (task: GradedTask, answer: string) => Grade][] = [
  ["choice", gradeChoice],
  ["numeric", gradeNumeric],
  ["text", gradeText],
  ["json", gradeJson],
  ["maths", gradeMaths],
];

export const graders: FuzzTarget = {
  name: "graders",
  overheadMs: 1_000,
  tokens: [...WORDS, "3.14", "1e5", "1/3", '{"a":1}', "\n%%\n", "none of these", "I think", "because"],
  inputs: fc.tuple(fc.string(), fc.lorem()).map((two) => two.join("\n%%\n")),
  check(input) {
    const [expected, said] = toTwo(input);
    const choices = ["red", "green", "blue and red", expected.slice(0, 200)];
    const base = { id: "x", set: "s", category: "c", family: "f", prompt: "Which?" };
    for (const [grader, grade] of GRADERS) {
      const right = grader === "choice" ? "B" : grader === "json" ? '{"a":1}' : expected;
      const { score, why } = grade({ ...base, grader, answer: right, choices, tolerance: 0.01 }, said);
      must(score >= 0 && score <= 1, `a score of ${score}`);
      must(why.length < 2_000, "a reason repeats the whole reply");
    }
  },
};
