// Replies that are written to keep a grader busy: whatever is repeated, nested or huge in the languages that graders
// read. Plain data, for tests and the attack suite: grade each with every grader of `createGrader()`.

/** Repeated until the reply is as long as one may be. */
const REPEATED = [
  ...[
    " ",
    "\n",
    "(",
    "{",
    "[",
    "[1,",
    '{"a":',
    '"',
    '\\"',
    "\\frac{1}{",
    "\\sqrt{",
    "\\left(",
    "\\boxed{",
    "\\text{",
  ],
  ...[
    "Answer: ",
    "the answer is ",
    "A, B, ",
    ",E",
    "A or ",
    "Option A: ",
    "is correct ",
    "wait, ",
    "or maybe ",
    "9! ",
  ],
  ...[
    "**",
    "`",
    "```\n",
    "$",
    "1",
    "1,",
    "1e",
    ".",
    "^",
    "9^",
    "!",
    "-",
    "1+",
    "x^2+",
    "=",
    "|",
    "1/",
    "\\pm",
    "\\cup ",
  ],
  ...["</think>", "<answer>", "\r\n", "\u00a0", "½", "km ", "1&", "\\\\", "def f(): ", "a ="],
];

/** Short forms of what is large. */
const LARGE = [
  ...[
    "2^{1000000000}",
    "9^{9^{9^{9}}}",
    "1000000000!",
    "((((9!)!)!)!)!",
    "\\binom{10^9}{10^8}",
    "1e999999999",
  ],
  ...["(x+1)^{1000000}", "(x+y+z)^{50}", "(10^{1000})^{1000}", "3^{1/1000000007}", "\\sin(10^{1000000})"],
  "7".repeat(19_000),
  `${"7".repeat(9_000)}/${"3".repeat(9_000)}`,
  `${"7".repeat(2_000)}^${"9".repeat(2_000)}`,
  `\\sqrt{${"7".repeat(9_000)}}`,
  Array(200).fill("(x+y+1)").join("*"),
  Array.from({ length: 300 }, (_, i) => `\\sqrt{${i + 2}}`).join("+"),
  Array.from({ length: 1_500 }, (_, i) => `${i}/${i * 7919 + 1}`).join("+"),
  `\\{${Array(3_000).fill("x").join(",")}\\}`,
  `${Array(500).fill("1/(x+").join("")}1${")".repeat(500)}`,
];

export const HOSTILE_REPLIES: readonly { name: string; reply: string }[] = [
  ...REPEATED.flatMap((unit) => {
    const text = unit.repeat(Math.ceil(200_000 / unit.length));
    const name = JSON.stringify(unit);
    return [
      { name: `${name}, repeated`, reply: text },
      { name: `an answer of ${name}, repeated`, reply: `Answer: ${text.slice(-19_000)}` },
      { name: `a box of ${name}, repeated`, reply: `\\boxed{${text.slice(-19_000)}}` },
      { name: `an answer behind ${name}, repeated`, reply: `${text}\nAnswer: B` },
    ];
  }),
  ...LARGE.map((text) => ({ name: text.slice(0, 30), reply: `Answer: ${text}` })),
];
