// What must hold for every text: nothing is thrown, time is linear, and what is rendered is read back exactly.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseWorkflow } from "./parse.ts";
import { renderWorkflow } from "./render.ts";
import type { Access, Workflow } from "./types.ts";
import { validateWorkflow } from "./validate.ts";

const FRAGMENTS = [
  "model_id", "subtasks", "access_list", "steps", "model_id = [0]\n", "subtasks = [", "access_list: [[]]", '"all"',
  "=", ":", "[", "]", "(", ")", "{", "}", ",", '"', "'", '"""', "'''", "“", "”", "’", "`", "```", "\\", '\\"', "\\u00",
  "\n", " ", "\t", "#", "//", "0", "-1", "None", "<think>", "</think>", "**", "don't", "…", "\ud800", "\udc00", "é", "\0",
  "{worker: 0", "\\text{", "\\frac{", "+", "r", "\u2028",
]; // biome-ignore format: a table
const fragmentText = fc
  .array(fc.constantFrom(...FRAGMENTS), { maxLength: 12 })
  .map((parts) => parts.join(""));
const subtask = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fragmentText,
  )
  .filter((text) => text.trim() !== "");

const workflowOf = (maxSteps: number): fc.Arbitrary<Workflow> =>
  fc
    .array(
      fc.record({
        worker: fc.nat(6),
        subtask,
        access: fc.oneof(fc.constant<Access>("all"), fc.array(fc.nat(100), { maxLength: 3 })),
      }),
      { minLength: 1, maxLength: maxSteps },
    )
    .map((steps) => ({
      steps: steps.map((step, position) => ({ ...step, access: toValidAccess(step.access, position) })),
    }));

function toValidAccess(access: Access, position: number): Access {
  if (position === 0) return [];
  if (typeof access === "string") return access;
  return [...new Set(access.map((seen) => seen % position))].sort((a, b) => a - b);
}

const OPTIONS = { workers: 7, maxSteps: 8 };

describe("what is rendered is read back exactly", () => {
  test("alone", () => {
    fc.assert(
      fc.property(workflowOf(8), (workflow) => {
        expect(parseWorkflow(renderWorkflow(workflow), OPTIONS)).toEqual({ ok: true, workflow });
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  test("after reasoning, in a fence, before an explanation", () => {
    fc.assert(
      fc.property(workflowOf(3), workflowOf(3), (draft, workflow) => {
        const text = `<think>It's "hard". ${renderWorkflow(draft)}</think>So:\n\`\`\`python\n${renderWorkflow(workflow)}\n\`\`\`\nDon't worry.`;
        expect(parseWorkflow(text, OPTIONS)).toEqual({ ok: true, workflow });
      }),
      { seed: 2, numRuns: 500 },
    );
  });

  test("as JSON, in both forms", () => {
    fc.assert(
      fc.property(workflowOf(8), (workflow) => {
        const { steps } = workflow;
        const lists = {
          model_id: steps.map((step) => step.worker),
          subtasks: steps.map((step) => step.subtask),
          access_list: steps.map((step) => step.access),
        };
        expect(parseWorkflow(JSON.stringify(lists), OPTIONS)).toEqual({ ok: true, workflow });
        expect(parseWorkflow(JSON.stringify(workflow), OPTIONS)).toEqual({ ok: true, workflow });
      }),
      { seed: 3, numRuns: 1000 },
    );
  });

  test("as Python writes it", () => {
    const toPython = (text: string) => {
      const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
      const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(quote, `\\${quote}`);
      return quote + escaped + quote;
    };
    fc.assert(
      fc.property(workflowOf(8), ({ steps }) => {
        const text = `{'model_id': [${steps.map((step) => step.worker)}], 'subtasks': [${steps.map((step) => toPython(step.subtask)).join(", ")}], 'access_list': [${steps.map((step) => (typeof step.access === "string" ? "['all']" : `[${step.access.join(", ")}]`)).join(", ")}]}`;
        expect(parseWorkflow(text, OPTIONS)).toEqual({ ok: true, workflow: { steps } });
      }),
      { seed: 6, numRuns: 1000 },
    );
  });

  test("with all on the first step read as nothing, and no steps as no steps", () => {
    const steps = [{ worker: 0, subtask: "x", access: "all" as const }];
    const result = parseWorkflow(renderWorkflow({ steps }), OPTIONS);
    expect(result.ok && result.workflow.steps[0]?.access).toEqual([]);
    const empty = parseWorkflow(renderWorkflow({ steps: [] }), { ...OPTIONS, allowEmpty: true });
    expect(empty).toEqual({ ok: true, workflow: { steps: [] } });
  });
});

describe("never throws, and accepts nothing that is invalid", () => {
  function check(text: string) {
    const result = parseWorkflow(text, OPTIONS);
    if (result.ok) expect(validateWorkflow(result.workflow, OPTIONS)).toBeUndefined();
    else expect(result.error.message).not.toBe("");
  }

  test("for random text", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((parts) => parts.join("")),
    );
    fc.assert(fc.property(text, check), { seed: 4, numRuns: 5000 });
  });

  test("for mutated completions", () => {
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      drop: fc.nat(8),
      insert: fc.constantFrom("", ...FRAGMENTS),
    });
    const mutated = fc
      .tuple(workflowOf(4), fc.array(edit, { minLength: 1, maxLength: 6 }))
      .map(([workflow, edits]) =>
        edits.reduce((text, { at, drop, insert }) => {
          const position = Math.floor(at * text.length);
          return text.slice(0, position) + insert + text.slice(position + drop);
        }, renderWorkflow(workflow)),
      );
    fc.assert(fc.property(mutated, check), { seed: 5, numRuns: 5000 });
  });

  test("for every beginning of a completion, and what is cut is not accepted", () => {
    const text =
      'Let us see.\nmodel_id = [0, 1]\nsubtasks = ["Don\'t guess", "Check \\"it\\""]\naccess_list = [[], ["all"]]';
    for (let end = 0; end < text.length; end++) {
      expect(parseWorkflow(text.slice(0, end), OPTIONS).ok, text.slice(0, end)).toBe(false);
    }
    expect(parseWorkflow(text, OPTIONS).ok).toBe(true);
  });
});

// How many milliseconds is a matter of speed/parse.mjs; here only that four times the text does not take
// sixteen times as long.
describe("one megabyte of hostile text takes time in proportion", () => {
  const SIZE = 1_000_000;
  const LISTS = 'model_id=[0]\nsubtasks=["';
  const repeated = [
    "[", "{", "(", "model_id = [", "subtasks=[", 'subtasks=["', "subtasks=['", '"', "'", '"""', "'''", "“", "`", "```",
    "\\", '\\"', "\\u0041", LISTS, `${LISTS}a"]\naccess_list=[[]]\n`, 'subtasks=["""', 'subtasks=["a" ', 'subtasks=["a", ',
    "```python\n", "</think>", "<think>", "model_id = [0, ", "model_id", "model_id ", "model_id=", "model_id\n",
    "steps: [{", "[{", '[{"a":', '[ {"worker": 0, ', '{"steps":[{"subtask":"', "access: ", 'access_list="all"\n', "#\n",
    '" # ', '", # ', "' ' ", "subtasks: list[", "model_id (", "a, ", '"," ', "\n", "\nmodel_id=[", "model_id=#", "0", "0,",
    '" + ', "[\n", 'model_id=[0]subtasks=["x"]access_list=[[]]', "model_id = [Model ", "modelmodel", "\\text{", "**",
  ]; // biome-ignore format: a table
  const texts: [string, string][] = [
    ...repeated.map((part): [string, string] => [part, part.repeat(Math.ceil(SIZE / part.length))]),
    ...repeated.map((part): [string, string] => [
      `subtasks = ["${part}`,
      `subtasks = ["${part.repeat(SIZE / part.length)}`,
    ]),
    ...["“", "`", "' ' ", "[{", "a, "].map((part): [string, string] => [
      `model_id = [[${part}`,
      `model_id = [[${part.repeat(SIZE / part.length)}`,
    ]),
    ["steps and quotes", `{"steps":[{"subtask":"${'", '.repeat(SIZE / 3)}`],
    ["a label, then space", `model_id =${" ".repeat(SIZE)}[0]`],
    ["labels, each with much space", `model_id =${" ".repeat(1000)}`.repeat(SIZE / 1010)],
    ["quotes, each with much space", `subtasks = ["${`"${" ".repeat(1000)}`.repeat(SIZE / 1001)}`],
    ["a long number", `model_id = [${"1".repeat(SIZE)}x`],
    ["a long comment", `subtasks = ["x" # ${'" # '.repeat(SIZE / 4)}`],
    ["a long string", `model_id = [0]\nsubtasks = ["${"x ".repeat(SIZE / 2)}"]\naccess_list = [[]]`],
    ["a long list", `model_id = [${"0,".repeat(SIZE / 2)}]\nsubtasks = ["x"]\naccess_list = [[]]`],
    ["a swallowed answer", `subtasks = ["${'</think>\nmodel_id=[0]\nsubtasks=["x'.repeat(SIZE / 35)}`],
  ];

  // CPU time: other processes do not count.
  const timeOf = (text: string) => {
    const started = process.cpuUsage();
    parseWorkflow(text, OPTIONS);
    return process.cpuUsage(started).user / 1000;
  };

  test.each(texts)("%j", (_, text) => {
    const quarter = text.slice(0, text.length / 4);
    let [whole, part] = [timeOf(text), timeOf(quarter)];
    const isLinear = () => whole <= 8 * part + 20;
    // A busy machine may hold up either of them: the best of a few counts.
    for (let attempt = 0; attempt < 6 && !isLinear(); attempt++) {
      [whole, part] = [Math.min(whole, timeOf(text)), Math.min(part, timeOf(quarter))];
    }
    expect(isLinear(), `${whole} ms, a quarter of it ${part} ms`).toBe(true);
  });
});
