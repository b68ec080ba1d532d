// Which option a reply finally chooses. Sentences are read from the last to the first, and the first
// one that makes a claim counts: models correct themselves. Without any claim a bare letter, one line
// such as "C) text" or the text of a single option will do; a list of options never does.

import { type Options, onlyTextIn, readClaim, startingText } from "./choice-claim.ts";
import { CUES, ONE_RIGHT, ONLY_CONSIDERED, SEVERAL_RIGHT, WEAK_CUES } from "./choice-cues.ts";
import { lastPart } from "./stated.ts";

/** How far a claim reaches, and how far back a doubt about it. */
const CLAUSE = 300;

export function chosenLetters(reply: string, options: Options): string[] {
  const lines = prepare(lastPart(reply));
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i] as string;
    const below = lines[i + 1];
    // A heading above its answer.
    const heading = /^(?:the )?(?:final |correct |my )*(?:answer|choice)(?: is)?:?$/i.test(line);
    const headed = heading && below !== undefined ? readClaim(below, options) : undefined;
    if (headed) return headed;
    const sentences = line.split(/(?<=[.!?])\s+(?=\S)/);
    for (let j = sentences.length - 1; j >= 0; j--) {
      // "Answer: C. LIFO memory": the text belongs to the letter before it.
      const claimed = claimIn(sentences[j] as string, onwardsFrom(sentences, j), options);
      if (claimed) return claimed;
    }
  }
  return withoutClaim(lines, options) ?? [];
}

/** As much as a claim in that sentence may need: all of the rest, for each sentence, would take the square of them. */
function onwardsFrom(sentences: readonly string[], first: number): string {
  let text = sentences[first]!;
  const enough = text.length + CLAUSE;
  for (let i = first + 1; i < sentences.length && text.length < enough; i++) text += ` ${sentences[i]}`;
  return text;
}

function claimIn(sentence: string, onwards: string, options: Options): string[] | undefined {
  // "Answer: C?" is an answer, "Is the answer C?" is none.
  if (sentence.endsWith("?") && !/^(?:final )?answer ?:/i.test(sentence)) return undefined;
  const claims: { at: number; letters: string[] }[] = [];
  const consider = (start: number, at: number, letters: string[] | undefined) => {
    const clause =
      sentence
        .slice(Math.max(0, start - CLAUSE), start)
        .split(/[,;]|\bbut\b/)
        .at(-1) ?? "";
    const isGiven = !ONLY_CONSIDERED.test(clause + sentence.slice(start, at));
    if (letters && isGiven) claims.push({ at, letters });
  };
  for (const [cues, isStrict] of [
    [CUES, false],
    [WEAK_CUES, true],
  ] as const) {
    for (const cue of cues) {
      for (const found of sentence.matchAll(cue)) {
        const at = found.index + found[0].length;
        // The text of an option may go on behind a full stop: "E. coli".
        const text = isStrict ? undefined : startingText(onwards.slice(at, at + CLAUSE), options);
        consider(found.index, at, text ?? readClaim(sentence.slice(at, at + CLAUSE), options, isStrict));
      }
    }
  }
  const several = [...sentence.matchAll(SEVERAL_RIGHT)];
  for (const { index, 1: list = "" } of several) consider(index, index, list.match(/[A-T]\b/g) ?? undefined);
  for (const pattern of several.length > 0 ? [] : ONE_RIGHT) {
    for (const { index, 1: first, 2: second } of sentence.matchAll(pattern)) {
      consider(index, index, readClaim(`(${first ?? second})`, options));
    }
  }
  // Claims that begin at one place are one claim; the last place counts.
  return claims.sort((a, b) => a.at - b.at || a.letters.length - b.letters.length).at(-1)?.letters;
}

// ---- Replies without a claim ----

const OPTION_LINE = /^(?:option |choice )?(?:[([]([A-Ta-t])[)\]]|([A-Ta-t])[).:]|([A-T]) [-–—])(?:\s|$)/i;

const NO_IDEA = /\b(?:don't|do not|cannot|can't) (?:know|tell|say|determine|choose|decide)\b/i;

function withoutClaim(lines: string[], options: Options): string[] | undefined {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined || NO_IDEA.test(last)) return undefined;
  if (lines.length === 1) {
    const only = optionLine(first);
    if (listsSeveral(first) || first.endsWith("?")) return undefined;
    if (only) return readClaim(first, options) ?? readClaim(`(${only})`, options);
    return readClaim(first, options, true) ?? lastSentenceChoice(first, options);
  }
  const letters = lines.map(optionLine);
  const before = letters.at(-2);
  const lone = letters.at(-1) !== undefined && before === undefined && !listsSeveral(last);
  if (lone || isBare(last)) return readClaim(last, options);
  // A letter first and its explanation below.
  const isOpening = letters[0] !== undefined && letters.slice(1).every((letter) => letter === undefined);
  if (isBare(first) || (isOpening && !listsSeveral(first))) return readClaim(first, options);
  return letters.at(-1) === undefined ? lastSentenceChoice(last, options) : undefined;
}

function optionLine(line: string): string | undefined {
  const found = OPTION_LINE.exec(line);
  return (found?.[1] ?? found?.[2] ?? found?.[3])?.toUpperCase();
}

function isBare(line: string): boolean {
  return /^[([]?[A-Ta-t][)\]]?[.!]?$/.test(line);
}

/** "(A) x (B) y" on one line is a list of options. */
function listsSeveral(line: string): boolean {
  const marks = line.match(/(?<![\w'])(?:\([A-T]\)|[A-T][).:])(?=\s|$)/g) ?? [];
  return new Set(marks.map((mark) => mark.replace(/\W/g, ""))).size > 1;
}

function lastSentenceChoice(line: string, options: Options): string[] | undefined {
  const sentence = line.split(/(?<=[.!?])\s+(?=[A-Z(])/).at(-1) ?? line;
  if (isBare(sentence)) return readClaim(sentence, options);
  const isDoubtful =
    /\b(?:not (?!sure)|never|neither|incorrect|wrong|cannot|could|might|may|or)\b|n't\b/i.test(sentence);
  if (sentence.endsWith("?") || isDoubtful) return undefined;
  const marks = new Set(sentence.match(/\([A-T]\)/g));
  const [mark] = marks;
  if (mark) return marks.size === 1 ? readClaim(mark, options) : undefined;
  const letters = sentence.match(/\b[A-T]\b/g) ?? [];
  const ending =
    /(?:[,:;]|\b(?:so|hence|thus|therefore|is|be|but|with|choose|→|=>|->)[,:]?) ([A-T])[.!]?$/.exec(
      sentence,
    )?.[1];
  if (ending && letters.length === 1) return readClaim(`(${ending})`, options);
  return onlyTextIn(sentence, options);
}

/** Lines without markdown, LaTeX and tags, none of them empty. */
function prepare(text: string): string[] {
  let plain = text.normalize("NFKC").replace(/[‘’]/g, "'");
  plain = plain.replace(/<\/?answer>/gi, (tag) => (tag.startsWith("</") ? "\n" : "\nAnswer: "));
  for (let i = 0; i < 3; i++) {
    plain = plain.replace(
      /\\(?:text|textbf|textit|mathbf|mathrm|mathsf|bf|rm|mbox|textrm)\s*\{([^{}]*)\}/g,
      "$1",
    );
  }
  plain = plain
    .replace(/\\boxed\s*\{([^{}]*)\}/g, "\nAnswer: $1\n")
    .replace(/\\[()]/g, (bracket) => bracket.slice(1))
    .replace(/\*\*|__|[`$"“”]|\\[[\],; ]/g, "")
    .replace(/(^|\s)\*(?=\S)|(?<=\S)\*(?=\s|$)/gm, "$1");
  return plain
    .split("\n")
    .map((line) =>
      line
        .replace(/^[\s#>•*-]+(?=[^\s])/, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((line) => /[\p{L}\d]/u.test(line));
}

/** The expected answer: letters, the text of an option or its number. */
export function expectedLetters(answer: string, options: Options): string[] {
  const letters = answer
    .trim()
    .replace(/[()\s]/g, "")
    .split(/,|(?=[A-T])/)
    .filter(Boolean); // "AC", "A, C"
  if (letters.length > 0 && letters.every((letter) => /^[A-T]$/.test(letter))) return letters;
  return readClaim(answer, options) ?? [];
}
