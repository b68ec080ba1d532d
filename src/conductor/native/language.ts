// The language of workflows as tokens. The fixed parts of the format and the access lists are one token each,
// a worker is a pointer to its slot, and the words of subtasks are byte pairs. What comes out as text is the
// format of every Conductor, and goes through the same parser.

import type { Tokenizer } from "../../nn/tokenizer.ts";
import { type Access, MAX_STEPS, type Step } from "../../workflow/types.ts";

const START = "model_id = [";
const NEXT = ", ";
const SUBTASKS = ']\nsubtasks = ["';
const NEXT_SUBTASK = '", "';
const ACCESS = '"]\naccess_list = [';
const CLOSE = "]";
const ACCEPT = "]\nsubtasks = []\naccess_list = []";

// Of the private use area: a question that holds one of these loses it before it is read.
const PRIVATE = /[\u{E000}-\u{F8FF}]/gu;
const END = "\u{E000}";
const FREE = "\u{E001}";
const ROUND = "\u{E002}";
const NOTHING = "\u{E003}";
const sizeText = (size: number) => String.fromCharCode(0xe010 + size);
const answerText = (label: number) => String.fromCharCode(0xe020 + label);

/** Answers of a team are told apart up to this many. */
const ANSWERS = MAX_STEPS;

/** All lists of earlier positions that a step may see, in a fixed order. */
const LISTS: readonly number[][] = Array.from({ length: 2 ** (MAX_STEPS - 1) }, (_, bits) =>
  Array.from({ length: MAX_STEPS - 1 }, (_, position) => position).filter(
    (position) => bits & (1 << position),
  ),
);
const ALL = '["all"]';
const listText = (positions: readonly number[]) => `[${positions.join(", ")}]`;

/** To be given to the tokenizer when it is made. */
export const LITERALS: readonly string[] = [
  ...[START, NEXT, SUBTASKS, NEXT_SUBTASK, ACCESS, CLOSE, ACCEPT],
  ...[END, FREE, ROUND, NOTHING],
  ...Array.from({ length: MAX_STEPS }, (_, i) => sizeText(i + 1)),
  ...Array.from({ length: ANSWERS }, (_, i) => answerText(i)),
  ...[ALL, ...LISTS.map(listText)],
];

export class Language {
  readonly tokenizer: Tokenizer;
  /** Tokens from here on point at slots. */
  readonly vocabulary: number;
  readonly start: number;
  readonly next: number;
  readonly subtasks: number;
  readonly nextSubtask: number;
  readonly access: number;
  readonly close: number;
  readonly accept: number;
  readonly end: number;
  /** What is written where an answer is taken as it is. */
  readonly acceptance: string;
  readonly all: number;
  readonly #lists: ReadonlyMap<string, number>;
  readonly #positions: ReadonlyMap<number, readonly number[] | "all">;
  readonly #isWord: Uint8Array;
  readonly #isBlank: Uint8Array;

  constructor(tokenizer: Tokenizer) {
    this.tokenizer = tokenizer;
    this.vocabulary = tokenizer.size;
    this.start = tokenizer.literal(START);
    this.next = tokenizer.literal(NEXT);
    this.subtasks = tokenizer.literal(SUBTASKS);
    this.nextSubtask = tokenizer.literal(NEXT_SUBTASK);
    this.access = tokenizer.literal(ACCESS);
    this.close = tokenizer.literal(CLOSE);
    this.accept = tokenizer.literal(ACCEPT);
    this.end = tokenizer.literal(END);
    this.acceptance = `${START}${ACCEPT}`;
    this.all = tokenizer.literal(ALL);
    this.#lists = new Map(LISTS.map((list) => [list.join(), tokenizer.literal(listText(list))]));
    this.#positions = new Map<number, readonly number[] | "all">([
      ...LISTS.map((list): [number, number[]] => [this.#lists.get(list.join())!, list]),
      [this.all, "all"],
    ]);
    const fixed = new Set(LITERALS.filter((text) => text !== NEXT).map((text) => tokenizer.literal(text)));
    this.#isWord = Uint8Array.from({ length: tokenizer.size }, (_, token) =>
      // A quotation mark, a backslash or a control character would end or change the string.
      !fixed.has(token) && /^[^"\\\p{Cc}\p{Co}\u{FFFD}\u2028\u2029]+$/u.test(tokenizer.decode([token]))
        ? 1
        : 0,
    );
    this.#isBlank = Uint8Array.from({ length: tokenizer.size }, (_, token) =>
      tokenizer.decode([token]).trim() === "" ? 1 : 0,
    );
  }

  // ---- Reading ----------------------------------------------------------------------------------------

  /** How large the team shall be, or free. */
  size(size: number | undefined): number {
    return this.tokenizer.literal(size === undefined ? FREE : sizeText(size));
  }

  /** A round of the team: for each step which of its answers it gave, or none. */
  round(labels: readonly (number | undefined)[]): number[] {
    const literal = (text: string) => this.tokenizer.literal(text);
    return [
      literal(ROUND),
      ...labels.map((label) =>
        literal(label === undefined ? NOTHING : answerText(Math.min(label, ANSWERS - 1))),
      ),
    ];
  }

  /** Head and tail of a long text: what is asked stands at either end. */
  question(text: string, limit: number): number[] {
    // Of a text of a megabyte only the ends are read; no token is longer than a piece.
    const clean = text.length > 64 * limit ? `${text.slice(0, 32 * limit)}${text.slice(-32 * limit)}` : text;
    const tokens = this.tokenizer.encode(clean.replace(PRIVATE, ""));
    if (tokens.length <= limit) return tokens;
    const head = Math.round(limit * 0.6);
    return [...tokens.slice(0, head), ...tokens.slice(tokens.length - (limit - head))];
  }

  // ---- Writing ----------------------------------------------------------------------------------------

  /** What the model would write after the start for these steps; `worker` is a slot. None: it accepts. */
  toTokens(steps: readonly Step[]): number[] {
    if (steps.length === 0) return [this.accept, this.end];
    const tokens: number[] = [];
    for (const [i, { worker }] of steps.entries())
      tokens.push(...(i > 0 ? [this.next] : []), this.slot(worker));
    for (const [i, { subtask }] of steps.entries()) {
      // Escaped: a quotation mark or a line break must not end the string.
      const escaped = JSON.stringify(subtask.replace(PRIVATE, "")).slice(1, -1);
      tokens.push(i > 0 ? this.nextSubtask : this.subtasks, ...this.tokenizer.encode(escaped));
    }
    for (const [i, { access }] of steps.entries())
      tokens.push(i > 0 ? this.next : this.access, this.accessToken(access));
    return [...tokens, this.close, this.end];
  }

  /** As text; `workerOf` gives the number of a slot's worker in the pool. */
  toText(tokens: readonly number[], workerOf: (slot: number) => number): string {
    let text = START;
    let words: number[] = [];
    const flush = () => {
      text += this.tokenizer.decode(words);
      words = [];
    };
    for (const token of tokens) {
      if (token === this.end) break;
      if (token < this.vocabulary) words.push(token);
      else {
        flush();
        text += workerOf(token - this.vocabulary);
      }
    }
    flush();
    return text.replace(PRIVATE, "");
  }

  slot(number: number): number {
    return this.vocabulary + number;
  }

  accessToken(access: Access): number {
    return typeof access === "string" ? this.all : this.#lists.get(access.join())!;
  }

  /** What an access token lets a step see. */
  positionsOf(token: number): readonly number[] | "all" | undefined {
    return this.#positions.get(token);
  }

  /** May stand inside a subtask. */
  isWord(token: number): boolean {
    return token < this.vocabulary && this.#isWord[token] === 1;
  }

  /** Nothing but white space: a subtask of such words alone would be blank. */
  isBlank(token: number): boolean {
    return token < this.vocabulary && this.#isBlank[token] === 1;
  }

  /** 1 for the first word of each subtask, which says what kind of work it is; 0 for all else. */
  verbs(tokens: readonly number[]): Float32Array {
    return Float32Array.from(tokens, (token, at) => {
      const before = tokens[at - 1];
      return this.isWord(token) && (before === this.subtasks || before === this.nextSubtask) ? 1 : 0;
    });
  }

  /** 1 for the tokens that decide who, how many, and who sees what; 0 for words. */
  decisions(tokens: readonly number[]): Float32Array {
    let isInWords = false;
    return Float32Array.from(tokens, (token) => {
      if (token === this.subtasks) {
        isInWords = true;
        return 1;
      }
      if (token === this.access) isInWords = false;
      return isInWords || token === this.access || token === this.end || token === this.close ? 0 : 1;
    });
  }
}
