// What the words of shells and test runners say, and what they do not.

import { expect, it } from "vitest";
import { readToolOutcome } from "./tool-outcome.ts";

it.each([
  ["vitest", "      Tests  2 failed | 3 passed (5)", "failed"],
  ["vitest, fine", "      Tests  5 passed (5)", "passed"],
  ["jest", "Tests:       1 failed, 2 passed, 3 total", "failed"],
  ["pytest", "===== 1 failed, 4 passed in 0.12s =====", "failed"],
  ["pytest, fine", "===== 5 passed in 0.12s =====", "passed"],
  ["node", "ℹ pass 3\nℹ fail 0", "passed"],
  ["TAP", "# pass 3\n# fail 2", "failed"],
  ["cargo", "test result: ok. 5 passed; 0 failed; 0 ignored", "passed"],
  ["go", "ok  \texample.com/pkg\t0.012s", "passed"],
  ["go, failed", "--- FAIL: TestSum (0.00s)\nFAIL", "failed"],
  ["unittest", "Ran 3 tests in 0.001s\n\nOK", "passed"],
])("tests of %s", (_, text, tests) => {
  expect(readToolOutcome(text)).toMatchObject({ tests, failed: tests === "failed" });
});

it.each([
  "exit code 1",
  "Process exited with code 127\nbash: foo: command not found",
  "Traceback (most recent call last):\n  File \"a.py\", line 3\nNameError: name 'x' is not defined",
  "Error: ENOENT: no such file",
])("a failure: %s", (text) => {
  expect(readToolOutcome(text).failed).toBe(true);
});

it.each([
  "exit code 0\nfound 3 lines with Error: in the log, all old",
  "export class ParseError extends Error {}\nexport const a = 1;",
  "README.md\nsrc",
  "",
])("no failure: %s", (text) => {
  expect(readToolOutcome(text)).toMatchObject({ failed: false });
});

it("is read at once, also of text that is made to be slow", () => {
  const texts = [
    "\n".repeat(20_000),
    "=".repeat(20_000),
    " ".repeat(20_000),
    "1, ".repeat(8_000),
    "Tests: 1 ".repeat(3_000),
  ];
  for (const text of texts) expect(readToolOutcome(text)).toEqual({ failed: false, tests: undefined });
});

it("the same error has the same signature, whatever its numbers", () => {
  const at = (n: number) =>
    readToolOutcome(`took ${n} ms\nTypeError: x is not a function at 0x${n}f line ${n}`);
  expect(at(12).signature).toBe(at(7345).signature);
  expect(readToolOutcome("TypeError: y is not iterable").signature).not.toBe(at(1).signature);
});
