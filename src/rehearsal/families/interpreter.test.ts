import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { Sheet } from "../templates/worksheet.ts";
import { parseProgram, runProgram } from "./interpreter.ts";

function print(source: string): number | undefined {
  const program = parseProgram(source);
  return program && runProgram(program, new Sheet());
}

function printInNode(source: string): number | undefined {
  const printed: number[] = [];
  runInNewContext(source, { console: { log: (value: unknown) => printed.push(Number(value)) } });
  return printed.at(-1);
}

const names = fc.constantFrom("a", "b", "total");
const numbers = fc.integer({ min: 0, max: 20 }).map(String);
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    names,
    numbers,
    fc
      .tuple(tie("expression"), fc.constantFrom("+", "-", "*"), tie("expression"))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(numbers, fc.constantFrom("+", "-", "*"), numbers, fc.constantFrom("+", "*", "-"), numbers)
      .map((parts) => parts.join(" ")),
  ),
}));
const condition = fc
  .tuple(names, fc.constantFrom("<", ">", "<=", ">=", "===", "!==", "==", "!="), numbers)
  .map((parts) => parts.join(" "));
const change = fc.oneof(
  fc.tuple(names, expression).map(([name, value]) => `${name} = ${value};`),
  fc.tuple(names, fc.constantFrom("+=", "-=", "*="), numbers).map((parts) => `${parts.join(" ")};`),
  fc.tuple(names, fc.constantFrom("++", "--")).map((parts) => `${parts.join("")};`),
);
const statement = fc.oneof(
  change,
  fc.tuple(condition, change, change).map(([test, yes, no]) => `if (${test}) { ${yes} } else { ${no} }`),
  fc
    .tuple(fc.integer({ min: 0, max: 5 }), change)
    .map(([n, body]) => `for (let i = 1; i <= ${n}; i++) { ${body} }`),
);

test("prints what JavaScript prints", () => {
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 5 }), expression, (statements, value) => {
      const source = `let a = 1; let b = 2; let total = 3; ${statements.join(" ")} console.log(${value});`;
      const expected = printInNode(source);
      // Beyond whole numbers that are exact, the little language has no answer.
      expect(print(source), source).toBe(Number.isSafeInteger(expected) ? expected! : undefined);
    }),
    { seed: 4, numRuns: 500 },
  );
});

describe("what is no program of ours", () => {
  test.each([
    [""],
    ["let a = ; console.log(a);"],
    ["let a = 1 console.log(a);"],
    ["let a = 1; console.log(a;"],
    ["let a = 'x'; console.log(a);"],
    ["let a = 1; if (a) { console.log(a);"],
    ["function f() { return 1; }"],
    ["let a = 1 / 2; console.log(a);"],
  ])("%j is not parsed", (source) => {
    expect(parseProgram(source)).toBeUndefined();
  });

  test.each([
    ["let a = 1;", "prints nothing"],
    ["let a = 1; console.log(b);", "uses an unknown name"],
    ["let a = 1; while (a > 0) { a++; } console.log(a);", "does not end"],
    ["let a = 5 % 0; console.log(a);", "has no number to print"],
  ])("%j %s", (source) => {
    expect(parseProgram(source)).toBeDefined();
    expect(print(source)).toBeUndefined();
  });
});

describe("the trace", () => {
  const trace = (source: string) => {
    const sheet = new Sheet();
    runProgram(parseProgram(source)!, sheet);
    return sheet.stages.map(({ line }) => line);
  };

  test("has a stage for each value that takes work, and none for a number that stands there", () => {
    expect(trace("let a = 2; let b = a * 3; console.log(b);")).toEqual(["b = 6", "it prints 6"]);
  });

  test("does not count the variable of a loop", () => {
    expect(trace("let a = 0; for (let i = 1; i <= 2; i++) { a += i; } console.log(a);")).toEqual([
      "a = 1",
      "a = 3",
      "it prints 3",
    ]);
  });

  test("with a slip goes on from the wrong value", () => {
    const program = parseProgram("let a = 2; let b = a * 3; console.log(b + 1);")!;
    const sheet = new Sheet({ stage: 0, random: createRandom(1) });
    const printed = runProgram(program, sheet)!;
    const wrong = Number(/b = (\d+)/.exec(sheet.stages[0]!.line)![1]);
    expect(wrong).not.toBe(6);
    expect(printed).toBe(wrong + 1);
  });
});
