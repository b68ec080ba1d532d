// JavaScript programs, right and wrong, in Node inside bubblewrap (where it works) and in QuickJS.
import { describe, expect, it } from "vitest";
import { chooseSandbox } from "../sandbox/sandbox.ts";
import type { CodeTests, GradedTask } from "../types.ts";
import { gradeCode } from "./grade-code.ts";

type Program = [name: string, source: string, score: 0 | 1, why?: RegExp, tests?: Partial<CodeTests>];

const toTask = (tests: CodeTests): GradedTask => ({
  ...{ id: "task", set: "test", category: "code", family: "small", prompt: "", answer: "", grader: "code" },
  tests: { timeoutMs: 4_000, ...tests },
});
const fence = (source: string, language = "python") =>
  `Here it is.\n\n\`\`\`${language}\n${source}\n\`\`\`\n`;

const SUM: CodeTests = {
  ...{ language: "javascript", style: "stdin" },
  cases: [
    { input: "1 2\n", output: "3\n" },
    { input: "10 -4\n", output: "6\n" },
  ],
};
const JAVASCRIPT: Program[] = [
  [
    "a right program",
    "const [a, b] = require('fs').readFileSync(0, 'utf8').split(' ').map(Number);\nconsole.log(a + b)",
    1,
  ],
  [
    "reading line by line",
    "require('readline').createInterface({ input: process.stdin }).on('line', (l) => { const [a, b] = l.split(' ').map(Number); console.log(a + b); })",
    1,
  ],
  ["a wrong program", "console.log(3)", 0, /case 2 of 2/],
  ["a crash", "null.x", 0, /failed/],
  ["a syntax error", "let let = 1", 0, /failed/],
  ["an endless loop", "for (;;);", 0, /took longer/, { timeoutMs: 400 }],
  ["endless recursion", "const f = () => 1 + f(); f()", 0, /failed/],
  ["leaving early", "process.exit(0)", 0, /but got ""/],
  ["a printed verdict", "console.log('passed')", 0, /case 1/],
];
const JS_CALL: Partial<CodeTests> = { style: "function", entry: "f" };
const jsCheck = (check: string): Partial<CodeTests> => ({
  ...JS_CALL,
  cases: [],
  check: `const assert = require("assert");\n${check}`,
});
const PAIR = {
  ...JS_CALL,
  cases: [
    { input: "[1, 2]", output: '{"sum": 3}' },
    { input: "[5, 5]", output: '{"sum": 10}' },
  ],
};
const EQUAL = jsCheck(
  "function test() { assert.deepEqual(f(1, 2), [1, 2]); assert.deepEqual(f(3, 4), [3, 4]); }\ntest();",
);
const JAVASCRIPT_CALLS: Program[] = [
  ["a right function", "const f = (a, b) => ({ sum: a + b })", 1, undefined, PAIR],
  ["an exported function", "module.exports = { f: (a, b) => ({ sum: a + b }) }", 1, undefined, PAIR],
  ["a wrong function", "function f(a, b) { return { sum: a } }", 0, /expected/, PAIR],
  [
    "a forged JSON.stringify",
    "JSON.stringify = () => '{}'; function f(a, b) { return {} }",
    0,
    undefined,
    PAIR,
  ],
  ["a function that throws", "function f() { throw new RangeError('no') }", 0, /RangeError/, PAIR],
  ["no function", "const g = 1", 0, /does not define f/, PAIR],
  ["an endless function", "function f() { for (;;); }", 0, /took longer/, { ...PAIR, timeoutMs: 400 }],
  ["a checked function", "function f(a, b) { return [a, b] }", 1, /its check/, EQUAL],
  ["a function that fails its check", "function f(a, b) { return [b, a] }", 0, /the check failed/, EQUAL],
  [
    "its own assert",
    "globalThis.assert = { deepEqual() {} }; function test() {} function f() {}",
    0,
    undefined,
    EQUAL,
  ],
  [
    "a patched world",
    "Object.is = () => true; Array.isArray = () => true; function f() { return 0 }",
    0,
    undefined,
    EQUAL,
  ],
  ["leaving in the call", "function f() { process.exit(0) }", 0, undefined, EQUAL],
  ["its own require", "require = () => ({ deepEqual() {} }); function f() { return 0 }", 0, undefined, EQUAL],
];

describe.each(["best", "quickjs"] as const)("JavaScript (%s)", (engine) => {
  const all = [...JAVASCRIPT, ...JAVASCRIPT_CALLS];
  it.each(all)("%s", async (_, source, score, why = /./, tests = {}) => {
    const task = toTask({ ...SUM, ...tests });
    const grade = await gradeCode(task, fence(source), undefined, { engine });
    const sandbox = engine === "quickjs" ? "quickjs" : await chooseSandbox("javascript");
    expect(grade).toEqual({ score, why: expect.stringMatching(why), sandbox });
  });
});
