// Replies as models give them, one a line: the letters they choose ("-" for none), then the reply.
// "⏎" is a line break.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gradeChoice } from "./grade-choice.ts";
import type { GradedTask } from "./types.ts";

function toTask(choices: string[] | undefined, answer: string): GradedTask {
  const task = {
    id: "t",
    set: "s",
    category: "c",
    subtask: "c",
    prompt: "Which?",
    answer,
    grader: "choice" as const,
  };
  return choices ? { ...task, choices } : task;
}

const MEMORY = ["Queue memory", "FIFO memory", "LIFO memory", "Random memory"];
const TWENTY = Array.from({ length: 20 }, (_, i) => `thing number ${i + 101}`);

const REPLIES: [string, string[] | undefined, string][] = [
  [
    "labels",
    MEMORY,
    String.raw`
C ← Answer: C
C ← Answer: (C)
C ← Answer: C.
C ← Answer: **C**
C ← **Answer: C**
C ← **Answer:** C
C ← **Final Answer: (C)**
C ← Final answer: C) LIFO memory
C ← Answer: C. LIFO memory
C ← Answer: C: LIFO memory
C ← Answer: C - LIFO memory
C ← Answer: C – LIFO memory
C ← Answer: C LIFO memory
C ← Answer: LIFO memory
C ← Answer: lifo memory.
C ← Answer: c
C ← answer: (c)
C ← ANSWER: C
C ← Answer: [C]
C ← Answer: {C}
C ← Answer: "C"
C ← Answer - C
C ← Answer = C
C ← Answer → C
C ← Ans: C
C ← The answer: C
C ← Correct answer: C
C ← Correct option: C
C ← My choice: C
C ← Answer:⏎C
C ← Answer:⏎⏎(C) LIFO memory
C ← ## Answer⏎⏎C
C ← ### Final Answer⏎**C**
C ← Answer (letter only): C
C ← Answer to the question: C
C ← {"answer": "C"}
C ← {"reasoning": "a stack", "answer": "C"}
C ← <answer>C</answer>
C ← <answer>⏎C⏎</answer>
C ← $\boxed{C}$
C ← \boxed{\text{C}}
C ← \boxed{(C)}
C ← \boxed{\textbf{(C)}}
C ← $\boxed{\text{C) LIFO memory}}$
C ← The final answer is $\boxed{C}$. I hope it is correct.
C ← 答案：C
C ← 答案是C
C ← Réponse : C
C ← Antwort: C
C ← Respuesta: C
C ← Answer: Option C
C ← Answer: option (c)
C ← Answer: the letter C
C ← Answer: 3
C ← Answer: (3)
C ← Answer: the third option
C ← Answer: C ✓
C ← Answer: C⏎⏎Explanation: a stack takes the last item first.
C ← Answer: C, since a stack takes the last item first.
C ← Answer: C (A and B are wrong)
C ← Answer: C, not B
C ← Answer: C because A is for queues`,
  ],
  [
    "sentences",
    MEMORY,
    String.raw`
C ← The answer is C.
C ← The answer is (C).
C ← The answer is **C**.
C ← The answer is C) LIFO memory.
C ← The answer is C because a stack is LIFO.
C ← The answer is therefore C.
C ← The answer is clearly (C) LIFO memory.
C ← The answer is option C.
C ← The answer is "LIFO memory".
C ← The answer is LIFO memory.
C ← the answer is c.
C ← The correct answer is C.
C ← The correct answer is: (C) LIFO memory
C ← The correct option is C.
C ← The right choice is (C).
C ← The best answer is C, as stacks are LIFO.
C ← The most appropriate option is C.
C ← The answer should be C.
C ← The answer must be C.
C ← The answer to this question is C.
C ← I choose C.
C ← I would choose (C).
C ← I'd go with C.
C ← I'll go with option C.
C ← I'm going with C.
C ← I pick C!
C ← I select option (C).
C ← We choose C.
C ← I would say C.
C ← I guess C.
C ← My answer is C.
C ← My final choice is C.
C ← Option C is correct.
C ← Option (C) is the correct answer.
C ← option c is correct.
C ← C is correct.
C ← C is the correct answer.
C ← C is the answer.
C ← (C) is right.
C ← (C) LIFO memory is the correct answer.
C ← C is the best choice here.
C ← C seems to be the most likely option.
C ← C must be right.
C ← C it is.
C ← C fits best.
C ← Choice C is the best answer.
C ← Thus, C.
C ← Therefore, (C).
C ← Hence C.
C ← So it's C.
C ← So, the answer is C!
C ← It must be C.
C ← It's C.
C ← That leaves C.
C ← This leaves us with only (C).
C ← This corresponds to option C.
C ← This matches option (C).
C ← A stack is a LIFO memory.
C ← A stack is last in, first out, which points to option C.
C ← A stack takes the last item first. So that leaves us with (C).
C ← I'm not sure, but C.
C ← Let me think. A stack is last in, first out. I think the answer is C.
C ← I think it is C.
C ← (A), (B) and (D) are wrong, so the answer is (C).
C ← A is wrong, B is wrong and D is wrong. C is correct.
C ← The answer is not (B) but (C).
C ← The answer is not B, but rather C.
C ← Not A. The correct one is C.
C ← The correct answer is C, not B.`,
  ],
  [
    "bare replies",
    MEMORY,
    String.raw`
C ← C
C ← (C)
C ← C.
C ← **C**
C ← c
C ← c)
C ← C)
C ← [C]
C ← C) LIFO memory
C ← (C) LIFO memory
C ← C. LIFO memory
C ← C: LIFO memory
C ← C - LIFO memory
C ← **C. LIFO memory**
C ← C LIFO memory
C ← Option C
C ← Option C: LIFO memory
C ← LIFO memory
C ← "LIFO memory"
C ← LIFO memory.
C ← 3
C ← 3)
C ← C⏎⏎A stack takes the last item first.
C ← **C) LIFO memory**⏎⏎A stack takes the last item first.
C ← A stack takes the last item first.⏎⏎C
C ← A stack takes the last item first.⏎⏎**C) LIFO memory**
C ← - C
C ← Sure!⏎⏎C) LIFO memory
A ← A
A ← (A)
A ← A.
A ← A) Queue memory
A ← A. Queue memory
A ← A Queue memory
A ← a)`,
  ],
  [
    "the last statement wins",
    MEMORY,
    String.raw`
C ← The answer is A. No, the answer is C.
C ← Answer: B⏎⏎Wait, that is wrong.⏎⏎Answer: C
C ← Answer: B. Actually, C.
C ← Answer: B⏎Actually, it's C.
C ← The answer is B? No, C.
C ← I choose B... no, wait, C.
C ← First I thought the answer is B. But the correct answer is C.
C ← I was going to say A, but it's C.
C ← Answer: A⏎I change my answer to C.
C ← Some might say the answer is A, but the answer is C.
C ← Many would think the answer is A. The answer is C.
C ← If the answer is A, the stack would be a queue. So the answer is C.
C ← \boxed{A} was my first try, now \boxed{C}
C ← <think>Answer: A</think>Answer: C
C ← <think>The answer is D.</think>C
C ← Is the answer A? The answer is C.
C ← The correct answer is B. Correction: C.`,
  ],
  [
    "several letters",
    MEMORY,
    String.raw`
AC ← Answer: A and C
AC ← Answer: A, C
AC ← Answer: AC
AC ← Answer: A/C
AC ← Answer: (A) and (C)
AC ← Answer: (A)(C)
AC ← Answer: A & C
BC ← The answer is B or C.
BC ← The answer is either B or C.
BC ← The answer is between B and C.
BC ← Answer: C or maybe B
BC ← Answer: C (or B)
BC ← Answer: C, possibly B
ABC ← The answer is A, B, or C.
ABCD ← Answer: A, B, C, D
AC ← Both A and C are correct.
AC ← A and C are correct.
BC ← B or C is correct.
ABC ← A, B and C are all plausible.
AB ← The correct answers are A and B.
AB ← (A) or (B) is the correct answer.`,
  ],
  [
    "no choice",
    MEMORY,
    String.raw`
- ← 
- ← I do not know.
- ← It could be A, B or C.
- ← It could be C.
- ← It might be (C).
- ← The answer could be C.
- ← The answer is not C.
- ← C is not correct.
- ← C is incorrect.
- ← Option C is wrong.
- ← Not C.
- ← The answer cannot be C.
- ← (A) Queue memory (B) FIFO memory (C) LIFO memory (D) Random memory
- ← A) Queue memory⏎B) FIFO memory⏎C) LIFO memory⏎D) Random memory
- ← The options are:⏎A) Queue memory⏎B) FIFO memory⏎C) LIFO memory
- ← A. Queue memory⏎B. FIFO memory⏎C. LIFO memory
- ← Is it C?
- ← Is the answer C?
- ← A dog is an animal.
- ← A stack is a data structure.
- ← I think about it a lot.
- ← I think this is hard.
- ← Answer: A dog
- ← The answer is a stack.
- ← The answer is I don't know.
- ← Answer: I think about it
- ← Answer: unclear
- ← Answer: none
- ← Answer: 7
- ← Answer: Z
- ← Answer: E
- ← (E)
- ← Vitamin C is good for you.
- ← The C language is best described as small.
- ← Either FIFO memory or LIFO memory.
- ← It is not LIFO memory.
- ← LIFO memory, FIFO memory, Queue memory, Random memory
- ← Let me compare FIFO memory and LIFO memory.
- ← If the answer is C, then stacks are LIFO.
- ← I would not choose C.
- ← I can't choose between A and C
- ← A is right next to B.
- ← A is best described as a letter.`,
  ],
  [
    "many options",
    TWENTY,
    String.raw`
T ← Answer: T
T ← The answer is (T).
K ← I choose K.
J ← Answer: J) thing number 110
I ← Answer: I
I ← The answer is I.
I ← (I)
I ← Answer: I. thing number 109
- ← I think so.
- ← Answer: I think so
H ← I think the answer is H.
- ← Answer: I am not sure
Q ← \boxed{Q}
T ← Answer: 20
- ← Answer: 21
S ← Answer: thing number 119
- ← Statement I is true.
P ← p`,
  ],
  [
    "options that are numbers",
    ["12", "15", "3", "4"],
    String.raw`
C ← Answer: 3
D ← Answer: 4
B ← 15
A ← The answer is 12.
- ← Answer: 1
- ← Answer: 2
B ← Answer: (B) 15
B ← Answer: B
- ← 12 or 15
- ← It is between 12 and 15.`,
  ],
  [
    "options that look like letters",
    ["E. coli", "T cells", "B vitamins", "Vitamin A", "A dog"],
    String.raw`
A ← Answer: E. coli
B ← The answer is T cells.
C ← Answer: B vitamins
D ← The answer is vitamin A.
E ← Answer: A dog
E ← The answer is a dog.
A ← Answer: A
E ← Answer: E
B ← Answer: B
- ← T-shirts are nice.
- ← B-cells matter.`,
  ],
  [
    "options within options",
    ["increase", "no increase", "increase, then decrease", "none of the above"],
    String.raw`
A ← Answer: increase
B ← Answer: no increase
C ← Answer: increase, then decrease
D ← None of the above.
D ← The answer is none of the above.
C ← It will increase, then decrease.
B ← There is no increase.`,
  ],
  [
    "options that are not listed",
    undefined,
    String.raw`
B ← Answer: B
B ← (B)
B ← The correct answer is B.
B ← B) something
- ← A dog is an animal.
- ← something else`,
  ],
];

const toCases = (lines: string) =>
  lines
    .split("\n")
    .filter((line) => line.includes(" ← "))
    .map((line) => line.split(" ← ") as [string, string]);

const letters = (choices: string[] | undefined, reply: string): string => {
  const said = gradeChoice(toTask(choices, "A"), reply).why.split(",")[0] ?? "";
  return said === "said no option" ? "-" : said.slice("said ".length).replaceAll(" and ", "");
};

describe.each(REPLIES)("%s", (_, choices, lines) => {
  test.each(toCases(lines))("%s: %s", (chosen, reply) => {
    expect(letters(choices, reply.replaceAll("⏎", "\n"))).toBe(chosen);
  });
});

test("there are enough cases", () => {
  expect(REPLIES.flatMap(([, , lines]) => toCases(lines)).length).toBeGreaterThanOrEqual(200);
});

describe("grading", () => {
  test("one letter is right, another, none or several are not", () => {
    const task = toTask(MEMORY, "C");
    expect(gradeChoice(task, "Answer: C")).toEqual({ score: 1, why: "said C, expected C" });
    expect(gradeChoice(task, "Answer: B")).toEqual({ score: 0, why: "said B, expected C" });
    expect(gradeChoice(task, "Hard to say.")).toEqual({ score: 0, why: "said no option, expected C" });
    expect(gradeChoice(task, "Answer: A, C")).toEqual({ score: 0, why: "said A and C, expected C" });
  });

  test.each(["A, C", "AC", "C,A", "(A)(C)"])("several letters are right where %j is expected", (answer) => {
    const task = toTask(MEMORY, answer);
    expect(gradeChoice(task, "Answer: C and A").score).toBe(1);
    expect(gradeChoice(task, "Answer: A").score).toBe(0);
    expect(gradeChoice(task, "Answer: A, B, C").score).toBe(0);
  });

  test("the expected answer may be the text of an option", () => {
    expect(gradeChoice(toTask(MEMORY, "LIFO memory"), "I choose C.").score).toBe(1);
    expect(gradeChoice(toTask(MEMORY, "(C)"), "LIFO memory").score).toBe(1);
  });

  test("an expected answer that names no option is no grade", () => {
    expect(gradeChoice(toTask(MEMORY, "purple"), "C")).toMatchObject({ ungraded: true });
  });
});

test("a final statement always wins, whatever stood before", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 3 }), (text, index) => {
      const letter = "ABCD".charAt(index);
      expect(letters(MEMORY, `${text}\n\nAnswer: ${letter}`)).toBe(letter);
      expect(letters(MEMORY, `${text}\n\nThe answer is (${letter}).`)).toBe(letter);
    }),
    { seed: 5, numRuns: 300 },
  );
});

test("hostile replies take linear time", () => {
  const started = performance.now();
  const pieces = [
    "A, ",
    "(A) ",
    "answer: ",
    "the answer is ",
    "not ",
    "\\boxed{",
    "so it's ",
    "C is ",
    "I ",
    "(",
    "```",
  ];
  for (const piece of pieces) letters(MEMORY, piece.repeat(1_000_000 / piece.length));
  expect(performance.now() - started).toBeLessThan(6000);
});
