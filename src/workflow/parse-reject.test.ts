// Texts that are no workflow: each is refused with a code for programs and a message that says what is right.

import { describe, expect, test } from "vitest";
import { parseWorkflow } from "./parse.ts";
import type { ParseOptions, WorkflowErrorCode } from "./types.ts";

const PLAIN = `model_id = [0, 1]\nsubtasks = ["Solve it", "Check it"]\naccess_list = [[], ["all"]]`;

function lists(modelId: string, subtasks: string, access: string): string {
  return `model_id = ${modelId}\nsubtasks = ${subtasks}\naccess_list = ${access}`;
}

function parseError(text: string, options: ParseOptions = { workers: 3 }) {
  const result = parseWorkflow(text, options);
  if (result.ok) throw new Error(`Accepted: ${JSON.stringify(result.workflow)}`);
  return result.error;
}

const CASES: [string, string, WorkflowErrorCode, string][] = [
  ["an empty text", "", "nothing-found", "write the lists model_id, subtasks, access_list"],
  ["prose", "I don't know. Ask the first model to solve it.", "nothing-found", "no workflow"],
  [
    "labels in prose only",
    "Subtask: solve it. The model_id is 2; access: everything.",
    "nothing-found",
    "no workflow",
  ],
  [
    "placeholders only",
    "model_id = [...]\nsubtasks = [...]\naccess_list = [...]",
    "nothing-found",
    "no workflow",
  ],
  ["JSON of something else", '{"answer": [{"text": "42"}]}', "nothing-found", "no workflow"],
  ["one list only", "model_id = [0, 1]", "missing-list", "subtasks and access_list are missing"],
  ["two lists only", 'model_id = [0]\nsubtasks = ["x"]', "missing-list", "access_list is missing"],
  ["no ids", 'subtasks = ["x"]\naccess_list = [[]]', "missing-list", "model_id is missing"],
  [
    "an answer with one list after a draft",
    `<think>${PLAIN}</think>\nmodel_id = [0]`,
    "missing-list",
    "subtasks and",
  ],
  [
    "steps without access",
    '{"steps": [{"worker": 0, "subtask": "x"}]}',
    "missing-list",
    'position 0 has no "access"',
  ],
  [
    "steps without a worker",
    '{"steps": [{"subtask": "x", "access": []}]}',
    "missing-list",
    'has no "worker"',
  ],
  ["a cut string", 'model_id = [0]\nsubtasks = ["Solve the prob', "cut-off", "subtasks is cut off"],
  ["a cut list of ids", "model_id = [0, 1", "cut-off", "model_id is cut off"],
  ["a cut word", "model_id = [Model 0, Mod", "cut-off", "model_id is cut off"],
  ["a cut access list", lists("[0, 1]", '["x", "y"]', '[[], ["al'), "cut-off", "access_list is cut off"],
  [
    "a label at the end",
    'model_id = [0]\nsubtasks = ["x"]\naccess_list =',
    "cut-off",
    "access_list is cut off",
  ],
  ["a cut triple quote", 'model_id = [0]\nsubtasks = ["""x', "cut-off", "subtasks is cut off"],
  ["cut JSON", '{"model_id": [0], "subtasks": ["x", "y', "cut-off", "subtasks is cut off"],
  ["cut steps", '{"steps": [{"worker": 0, "subtask": "x", "acc', "cut-off", "steps is cut off"],
  [
    "a final version cut in its strings",
    `${PLAIN}\nBetter:\nmodel_id = [2]\nsubtasks = ["So`,
    "cut-off",
    "subtasks",
  ],
  ["a final version cut in its ids", `${PLAIN}\nBetter:\nmodel_id = [2, `, "cut-off", "model_id is cut off"],
  [
    "a final version cut between two lists",
    `${PLAIN}\nBetter:\nmodel_id = [2]\nsubtasks = ["So"]\n`,
    "missing-list",
    "access_list is missing",
  ],
  [
    "ids never closed",
    'model_id = [0, 1\nsubtasks = ["x", "y"]\naccess_list = [[], []]',
    "cut-off",
    "never closed",
  ],
  [
    "subtasks never closed",
    'model_id = [0]\nsubtasks = ["x"\naccess_list = [[]]',
    "cut-off",
    "subtasks is never closed",
  ],
  ["a string never closed", lists("[0]", '["x]', "[[]]"), "cut-off", "subtasks is"],
  [
    "a fence before the bracket",
    `\`\`\`\n${lists("[0]", '["x"]', "[[]")}\n\`\`\``,
    "cut-off",
    "access_list is never",
  ],
  [
    "unquoted subtasks",
    lists("[0, 1]", "[Solve it, Check it]", "[[], []]"),
    "bad-list",
    "is Solve it: write a string",
  ],
  ["unquoted sentences", lists("[0]", "[Solve it. Then stop!]", "[[]]"), "bad-list", "strings in quotes"],
  ["numbers for subtasks", lists("[0]", "[1]", "[[]]"), "bad-list", "subtasks at position 0 is 1"],
  ["nothing for a subtask", lists("[0]", "[None]", "[[]]"), "bad-list", "subtasks at position 0 is null"],
  ["names for ids", lists('["gpt-5"]', '["x"]', "[[]]"), "bad-list", 'model_id at position 0 is "gpt-5"'],
  ["fractions for ids", lists("[0, 1.5]", '["x", "y"]', "[[], []]"), "bad-list", "position 1 is 1.5"],
  ["booleans for ids", lists("[True]", '["x"]', "[[]]"), "bad-list", "is True: write the worker's number"],
  ["lists for ids", lists("[[0]]", '["x"]', "[[]]"), "bad-list", "is [0]: write"],
  ["code for ids", lists("[x for x in range(3)]", '["x"]', "[[]]"), "bad-list", "such as [0, 1]"],
  [
    "steps that are not objects",
    '{"steps": [{"worker": 0, "subtask": "x", "access": []}, 5]}',
    "bad-list",
    "1 is 5",
  ],
  [
    "lists nested too deeply",
    lists("[0]", '["x"]', `${"[".repeat(50)}${"]".repeat(50)}`),
    "bad-list",
    "one entry per step",
  ],
  [
    "fewer subtasks",
    lists("[0, 1, 2]", '["x", "y"]', "[[], [], []]"),
    "unequal-lengths",
    "model_id has 3 entries but subtasks has 2",
  ],
  [
    "fewer accesses",
    lists("[0, 1]", '["x", "y"]', "[[]]"),
    "unequal-lengths",
    "2 entries but access_list has 1: all three",
  ],
  [
    "one empty access list for all",
    lists("[0, 1, 2]", '["x", "y", "z"]', "[]"),
    "unequal-lengths",
    "access_list has 0",
  ],
  [
    "one all in brackets for all",
    lists("[0, 1]", '["x", "y"]', '["all"]'),
    "unequal-lengths",
    "access_list has 1",
  ],
  ["a comma forgotten", lists("[0, 1]", '["x" "y"]', "[[], []]"), "unequal-lengths", "subtasks has 1"],
  ["three empty lists", lists("[]", "[]", "[]"), "no-steps", "write 1 to 5"],
  ["no steps as JSON", '{"steps": []}', "no-steps", "no steps"],
  [
    "six steps",
    lists(`[${"0,".repeat(6)}]`, `[${'"x",'.repeat(6)}]`, '"all"'),
    "too-many-steps",
    "6 steps: at most 5",
  ],
  [
    "a worker too many",
    lists("[3]", '["x"]', "[[]]"),
    "unknown-worker",
    "no worker 3 (position 0): use 0 to 2",
  ],
  [
    "a negative worker",
    lists("[0, -1]", '["x", "y"]', "[[], []]"),
    "unknown-worker",
    "no worker -1 (position 1)",
  ],
  [
    "an enormous worker",
    lists("[99999999999999999999]", '["x"]', "[[]]"),
    "unknown-worker",
    "100000000000000000000",
  ],
  ["a blank subtask", lists("[0, 1]", '["x", "  "]', "[[], []]"), "blank-subtask", "position 1 is blank"],
  ["an empty subtask", lists("[0]", '[""]', "[[]]"), "blank-subtask", "position 0 is blank"],
  [
    "a step that sees itself",
    lists("[0, 1]", '["x", "y"]', "[[], [1]]"),
    "bad-access",
    "earlier positions (0 to 0)",
  ],
  [
    "a step that sees a later one",
    lists("[0, 1]", '["x", "y"]', "[[1], []]"),
    "bad-access",
    "the first step sees nothing",
  ],
  [
    "one of several later",
    lists("[0, 1, 2]", '["x", "y", "z"]', "[[], [], [0, 2]]"),
    "bad-access",
    "and 2 is not an earlier",
  ],
  ["a negative position", lists("[0, 1]", '["x", "y"]', "[[], [-1]]"), "bad-access", "is [-1]"],
  [
    "a number without brackets",
    lists("[0, 1]", '["x", "y"]', "[[], 0]"),
    "bad-access",
    'is 0: write [], ["all"]',
  ],
  ["a word for access", lists("[0, 1]", '["x", "y"]', '[[], ["previous"]]'), "bad-access", 'is ["previous"]'],
  ["all among positions", lists("[0, 1]", '["x", "y"]', '[[], ["all", 0]]'), "bad-access", 'is ["all", 0]'],
  ["lists in access", lists("[0, 1]", '["x", "y"]', "[[], [[0]]]"), "bad-access", "is [[0]]"],
  ["half positions", lists("[0, 1]", '["x", "y"]', "[[], [0.5]]"), "bad-access", "is [0.5]"],
];

describe("refuses", () => {
  test.each(CASES)("%s", (_, text, code, fragment) => {
    const error = parseError(text);
    expect(error.code).toBe(code);
    expect(error.message).toContain(fragment);
  });
});

test("a value in a message is short", () => {
  const { message } = parseError(lists("[0]", '["x"]', `["${"y".repeat(10_000)}"]`));
  expect(message).toContain("yyy");
  expect(message.length).toBeLessThan(160);
});

test("an empty pool has no worker", () => {
  expect(parseError(PLAIN, { workers: 0 })).toEqual({
    code: "unknown-worker",
    message: "There is no worker 0 (position 0): the pool is empty",
  });
});

test("garbage from JavaScript callers is refused, not thrown at", () => {
  for (const text of [undefined, null, 5, {}, [], Symbol("x"), () => PLAIN]) {
    expect(parseError(text as unknown as string).code).toBe("nothing-found");
  }
  for (const options of [undefined, null, {}, { workers: Number.NaN }, { workers: "x" }]) {
    const result = parseWorkflow(PLAIN, options as unknown as ParseOptions);
    expect(result.ok ? "accepted" : result.error.code).toBe("unknown-worker");
  }
});
