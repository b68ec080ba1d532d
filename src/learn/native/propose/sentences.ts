// What may stand in an instruction's place: sentences of bounded length with exactly the slots of their parent. Whoever
// proposed them, a model or a rule, what does not fit is refused; what fits is still only data, and earns its place or not.

import { shorten } from "../../../base/format.ts";
import { readSlots, toTemplate } from "../../../instruction/slots.ts";
import { type Instruction, LANGUAGES, type Wording } from "../../../instruction/types.ts";

const SHORTEST = 12;
const LONGEST = 900;
/** Control characters, invisible ones that turn or hide text, private use, lone surrogates, line separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Marks of quotations between workers, of chat templates, of reasoning and of code. */
const MARKS = /<<<|>>>|<\||\|>|<\/?[a-z]|```|\[\/?INST\]/i;

/** Why these cannot take the parent's place; undefined where they can. */
export function refuse(text: Wording, parent: Instruction, others: readonly string[]): string | undefined {
  for (const language of LANGUAGES) {
    const sentences = text[language];
    const why = sentences === undefined ? undefined : refuseSentences(sentences, parent);
    if (why !== undefined) return language === "en" ? why : `${language}: ${why}`;
  }
  const key = toKey(text.en);
  if (key === toKey(parent.text.en)) return "it is what its parent says";
  return others.some((other) => toKey(other) === key) ? "it was tried before" : undefined;
}

function refuseSentences(text: string, { slots }: Instruction): string | undefined {
  if (text.length > LONGEST) return `it has ${text.length} characters, and at most ${LONGEST} are allowed`;
  if (text.trim().length < SHORTEST) return "it is too short to be an instruction";
  if (UNSEEN.test(text)) return "it has control characters, line breaks or invisible ones";
  const mark = MARKS.exec(text);
  if (mark) return `it has "${mark[0]}", which could pass for a mark`;
  const { unknown, twice } = toTemplate(text);
  if (unknown.length > 0) return `it has "${shorten(unknown[0]!, 40)}", which is no slot`;
  if (twice.length > 0) return `it has {${twice[0]}} twice`;
  const own = readSlots(text);
  if (own.join() !== slots.join()) return `it has ${named(own)} where its parent has ${named(slots)}`;
  if (!/^\p{Lu}/u.test(text)) return "it does not begin with a capital letter";
  return /[.?!]$/.test(text) ? undefined : "it does not end a sentence";
}

function named(slots: readonly string[]): string {
  return slots.length === 0 ? "no slot" : slots.map((slot) => `{${slot}}`).join(", ");
}

/** Case and spacing make no other instruction. */
function toKey(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}
