// "Did you mean …": the known word that is nearest to a wrong one. The wrong word may be a stranger's, so what it can
// make us do is bounded: nobody mistypes a name of more than 64 characters.

const LONGEST_WORD = 64;
/** More names than this are no list that a person chose from. */
const MOST_CANDIDATES = 300;

export function didYouMean(wrong: string, known: readonly string[]): string {
  const nearest = wrong.length > LONGEST_WORD ? undefined : nearestWord(wrong, known);
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}

function nearestWord(wrong: string, known: readonly string[]): string | undefined {
  const word = plain(wrong);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of known.slice(0, MOST_CANDIDATES)) {
    if (candidate.length > LONGEST_WORD) continue;
    const distance = distanceOf(word, plain(candidate));
    if (!best || distance < best.distance) best = { candidate, distance };
  }
  if (!best) return undefined;
  const inside =
    word.length >= 3 && (plain(best.candidate).includes(word) || word.includes(plain(best.candidate)));
  return inside || best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

/** `max_output_tokens` and `MaxOutputTokens` are the same word to a person. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, "");
}

/** Optimal string alignment: letters added, left out, exchanged or swapped with their neighbour. Three rows are kept. */
function distanceOf(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, beforeLast[j - 2]! + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
