// When two stated answers are the same. Deliberately small: it forgives how an answer is written
// (case, markdown, thousands separators), never what it says (units, fractions and words count).
// Linear in the length of the text, and never throws.

const FORGIVEN_EDGE = new Set(" *_`\"'$.,;:!?~#");
const PLAIN_NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/;
const PLAIN_INTEGER = /^[-+]?\d+$/;

/** The answer without the accidents of writing. Normalising twice changes nothing. */
export function normaliseAnswer(text: string): string {
  let current = text
    .replace(/[−–‒]/g, "-")
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .toLowerCase()
    .replace(/\s+/g, " ");
  // One pass can uncover work for the next: "**(c)**" first loses its stars, then its parentheses.
  for (let pass = 0; pass < 4; pass++) {
    const next = normaliseOnce(current);
    if (next === current) break;
    current = next;
  }
  return current;
}

/** Equal once normalised, or both plain numbers of the same value. */
export function sameAnswer(a: string, b: string): boolean {
  if (a === b) return true;
  // Long integers lose digits as floating point, so they are compared as texts, and most need no more.
  if (PLAIN_INTEGER.test(a) && PLAIN_INTEGER.test(b)) return digits(a) === digits(b);
  const left = normaliseAnswer(a);
  const right = normaliseAnswer(b);
  if (left === right) return true;
  if (!PLAIN_NUMBER.test(left) || !PLAIN_NUMBER.test(right)) return false;
  if (PLAIN_INTEGER.test(left) && PLAIN_INTEGER.test(right)) return digits(left) === digits(right);
  return Number(left) === Number(right);
}

function normaliseOnce(text: string): string {
  const bare = trimEdges(text).replace(/(?<![\d,.])\d{1,3}(?:,\d{3})+(?!\d|,\d)/g, (number) =>
    number.replaceAll(",", ""),
  );
  const choice = /^\(([a-z])\)$/.exec(bare)?.[1];
  if (choice !== undefined) return choice;
  return /^[-+]?\d+\.0+$/.test(bare) ? bare.slice(0, bare.indexOf(".")) : bare;
}

function trimEdges(text: string): string {
  let start = 0;
  let end = text.length;
  while (end > start && FORGIVEN_EDGE.has(text.charAt(end - 1))) end--;
  while (start < end && FORGIVEN_EDGE.has(text.charAt(start)) && !opensDecimal(text, start)) start++;
  return text.slice(start, end);
}

/** ".5" begins with a point that belongs to the number. */
function opensDecimal(text: string, at: number): boolean {
  return text.charAt(at) === "." && /\d/.test(text.charAt(at + 1));
}

function digits(integer: string): string {
  const negative = integer.startsWith("-");
  let start = /^[-+]/.test(integer) ? 1 : 0;
  while (start < integer.length - 1 && integer.charAt(start) === "0") start++;
  const rest = integer.slice(start);
  return negative && rest !== "0" ? `-${rest}` : rest;
}
