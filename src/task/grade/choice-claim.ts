// What a claim such as "(C) LIFO memory" or "either A or B" names, as letters. A claim is what stands
// behind "the answer is"; finding claims in a reply is done elsewhere.

import { normaliseAnswer } from "../../answer/normalise.ts";

export interface Options {
  /** The texts of the options, normalised. Empty where a task does not list them. */
  texts: string[];
  count: number;
}

/** Where options are not listed, as many as any set has. */
const MOST_OPTIONS = 20;

export function toOptions(choices: readonly string[] | undefined): Options {
  const texts = choices?.map((choice) => normaliseAnswer(choice)) ?? [];
  return { texts, count: texts.length || MOST_OPTIONS };
}

const FILLER =
  /^(?:the |that |(?:option|choice|letter|answer|number|statement)s? |either |both |between |clearly |probably |possibly |most likely |likely |definitely |certainly |obviously |indeed |simply |therefore |thus |then |i(?:'d| would) say |i think |i believe |it(?:'s| is) |is |be |[:=-] ?)/i;
const MARK = /^[([{]?\s?([A-Za-z])\s?([)\]}])?(?=$|[\s.,;:!?([)\]}/&—–-])/;
const NEXT =
  /^[\s(]*(?:[,;/&+]|,?\s*(?:and|or|possibly|maybe|perhaps)\b)\s*(?:(?:or|and|also|maybe|possibly|perhaps|even|option|choice)\s+){0,3}/i;
/** What shows that the letter before it is not a letter of the list but the subject of a new thought. */
const NEW_THOUGHT = /^\s+(?:is|are|was|were|would|could|can|cannot|can't|isn't|does|doesn't|has|had)\b/i;
/** What may follow a letter, or the text of an option, that is meant as the choice. */
const AFTER =
  /^(?:\s*[,.;:!?)(/&—–-]|\s+(?:because|since|as|is|was|which|due|for|with|and|or|but|not|✓|✅)(?!\w)|\s*$)/i;
const AFTER_ALONE = /^(?:\s*[,.;:!?)(/&—–-]|\s+(?:because|since)\b|\s*$)/i;
const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const NEGATION = /\b(?:not|never|neither|nor|except|incorrect|wrong|cannot|rather than|instead of)\b|n't\b/i;

/**
 * The letters a claim names, in order; `undefined` where it names none. `isStrict` is for claims behind
 * weak cues ("so …"), where more than the letter itself would be prose.
 */
export function readClaim(claim: string, options: Options, isStrict = false): string[] | undefined {
  const text = withoutFiller(claim.trim());
  const instead = /^not\b.*?\b(?:but|rather)\s+(?:rather\s+)?(.+)$/i.exec(text)?.[1];
  if (instead !== undefined) return readClaim(instead, options, isStrict);
  if (/^(?:not|neither|nor)\b/i.test(text)) return undefined;
  return (
    pureMark(text, options) ??
    startingText(text, options) ??
    listOfMarks(text, options, isStrict) ??
    numbered(text, options) ??
    (isStrict ? undefined : onlyTextIn(text, options))
  );
}

/** The one option whose text a sentence contains. Two of them, or a "not", and nothing is said. */
export function onlyTextIn(sentence: string, { texts }: Options): string[] | undefined {
  if (NEGATION.test(sentence)) return undefined;
  let rest = ` ${normaliseAnswer(sentence).slice(0, 2000)} `;
  const found = new Set<string>();
  // Longest first and then taken out: "increase" is not named by "no increase".
  const byLength = texts
    .map((text, i) => ({ text, letter: letterAt(i) }))
    .sort((a, b) => b.text.length - a.text.length);
  for (const { text, letter } of byLength) {
    if (text.length < 2) continue;
    const at = indexOfWords(rest, text);
    if (at < 0) continue;
    found.add(letter);
    rest = `${rest.slice(0, at)} \u0000 ${rest.slice(at + text.length)}`;
  }
  return found.size === 1 ? [...found] : undefined;
}

function letterAt(index: number): string {
  return String.fromCharCode(65 + index);
}

function withoutFiller(text: string): string {
  let rest = text;
  for (let i = 0; i < 8 && FILLER.test(rest); i++) rest = rest.replace(FILLER, "");
  return rest;
}

function inRange(letter: string | undefined, { count }: Options): string | undefined {
  const upper = letter?.toUpperCase();
  return upper !== undefined && upper.charCodeAt(0) - 65 < count ? upper : undefined;
}

/** A letter and nothing else, or a run such as "AC". */
function pureMark(text: string, options: Options): string[] | undefined {
  const bare = text.replace(/[\s.!,;:*]+$/, "");
  const single = inRange(/^[([{]?\s?([A-Za-z])\s?[)\]}]?$/.exec(bare)?.[1], options);
  if (single !== undefined) return [single];
  const isRun = /^(?:[A-T]{2,6}|[A-T](?: [A-T])+)$/.test(bare) && !options.texts.includes(bare.toLowerCase());
  const run = isRun ? [...bare.replaceAll(" ", "")].map((letter) => inRange(letter, options)) : [];
  return run.length > 0 && run.every((letter) => letter !== undefined) ? [...new Set(run)] : undefined;
}

/** The text of an option, whole or followed by a reason. The longest counts. */
export function startingText(text: string, { texts }: Options): string[] | undefined {
  const said = normaliseAnswer(text);
  let best = -1;
  texts.forEach((option, i) => {
    const isStart = option.length > 0 && said.startsWith(option) && !/^[\w-]/.test(said.slice(option.length));
    const rest = said.slice(option.length);
    const isWhole =
      rest === "" || (option.length > 1 && AFTER.test(rest) && !/^\s+(?:and|or)\b|^\s*[,/&]/.test(rest));
    if (isStart && isWhole && option.length > (texts[best]?.length ?? 0)) best = i;
  });
  return best < 0 ? undefined : [letterAt(best)];
}

function listOfMarks(text: string, options: Options, isStrict: boolean): string[] | undefined {
  const first = markAt(text, options);
  if (!first || !isMeant(first, options, isStrict)) return undefined;
  const letters = [first.letter];
  let { rest } = first;
  for (;;) {
    const joint = NEXT.exec(rest)?.[0] ?? (/^\s*[([]/.test(rest) && first.isBracketed ? "" : undefined);
    const next = joint === undefined ? undefined : markAt(rest.slice(joint.length).trimStart(), options);
    if (!next || NEW_THOUGHT.test(next.rest) || !isMeant(next, options, true)) break;
    letters.push(next.letter);
    rest = next.rest;
  }
  return [...new Set(letters)];
}

interface LetterMark {
  letter: string;
  isBracketed: boolean;
  isUpper: boolean;
  rest: string;
}

function markAt(text: string, options: Options): LetterMark | undefined {
  const found = MARK.exec(text);
  const letter = inRange(found?.[1], options);
  if (!found || letter === undefined) return undefined;
  const rest = text.slice(found[0].length);
  const isBracketed = /^[([{]/.test(found[0]) || found[2] !== undefined;
  return { letter, isBracketed, isUpper: letter === found[1], rest };
}

/** Whether a letter stands for an option, and is not the article "A", the "I" of "I think" or a part of "T-cell". */
function isMeant(
  { letter, isBracketed, isUpper, rest }: LetterMark,
  options: Options,
  isStrict: boolean,
): boolean {
  if (isBracketed) return true;
  if (/^[-–—]\w/.test(rest)) return false;
  if (!isUpper) return /^\s*(?:$|[.,;:!?)])/.test(rest);
  if ((isStrict ? AFTER_ALONE : AFTER).test(rest)) return true;
  const own = options.texts[letter.charCodeAt(0) - 65];
  if (own && normaliseAnswer(rest).startsWith(own)) return true;
  return !isStrict && letter !== "A" && letter !== "I";
}

/** "3", "(3)", "the third option": only where no option is itself a number. */
function numbered(text: string, options: Options): string[] | undefined {
  if (options.texts.some((option) => /^[-+$]?\d/.test(option))) return undefined;
  const word = /^(\w+) (?:option|choice|answer|one|statement)\b/i.exec(text)?.[1]?.toLowerCase();
  const ordinal = ORDINALS.indexOf(word ?? "");
  const digits = /^[([#]?(\d{1,2})[)\]]?(?=$|[\s.,:;)])(?!\.\d)(?!\s*(?:,|and|or|\/)\s*\(?\d)/.exec(
    text,
  )?.[1];
  const index = ordinal >= 0 ? ordinal : Number(digits ?? 0) - 1;
  return index >= 0 && index < options.count ? [letterAt(index)] : undefined;
}

/** Where a phrase stands as whole words. */
function indexOfWords(text: string, phrase: string): number {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const isWord = (character: string) => /[\p{L}\d]/u.test(character);
    const before = isWord(phrase.charAt(0)) && isWord(text.charAt(at - 1));
    const after = isWord(phrase.charAt(phrase.length - 1)) && isWord(text.charAt(at + phrase.length));
    if (!before && !after) return at;
  }
  return -1;
}
