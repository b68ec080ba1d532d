// What can be said of a question: the parts that an instruction can name, the kinds of work that it speaks of, and its
// language. Read once for each question: a training asks for it again and again.

import { findWorks } from "../../instruction/candidates.ts";
import { detectLanguage } from "../../instruction/detect-language.ts";
import { findParts } from "../../instruction/question-parts.ts";
import type { LanguageCode, QuestionPart, Repertoire, Work } from "../../instruction/types.ts";

export interface Sayable {
  parts: readonly QuestionPart[];
  /** Work that the question speaks of; where it speaks of none, work that fits any question. */
  works: ReadonlySet<Work>;
  language: LanguageCode;
}

const MEMO_SIZE = 4096;
/** Longer texts are read anew each time, so that the memo stays small. */
const MEMO_LONGEST = 4000;
const memos = new WeakMap<Repertoire, Map<string, Sayable>>();

export function readSayable(question: string, repertoire: Repertoire): Sayable {
  const memo = memos.get(repertoire) ?? new Map<string, Sayable>();
  memos.set(repertoire, memo);
  const known = memo.get(question);
  if (known) return known;
  const found = findWorks(question, repertoire);
  const special = found.filter(({ cues }) => cues.length > 0);
  const sayable: Sayable = {
    parts: findParts(question),
    works: new Set(special.length > 0 ? special : found),
    language: detectLanguage(question),
  };
  if (question.length > MEMO_LONGEST) return sayable;
  if (memo.size >= MEMO_SIZE) memo.clear();
  memo.set(question, sayable);
  return sayable;
}
