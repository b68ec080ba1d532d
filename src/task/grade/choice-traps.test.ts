// Replies that name several options, or none, and options that are easily mistaken: one a line, the letters
// they choose ("-" for none), then the reply.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toCases } from "../../testing/cases.ts";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { toOptions } from "./choice-claim.ts";
import { chosenLetters } from "./choice-statement.ts";

const CELL = ["Mitochondria", "Nucleus", "Ribosome", "Golgi apparatus"];
const MEMORY = ["Queue memory", "FIFO memory", "LIFO memory", "Random memory"];
const TWENTY = Array.from({ length: 20 }, (_, i) => `thing number ${i + 101}`);

const REPLIES: [string, string[] | undefined, string][] = [
  [
    "several letters",
    MEMORY,
    `
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
    `
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
    `
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
    `
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
    `
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
    `
B ← Answer: B
B ← (B)
B ← The correct answer is B.
B ← B) something
- ← A dog is an animal.
- ← something else`,
  ],
  [
    "more that choose none or several",
    CELL,
    `
- ← The answer is one of A, B, C or D.
- ← I cannot determine the answer from A, B, C, D.
- ← We need to decide between (A) and (C).
- ← A cell has a nucleus, a ribosome and mitochondria.
- ← A ribosome and a nucleus.
- ← Neither A nor C is correct.
- ← All of them are correct.
- ← It is not C.
- ← The answer isn't C.
- ← The answer can't be C.
- ← I don't think C is correct.
- ← C is probably not the correct answer.
- ← Options: A, B, C, D
- ← Could be C, could be B.
- ← C or D?
- ← None of these options is correct.
- ← There is no correct answer.
- ← Mitochondria or Ribosome
- ← A good question.
- ← I'd like more context.
- ← I need to think about B and D
- ← As an AI, I can not choose.
- ← A: I don't know.
AB ← Answer: A or B, I'm not sure
ABCD ← Answer: A B C D
BD ← My answer is B and D.
BC ← The answer is (B) and (C).
BC ← It's either B or C. I'd go with B or C.`,
  ],
];

describe.each(REPLIES)("%s", (_, choices, lines) => {
  test.each(toCases(lines, " ← "))("%s: %s", (chosen, reply) => {
    expect(chosenLetters(reply, toOptions(choices)).sort().join("") || "-").toBe(chosen);
  });
});

const said = (reply: string) => chosenLetters(reply, toOptions(MEMORY)).join("");

test("a final statement always wins, whatever stood before", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 3 }), (text, index) => {
      const letter = "ABCD".charAt(index);
      expect(said(`${text}\n\nAnswer: ${letter}`)).toBe(letter);
      expect(said(`${text}\n\nThe answer is (${letter}).`)).toBe(letter);
    }),
    { seed: 5, numRuns: 300 },
  );
});

test("hostile replies take linear time", () => {
  const cpuMs = startCpuClock();
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
  for (const piece of pieces) said(piece.repeat(1_000_000 / piece.length));
  expect(cpuMs()).toBeLessThan(6000);
});
