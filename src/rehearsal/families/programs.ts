// What does this program print? Tiny programs, traced by a real interpreter.

import type { Random } from "../../base/random.ts";
import { defineFamily, defineForm } from "../templates/family.ts";
import type { Slot } from "../templates/slots.ts";
import type { Difficulty } from "../types.ts";
import { type ProgramStatement, parseProgram, runProgram } from "./interpreter.ts";

const SOURCE: Slot<string> = {
  // The last statement prints: it is the one thing every program of ours must do.
  pattern: "(?:let|const|var) [^\"'#@]{1,500}?console\\.log ?\\([^;]{1,60}\\) ?;?",
  read: (text) => (parseProgram(text) ? text : undefined),
  write: (source) => source,
  draw: drawProgram,
};

export const programs = defineFamily({
  id: "programs",
  topic: "code",
  work: "trace the program line by line and keep track of each variable",
  terms: "code, program, trace, loop, variable, variables, printed, line by line",
  forms: [
    defineForm({
      slots: { source: SOURCE },
      phrasings: [
        "What does this program print? {source}",
        "Which number does this JavaScript code output? {source}",
        "Trace this code and give the number it prints: {source}",
      ],
      difficultyOf: ({ source }) => difficultyOf(parseProgram(source) ?? []),
      solve({ source }, sheet) {
        const printed = runProgram(parseProgram(source) ?? [], sheet);
        return printed === undefined ? undefined : String(printed);
      },
    }),
  ],
});

function drawProgram(random: Random, difficulty: Difficulty): string {
  const [a, b, c] = random.shuffle(["a", "b", "n", "sum", "total", "x", "y"]) as [string, string, string];
  const small = () => random.integer(2, 9);
  const plus = () => random.pick(["+", "-"]);
  if (difficulty === 1) {
    return `let ${a} = ${small()}; let ${b} = ${a} * ${small()}; console.log(${b} ${plus()} ${small()});`;
  }
  const turns = random.integer(3, 4);
  const loop = `for (let i = 1; i <= ${turns}; i++)`;
  if (difficulty === 2) {
    const body = random.pick([
      `${a} = ${a} + i * ${small()};`,
      `${a} = ${a} * 2 ${plus()} i;`,
      `${a} += ${small()} - i;`,
    ]);
    return `let ${a} = ${small()}; ${loop} { ${body} } console.log(${a});`;
  }
  const bodies = [
    `if (i % 2 === 0) { ${a} = ${a} + ${b}; } else { ${b} = ${b} + i * ${small()}; }`,
    `${a} = ${a} + ${b}; if (${a} > ${random.integer(15, 40)}) { ${a} = ${a} - ${random.integer(10, 14)}; }`,
    `if (${a} < ${b}) { ${a} += ${small()} + i; } else { ${b} = ${b} * 2 - i; }`,
  ];
  return `let ${a} = ${small()}; let ${b} = ${small()}; ${loop} { ${random.pick(bodies)} } let ${c} = ${a} * 2; console.log(${c} ${plus()} ${b});`;
}

function difficultyOf(program: readonly ProgramStatement[]): Difficulty {
  const loops = program.filter((statement) => statement.type === "loop");
  if (loops.length === 0) return 1;
  return loops.some(({ body }) => body.some(({ type }) => type !== "assign")) ? 3 : 2;
}
