// What real models write, in all its shapes: each of these texts is a workflow.

import { describe, expect, test } from "vitest";
import { parseWorkflow } from "./parse.ts";
import type { Access, Workflow } from "./types.ts";

const raw = String.raw;

function steps(...entries: [number, string, Access][]): Workflow {
  return { steps: entries.map(([worker, subtask, access]) => ({ worker, subtask, access })) };
}

/** The subtasks alone, for cases about strings: worker 0 does all, and nobody sees anything. */
function parseSubtasks(list: string, count: number): string[] {
  const ids = Array.from({ length: count }, () => 0).join(", ");
  const access = Array.from({ length: count }, () => "[]").join(", ");
  const result = parseWorkflow(`model_id = [${ids}]\nsubtasks = ${list}\naccess_list = [${access}]`, {
    workers: 1,
  });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.workflow.steps.map((step) => step.subtask);
}

function parseAccess(list: string, count: number): Access[] {
  const ids = Array.from({ length: count }, () => 0).join(", ");
  const subtasks = Array.from({ length: count }, (_, i) => `"do ${i}"`).join(", ");
  const result = parseWorkflow(`model_id = [${ids}]\nsubtasks = [${subtasks}]\naccess_list = ${list}`, {
    workers: 1,
  });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.workflow.steps.map((step) => step.access);
}

const SOLVE_CHECK = steps([0, "Solve it", []], [1, "Check it", "all"]);
const PLAIN = `model_id = [0, 1]\nsubtasks = ["Solve it", "Check it"]\naccess_list = [[], ["all"]]`;
const OTHER = `model_id = [2]\nsubtasks = ["Guess"]\naccess_list = [[]]`;

describe("these texts all say: 0 solves, 1 checks and sees all", () => {
  test.each<[string, string]>([
    ["three plain lists", PLAIN],
    ["reasoning before", `I need a solver and a checker, don't I? Let's go.\n\n${PLAIN}`],
    ["reasoning after", `${PLAIN}\n\nThis way the checker sees the solver's work, which isn't costly.`],
    ["colons", `model_id: [0, 1]\nsubtasks: ["Solve it", "Check it"]\naccess_list: [[], ["all"]]`],
    ["no spaces, one line", `model_id=[0,1] subtasks=["Solve it","Check it"] access_list=[[],["all"]]`],
    ["commas between lists", `model_id=[0,1], subtasks=["Solve it","Check it"], access_list=[[],["all"]]`],
    ["semicolons", `model_id=[0,1]; subtasks=["Solve it","Check it"]; access_list=[[],["all"]];`],
    ["Windows line ends", PLAIN.replaceAll("\n", "\r\n")],
    [
      "capital letters",
      `MODEL_ID = [0, 1]\nSUBTASKS = ["Solve it", "Check it"]\nACCESS_LIST = [[], ["ALL"]]`,
    ],
    [
      "spaces in labels",
      `Model IDs: [0, 1]\nSub tasks: ["Solve it", "Check it"]\nAccess list: [[], ["all"]]`,
    ],
    [
      "hyphens in labels",
      `model-id = [0, 1]\nsub-tasks = ["Solve it", "Check it"]\naccess-list = [[], ["all"]]`,
    ],
    ["singular labels", `model id: [0, 1]\nsubtask: ["Solve it", "Check it"]\naccess: [[], ["all"]]`],
    ["short labels", `models = [0, 1]\nsubtasks = ["Solve it", "Check it"]\naccess = [[], "all"]`],
    ["camel case", `{ modelIds: [0, 1], subTasks: ["Solve it", "Check it"], accessList: [[], ["all"]] }`],
    [
      "escaped Markdown",
      raw`model\_id = [0, 1]
subtasks = ["Solve it", "Check it"]
access\_list = [[], ["all"]]`,
    ],
    ["a fence", `Here it is:\n\`\`\`python\n${PLAIN}\n\`\`\`\nDone.`],
    ["a fence without a language", `\`\`\`\n${PLAIN}\n\`\`\``],
    ["a fence that is never closed", `\`\`\`python\n${PLAIN}`],
    [
      "a fence for each list",
      '**model_id**\n```python\n[0, 1]\n```\n**subtasks**\n```python\n["Solve it", "Check it"]\n```\n**access_list**\n```\n[[], ["all"]]\n```',
    ],
    [
      "bold labels",
      `**model_id** = [0, 1]\n**subtasks** = ["Solve it", "Check it"]\n**access_list** = [[], ["all"]]`,
    ],
    [
      "bold with the colon",
      `**Model ID:** [0, 1]\n**Subtasks:** ["Solve it", "Check it"]\n**Access list:** [[], ["all"]]`,
    ],
    ["bullets", `- model_id: [0, 1]\n- subtasks: ["Solve it", "Check it"]\n- access_list: [[], ["all"]]`],
    [
      "numbers",
      `1. model_id = [0, 1]\n2. subtasks = ["Solve it", "Check it"]\n3. access_list = [[], ["all"]]`,
    ],
    [
      "inline code",
      '`model_id` = `[0, 1]`\n`subtasks` = `["Solve it", "Check it"]`\n`access_list` = `[[], ["all"]]`',
    ],
    [
      "headings",
      `### model_id\n[0, 1]\n### subtasks\n["Solve it", "Check it"]\n### access_list\n[[], ["all"]]`,
    ],
    [
      "a remark",
      `Model IDs (one per step): [0, 1]\nSubtasks (strings): ["Solve it", "Check it"]\nAccess list: [[], ["all"]]`,
    ],
    [
      "lists on the next line",
      `model_id:\n[0, 1]\n\nsubtasks:\n["Solve it", "Check it"]\n\naccess_list:\n[[], ["all"]]`,
    ],
    [
      "type hints",
      `model_id: list[int] = [0, 1]\nsubtasks: List[str] = ["Solve it", "Check it"]\naccess_list: list[list[int] | list[str]] = [[], ["all"]]`,
    ],
    [
      "TypeScript",
      `const model_id: number[] = [0, 1];\nconst subtasks: string[] = ["Solve it", "Check it"];\nconst access_list = [[], ["all"]];`,
    ],
    [
      "subscripts",
      `plan["model_id"] = [0, 1]\nplan["subtasks"] = ["Solve it", "Check it"]\nplan["access_list"] = [[], ["all"]]`,
    ],
    ["full-width colons", `model_id：[0, 1]\nsubtasks：["Solve it", "Check it"]\naccess_list：[[], ["all"]]`],
    ["JSON", `{"model_id": [0, 1], "subtasks": ["Solve it", "Check it"], "access_list": [[], ["all"]]}`],
    [
      "JSON over lines",
      JSON.stringify(
        { model_id: [0, 1], subtasks: ["Solve it", "Check it"], access_list: [[], ["all"]] },
        null,
        2,
      ),
    ],
    [
      "JSON in another order",
      `{"subtasks": ["Solve it", "Check it"], "access_list": [[], "all"], "model_id": [0, 1]}`,
    ],
    [
      "nested JSON",
      `{"reasoning": "two steps", "workflow": {"model_id": [0, 1], "subtasks": ["Solve it", "Check it"], "access_list": [[], ["all"]]}}`,
    ],
    [
      "a Python dict",
      `{'model_id': [0, 1], 'subtasks': ['Solve it', 'Check it'], 'access_list': [[], ['all']]}`,
    ],
    [
      "steps as JSON",
      `{"steps":[{"worker":0,"subtask":"Solve it","access":[]},{"worker":1,"subtask":"Check it","access":"all"}]}`,
    ],
    [
      "steps as JSON with more fields",
      '```json\n{"steps": [\n  {"step": 1, "model_id": 0, "why": "strong, at maths", "subtask": "Solve it", "access_list": []},\n  {"step": 2, "model_id": "1", "subtask": "Check it", "access_list": ["all"]},\n]}\n```',
    ],
    [
      "steps as JavaScript",
      `workflow = [{ worker: 0, subtask: 'Solve it', access: null }, { worker: 1, subtask: 'Check it', access: ['all'] }]`,
    ],
    [
      "a bare array of steps",
      `[{"worker": 0, "subtask": "Solve it", "access": []}, {"worker": 1, "subtask": "Check it", "access": "all"}]`,
    ],
    [
      "a bare array with list names",
      `[{"model_id": 0, "subtask": "Solve it", "access_list": []}, {"model_id": 1, "subtask": "Check it", "access_list": ["all"]}]`,
    ],
    ["tuples", `model_id = (0, 1)\nsubtasks = ("Solve it", "Check it")\naccess_list = ((), ("all",))`],
    [
      "trailing commas",
      `model_id = [0, 1,]\nsubtasks = ["Solve it", "Check it",]\naccess_list = [[], ["all",],]`,
    ],
    [
      "comments",
      `model_id = [0, 1]  # solver, checker\nsubtasks = [\n  "Solve it",  # first: don't guess\n  "Check it"   // last, it's short\n]\naccess_list = [\n  [],  # sees nothing\n  ["all"]  # sees "all"\n]`,
    ],
    [
      "ids as strings",
      `model_id = ["0", "1"]\nsubtasks = ["Solve it", "Check it"]\naccess_list = [[], ["all"]]`,
    ],
    [
      "ids with words",
      `model_id = ["Model 0", "model id 1"]\nsubtasks = ["Solve it", "Check it"]\naccess_list = [[], ["all"]]`,
    ],
    [
      "ids with words and no quotes",
      `model_id = [Model 0, Model_1]\nsubtasks = ["Solve it", "Check it"]\naccess_list = [[], [all]]`,
    ],
    [
      "ids as floats",
      `model_id = [0.0, 1.0]\nsubtasks = ["Solve it", "Check it"]\naccess_list = [[], ["all"]]`,
    ],
    ["smart quotes", `model_id = [0, 1]\nsubtasks = [“Solve it”, “Check it”]\naccess_list = [[], [“all”]]`],
    [
      "smart single quotes",
      `model_id = [0, 1]\nsubtasks = [‘Solve it’, ‘Check it’]\naccess_list = [[], [‘all’]]`,
    ],
    [
      "backticks as quotes",
      "model_id = [0, 1]\nsubtasks = [`Solve it`, `Check it`]\naccess_list = [[], [`all`]]",
    ],
    [
      "one access for all steps",
      `model_id = [0, 1]\nsubtasks = ["Solve it", "Check it"]\naccess_list = "all"`,
    ],
    ["the same without quotes", `model_id = [0, 1]\nsubtasks = ["Solve it", "Check it"]\naccess_list: all`],
    [
      "all on the first step",
      `model_id = [0, 1]\nsubtasks = ["Solve it", "Check it"]\naccess_list = [["all"], ["all"]]`,
    ],
    ["a think block", `<think>Which model? I could set model_id = [2].</think>\n${PLAIN}`],
    ["a draft in the think block", `<think>${OTHER}\nNo, better two.</think>\n\n${PLAIN}`],
    ["an unclosed list in the think block", `<think>model_id = [2], subtasks = ["Gue</think>\n\n${PLAIN}`],
    [
      "an unclosed string in a draft",
      `First idea: model_id = [2]\nsubtasks = ["Guess it\n\nNo. Better:\n${PLAIN}`,
    ],
    ["nothing but reasoning", `<think>I will write\n${PLAIN}\n</think>\n`],
    ["a think block that is not closed", `<think>I will write\n${PLAIN}`],
    ["a draft, then the final version", `${OTHER}\n\nHmm, that is too weak. Final:\n\n${PLAIN}`],
    ["a list mentioned before", `I set model_id = [2, 2] because it is cheap. No.\n${PLAIN}`],
    [
      "a list mentioned after",
      `${PLAIN}\nI set model_id = [0, 1] because they differ; access_list = [[], []] would blind the checker.`,
    ],
    [
      "a subtask mentioned before",
      `Subtask: first I let one solve it.\nsubtasks: ["Guess"] is too short.\n${PLAIN}`,
    ],
    [
      "placeholders before",
      `The format is model_id = [...], subtasks = ["...", ...], access_list = [...].\n${PLAIN}`,
    ],
    ["placeholders after", `${PLAIN}\n(Format: model_id = [...], subtasks = [...], access_list = [...])`],
    ["an enumeration before", `Subtasks: (1) solve, (2) check. Models: (0) and (1).\n${PLAIN}`],
    ["citations before", `Model 0 [1] is good, access: see [2].\n${PLAIN}`],
    ["the same plan twice", `${PLAIN}\n\n${PLAIN}`],
    [
      "a draft with a mistake",
      `model_id = [0, 9]\nsubtasks = ["x"]\naccess_list = [[7]]\n\nFixed:\n${PLAIN}`,
    ],
    ["a draft that is broken", `model_id = [0, 1\nsubtasks = [Solve, "x]\n\nAgain, properly:\n${PLAIN}`],
  ])("%s", (_, text) => {
    expect(parseWorkflow(text, { workers: 3 })).toEqual({ ok: true, workflow: SOLVE_CHECK });
  });
});

describe("subtasks as they were meant", () => {
  test.each<[string, string, string[]]>([
    [
      "apostrophes in single quotes",
      `['don't do it', 'it's the worker's turn']`,
      ["don't do it", "it's the worker's turn"],
    ],
    [
      "plural apostrophes",
      `['Compare the students' answers, the teachers' too', 'b']`,
      ["Compare the students' answers, the teachers' too", "b"],
    ],
    ["mixed quotes", `["It's 'fine'", 'Say "yes"']`, ["It's 'fine'", 'Say "yes"']],
    ["escaped quotes", raw`["Say \"yes\", then", 'don\'t']`, ['Say "yes", then', "don't"]],
    ["quotes nobody escaped", `["Say "yes" to it", "b"]`, ['Say "yes" to it', "b"]],
    ["quotes nobody escaped, before a comma", `["Say "yes", then stop", "b"]`, ['Say "yes", then stop', "b"]],
    [
      "a quoted list nobody escaped",
      `["Choose "a", "b" or "c" now", "d"]`,
      ['Choose "a", "b" or "c" now', "d"],
    ],
    ["keys nobody escaped", `["Read data["key"] first"]`, ['Read data["key"] first']],
    ["calls nobody escaped", `['Run print('hi') once', 'b']`, ["Run print('hi') once", "b"]],
    ["escapes", raw`["a\nb\tc\\d\u00e9\x41\/e"]`, ["a\nb\tc\\d\u00e9A/e"]],
    ["a surrogate pair", raw`["\ud83d\ude00 \U0001F600"]`, ["😀 😀"]],
    [
      "unknown escapes keep their backslash",
      raw`["match \d+ and \(x\) \sqrt{2} \u12"]`,
      [raw`match \d+ and \(x\) \sqrt{2} \u12`],
    ],
    [
      "LaTeX that looks like escapes",
      raw`["\frac{1}{2} \times \theta\text{ m}"]`,
      [raw`\frac{1}{2} \times \theta\text{ m}`],
    ],
    ["escapes that look like LaTeX", raw`["a:\n\texit()\r\nbeta"]`, ["a:\n\texit()\r\nbeta"]],
    ["raw newlines", `["First line\nsecond line", "b"]`, ["First line\nsecond line", "b"]],
    ["triple double quotes", `["""Say "x", 'y'\nand [z]""", "b"]`, [`Say "x", 'y'\nand [z]`, "b"]],
    ["triple single quotes", `['''it's "fine"''', 'b']`, [`it's "fine"`, "b"]],
    ["strings joined over lines", `[\n  "Solve the "\n  "problem",\n  "b"\n]`, ["Solve the problem", "b"]],
    ["strings joined on a line", `[("a" "b"), "c" 'd', "e""f"]`, ["ab", "cd", "ef"]],
    ["strings joined with +", `["a" + "b", "c"]`, ["ab", "c"]],
    ["raw strings", raw`[r"\n is \frac", R'\t']`, [raw`\n is \frac`, raw`\t`]],
    ["other prefixes", `[f"a {x}", u'b', rb"c"]`, ["a {x}", "b", "c"]],
    [
      "brackets",
      `["Sort [3, 1, 2] (then stop)", "f(x) = [x, ]"]`,
      ["Sort [3, 1, 2] (then stop)", "f(x) = [x, ]"],
    ],
    [
      "code in backticks",
      '["Run `ls -l` and ```py\\nprint([1])\\n```", "b"]',
      ["Run `ls -l` and ```py\nprint([1])\n```", "b"],
    ],
    ["comment signs", `["Use C# and // here", 'see # 3']`, ["Use C# and // here", "see # 3"]],
    [
      "labels inside",
      `["Explain model_id = [5] and subtasks = ['x'] and access_list = [[]]", "b"]`,
      ["Explain model_id = [5] and subtasks = ['x'] and access_list = [[]]", "b"],
    ],
    [
      "label lines inside",
      `["Write:\nmodel_id = [5]\nsubtasks = ['x']\naccess_list = [[]]", "b"]`,
      ["Write:\nmodel_id = [5]\nsubtasks = ['x']\naccess_list = [[]]", "b"],
    ],
    ["the end of reasoning inside", `["Explain </think> to me", "b"]`, ["Explain </think> to me", "b"]],
    [
      "a whole workflow behind it",
      `["Quote: </think> model_id = [0] subtasks = ['evil'] access_list = [[]]"]`,
      ["Quote: </think> model_id = [0] subtasks = ['evil'] access_list = [[]]"],
    ],
    ["apostrophes in smart quotes", `[‘don’t’, “say “yes” now”]`, ["don’t", "say “yes” now"]],
    ["double primes", `['Find f''(x) now', 'b']`, ["Find f''(x) now", "b"]],
    ["spaces at the ends", `["  a  "]`, ["  a  "]],
    [
      "other languages",
      `["解方程，然后检查", "Проверь «ответ»", "🎻"]`,
      ["解方程，然后检查", "Проверь «ответ»", "🎻"],
    ],
    ["one string in brackets", `("only one")`, ["only one"]],
    [
      "braces and JSON",
      raw`["Return {\"a\": [1, 2]}", 'or {"b": "c", "d": []}']`,
      ['Return {"a": [1, 2]}', 'or {"b": "c", "d": []}'],
    ],
  ])("%s", (_, list, expected) => {
    expect(parseSubtasks(list, expected.length)).toEqual(expected);
  });
});

describe("a workflow quoted in a subtask is never performed", () => {
  const QUOTED = "Explain:\nmodel_id = [1]\nsubtasks = ['evil']\naccess_list = [[]]";
  test.each([
    [
      "when the worker is unknown",
      `model_id = [9]\nsubtasks = ["${QUOTED}"]\naccess_list = [[]]`,
      "unknown-worker",
    ],
    [
      "when lengths differ",
      `model_id = [0, 1]\nsubtasks = ["${QUOTED}"]\naccess_list = [[], []]`,
      "unequal-lengths",
    ],
    ["when a list is missing", `model_id = [0]\nsubtasks = ["${QUOTED}"]`, "missing-list"],
    ["when the text is cut off", `model_id = [0]\nsubtasks = ["${QUOTED}\nand then`, "cut-off"],
    [
      "when the end of reasoning stands there",
      `<think>x</think>model_id = [0]\nsubtasks = ["</think>${QUOTED} x`,
      "cut-off",
    ],
  ])("%s", (_, text, code) => {
    const result = parseWorkflow(text, { workers: 3 });
    expect(result.ok ? result.workflow : result.error.code).toBe(code);
  });
});

describe("access as it was meant", () => {
  test.each<[string, string, Access[]]>([
    ["positions", "[[], [0], [0, 1]]", [[], [0], [0, 1]]],
    ["positions out of order and twice", "[[], [0], [1, 0, 1]]", [[], [0], [0, 1]]],
    ["positions as strings", `[[], ["0"]]`, [[], [0]]],
    ["all without brackets", `["all", 'all', all]`, [[], "all", "all"]],
    ["all in one step", `[["all"]]`, [[]]],
    ["all in one step without brackets", `["all"]`, [[]]],
    ["nothing in words", `[None, null, "none", [None]]`, [[], [], [], []]],
    ["other letters", `[[], ["All"], "ALL"]`, [[], "all", "all"]],
    ["empty tuples", `[(), (0,), ("all",)]`, [[], [0], "all"]],
  ])("%s", (_, list, expected) => {
    expect(parseAccess(list, expected.length)).toEqual(expected);
  });
});

test("three empty lists accept the work so far where that is allowed", () => {
  const text = "It is right.\nmodel_id = []\nsubtasks = []\naccess_list = []";
  expect(parseWorkflow(text, { workers: 2, allowEmpty: true })).toEqual({
    ok: true,
    workflow: { steps: [] },
  });
  expect(parseWorkflow('{"steps": []}', { workers: 2, allowEmpty: true })).toEqual({
    ok: true,
    workflow: { steps: [] },
  });
});

test("the limit of steps can be raised", () => {
  const text = `model_id = [${"0,".repeat(9)}]\nsubtasks = [${'"x",'.repeat(9)}]\naccess_list = "all"`;
  const result = parseWorkflow(text, { workers: 1, maxSteps: 9 });
  expect(result.ok && result.workflow.steps).toHaveLength(9);
});
