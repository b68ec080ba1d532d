// Grades are rewards: what a program writes, throws, patches or leaves undone never gives it one that it does not deserve.
import { describe, expect, it } from "vitest";
import {
  FORGED_GRADES,
  FORGING_TASKS,
  toForgingAnswer,
  toForgingTask,
} from "../../testing/attacks/forged-grades.ts";
import { chooseSandbox, describeMissing } from "../sandbox/sandbox.ts";
import { gradeCode } from "./grade-code.ts";

const python = await chooseSandbox("python");
const hasBubblewrap = python === "bubblewrap";
if (typeof python === "object") console.log(`Skipped: ${describeMissing("python", python)}`);

const TASKS = Object.entries(FORGING_TASKS);
const inLanguage = (language: string, task: string) => FORGING_TASKS[task]!.tests.language === language;

function suite(language: "python" | "javascript", engine: "best" | "quickjs") {
  const grade = (task: string, program: string) => {
    const forging = FORGING_TASKS[task]!;
    return gradeCode(toForgingTask(forging), toForgingAnswer(forging, program), undefined, { engine });
  };
  const honest = TASKS.filter(([name, { honest }]) => honest && inLanguage(language, name));
  it.each(honest)("an honest program passes: %s", async (task, { honest }) => {
    expect(await grade(task, honest!)).toMatchObject({ score: 1 });
  });
  it.each(FORGED_GRADES.filter(({ task }) => inLanguage(language, task)))("$task: $name", async (forged) => {
    expect(await grade(forged.task, forged.program)).toMatchObject({ score: 0, ungraded: undefined });
  });
}

describe("JavaScript in QuickJS", () => suite("javascript", "quickjs"));
describe.skipIf(!hasBubblewrap)("JavaScript in bubblewrap", () => suite("javascript", "best"));
describe.skipIf(!hasBubblewrap)("Python in bubblewrap", () => suite("python", "best"));

describe.each(["quickjs", "best"] as const)(
  "a check that would hand the program its own functions (%s)",
  (engine) => {
    it.skipIf(engine === "best" && !hasBubblewrap)("is not carried out, with any program", async () => {
      const check = 'require("assert").deepEqual(f([1, 2], (x) => x * 7919), [7919, 15838])';
      const task = toForgingTask({ tests: { language: "javascript", style: "function", entry: "f", check } });
      for (const program of [
        "const f = (all, g) => all.map((x) => g(x))",
        "const f = (all, g) => eval(String(g))",
      ]) {
        const grade = await gradeCode(task, `\`\`\`js\n${program}\n\`\`\``, undefined, { engine });
        expect(grade).toMatchObject({
          score: 0,
          ungraded: true,
          why: expect.stringContaining("hands a function"),
        });
      }
    });
  },
);
