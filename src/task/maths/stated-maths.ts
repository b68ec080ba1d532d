// The maths in a statement. Models wrap it in words ("so the area is $25\pi$ square units"); the words
// are taken off step by step until something readable is left. The first reading counts: trying all of
// them against the expected answer would find it anywhere.

import { readQuantities } from "./read.ts";
import type { Quantity } from "./types.ts";

const OPENING =
  /^(?:so|thus|hence|therefore|then|finally|and|we (?:get|have|find|obtain)|this gives|giving|approximately|about|roughly|exactly|only|just|simply|\\approx|≈|~|∴)[,:]?\s+/i;
const REASON = /,?\s+(?:because|since|as|so|which|where|not|rather than|instead of|for|when|by|due to)\b/i;
const ASIDE = /\s*\((?![^()]*\b(?:or|maybe|possibly|perhaps)\b)[^()]*[a-z]{2}[^()]*\)\s*\.?$/i;
const MATHS_PART = /(?<!\\)\$([^$]+)\$|\\\(([\s\S]+?)\\\)/g;
/** A number beside one of these is not the answer, or not the only one. */
const DOUBT =
  /\b(?:not|wrong|incorrect|never|less|more|least|most|than|between|except|impossible|or|cannot)\b|n't|[<>≤≥±]/i;
const PLAIN_NUMBER = /(?<![\w.,/^_\\])[-−]?\$?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w/^_]|[.,]\d)/g;

/** Longer sentences argue; they state nothing. */
const MAX_SENTENCE = 500;

export interface StatedMaths {
  text: string;
  quantities: Quantity[];
}

export function readStatedMaths(given: string): StatedMaths {
  // A pattern that begins with spaces would be tried at each of a long run of them, to its end.
  const statement = given.replace(/\s{2,}/g, (run) => (run.includes("\n") ? "\n" : " "));
  for (const text of readings(statement)) {
    const quantities = readQuantities(text).filter(({ value }) => value.kind !== "text");
    if (quantities.length > 0) return { text, quantities };
  }
  return { text: withoutReason(statement), quantities: readQuantities(withoutReason(statement)) };
}

function* readings(statement: string): Generator<string> {
  yield statement;
  const whole = lastSentence(statement);
  if (whole.length > MAX_SENTENCE) return;
  const sentence = whole.replace(ASIDE, "");
  const plain = withoutOpening(sentence);
  yield plain;
  const instead = /^not\b.*?\bbut\s+(?:rather\s+)?(.+)$/i.exec(plain)?.[1];
  if (instead !== undefined) yield instead;
  if (/^not\b/i.test(plain)) return;
  const bare = withoutReason(plain);
  yield bare;
  const subject = /^(.+?) is (?:the|our|my) (?:final |correct )?(?:answer|result|solution)/i.exec(bare)?.[1];
  if (subject !== undefined) yield subject;
  const parts = [...bare.matchAll(MATHS_PART)];
  const last = parts.at(-1);
  const before = last ? bare.slice(0, last.index) : "";
  const isPointed = /(?:\b(?:is|are|equals|be|to|get|gives)|[:=])\s*$/i.test(before);
  if (last && !DOUBT.test(before) && (parts.length === 1 || isPointed)) {
    const unit = bare.slice(last.index + last[0].length);
    yield `${last[1] ?? last[2] ?? ""} ${unit}`;
    if (!DOUBT.test(unit)) yield last[1] ?? last[2] ?? "";
  }
  const [, result] = /.*(?:\b(?:is|are|equals|be)\b:?|=)\s*(.+)$/is.exec(bare) ?? [];
  if (result !== undefined && !/^not\b/i.test(result)) yield result;
  const numbers = bare.match(PLAIN_NUMBER) ?? [];
  if (numbers.length === 1 && !DOUBT.test(bare) && !/[=^\\]/.test(bare)) yield numbers[0] ?? "";
}

function lastSentence(text: string): string {
  const line = text.trim().split("\n").at(-1) ?? "";
  return line.split(/(?<=[^.\d][.!?]|\d[.!?])\s+(?=[A-Z\\$*(])/).at(-1) ?? line;
}

function withoutOpening(text: string): string {
  let rest = text.trim();
  for (let i = 0; i < 4 && OPENING.test(rest); i++) rest = rest.replace(OPENING, "");
  return rest;
}

function withoutReason(text: string): string {
  const reason = REASON.exec(text);
  return reason && reason.index > 0 ? text.slice(0, reason.index) : text;
}
