// Replies as models give them, one a line: the letter they choose, then the reply.
import { describe, expect, test } from "vitest";
import { toCases } from "../../testing/cases.ts";
import { toOptions } from "./choice-claim.ts";
import { chosenLetters } from "./choice-statement.ts";

const CELL = ["Mitochondria", "Nucleus", "Ribosome", "Golgi apparatus"];
const MEMORY = ["Queue memory", "FIFO memory", "LIFO memory", "Random memory"];

const REPLIES: [string, string[], string][] = [
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
    `
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
    `
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
    "whole replies",
    CELL,
    String.raw`
C ← Let's think step by step. The organelle that makes proteins is the ribosome. The answer is (C).
C ← Proteins are synthesized by ribosomes.⏎⏎Therefore, the correct answer is **C. Ribosome**.
C ← **Step 1:** Rule out A, since mitochondria make ATP.⏎**Step 2:** Rule out B.⏎**Step 3:** Rule out D.⏎⏎The correct choice is thus **(C) Ribosome**.
C ← The best answer here would be option C: Ribosome.
C ← Ribosome
C ← The ribosome is responsible.
C ← C. The ribosome makes proteins, while A makes ATP.
C ← **Answer: C. Ribosome**⏎⏎**Explanation:**⏎- A. Mitochondria: make ATP.⏎- B. Nucleus: holds DNA.⏎- C. Ribosome: makes proteins.⏎- D. Golgi apparatus: packs proteins.
C ← A. Mitochondria - make ATP.⏎B. Nucleus - holds DNA.⏎C. Ribosome - makes proteins.⏎D. Golgi apparatus - packs.⏎⏎So the answer is C.
C ← Looking at the options:⏎⏎A) Mitochondria: incorrect.⏎B) Nucleus: incorrect.⏎C) Ribosome: correct.⏎D) Golgi apparatus: incorrect.⏎⏎**C**
C ← It is C, the ribosome.
C ← Based on this analysis, the answer is **C**.
C ← Based on the above, I would select C as the correct answer.
C ← The correct answer is (C) Ribosome. Options (A), (B), and (D) are incorrect because they do other things.
C ← The answer is C. A is wrong because mitochondria make ATP. B is wrong too.
C ← Answer: C⏎⏎A is incorrect. B is incorrect. D is incorrect.
C ← So my final answer would be C.
C ← Final Answer: The final answer is $\boxed{C}$
C ← Thus, the answer is:⏎⏎**C) Ribosome**
C ← The answer is:⏎C
C ← Correct Answer: C) Ribosome
C ← > **C**
C ← The correct answer is option **C**, which is Ribosome.
C ← The answer would be C (Ribosome).
C ← Therefore, the final answer is C. Ribosome.
C ← Among the given options, Ribosome is the correct answer.
C ← Ribosome is correct.
C ← Ribosome (C)
C ← The answer is the ribosome.
C ← Option C.
C ← Option C is the right one.
C ← I am confident that the answer is C.
C ← I believe C is correct.
C ← I believe the correct answer is C.
C ← Hmm, A or B? No: C is correct.
C ← Let me consider A first. A is plausible, but B is better. Actually neither. The answer: C
C ← The answer is C, A being wrong.
C ← answer is c
C ← Answer : C
C ← Answer: $C$
C ← Answer: **(C)** Ribosome
C ← Answer：C
C ← The right answer is C, I think.
C ← Answer: C?
C ← The answer is C!
C ← Answer choice C
C ← Choice C
C ← The letter is C.
C ← The answer corresponds to choice (C).
C ← C is the only option that makes proteins.
C ← C is the one that makes sense.
C ← Only C is correct.
C ← Only option C makes sense.
C ← Selected answer: C
C ← The statement that is true is C.
B ← It's either B or C. I'd go with B.
A ← A is the correct answer.
A ← The correct answer is A.
A ← The answer is A because mitochondria make ATP.
A ← The answer is A, mitochondria.
A ← Answer: A Mitochondria
A ← Answer: A is right
D ← By elimination, D.
D ← By elimination the answer must be D.
D ← A, B and C are wrong. Therefore D.
D ← (D)⏎
D ← D⏎⏎Because the Golgi apparatus packs proteins.`,
  ],
];

describe.each(REPLIES)("%s", (_, choices, lines) => {
  test.each(toCases(lines, " ← "))("%s: %s", (chosen, reply) => {
    expect(chosenLetters(reply, toOptions(choices)).sort().join("") || "-").toBe(chosen);
  });
});
