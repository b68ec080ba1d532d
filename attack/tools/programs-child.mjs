// Runs the programs of a table one after the other, from a number on, and prints a line of JSON for each. In a process
// of its own, because a program that hangs the process is what is looked for.
// Run: node attack/tools/programs-child.mjs quickjs|forge NUMBER
import { join } from "node:path";
import { loadTable } from "../tables/load.mjs";

const load = (file) => import(join(process.env.TUTTI_ATTACK_DIST, file));
const { gradeCode } = await load("task/code/grade-code.js");
const { runProgram } = await load("task/sandbox/sandbox.js");

const [kind, from] = process.argv.slice(2);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

if (kind === "quickjs") {
  const { HOSTILE_PROGRAMS, HOSTILE_LIMITS } = await loadTable("quickjs-programs");
  for (const [at, { source }] of [...HOSTILE_PROGRAMS.entries()].slice(Number(from))) {
    const began = performance.now();
    const { exit, stdout } = await runProgram({
      language: "javascript",
      engine: "quickjs",
      source,
      ...HOSTILE_LIMITS,
    });
    say({ at, exit, stdout: stdout.slice(0, 200), ms: performance.now() - began });
  }
} else {
  const { toForgingTries, toForgingTask, toForgingAnswer } = await loadTable("forged-grades");
  for (const [at, { task, program, engine }] of toForgingTries().entries()) {
    if (at < Number(from)) continue;
    const answer = toForgingAnswer(task, program);
    say({ at, ...(await gradeCode(toForgingTask(task), answer, undefined, { engine })) });
  }
}
say({ isOver: true });
process.exit(0);
