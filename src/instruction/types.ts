// What workers are told: a repertoire of complete instructions with slots, kept in a data file that people read and
// extend (models/repertoire.yaml). The native Conductor chooses an instruction and what fills its slots; the sentence is
// rendered here, so that it is always fluent. Nothing here knows of workers or workflows.

/** What a step is there for. */
export type InstructionRole = (typeof ROLES)[number];
export const ROLES = [
  "plan",
  "solve",
  "derive",
  "code",
  "recall",
  "extract",
  "compare",
  "check",
  "repair",
  "judge",
  "write-up",
] as const;

/** Languages in which sentences can be written; where one has no sentence, English stands in. */
export type LanguageCode = (typeof LANGUAGES)[number];
export const LANGUAGES = ["en", "de", "fr", "es"] as const;

/** The same in several languages. */
export type Wording = { en: string } & Partial<Record<Exclude<LanguageCode, "en">, string>>;

/** What must be in sight for an instruction to make sense. */
export type Sight = "nothing" | "plan" | "answer" | "answers";

/** What a slot of an instruction holds: a kind of work, a part of the question, or the form of the answer. */
export type SlotName = (typeof SLOT_NAMES)[number];
/** In the order in which they are chosen. */
export const SLOT_NAMES = ["work", "part", "form"] as const;

/** One way to tell a worker what to do: whole sentences, with `{work}`, `{part}` and `{form}` where they have slots. */
export interface Instruction {
  id: string;
  role: InstructionRole;
  needs: Sight;
  text: Wording;
  /** Its slots, in the order of SLOT_NAMES: those of its English text. */
  slots: readonly SlotName[];
  /** Of one that was not written by hand: what it was made from, and what it was measured to be worth. */
  lineage?: Lineage;
}

export interface Lineage {
  /** The instruction it is an edit of. */
  parent: string;
  /** Its parent's English sentences, whose place it took. */
  parentText?: string;
  /** Who proposed it: a model of the pool, or a rule of the rehearsal (simulated). */
  by: string;
  /** Over its parent in the same places; absent: not measured. */
  gain?: Gain;
  /** Where its parent came from in its turn, and so on, the nearest first. */
  earlier?: readonly Ancestor[];
}

/** An instruction that gave its place to another one, before the parent did. */
export interface Ancestor {
  id: string;
  text: string;
  /** Who proposed what took its place, and what that gained. */
  by: string;
  gain?: Gain;
}

/** Of accuracy, as a share from −1 to 1, with its 95 % interval. */
export interface Gain {
  mean: number;
  low: number;
  high: number;
  /** Questions on which both were tried. */
  comparisons: number;
}

/** A kind of work, as a phrase that begins with a verb in the imperative or infinitive: "work out the lengths first, …". */
export interface Work {
  id: string;
  /** Words of questions that call for it, in any of the languages, in lower case. None: it fits every question. */
  cues: readonly string[];
  text: Wording;
}

/** How the answer is stated: "a number", "the letter of the option". */
export interface AnswerForm {
  id: string;
  text: Wording;
}

export interface Repertoire {
  instructions: readonly Instruction[];
  works: readonly Work[];
  forms: readonly AnswerForm[];
}

/** A phrase of a question that an instruction can name: what the model's copy pointer points at. */
export interface QuestionPart {
  /** In the question's own words, as they can stand inside a sentence. */
  text: string;
  kind: "noun" | "number" | "option" | "name";
  /** It stands in the sentence or clause that asks. */
  isAsked: boolean;
  /** Where it begins, as a share of the question's length, 0 to 1. */
  at: number;
  words: number;
}

/** A choice of the model: which instruction, and what fills each of its slots. */
export interface Saying {
  instruction: Instruction;
  work?: Work;
  part?: QuestionPart;
  form?: AnswerForm;
}
