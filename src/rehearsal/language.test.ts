// What sentences of the repertoire are worth under the rules: better ones more than plain ones, and those of another question
// less, in every family; and none of them is held against its own question.
import { describe, expect, test } from "vitest";
import { findParts } from "../instruction/question-parts.ts";
import { renderSaying } from "../instruction/render.ts";
import { loadRepertoire } from "../instruction/repertoire.ts";
import type { InstructionRole } from "../instruction/types.ts";
import { readInstruction } from "./instruction-reading.ts";
import { FAMILIES, familyOf, generateProblems } from "./questions.ts";
import { kindOf, type SubtaskKind } from "./reading.ts";
import { probabilityOfCatching, probabilityOfPlanLine, probabilityOfSuccess } from "./rules.ts";
import { checkSubtask, planSubtask, solveSubtask } from "./subtasks.ts";
import type { Problem } from "./types.ts";

const repertoire = loadRepertoire();
const problems = generateProblems({ count: 450, seed: "language" });
const SKILL = 0.8;

/** What a middling worker makes of a subtask: the probability that its work is right. */
function worth(subtask: string, problem: Problem): number {
  const { kind, ...words } = readInstruction(subtask, problem);
  const { difficulty, stages, family } = problem;
  const { recall } = familyOf(problem);
  const situation = {
    ...{ ...words, skill: SKILL, difficulty, stages: stages.length, recall },
    ...{ planQuality: undefined, offTopic: kind === "other" },
  };
  switch (kind) {
    case "plan":
      return probabilityOfPlanLine(SKILL, situation);
    case "check":
      return recall
        ? 0
        : probabilityOfCatching({ ...situation, checking: SKILL, ownWork: false, disagreement: false });
    case "solve":
      return probabilityOfSuccess(situation);
    default:
      throw new Error(`${family}: ${subtask}`);
  }
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("in every family a better sentence earns more than plain words, and one of another question less", () => {
  test.each(FAMILIES.map(({ id, recall }) => ({ id, recall })))("$id", ({ id, recall }) => {
    const own = problems.filter(({ family }) => family === id);
    const kinds = [
      ["Plan the steps", planSubtask],
      ["Solve it", solveSubtask],
      ["Check it", checkSubtask],
    ] as const;
    for (const [plain, say] of kinds) {
      const better = mean(own.map((problem) => worth(say(problem), problem)));
      const generic = mean(own.map((problem) => worth(plain, problem)));
      const shuffled = mean(
        own.map((problem, i) => {
          const other = problems[(i * 7 + 331) % problems.length]!;
          return worth(say(other), problem);
        }),
      );
      if (recall) {
        expect([better, shuffled]).toEqual([generic, generic]);
      } else {
        expect(better, plain).toBeGreaterThan(generic);
        expect(shuffled, plain).toBeLessThan(better);
        if (plain !== "Check it") expect(shuffled, plain).toBeLessThan(generic);
      }
    }
  });
});

describe("the repertoire and the questions", () => {
  test("a sentence with any part of its own question is never held to name another one's", () => {
    for (const problem of problems.slice(0, 45)) {
      for (const part of [undefined, ...findParts(problem.question)]) {
        for (const instruction of repertoire.instructions) {
          const said = renderSaying({ instruction, part }, "en");
          expect(readInstruction(said, problem).part, `${said} | ${problem.question}`).not.toBe("wrong");
        }
      }
    }
  });

  test("without their slots the sentences, and all works and forms, name no part", () => {
    for (const problem of problems.slice(0, 15)) {
      const fillings = [
        ...repertoire.works.map((work) => ({ work })),
        ...repertoire.forms.map((form) => ({ form })),
        {},
      ];
      for (const instruction of repertoire.instructions) {
        for (const filling of fillings) {
          const said = renderSaying({ instruction, ...filling }, "en");
          expect(readInstruction(said, problem).part, `${said} | ${problem.question}`).toBe("nothing");
        }
      }
    }
  });

  test("with the work of its family, a sentence of any role names the right work", () => {
    const told = new Set(
      problems.map(
        (problem) => `${problem.family} ${readInstruction(solveSubtask(problem), problem).namesWork}`,
      ),
    );
    expect([...told].sort()).toEqual(FAMILIES.map(({ id }) => `${id} right`).sort());
  });

  test("each instruction is taken for what its role does, whatever fills it", () => {
    const kinds: Record<InstructionRole, SubtaskKind> = {
      ...{ plan: "plan", solve: "solve", derive: "solve", code: "solve", recall: "solve", extract: "solve" },
      ...{ compare: "compare", judge: "compare", check: "check", repair: "check", "write-up": "solve" },
    };
    for (const instruction of repertoire.instructions) {
      for (const problem of problems.slice(0, 8)) {
        for (const part of [undefined, ...findParts(problem.question)]) {
          for (const work of repertoire.works) {
            const said = renderSaying({ instruction, part, work, form: repertoire.forms[0] }, "en");
            expect(kindOf(said), said).toBe(kinds[instruction.role]);
          }
        }
      }
    }
  });

  test("each way of checking is known by its words", () => {
    const [problem] = generateProblems({ count: 1, seed: 1, families: ["equations"] });
    const ways = repertoire.instructions
      .filter(({ role }) => role === "check")
      .map((instruction) => [
        instruction.id,
        readInstruction(renderSaying({ instruction }, "en"), problem!).way,
      ]);
    expect(Object.fromEntries(ways)).toEqual({
      ...{ "check-backwards": "fitting", "check-estimate": "another", "check-method": "general" },
      ...{ "check-cases": "another", "check-lines": "another", "check-read": "none" },
    });
  });
});
