// What is asked and how it is graded: tasks of a set, and the Grader port.

import type { CodeTests, Message } from "../worker/types.ts";

export type { CodeTests };

/** The graders that a task of one's own may name. */
export const GRADERS = [
  "choice", // a letter, a number, the text of an option
  "maths", // LaTeX and plain: numbers, sets, intervals, matrices, expressions
  "text", // equal after normalising
  "numeric", // a number within a tolerance
  "json", // equal as JSON
  "code", // programs, by running their tests
  "judge", // a model decides, where nothing can be verified
] as const;

/** How an answer is compared with the expected one. */
export type GraderName =
  | (typeof GRADERS)[number]
  | "recorded" // the score of the recorded reply that was chosen
  | "rehearsal"; // the grader of the simulated family

export interface GradedTask {
  id: string;
  set: string;
  category: string;
  family: string;
  /** The question as the published file has it. */
  prompt: string;
  choices?: string[];
  /** The expected answer as text: a letter for choices, JSON for json. Empty for code. */
  answer: string;
  grader: GraderName;
  /** numeric: how far off an answer may be, relative to the expected one. */
  tolerance?: number;
  tests?: CodeTests;
  /** recorded: how its replies were graded, where the program itself could have bent it. */
  decidedIn?: Grade["decidedIn"];
}

/** 0..1 and why, for people. */
export interface Grade {
  score: number;
  why: string;
  /** code: what the program ran in. */
  sandbox?: "bubblewrap" | "quickjs";
  /** code: decided in the program's own process, which could have forged it. Absent: decided outside. No reward by default. */
  decidedIn?: "program";
  /** Nothing could be said (the sandbox is missing, the judge is down): count it apart, never as wrong. */
  ungraded?: boolean;
}

export interface Grader {
  grade(task: GradedTask, answer: string, signal?: AbortSignal): Promise<Grade>;
}

export interface TaskSet {
  id: string;
  tasks: GradedTask[];
  /** The file or folder it was read from, or "rehearsal (simulated)". */
  source: string;
}

/** What a worker is asked: the prompt with its options, and how the answer is to be stated. */
export function toMessages({ prompt, choices, grader }: GradedTask): Message[] {
  const options = choices?.map((choice, i) => `(${String.fromCharCode(65 + i)}) ${choice}`) ?? [];
  const how =
    grader === "choice"
      ? "End with a line “Answer: X”, where X is the letter of the right option."
      : grader === "code"
        ? "Reply with the complete program in one code block."
        : "End with a line “Answer: …” that states the final answer alone.";
  return [{ role: "user", content: [prompt, ...options, "", how].join("\n") }];
}
