// The vocabulary of maths notation: what each command, word and sign means to the tokeniser.

/** "a b, c d" as a table. Maps, because answers may contain words like "constructor". */
function toTable(pairs: string): ReadonlyMap<string, string> {
  return new Map(pairs.split(/,\s+/).map((pair) => pair.split(" ") as [string, string]));
}

function toWords(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

/** Signs outside ASCII, as the tokeniser writes them. */
export const CHARACTERS =
  toTable(String.raw`− -, – -, ‒ -, × *, · *, ⋅ *, ∗ *, ÷ /, ∕ /, ⁄ /, π \pi, ∞ \infty,
  √ \sqrt, º °, ˚ °, ⟨ \langle, ⟩ \rangle, ⁰ ^0, ¹ ^1, ² ^2, ³ ^3, ⁴ ^4, ⁵ ^5, ⁶ ^6, ⁷ ^7, ⁸ ^8, ⁹ ^9,
  ½ \frac12, ⅓ \frac13, ¼ \frac14, ¾ \frac34, ⅔ \frac23, ₀ _0, ₁ _1, ₂ _2, ₃ _3, ∅ \emptyset, ℝ \mathbb{R},
  ’ ', ′ ', θ \theta, α \alpha, β \beta, λ \lambda`);

/** Commands that only change how their content looks. */
export const DROPPED = toWords(`left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle limits
  boxed fbox vec mathbf boldsymbol bm`);

export const SPACES = new Set(["quad", "qquad", "enspace", "thinspace", ",", ";", ":", " ", "!"]);

export const WRAPPERS = toWords(`text textbf textit textrm textnormal mathrm mathit mathsf mbox hbox
  operatorname emph`);

export const MARKS = toTable(String.raw`cdot *, times *, ast *, div /, le ≤, leq ≤, leqslant ≤, ge ≥, geq ≥,
  geqslant ≥, lt <, gt >, ne ≠, neq ≠, approx ≈, simeq ≈, in ∈, cup ∪, pm ±, mp ∓, degree °, % %, lvert |,
  rvert |, vert |, mid |, lfloor ⌊, rfloor ⌋, lceil ⌈, rceil ⌉, langle (, rangle ), lbrace \{, rbrace \},
  { \{, } \}, lbrack [, rbrack ], \ \\, cr \\`);

export const OPERATORS = toTable("** ^, <= ≤, >= ≥, != ≠, == =, +- ±, +/- ±");

export const WORD_MARKS = toTable("or or, and and, percent %");

export const FUNCTIONS = toTable(`sin sin, cos cos, tan tan, cot cot, sec sec, csc csc, arcsin arcsin,
  arccos arccos, arctan arctan, sinh sinh, cosh cosh, tanh tanh, ln ln, log log, lg log, exp exp, sqrt sqrt,
  abs abs, floor floor, ceil ceil, frac frac, dfrac frac, tfrac frac, cfrac frac, binom binom, tbinom binom,
  dbinom binom`);

export const CONSTANTS = toTable(`pi pi, infty infinity, infinity infinity, inf infinity, emptyset empty,
  varnothing empty`);

export const LETTERS = toWords(`alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa
  lambda mu nu xi rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi
  Omega ell`);
