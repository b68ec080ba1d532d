import fc from "fast-check";
import { expect, test } from "vitest";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { readQuantities } from "./read.ts";
import { sameMaths } from "./same-maths.ts";

/** One expression in two ways of writing. */
interface Written {
  latex: string;
  plain: string;
}

const written = fc.letrec<{ tree: Written }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.integer({ min: 0, max: 50 }).map((n) => ({ latex: String(n), plain: String(n) })),
    fc.constantFrom("x", "y").map((name) => ({ latex: name, plain: name })),
    fc.constant({ latex: "\\pi", plain: "π" }),
    fc.integer({ min: 2, max: 30 }).map((n) => ({ latex: `\\sqrt{${n}}`, plain: `sqrt(${n})` })),
    fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => ({
      latex: `\\left(${a.latex}+${b.latex}\\right)`,
      plain: `(${b.plain} + ${a.plain})`,
    })),
    fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => ({
      latex: `\\left(${a.latex}-${b.latex}\\right)`,
      plain: `(-(${b.plain}) + ${a.plain})`,
    })),
    fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => ({
      latex: `${a.latex}\\cdot ${b.latex}`,
      plain: `(${b.plain})*(${a.plain})`,
    })),
    fc.tuple(tie("tree"), fc.integer({ min: 2, max: 12 })).map(([a, n]) => ({
      latex: `\\frac{${a.latex}}{${n}}`,
      plain: `(${a.plain})/${n}`,
    })),
    fc.tuple(tie("tree"), fc.integer({ min: 0, max: 3 })).map(([a, n]) => ({
      latex: `{\\left(${a.latex}\\right)}^{${n}}`,
      plain: `(${a.plain})^${n}`,
    })),
  ),
})).tree;

const SIGNS = "0123456789xyi+-*/^_=<>()[]{}|,.;:!%$ \\".split("");
const PIECES = [
  "\\frac",
  "\\sqrt",
  "\\pi",
  "\\pm",
  "\\cup",
  "\\infty",
  "\\text{cm}",
  " or ",
  "\\{",
  "\\}",
  "\\le ",
  "^\\circ",
  "\\begin{pmatrix}",
  "\\end{pmatrix}",
  "\\\\",
  "&",
  "yes",
];
const scribble = fc
  .array(fc.constantFrom(...SIGNS, ...PIECES), { maxLength: 12 })
  .map((pieces) => pieces.join(""));
const isReadable = (text: string) => readQuantities(text).length > 0;

test("an answer equals itself, whatever it is", () => {
  const answers = fc.oneof(scribble, fc.string({ unit: "grapheme" })).filter(isReadable);
  fc.assert(
    fc.property(answers, (text) => {
      expect(sameMaths(text, text)).toBeDefined();
    }),
    { seed: 6, numRuns: 4000 },
  );
});

test("being the same is symmetric where no unit is in play", () => {
  const bare = scribble.filter((text) => !/cm|\$|circ|_/.test(text));
  fc.assert(
    fc.property(bare, bare, (a, b) => {
      expect(sameMaths(a, b) === undefined).toBe(sameMaths(b, a) === undefined);
    }),
    { seed: 7, numRuns: 4000 },
  );
});

test("two ways to write an expression are the same, and one more is not", () => {
  fc.assert(
    fc.property(written, ({ latex, plain }) => {
      expect(sameMaths(latex, plain)).toBeDefined();
      expect(sameMaths(plain, latex)).toBeDefined();
      expect(sameMaths(latex, `${plain} + 1`)).toBeUndefined();
      expect(sameMaths(latex, `${plain} + 1/1000000`)).toBeUndefined();
    }),
    { seed: 8, numRuns: 500 },
  );
});

test("fractions equal their decimals exactly or not at all", () => {
  fc.assert(
    fc.property(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: 0, max: 5 }), (n, shift) => {
      const decimal = (n / 10 ** shift).toFixed(shift);
      expect(sameMaths(`\\frac{${n}}{${10 ** shift}}`, decimal)).toBeDefined();
      expect(
        sameMaths(`\\frac{${n}}{${10 ** shift}}`, `${decimal}${shift === 0 ? "." : ""}1`),
      ).toBeUndefined();
    }),
    { seed: 9, numRuns: 500 },
  );
});

test("products of square roots are exact", () => {
  const small = fc.integer({ min: 2, max: 200 });
  fc.assert(
    fc.property(small, small, small, (a, b, c) => {
      expect(sameMaths(`(\\sqrt{${a}}+\\sqrt{${b}})^2`, `${a + b}+2\\sqrt{${a * b}}`)).toBeDefined();
      expect(sameMaths(`(\\sqrt{${a}}+\\sqrt{${b}})^2`, `${a + b}+2\\sqrt{${a * b + 1}}`)).toBeUndefined();
      const below = `\\sqrt{${a}}+\\sqrt{${b}}+${c}`;
      expect(sameMaths("1", `\\frac{1}{${below}}(${below})`)).toBeDefined();
    }),
    { seed: 10, numRuns: 300 },
  );
});

test("sets do not mind their order, tuples do", () => {
  const items = fc.uniqueArray(fc.integer({ min: -20, max: 20 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(items, (numbers) => {
      const turned = [...numbers].reverse();
      expect(sameMaths(`\\{${numbers.join(",")}\\}`, `{${turned.join(", ")}}`)).toBeDefined();
      expect(sameMaths(`(${numbers.join(",")})`, `(${turned.join(", ")})`)).toBeUndefined();
      expect(sameMaths(`\\{${numbers.join(",")}\\}`, `{${turned.slice(1).join(", ")}}`)).toBeUndefined();
    }),
    { seed: 11, numRuns: 300 },
  );
});

test("short hostile answers take no time either", () => {
  const pieces = [
    "9",
    "9^",
    "9^{9}",
    "(",
    "((x+1)",
    "x+",
    "\\sqrt{",
    "\\frac{1}{",
    "9!",
    "\\binom{600}{300}+",
    "-",
    "\\pm 1,",
    "|",
    "x_",
    "1,",
    "[",
    "\\text{a}",
    " ",
    "\\begin{pmatrix}1&",
    "(x+y)^{60}",
    "\\sqrt{2}+\\sqrt{3}+",
  ];
  const cpuMs = startCpuClock();
  for (const piece of pieces) {
    const text = piece.repeat(Math.floor(1990 / piece.length));
    for (const end of ["1", ")", "}", ""]) sameMaths(`${text}${end}`, `${text}2`);
  }
  const many = Array.from({ length: 190 }, (_, i) => `\\sqrt{${i}}`).join(",");
  sameMaths(`\\{${many}\\}`, `\\{${many},x\\}`);
  expect(cpuMs()).toBeLessThan(8000);
});
