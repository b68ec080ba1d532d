// How a question looks, whatever it is about: length, digits, symbols, lines, code and formula marks, options. Most
// benchmarks and kinds of work have a look of their own, and it often says how hard a question is. Apart from its words,
// because a few numbers are compared by distance and not by what they share.

/** Standard deviations: a text unlike all others must not be further away than this in one respect. */
const FURTHEST = 4;
/** Keeps a respect that hardly varies from deciding. */
const SMALLEST_DEVIATION = 1e-3;

const CODE_WORDS = /\b(?:def|return|import|print|for|while|class|int|void)\b/g;
const OPTIONS = /^\s*\(?[A-J][).:]/gm;
const SENTENCE_ENDS = /[.!?]\s/g;

/** Always as many numbers, on scales of logarithms where counts grow with the text. */
export function toSurface(text: string): number[] {
  const length = Math.max(1, text.length);
  let [digits, capitals, symbols, lines, slashes, dollars, questions, foreign, spaces, words] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  ];
  let inWord = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isSpace = code <= 32;
    if (isSpace) spaces++;
    else if (!inWord) words++;
    inWord = !isSpace;
    if (code === 10) lines++;
    if (code > 127) foreign++;
    else if (code >= 48 && code <= 57) digits++;
    else if (code >= 65 && code <= 90) capitals++;
    else if (!isSpace && !(code >= 97 && code <= 122)) symbols++;
    if (code === 92) slashes++;
    if (code === 36) dollars++;
    if (code === 63) questions++;
  }
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const percent = (number: number) => Math.log1p((100 * number) / length);
  return [
    Math.log(length),
    percent(digits),
    percent(capitals),
    percent(symbols),
    Math.log1p(lines),
    percent(10 * slashes),
    Math.log1p(dollars),
    percent(count(CODE_WORDS)),
    Math.log1p(count(OPTIONS)),
    Math.log1p(questions),
    (length - spaces) / Math.max(1, words),
    percent(foreign),
    Math.log1p(count(SENTENCE_ENDS)),
  ];
}

/** Looks of measured questions, on the scale of how much they vary among them. */
export interface SurfaceScale {
  measured: readonly Float64Array[];
  scale(text: string): Float64Array;
}

export function scaleSurfaces(texts: readonly string[]): SurfaceScale {
  const raw = texts.map(toSurface);
  const size = toSurface("").length;
  const means = new Float64Array(size);
  const deviations = new Float64Array(size);
  for (const row of raw) for (let i = 0; i < size; i++) means[i]! += row[i]! / raw.length;
  for (const row of raw)
    for (let i = 0; i < size; i++) deviations[i]! += (row[i]! - means[i]!) ** 2 / raw.length;
  for (let i = 0; i < size; i++) deviations[i] = Math.sqrt(deviations[i]!) + SMALLEST_DEVIATION;
  const scaleRow = (row: readonly number[]) =>
    Float64Array.from(row, (value, i) =>
      Math.max(-FURTHEST, Math.min(FURTHEST, (value - means[i]!) / deviations[i]!)),
    );
  return { measured: raw.map(scaleRow), scale: (text) => scaleRow(toSurface(text)) };
}

/** 1 for the same look, near 0 for quite another. */
export function surfaceSimilarity(a: Float64Array, b: Float64Array): number {
  let square = 0;
  for (let i = 0; i < a.length; i++) square += (a[i]! - b[i]!) ** 2;
  return Math.exp(-square / (2 * a.length));
}
