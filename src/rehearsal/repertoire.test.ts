// The shipped repertoire in the rehearsal: simulated workers must take each instruction for what it is, and the work a
// question needs must be among those that may be named.

import { describe, expect, test } from "vitest";
import { findWorks } from "../instruction/candidates.ts";
import { findParts } from "../instruction/question-parts.ts";
import { renderSaying } from "../instruction/render.ts";
import { loadRepertoire } from "../instruction/repertoire.ts";
import type { InstructionRole } from "../instruction/types.ts";
import { FAMILIES, generateProblems } from "./questions.ts";
import { kindOf, namedWork, type SubtaskKind } from "./reading.ts";

const repertoire = loadRepertoire();
const KIND: Record<InstructionRole, SubtaskKind> = {
  plan: "plan",
  ...{
    solve: "solve",
    derive: "solve",
    code: "solve",
    recall: "solve",
    extract: "solve",
    "write-up": "solve",
  },
  ...{ check: "check", repair: "check", compare: "compare", judge: "compare" },
};
/** The shipped work for the questions of each family. */
const WORK: Record<string, string> = {
  arithmetic: "arithmetic",
  equations: "equations",
  shopping: "money-and-rates",
  gardens: "geometry",
  knights: "true-or-lying",
  ordering: "order",
  programs: "tracing",
  capitals: "capitals",
  elements: "chemical-elements",
  dates: "calendar",
  strings: "letters",
  units: "units",
  tables: "tables",
  routes: "routes",
  schedules: "schedules",
};

describe("every instruction", () => {
  const problems = generateProblems({ count: 90, seed: "repertoire-kinds" });

  test("is read as its role, whatever fills it", () => {
    for (const instruction of repertoire.instructions)
      for (const work of repertoire.works)
        for (const [i, { question }] of problems.entries()) {
          const parts = findParts(question);
          const part = parts[i % Math.max(1, parts.length)];
          const form = repertoire.forms[i % repertoire.forms.length];
          const text = renderSaying(
            { instruction, work, ...(part && { part }), ...(form && { form }) },
            "en",
          );
          if (kindOf(text) !== KIND[instruction.role])
            expect(kindOf(text), text).toBe(KIND[instruction.role]);
        }
  });

  test("names no work by its own words, but for those about programs", () => {
    for (const instruction of repertoire.instructions) {
      if (instruction.role === "code" || instruction.id === "check-lines") continue;
      const text = renderSaying({ instruction }, "en");
      for (const problem of problems.slice(0, FAMILIES.length))
        expect(namedWork(text, problem), `${text} (${problem.family})`).toBe("nothing");
    }
  });
});

test("the work of a family names that family's work and no other topic's", () => {
  const problems = generateProblems({ count: FAMILIES.length, seed: "repertoire-works" });
  for (const problem of problems) {
    const own = repertoire.works.find(({ id }) => id === WORK[problem.family])!;
    expect(namedWork(own.text.en, problem), own.text.en).toBe("right");
    for (const other of problems)
      if (other.topic !== problem.topic)
        expect(namedWork(own.text.en, other), `${own.text.en} (${other.family})`).toBe("wrong");
  }
});

test("general works name nothing", () => {
  for (const work of repertoire.works.filter(({ cues }) => cues.length === 0))
    for (const problem of generateProblems({ count: FAMILIES.length, seed: "repertoire-general" }))
      expect(namedWork(work.text.en, problem), work.text.en).toBe("nothing");
});

test("a family's own work is among the candidates of at least 99 % of its questions, and early", () => {
  const problems = generateProblems({ count: 3000, seed: "repertoire-candidates" });
  const missed: string[] = [];
  let candidates = 0;
  for (const { question, family } of problems) {
    const works = findWorks(question, repertoire);
    candidates += works.length;
    if (!works.some(({ id }) => id === WORK[family])) missed.push(question);
  }
  expect(missed.length / problems.length, missed.slice(0, 5).join("\n")).toBeLessThanOrEqual(0.01);
  expect(candidates / problems.length).toBeLessThan(9);
});

test("every question has a part that is asked for, of its own words", () => {
  for (const { question } of generateProblems({ count: 600, seed: "repertoire-parts" })) {
    const parts = findParts(question);
    expect(parts[0]?.isAsked, question).toBe(true);
    for (const { text } of parts) expect(words(question), text).toContain(words(text));
  }
});

function words(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}
