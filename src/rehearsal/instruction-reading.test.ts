// What words of a subtask count for, case by case. What the sentences of the repertoire are worth is in language.test.ts.
import { describe, expect, test } from "vitest";
import { toRoleStep } from "../conductor/trinity/roles.ts";
import { readInstruction } from "./instruction-reading.ts";
import { FAMILIES, generateProblems, readProblem } from "./questions.ts";
import { kindOf, namedWork } from "./reading.ts";
import type { Problem } from "./types.ts";

const problemOf = (question: string): Problem => {
  const problem = readProblem(question);
  if (!problem) throw new Error(`no family reads: ${question}`);
  return problem;
};
const pool = problemOf(
  "Around a rectangular pool of 34 m by 18 m runs a border 4 m wide. Tiles cost 14 dollars a square metre. What do the tiles for the border cost in dollars?",
);
const train = problemOf(
  "A train runs 4 hours at 69 km/h and then 3 hours at 26 km/h. How many kilometres does it cover?",
);
const sum = problemOf("Calculate 98 − 8 × 6 − 36.");
const race = problemOf(
  "In a race of Hugo, Bea, Carl and Emil, nobody tied. Emil finished before Bea, Bea finished before Carl, Hugo finished right before Emil. Who was third?",
);
const word = problemOf(
  'Take the word "captain" and remove its first letter, then double its last letter. What do you get?',
);
const code = problemOf(
  "What does this program print? let y = 4; for (let i = 1; i <= 4; i++) { y = y * 2 + i; } console.log(y);",
);
const island = problemOf(
  'On an island, knights always tell the truth and knaves always lie. Bo says: "Cleo and I are different kinds." Ada says: "Cleo is a knave." Cleo says: "Bo is a knave." Who are the knights? List them separated by commas, or write nobody.',
);
const read = (subtask: string, problem: Problem) => readInstruction(subtask, problem);

describe("the part of the question", () => {
  test.each([
    [
      "the clause that asks is named",
      "Solve it. What is asked for is the tiles for the border.",
      pool,
      "right",
    ],
    [
      "something of the question that is not asked for",
      "Solve it. Look at the rectangular pool.",
      pool,
      "nothing",
    ],
    ["something of another question", "Solve it. What is asked for is the fence.", pool, "wrong"],
    ["names of another question", "Solve it. What is asked for is the units of Clara.", pool, "wrong"],
    ["numbers of another question", "Solve it for 27 m.", pool, "wrong"],
    ["money of another question", "Solve it, at $9 each.", pool, "wrong"],
    [
      "the same family with another question",
      "Solve it. What is asked for is paving the path.",
      pool,
      "wrong",
    ],
    ["a quotation from elsewhere", 'Solve it: "a strange quotation".', pool, "wrong"],
    ["an expression", "Work out 98 − 8 × 6 − 36.", sum, "right"],
    ["another expression", "Work out 15 + 10 × 7 − 99.", sum, "wrong"],
    ["a place in the race", "Solve it. What is asked for is who was third.", race, "right"],
    ["another place", "Solve it. What is asked for is who was fifth.", race, "wrong"],
    ["runners of another race", "Solve it. Look at Gita first.", race, "wrong"],
    ["the word to be changed", 'Solve it: the word "captain".', word, "right"],
    ["another word", 'Solve it: the word "planet".', word, "wrong"],
    ["a variable", "Solve it. What is asked for is y.", code, "right"],
    ["kilometres", "Solve it. What is asked for is how many kilometres it covers.", train, "right"],
    ["the bare clause that asks", "Solve it. What is asked for is who are the knights.", island, "right"],
    ["somebody the question speaks of", "Solve it. What is asked for is Cleo.", island, "nothing"],
    ["steps and ways are counted", "Solve it in 2 steps, and look at step 12 again.", pool, "nothing"],
    ["names nobody knows", "Solve it by Dijkstra's method.", pool, "nothing"],
    ["nothing at all", "Solve it.", pool, "nothing"],
  ])("%s", (_, subtask, problem, part) => {
    expect(read(subtask, problem).part).toBe(part);
  });

  test("who copies half of a long question points at nothing", () => {
    const [long] = generateProblems({ count: 1, seed: 2, families: ["shopping"], difficulties: [3] });
    expect(read(`Solve it: ${long!.question}`, long!).part).toBe("nothing");
  });
});

describe("the form of the answer", () => {
  test.each([
    ["an amount of money", pool, "right"],
    ["a number", pool, "right"],
    ["a date", pool, "wrong"],
    ["a number with its unit", train, "right"],
    ["an amount of money", train, "wrong"],
    ["a number", sum, "right"],
    ["a list in the right order", sum, "wrong"],
    ["a name or a single word", race, "right"],
    ["the letter of the right option", race, "wrong"],
    ["a short text", race, "nothing"],
    ["complete code in one block", code, "wrong"],
  ])("%s", (form, problem, fit) => {
    expect(read(`Solve it. Give the answer as ${form}.`, problem).form).toBe(fit);
  });

  test("a form is no work: a date as the form names no work on dates", () => {
    expect(read("Solve it. Give the answer as a date.", pool).namesWork).toBe("nothing");
  });

  test("a number that is asked for is no form", () => {
    expect(read("Solve it. What is asked for is the number of units.", pool).form).toBe("nothing");
  });
});

describe("the way of checking", () => {
  test.each([
    ["Check the answer above backwards.", sum, "fitting"],
    ["Check the answer above by an estimate.", pool, "fitting"],
    ["Check the answer above by an estimate.", race, "another"],
    ["Check the answer above case by case.", race, "fitting"],
    ["Check the answer above line by line.", code, "fitting"],
    ["Check the answer above line by line.", pool, "another"],
    ["Check the answer above by another method.", pool, "general"],
    ["Read through the answer above and check it.", pool, "none"],
    ["Check the answer; where it is wrong, trace the program line by line again.", code, "none"],
    ["Check it backwards, by an estimate, case by case and line by line.", sum, "none"],
    ["Solve it backwards.", sum, "none"],
  ])("%s", (subtask, problem, way) => {
    expect(read(subtask, problem).way).toBe(way);
  });

  test("a way is no work: line by line is no code where something else is checked", () => {
    expect(read("Check the answer above line by line.", word).namesWork).toBe("nothing");
  });
});

describe("too much at once helps no more than nothing", () => {
  const good =
    "Work out the lengths first, then the areas: the tiles for the border. Give the answer as an amount of money.";

  test("a clear sentence", () => {
    expect(read(good, pool)).toEqual({
      ...{ kind: "solve", namesWork: "right", part: "right", form: "right", way: "none" },
    });
  });

  test("work of another topic beside the right one", () => {
    expect(read(`${good} Then solve the linear equation.`, pool)).toMatchObject({
      namesWork: "nothing",
      part: "nothing",
    });
  });

  test("a subtask of more than 120 words; what is wrong stays wrong", () => {
    const long = "Take great care with all of this and then go on. ".repeat(12);
    expect(read(good + long, pool)).toMatchObject({ namesWork: "nothing", part: "nothing", form: "nothing" });
    expect(read(`${long} Solve it. What is asked for is the fence.`, pool).part).toBe("wrong");
  });
});

test("plain words of every Conductor and baseline count as they did before words were read", () => {
  const works = FAMILIES.map(({ work }) => work);
  const terms = FAMILIES.flatMap((family) => family.terms);
  const plain = [
    "Answer the question",
    "Solve the overall task and give the answer.",
    "Compare the replies and pass on the answer with the most weight.",
    "Write a short plan for the overall task: what to find out, in which order. Do not solve it yet.",
    "Solve the overall task by the plan you see and give the answer.",
    "Check the solution you see step by step, correct what is wrong, and give the final answer.",
    "Look for mistakes in your answer so far and give a better, complete answer.",
    "You see several answers to the overall task. Weigh them critically, some may be wrong, and give the best answer.",
    "Write down what is known and what is asked.",
    "Work out the hardest part of the overall task.",
    ...terms.flatMap((term) => [
      `Solve the ${term}`,
      `Check the ${term}`,
      `Review the ${term} and correct it`,
    ]),
    ...works.flatMap((work) => [
      `Solve it step by step, along the plan above: ${work}. End with a line "Answer: …".`,
      `Check the answer above; where you find a mistake, ${work} again. End with a line "Answer: …".`,
    ]),
    ...[undefined, ...works].flatMap((work) =>
      (["thinker", "worker", "verifier"] as const).map((role) => toRoleStep(role, 0, { work }).subtask),
    ),
  ];
  for (const problem of generateProblems({ count: 90, seed: "plain words" })) {
    for (const subtask of plain) {
      expect(read(subtask, problem), `${subtask} | ${problem.question}`).toEqual({
        ...{ kind: kindOf(subtask), namesWork: namedWork(subtask, problem) },
        ...{ part: "nothing", form: "nothing", way: "none" },
      });
    }
  }
});

test("a reading depends on nothing but the question and the subtask", () => {
  const again = generateProblems({ count: 30, seed: 4 });
  for (const [i, problem] of generateProblems({ count: 30, seed: 4 }).entries())
    expect(read("Solve it: the tiles for the border.", again[i]!)).toEqual(
      read("Solve it: the tiles for the border.", problem),
    );
});
