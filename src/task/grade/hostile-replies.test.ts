// Graders read what strangers wrote, on the thread that does everything else: each reply is read in bounded time.
import { expect, it } from "vitest";
import { HOSTILE_REPLIES } from "../../testing/attacks/hostile-replies.ts";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { extractCode } from "../code/extract.ts";
import type { GradedTask, GraderName } from "../types.ts";
import { createGrader } from "./grade.ts";

/** Ten times what the slowest takes on an idle machine. What goes back and back takes minutes. */
const MOST_MS = 1_500;

const EXPECTED: [GraderName, answer: string][] = [
  ["choice", "B"],
  ["maths", "\\frac{1}{2}x+1"],
  ["maths", "\\sqrt{2}+\\sqrt{3}"],
  ["maths", "\\{1,2,3\\}"],
  ["numeric", "42"],
  ["text", "Paris"],
  ["json", '{"a":1}'],
];

it.each(EXPECTED)(
  "reads every hostile reply in bounded time: %s, %s",
  { timeout: 120_000 },
  async (grader, answer) => {
    const choices = grader === "choice" ? ["red apple", "blue sky", "green", "x"] : undefined;
    const task: GradedTask = {
      id: "t",
      set: "s",
      category: "c",
      family: "f",
      prompt: "?",
      choices,
      answer,
      grader,
    };
    for (const { name, reply } of HOSTILE_REPLIES) {
      const cpuMs = startCpuClock();
      const { score } = await createGrader().grade(task, reply);
      expect(cpuMs(), name).toBeLessThan(MOST_MS);
      if (!reply.includes("Answer: B")) expect(score, name).toBe(0);
    }
  },
);

it("finds the program in every hostile reply in bounded time", () => {
  for (const { name, reply } of HOSTILE_REPLIES) {
    const cpuMs = startCpuClock();
    extractCode(reply, "python");
    extractCode(reply, "javascript");
    expect(cpuMs(), name).toBeLessThan(MOST_MS);
  }
});
