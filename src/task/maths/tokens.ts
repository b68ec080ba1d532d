// LaTeX and plain notation become one stream of tokens, so that the parser knows only one language.
// A command that is not known gives `undefined`: the answer is then compared as text.

import { parseDecimal, parseRepeating, type Rational } from "./rational.ts";

export type Token = { spaced: boolean } & (
  | { type: "number"; value: Rational; digits: string }
  | { type: "symbol"; name: string }
  | { type: "function"; name: string }
  | { type: "word"; text: string }
  | { type: "begin" | "end"; environment: string }
  | { type: "mark"; mark: string }
);

/** Pairs, apart by commas: a sign and how the rest of this file writes it. */
const CHARACTERS = toTable(
  String.raw`− -, – -, ‒ -, × *, · *, ⋅ *, ∗ *, ÷ /, ∕ /, ⁄ /, π \pi, ∞ \infty, √ \sqrt, º °, ˚ °,
    ⟨ \langle, ⟩ \rangle, ² ^2, ³ ^3, ⁴ ^4, ½ \frac12, ⅓ \frac13, ¼ \frac14, ¾ \frac34,
    ⅔ \frac23, ₂ _2, ₃ _3, ₁ _1, ₀ _0, ∅ \emptyset, ℝ \mathbb{R}, ’ ', ′ '`,
);

const DROPPED = new Set(
  "left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle limits boxed fbox vec mathbf boldsymbol bm".split(
    " ",
  ),
);
const SPACES = new Set(["quad", "qquad", "enspace", "thinspace", ",", ";", ":", " ", "!"]);
const WRAPPERS =
  /^(?:text|textbf|textit|textrm|textnormal|mathrm|mathit|mathsf|mbox|hbox|operatorname|emph)\*?$/;
const MARKS = toTable(
  String.raw`cdot *, times *, ast *, div /, le ≤, leq ≤, leqslant ≤, ge ≥, geq ≥, geqslant ≥, lt <,
    gt >, ne ≠, neq ≠, approx ≈, simeq ≈, in ∈, cup ∪, pm ±, mp ∓, degree °, % %, lvert |,
    rvert |, vert |, mid |, lfloor ⌊, rfloor ⌋, lceil ⌈, rceil ⌉, langle (, rangle ),
    lbrace \{, rbrace \}, { \{, } \}, lbrack [, rbrack ], \ \\, cr \\`,
);
const WORD_MARKS: Record<string, string> = { or: "or", and: "and", percent: "%", to: "" };
const FUNCTIONS = new Set(
  "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ln log lg exp sqrt abs frac binom tbinom dbinom dfrac tfrac cfrac floor ceil det".split(
    " ",
  ),
);
const GREEK = new Set(
  "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega ell".split(
    " ",
  ),
);
const CONSTANTS = toTable(
  String.raw`pi pi, infty infinity, infinity infinity, inf infinity, emptyset empty, varnothing empty`,
);
const SPELLING = toTable(
  String.raw`dfrac frac, tfrac frac, cfrac frac, tbinom binom, dbinom binom, lg log`,
);

const SPACE = /\s+|~/y;
const REPEATING = /(\d*)\.(\d*)\\(?:overline|bar)\{(\d{1,20})\}/y;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+(?![\d.A-Za-z]))?/y;
const DEGREE = /\^\s*(?:\\circ(?![A-Za-z])|\{\s*\\circ\s*\})|\\degree(?![A-Za-z])/y;
const ANGLE = /(?:m\s*)?\\angle\s*\{?\s*([A-Z]{1,3})\s*\}?/y;
const COMMAND = /\\([A-Za-z]+\*?|.)/sy;
const LETTERS = /[A-Za-z]+/y;
const ARGUMENT = /\s*\{([^{}]*)\}/y;
const GLUED = /^(sin|cos|tan|cot|sec|csc|ln|log|sqrt)([a-z])$/;
const OPERATOR = /\*\*|<=|>=|!=|==|\+-|\+\/-|[-+*/^_(){}[\],;:!%°|=<>≤≥≠∈≈±∓∪&⌊⌋⌈⌉]/y;
const OPERATOR_SPELLING = toTable(
  String.raw`** ^, <= ≤, >= ≥, != ≠, == =, +- ±, +/- ±`,
);

export function tokenise(source: string): Token[] | undefined {
  const text = source.replace(/[^\x20-\x7e\n\t]/gu, (character) => CHARACTERS[character] ?? character);
  const tokens: Token[] = [];
  let at = 0;
  let spaced = false;
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) return undefined;
    at = pattern.lastIndex;
    return found;
  };
  const put = (token: TokenBody) => {
    tokens.push({ ...token, spaced } as Token);
    spaced = false;
  };
  const mark = (name: string) => put({ type: "mark", mark: name });

  /** False where the letters mean nothing we know. */
  const putLetters = (letters: string): boolean => {
    const before = tokens.at(-1);
    if (letters === "U" && before?.type === "mark" && /[)\]]/.test(before.mark)) mark("∪");
    else if (/^[xX]$/.test(letters) && before?.type === "number" && /^\s*\d/.test(text.slice(at, at + 8)))
      mark("*");
    else if (WORD_MARKS[letters.toLowerCase()]) mark(WORD_MARKS[letters.toLowerCase()] as string);
    else if (FUNCTIONS.has(letters)) put({ type: "function", name: SPELLING[letters] ?? letters });
    else if (CONSTANTS[letters.toLowerCase()])
      put({ type: "symbol", name: CONSTANTS[letters.toLowerCase()] as string });
    else if (letters.length === 1 || GREEK.has(letters)) put({ type: "symbol", name: letters });
    else if (GLUED.test(letters)) {
      const [, name = "", variable = ""] = GLUED.exec(letters) ?? [];
      put({ type: "function", name });
      put({ type: "symbol", name: variable });
    } else put({ type: "word", text: letters });
    return true;
  };

  const putCommand = (name: string): boolean => {
    if (DROPPED.has(name)) {
      // "\left." opens nothing.
      if ((name === "left" || name === "right") && text[at] === ".") at++;
      return true;
    }
    if (SPACES.has(name)) {
      if (name !== "!") spaced = true;
      return true;
    }
    if (MARKS[name] !== undefined) {
      mark(MARKS[name]);
      return true;
    }
    if (name === "begin" || name === "end") {
      const environment = match(ARGUMENT)?.[1];
      if (environment === undefined) return false;
      // The columns of an array say nothing about its content.
      if (name === "begin" && environment === "array") match(ARGUMENT);
      put({ type: name, environment });
      return true;
    }
    if (name === "mathbb") {
      if (match(ARGUMENT)?.[1]?.trim() !== "R") return false;
      put({ type: "symbol", name: "reals" });
      return true;
    }
    if (name === "overline" || name === "bar" || name === "hat") {
      const inner = match(ARGUMENT)?.[1];
      if (inner === undefined) return false;
      put({ type: "symbol", name: `${name} ${inner.trim()}` });
      return true;
    }
    if (WRAPPERS.test(name)) {
      const inner = match(ARGUMENT)?.[1]?.trim();
      if (inner === undefined) return false;
      if (/^[A-Za-z]+$/.test(inner)) return putLetters(inner);
      const content = tokenise(inner);
      if (!content) return false;
      for (const token of content) tokens.push(token);
      return true;
    }
    return FUNCTIONS.has(name) || CONSTANTS[name] !== undefined || GREEK.has(name) ? putLetters(name) : false;
  };

  while (at < text.length) {
    if (match(SPACE)) {
      spaced = true;
      continue;
    }
    const repeating = match(REPEATING);
    if (repeating) {
      const [, whole = "", fixed = "", repeated = ""] = repeating;
      put({ type: "number", value: parseRepeating(whole, fixed, repeated), digits: "" });
      continue;
    }
    const number = match(NUMBER)?.[0];
    if (number !== undefined) {
      const value = parseDecimal(number);
      if (!value) return undefined;
      put({ type: "number", value, digits: number });
      continue;
    }
    if (match(DEGREE)) {
      mark("°");
      continue;
    }
    const angle = match(ANGLE)?.[1];
    if (angle !== undefined) {
      put({ type: "symbol", name: `angle ${angle}` });
      continue;
    }
    const command = match(COMMAND)?.[1];
    if (command !== undefined) {
      if (!putCommand(command)) return undefined;
      continue;
    }
    const letters = match(LETTERS)?.[0];
    if (letters !== undefined) {
      putLetters(letters);
      continue;
    }
    const operator = match(OPERATOR)?.[0];
    if (operator === undefined) return undefined;
    mark(OPERATOR_SPELLING[operator] ?? operator);
  }
  return tokens;
}

type TokenBody = Token extends infer T ? (T extends Token ? Omit<T, "spaced"> : never) : never;
