// Hostile programs in QuickJS: each is over at its deadline, the thread that asked goes on meanwhile, and the next
// program is graded as if nothing had been.
import { expect, it } from "vitest";
import { HOSTILE_LIMITS, HOSTILE_PROGRAMS } from "../../testing/attacks/quickjs-programs.ts";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { gradeCode } from "../code/grade-code.ts";
import type { GradedTask } from "../types.ts";
import { runProgram } from "./sandbox.ts";

/** A thread is ended and the next one started; other tests take the cores at the same time. */
const GRACE_MS = 3_000;
const quick = (source: string, options = {}) =>
  runProgram({ language: "javascript", engine: "quickjs", source, ...HOSTILE_LIMITS, ...options });

const sum: GradedTask = {
  ...{ id: "sum", set: "test", category: "code", family: "sum", prompt: "", answer: "", grader: "code" },
  tests: {
    ...{ language: "javascript", style: "function", entry: "f", timeoutMs: 4_000 },
    cases: [{ input: "[1, 2]", output: "3" }],
  },
};

it.each(HOSTILE_PROGRAMS)("is over at its deadline: $name", async ({ source, must }) => {
  const cpuMs = startCpuClock();
  // What ends by itself must not be ended before: on a busy machine it may take longer than it is given elsewhere.
  const result = await quick(source, must === "contained" ? { timeoutMs: 20_000 } : {});
  expect(cpuMs()).toBeLessThan(HOSTILE_LIMITS.timeoutMs + GRACE_MS);
  if (must === "stopped") expect(["timeout", "memory", "output"]).toContain(result.exit);
  if (must === "contained") expect(result.stdout).toBe("contained\n");
  expect(result.stdout.length + result.stderr.length).toBeLessThan(2 * HOSTILE_LIMITS.maxOutputBytes);

  const grade = async (program: string) =>
    (await gradeCode(sum, `\`\`\`js\n${program}\n\`\`\``, undefined, { engine: "quickjs" })).score;
  expect([await grade("const f = (a, b) => a + b"), await grade("const f = (a, b) => a - b")]).toEqual([
    1, 0,
  ]);
});

it("counts none of what its world takes to be made, which a busy machine makes slowly", async () => {
  expect(["ok", "timeout"]).toContain((await quick("console.log(1)", { timeoutMs: 1 })).exit);
});

it("leaves the thread that asked free meanwhile", async () => {
  const timeoutMs = 2_000;
  let beats = 0;
  const beat = setInterval(() => beats++, 5);
  const hanging = ["Array.prototype.indexOf.call({ length: 2 ** 53 }, 1)", "for (;;);"];
  const results = await Promise.all(hanging.map((source) => quick(source, { timeoutMs })));
  clearInterval(beat);
  expect(results.map(({ exit }) => exit)).toEqual(["timeout", "timeout"]);
  // Four hundred on an idle machine, tens on a busy one; one or two where this thread does the work.
  expect(beats).toBeGreaterThan(4);
});

it("does not let programs that hang hold up others for long", async () => {
  const hanging = Array.from({ length: 6 }, () =>
    quick("Array.prototype.indexOf.call({ length: 2 ** 53 }, 1)"),
  );
  const other = await quick("console.log(1)", { timeoutMs: 5_000 });
  expect(other).toMatchObject({ exit: "ok", stdout: "1\n" });
  for (const { exit } of await Promise.all(hanging)) expect(exit).toBe("timeout");
});

it("stops when it is told to, also inside a built-in function", async () => {
  const controller = new AbortController();
  const running = quick("Array.prototype.indexOf.call({ length: 2 ** 53 }, 1)", {
    timeoutMs: 60_000,
    signal: controller.signal,
  });
  setTimeout(() => controller.abort(), 300);
  expect((await running).exit).toBe("aborted");
});

it("hangs in a function that is called or checked for no longer than its limit", async () => {
  const program = "```js\nfunction f() { Array.prototype.indexOf.call({ length: 2 ** 53 }, 1) }\n```";
  const tests = { ...sum.tests!, timeoutMs: 300 };
  const check = 'require("assert").equal(f(1, 2), 3)';
  for (const each of [tests, { ...tests, cases: [], check }]) {
    const grade = await gradeCode({ ...sum, tests: each }, program, undefined, { engine: "quickjs" });
    expect(grade).toMatchObject({ score: 0, why: expect.stringContaining("took longer than 300 ms") });
  }
});
