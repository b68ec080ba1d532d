// Edits of English instructions by rule, as somebody might try them who knows how people are briefed and nothing of who
// reads it. Some are good habits, some are bad ones, most do little: which is which is for the reward to say.

import type { Random } from "../../../base/random.ts";
import { readSlots } from "../../../instruction/slots.ts";
import type { Instruction, InstructionRole } from "../../../instruction/types.ts";

export interface Edit {
  name: string;
  /** Roles it makes sense for; absent: all. */
  roles?: readonly InstructionRole[];
  /** The edited sentences; undefined where there is nothing to edit. */
  apply(sentences: readonly string[], random: Random): string[] | undefined;
}

const WORKERS: readonly InstructionRole[] = ["solve", "derive", "code", "recall", "extract", "write-up"];
const CHECKERS: readonly InstructionRole[] = ["check", "repair", "judge", "compare"];

export const EDITS: readonly Edit[] = [
  // ---- An independent way of checking: added, or in the place of the one that is named
  way("backwards", "Go backwards from the answer and see whether what is given follows from it."),
  way("by an estimate", "Make an estimate of your own first, and see whether the answer lies within it."),
  way("by another method", "Use another method than the answer does, and compare the two results."),
  way("case by case", "Go case by case, and look for one case that contradicts the answer."),
  way("line by line", "Go line by line, and work each line out afresh before you read on."),
  // ---- What else good briefs say
  { name: "write results down", roles: WORKERS, apply: add("Write down every intermediate result.") },
  { name: "give reasons", apply: add("Give a short reason for every step.") },
  {
    name: "say the form",
    roles: [...WORKERS, ...CHECKERS],
    apply: add("State the answer in exactly the form that is asked for."),
  },
  { name: "say what is asked first", apply: addFirst("First say in one sentence what is asked for.") },
  {
    name: "look once more",
    roles: WORKERS,
    apply: add("Before you state the answer, go over your working once more."),
  },
  { name: "name the part first", apply: (sentences) => moveFirst(sentences, /\{part\}/) },
  { name: "name the form first", apply: (sentences) => moveFirst(sentences, /\{form\}/) },
  // ---- The same, shorter or in shorter sentences
  { name: "drop a sentence", apply: dropSentence },
  { name: "split a long sentence", apply: splitSentence },
  // ---- Habits that are said to help, and others that are known to harm
  { name: "call it important", apply: add("This is very important, so do your very best.") },
  { name: "call it expert work", apply: addFirst("You are among the best experts of the world.") },
  { name: "hurry", apply: add("Be quick, and skip whatever looks easy.") },
  { name: "one form for all", apply: add("Give the answer as a whole number.") },
  {
    name: "an example of another task",
    apply: add("Do it as for “Anna has 40 red marbles and gives 15 to Boris”, for example."),
  },
  {
    name: "a list of all kinds of work",
    apply: add("Think of equations, tables, dates, programs, routes, puzzles and proofs alike."),
  },
];

function add(sentence: string): Edit["apply"] {
  return (sentences) => [...sentences, sentence];
}

function addFirst(sentence: string): Edit["apply"] {
  return (sentences) => [sentence, ...sentences];
}

const WAYS = /\b(?:backwards|by an estimate|by another method|case by case|line by line)\b/;

/** Where a sentence without a slot names a way, this one takes its place; else it is added behind the first one. */
function way(name: string, sentence: string): Edit {
  return {
    name: `check ${name}`,
    roles: CHECKERS,
    apply(sentences) {
      if (sentences.some((each) => each.includes(name))) return undefined;
      const named = sentences.findIndex((each) => WAYS.test(each) && readSlots(each).length === 0);
      if (named > 0) return sentences.with(named, sentence);
      return [...sentences.slice(0, 1), sentence, ...sentences.slice(1)];
    },
  };
}

/** Of what follows the first sentence. */
function moveFirst(sentences: readonly string[], pattern: RegExp): string[] | undefined {
  const at = sentences.findIndex((sentence, i) => i > 0 && pattern.test(sentence));
  return at < 0 ? undefined : [sentences[at]!, ...sentences.filter((_, i) => i !== at)];
}

/** One without a slot, and not the first, which says what to do. */
function dropSentence(sentences: readonly string[], random: Random): string[] | undefined {
  const able = [...sentences.keys()].filter((i) => i > 0 && readSlots(sentences[i]!).length === 0);
  if (able.length === 0) return undefined;
  const dropped = random.pick(able);
  return sentences.filter((_, i) => i !== dropped);
}

/** Where a second thing to do follows. */
const JOINT =
  /(?:; |, and (?:then )?)(?=(?:do|give|name|note|say|write|state|keep|show|list|see|look|put|find|take|drop|replace|leave|mend|start|begin|go)\b)/;

function splitSentence(sentences: readonly string[]): string[] | undefined {
  const at = sentences.findIndex((sentence) => JOINT.test(sentence));
  if (at < 0) return undefined;
  const sentence = sentences[at]!;
  const { index, 0: joint } = JOINT.exec(sentence)!;
  const rest = sentence.slice(index + joint.length);
  return sentences.toSpliced(
    at,
    1,
    `${sentence.slice(0, index)}.`,
    rest.charAt(0).toUpperCase() + rest.slice(1),
  );
}

function toSentences(text: string): string[] {
  return text.split(/(?<=[.!?])\s+(?=[\p{Lu}“"])/u);
}

/** The edits that an instruction can have, with what comes out; none that would lose or gain a slot. */
export function editsOf(
  { role, slots, text }: Instruction,
  random: Random,
): { name: string; text: string }[] {
  const sentences = toSentences(text.en);
  return EDITS.flatMap(({ name, roles, apply }) => {
    if (roles && !roles.includes(role)) return [];
    const edited = apply(sentences, random)?.join(" ");
    if (edited === undefined || readSlots(edited).join() !== slots.join()) return [];
    return [{ name, text: edited }];
  });
}
