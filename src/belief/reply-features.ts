// What a reply looks like: numbers that say something about whether it is right, and from which nobody can read what was
// said. They are kept with recorded outcomes, where the text may not be. Pure, linear in the text, and of a reply of
// megabytes only the beginning and the end are read.

import { normaliseAnswer } from "../answer/normalise.ts";

/** All are numbers from 0, so that a row of a recording stays one short line. */
export interface ReplyFeatures {
  /** Of the whole reply, without white space around it. 0: it says nothing. */
  characters: number;
  /** 1: it ends with a sentence, a closed block or the stated answer; 0: it seems to be cut. */
  cleanEnd: number;
  /** "I think", "probably", "not sure". */
  hedges: number;
  /** Changes of mind in its second half: "wait", "actually", "let me reconsider". */
  changes: number;
  /** Different answers that it states; 0: it states none in so many words. */
  answers: number;
}

const REPLY_FEATURES = ["characters", "cleanEnd", "hedges", "changes", "answers"] as const;

const HEAD = 16_000;
const TAIL = 32_000;
/** More of one kind say nothing new. */
const MOST = 50;
const MOST_ANSWERS = 10;
const LONGEST_ANSWER = 80;

const HEDGE =
  /\b(?:i think|i believe|i guess|i assume|i'?m not (?:entirely |completely |quite |fully )?(?:sure|certain)|not (?:sure|certain)|unsure|probably|perhaps|possibly|maybe|might be|could be|seems? to be|it seems|most likely|presumably|hard to say)\b/gi;
const CHANGE =
  /\b(?:wait|hmm+|actually|hold on|on second thought|scratch that|let me (?:reconsider|re-?check|re-?think|re-?evaluate|re-?examine|redo|try again|correct)|i made (?:a|an) (?:mistake|error)|that'?s (?:not right|wrong)|correction)\b/gi;
const BOXED = /\\boxed\{+([^{}\n]{1,80})\}/g;
const STATED = /\banswer\b[^\n:=]{0,20}?(?:\bis\b|[:=])[ \t*_]{0,4}(?=([^\n]{1,80}))/gi;
/** A full stop, a closed bracket, quote, fence or formula; or a last line that is short: a stated answer. */
const CLOSED = /[.!?。！？)\]}"'”’`$*_>;|]$/;
const SHORT_LINE = 40;

export function readReplyFeatures(reply: string): ReplyFeatures {
  const text = reply.trim();
  const said = withoutThought(
    text.length > HEAD + TAIL ? `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}` : text,
  );
  return {
    characters: text.length,
    cleanEnd: endsClean(said) ? 1 : 0,
    hedges: count(said, HEDGE),
    changes: count(said.slice(said.length >> 1), CHANGE),
    answers: countAnswers(said),
  };
}

/** What is wrong with features from outside, or nothing. */
export function checkReplyFeatures(value: unknown): string | undefined {
  const rule = `an object of ${REPLY_FEATURES.join(", ")}, each a number from 0`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return rule;
  for (const name of REPLY_FEATURES) {
    const number = (value as Record<string, unknown>)[name];
    if (typeof number !== "number" || !(number >= 0 && number < Number.POSITIVE_INFINITY)) return rule;
  }
  return undefined;
}

/** What was thought aloud is no part of what is said: there everybody changes their mind. */
function withoutThought(text: string): string {
  const thought = text.lastIndexOf("</think>");
  return thought < 0 ? text : text.slice(thought + "</think>".length);
}

function endsClean(text: string): boolean {
  const end = text.slice(-200).trimEnd();
  if (end === "") return false;
  // An odd number of fences: the last one was never closed.
  if ((text.split("```", 2 * MOST).length - 1) % 2 === 1) return false;
  const lastLine = end.slice(end.lastIndexOf("\n") + 1);
  return CLOSED.test(end) || (lastLine.length <= SHORT_LINE && !/[,(:[{=+\-/]$/.test(lastLine));
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) if (++found >= MOST) break;
  return found;
}

function countAnswers(text: string): number {
  const answers = new Set<string>();
  for (const pattern of [BOXED, STATED])
    for (const [, stated = ""] of text.matchAll(pattern)) {
      const answer = normaliseAnswer(toShort(stated));
      if (answer !== "") answers.add(answer);
      if (answers.size >= MOST_ANSWERS) return answers.size;
    }
  return answers.size;
}

/** Up to the end of its sentence; a box around it is not part of it. */
function toShort(stated: string): string {
  const boxed = /\\boxed\{+([^{}]{1,80})/.exec(stated)?.[1] ?? stated;
  const end = boxed.search(/[.;!?](?:\s|$)/);
  return (end < 0 ? boxed : boxed.slice(0, end)).replace(/[*_`$]/g, "").slice(0, LONGEST_ANSWER);
}
