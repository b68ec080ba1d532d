// Replies and the maths in them, one a line: what is expected, then the reply.
import { describe, expect, test } from "vitest";
import { toCases } from "../../testing/cases.ts";
import type { GradedTask } from "../types.ts";
import { gradeMaths } from "./maths.ts";

function grade(expected: string, reply: string, prompt = "How many?") {
  const task: GradedTask = {
    id: "t",
    set: "s",
    category: "maths",
    family: "maths",
    prompt,
    answer: expected,
    grader: "maths",
  };
  return gradeMaths(task, reply);
}

const RIGHT = String.raw`
42 ← Answer: 42
42 ← **Answer:** $42$
42 ← The answer is 42.
42 ← The answer is $42$, because six times seven is that.
42 ← We get \boxed{42}.
42 ← First \boxed{41}, but that forgets one. So \boxed{42}.
\frac{1}{2} ← \[ x = \boxed{\frac{1}{2}} \]
\frac{\sqrt{3}}{2} ← $\boxed{\frac{\sqrt{3}}{2}}$
3/4 ← Answer: 0.75
42 ← 6 times 7 is 42.
42 ← So 6 \cdot 7 = 42
42 ← Therefore, the total is 42 apples.
42 ← There are 42 of them.
42 ← Answer: 42 apples
42 ← Answer: there are 42 of them
42 ← Answer: 42 (that is, six times seven)
42 ← Answer: 42, not 41
42 ← Answer: not 41 but 42
42 ← Answer: approximately 42
42 ← 42 is the answer.
25\pi ← So the area is $25\pi$ square units.
25\pi ← The area is $25\pi$.
(1,2) ← Answer: $(1, 2)$
(1,2) ← Answer: (x, y) = (1, 2)
5,7 ← \boxed{5} and \boxed{7}
5,7 ← Answer: x = 5 or x = 7
\text{yes} ← Answer: Yes
\text{yes} ← Answer: Yes, because it is even.
x^2+1 ← Answer: $f(x) = x^2 + 1$
42 ← Answer: 41⏎Wait, I forgot one. Answer: 42
42 ← Answer: 41⏎Actually, it is 42.
42 ← <think>Answer: 41</think>⏎Answer: 42
1000 ← Answer: 1,000
-5 ← Answer: −5
\begin{pmatrix}1&2\\3&4\end{pmatrix} ← $\boxed{\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}}$
[1,2) ← The answer is $[1, 2)$.
\text{valid for all } x ← Answer: \text{valid for all } x
18 ← Answer: $18
18 ← Answer: \$18.00`;

const WRONG = String.raw`
42 ← 
42 ← I do not know.
42 ← Answer: 41
42 ← Answer: 41 or 42
42 ← Answer: 42 or 41
42 ← Answer: 41, or maybe 42
42 ← Answer: 42 (or 41)
42 ← Answer: 42. Alternatively, 41.
42 ← \boxed{41} or \boxed{42}
42 ← \boxed{42}, \boxed{41}
42 ← 42 is the sum. Answer: 41
42 ← We have 42 in the middle. So the result is 41.
42 ← Answer: not 42
42 ← Answer: 42 is wrong
42 ← Answer: 42⏎Wait, that is wrong. It is 41.
42 ← Answer: 42⏎Actually, 41.
42 ← It is between 41 and 42.
42 ← Answer: at least 42
42 ← Answer: more than 42
42 ← Answer: 40, 41, 42, 43
42 ← Answer: 42x
42 ← Answer: x > 42
42 ← Answer: 142
42 ← Answer: 4.2
42 ← Answer: 42%
42 ← Answer: 42 million
42 ← Answer: 42!
5! ← Answer: 5
5,7 ← Answer: 5
5,7 ← Answer: 5, 6, 7
\text{yes} ← Answer: yes or no
\text{yes} ← Answer: not yes
1/3 ← Answer: 0.333
(1,2) ← Answer: [1, 2]
(1,2) ← Answer: 1, 2
42 ← ∛42 ≠ 42?`;

test.each(toCases(RIGHT, " ← "))("%s is said by %s", (expected, reply) => {
  expect(grade(expected, reply)).toMatchObject({ score: 1 });
});

test.each(toCases(WRONG, " ← "))("%s is not said by %s", (expected, reply) => {
  expect(grade(expected, reply)).toMatchObject({ score: 0 });
});

describe("the question counts", () => {
  test.each([
    ["10", "10%", "What percent of them?"],
    ["10\\%", "10", "What percentage is it?"],
    ["5\\text{ cm}", "5", "How many cm long is it?"],
    ["5\\text{ cm}^2", "5", "What is its area in square centimeters?"],
    ["45^\\circ", "45", "What is the angle, in degrees?"],
    ["\\$18", "18", "How many dollars?"],
    ["1112112_3", "1112112", "Write it in base 3."],
    ["12 \\text{ ways}", "12", "In how many ways?"],
    ["5", "$a + b = 5$", "Find $a+b$."],
  ])("%s and %s are the same for %s", (expected, said, prompt) => {
    expect(grade(expected, `Answer: ${said}`).score).toBe(0);
    expect(grade(expected, `Answer: ${said}`, prompt).score).toBe(1);
  });

  test("but only for what it names", () => {
    expect(grade("5\\text{ cm}", "Answer: 5 m", "How many cm?").score).toBe(0);
    expect(grade("10", "Answer: 11%", "What percent?").score).toBe(0);
    expect(grade("1011_2", "Answer: 11", "Write it in base 2.").score).toBe(0);
  });
});

test("each grade says why", () => {
  expect(grade("0.75", "Answer: 3/4").why).toBe("said 3/4, expected 0.75: equal as numbers");
  expect(grade("42", "Answer: 42").why).toBe("said 42, expected 42");
  expect(grade("42", "Answer: 41").why).toBe("said 41, expected 42");
  expect(grade("\\{1,2\\}", "Answer: 2 and 1").why).toContain("equal as sets");
  expect(grade("42", "").why).toBe("said nothing, expected 42");
});
