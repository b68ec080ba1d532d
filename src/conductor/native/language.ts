// The language of workflows as tokens. The fixed parts of the format and the access lists are one token each, a worker
// is a pointer to its slot, and a subtask is an instruction of the repertoire with what fills its slots: a kind of work
// and a form of the answer are tokens, a part of the question is a pointer. What comes out as text is the format of every
// Conductor, with whole sentences, and goes through the same parser.

import { usageError } from "../../base/errors.ts";
import { renderSaying } from "../../instruction/render.ts";
import type {
  AnswerForm,
  Instruction,
  QuestionPart,
  Repertoire,
  Saying,
  Work,
} from "../../instruction/types.ts";
import type { Tokenizer } from "../../nn/tokenizer.ts";
import { type Access, MAX_STEPS } from "../../workflow/types.ts";
import type { Sayable } from "./sayable.ts";

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

/** Instructions that a training may add to the repertoire it began with. */
const SPARE_INSTRUCTIONS = 24;
const INSTRUCTIONS_AT = 0xe100;
const WORKS_AT = 0xe200;
const FORMS_AT = 0xe280;
/** More than these would run into one another. */
const MOST_ENTRIES = { instructions: 0x100 - SPARE_INSTRUCTIONS, works: 0x80, forms: 0x80 } as const;
const characters = (at: number, count: number) =>
  Array.from({ length: count }, (_, i) => String.fromCharCode(at + i));

/** To be given to the tokenizer when it is made. */
export function toLiterals(repertoire: Repertoire): string[] {
  const { instructions, works, forms } = repertoire;
  for (const name of ["instructions", "works", "forms"] as const) {
    const [most, count] = [MOST_ENTRIES[name], repertoire[name].length];
    if (count > most) throw usageError(`A repertoire may have ${most} ${name}, and this one has ${count}`);
  }
  return [
    ...[START, NEXT, SUBTASKS, NEXT_SUBTASK, ACCESS, CLOSE, ACCEPT],
    ...[END, FREE, ROUND, NOTHING],
    ...Array.from({ length: MAX_STEPS }, (_, i) => sizeText(i + 1)),
    ...Array.from({ length: ANSWERS }, (_, i) => answerText(i)),
    ...[ALL, ...LISTS.map(listText)],
    ...characters(INSTRUCTIONS_AT, instructions.length + SPARE_INSTRUCTIONS),
    ...characters(WORKS_AT, works.length),
    ...characters(FORMS_AT, forms.length),
  ];
}

/** What is written for a step; `worker` is a slot, and so is a part, behind those of the workers. */
export interface WrittenStep {
  worker: number;
  saying: SayingTokens;
  access: Access;
}

/** An instruction with what fills its slots, in their order, as tokens. */
export type SayingTokens = readonly number[];

/** What text is made with: whose number a slot is, and what can be said of the question. */
export interface Wording {
  /** The number in the pool of a slot's worker. */
  workerOf(slot: number): number;
  /** Slots of workers; those of parts follow. */
  workers: number;
  sayable: Sayable;
}

export class Language {
  readonly tokenizer: Tokenizer;
  readonly repertoire: Repertoire;
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
  readonly #instructions = new Map<number, Instruction>();
  readonly #works = new Map<number, Work>();
  readonly #forms = new Map<number, AnswerForm>();
  readonly #tokens = new Map<Instruction | Work | AnswerForm, number>();

  /** The tokenizer was made with the literals of this repertoire, or of one that this one adds a few instructions to. */
  constructor(tokenizer: Tokenizer, repertoire: Repertoire) {
    this.tokenizer = tokenizer;
    this.repertoire = repertoire;
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
    this.#learnEntries(INSTRUCTIONS_AT, repertoire.instructions, this.#instructions);
    this.#learnEntries(WORKS_AT, repertoire.works, this.#works);
    this.#learnEntries(FORMS_AT, repertoire.forms, this.#forms);
  }

  #learnEntries<Entry extends Instruction | Work | AnswerForm>(
    at: number,
    entries: readonly Entry[],
    byToken: Map<number, Entry>,
  ): void {
    for (const [i, entry] of entries.entries()) {
      const token = this.tokenizer.literal(String.fromCharCode(at + i));
      byToken.set(token, entry);
      this.#tokens.set(entry, token);
    }
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

  /** What the model would write after the start for these steps. None: it accepts. */
  toTokens(steps: readonly WrittenStep[]): number[] {
    if (steps.length === 0) return [this.accept, this.end];
    const tokens: number[] = [];
    for (const [i, { worker }] of steps.entries())
      tokens.push(...(i > 0 ? [this.next] : []), this.slot(worker));
    for (const [i, { saying }] of steps.entries())
      tokens.push(i > 0 ? this.nextSubtask : this.subtasks, ...saying);
    for (const [i, { access }] of steps.entries())
      tokens.push(i > 0 ? this.next : this.access, this.accessToken(access));
    return [...tokens, this.close, this.end];
  }

  /** What was written, step by step; undefined where it is no workflow of whole steps. */
  toSteps(tokens: readonly number[]): WrittenStep[] | undefined {
    const steps: { worker?: number; saying: number[]; access?: Access }[] = [];
    const stepOf = this.stepsOf(tokens);
    let section: "worker" | "saying" | "access" = "worker";
    for (const [at, token] of tokens.entries()) {
      if (token === this.subtasks) section = "saying";
      if (token === this.access) section = "access";
      const number = stepOf[at];
      if (number === undefined) continue;
      steps[number] ??= { saying: [] };
      const step = steps[number];
      if (section === "saying") step.saying.push(token);
      else if (section === "worker") step.worker = token - this.vocabulary;
      else step.access = this.#toAccess(token);
    }
    const whole = steps.flatMap(({ worker, saying, access }): WrittenStep[] =>
      worker === undefined || access === undefined || saying.length === 0 ? [] : [{ worker, saying, access }],
    );
    return whole.length === steps.length && whole.length > 0 ? whole : undefined;
  }

  /** `part` is the slot of a part. */
  toSayingTokens(
    instruction: Instruction,
    { work, part, form }: { work?: Work; part?: number; form?: AnswerForm },
  ): number[] {
    const filled = {
      work: () => this.entry(work!),
      part: () => this.slot(part!),
      form: () => this.entry(form!),
    };
    return [this.entry(instruction), ...instruction.slots.map((slot) => filled[slot]())];
  }

  /** As text. A subtask is written once it is whole; what is no instruction with its slots filled makes no workflow. */
  toText(tokens: readonly number[], wording: Wording): string {
    let text = START;
    let saying: number[] | undefined;
    for (const token of tokens) {
      if (token === this.end) break;
      const closesSubtask = token === this.nextSubtask || token === this.access;
      if (saying && closesSubtask) text += this.#sentence(saying, wording);
      if (saying && !closesSubtask) {
        saying.push(token);
        continue;
      }
      saying = token === this.subtasks || token === this.nextSubtask ? [] : undefined;
      text += this.isSlot(token)
        ? wording.workerOf(token - this.vocabulary)
        : this.tokenizer.decode([token]).replace(PRIVATE, "");
    }
    return text;
  }

  /** Escaped: a quotation mark of the question must not end the string. One list element too many is no workflow. */
  #sentence(tokens: SayingTokens, { workers, sayable }: Wording): string {
    const saying = this.toSaying(tokens, { workers, parts: sayable.parts });
    return saying
      ? JSON.stringify(renderSaying(saying, sayable.language).replace(PRIVATE, "")).slice(1, -1)
      : NEXT_SUBTASK;
  }

  /** Undefined where these tokens are no instruction with its slots filled. */
  toSaying(
    [first, ...rest]: SayingTokens,
    { workers, parts }: { workers: number; parts: readonly QuestionPart[] },
  ): Saying | undefined {
    const instruction = first === undefined ? undefined : this.#instructions.get(first);
    if (!instruction || rest.length !== instruction.slots.length) return undefined;
    const saying: Saying = { instruction };
    for (const [i, slot] of instruction.slots.entries()) {
      const token = rest[i]!;
      if (slot === "work") saying.work = this.#works.get(token);
      else if (slot === "form") saying.form = this.#forms.get(token);
      else saying.part = parts[token - this.vocabulary - workers];
      if (!saying[slot]) return undefined;
    }
    return saying;
  }

  /** The token of an entry of the repertoire. */
  entry(entry: Instruction | Work | AnswerForm): number {
    return this.#tokens.get(entry)!;
  }

  instructionOf(token: number): Instruction | undefined {
    return this.#instructions.get(token);
  }

  workOf(token: number): Work | undefined {
    return this.#works.get(token);
  }

  formOf(token: number): AnswerForm | undefined {
    return this.#forms.get(token);
  }

  isSlot(token: number): boolean {
    return token >= this.vocabulary;
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

  #toAccess(token: number): Access | undefined {
    const positions = this.positionsOf(token);
    return positions === undefined || positions === "all" ? positions : [...positions];
  }

  /** What each token decides: who, how many and who sees what ("team"), which instruction, or what fills its slots. */
  kinds(tokens: readonly number[]): TokenKind[] {
    let isInWords = false;
    return tokens.map((token) => {
      if (token === this.subtasks) {
        isInWords = true;
        return "team";
      }
      if (token === this.access) isInWords = false;
      if (this.instructionOf(token)) return "instruction";
      if (isInWords && (this.isSlot(token) || this.workOf(token) || this.formOf(token))) return "filling";
      return isInWords || token === this.access || token === this.end || token === this.close
        ? "fixed"
        : "team";
    });
  }

  /** The next token of a plan with the team of this one and words of its own; undefined where a word is to be chosen. */
  continueTeam(team: readonly number[], tokens: readonly number[]): number | undefined {
    const words = team.indexOf(this.subtasks);
    if (tokens.length <= words || words < 0) return team[tokens.length];
    const access = tokens.indexOf(this.access);
    return access < 0 ? undefined : team[team.indexOf(this.access) + tokens.length - access];
  }

  /** For each token the step it belongs to; undefined for what belongs to none. */
  stepsOf(tokens: readonly number[]): (number | undefined)[] {
    let section: "workers" | "subtasks" | "access" = "workers";
    let step = 0;
    return tokens.map((token) => {
      if (token === this.subtasks || token === this.access) {
        section = token === this.subtasks ? "subtasks" : "access";
        step = 0;
        return undefined;
      }
      if (token === this.next || token === this.nextSubtask) {
        step++;
        return undefined;
      }
      if (section === "workers") return this.isSlot(token) ? step : undefined;
      if (section === "access") return this.positionsOf(token) ? step : undefined;
      return step;
    });
  }
}

export type TokenKind = "team" | "instruction" | "filling" | "fixed";
