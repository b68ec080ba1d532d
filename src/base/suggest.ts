// "Did you mean …": the known word that is nearest to a wrong one.

export function didYouMean(wrong: string, known: readonly string[]): string {
  const nearest = nearestWord(wrong, known);
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}

function nearestWord(wrong: string, known: readonly string[]): string | undefined {
  const word = plain(wrong);
  const ranked = known
    .map((candidate) => ({ candidate, distance: distanceOf(word, plain(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (!best) return undefined;
  const inside =
    word.length >= 3 && (plain(best.candidate).includes(word) || word.includes(plain(best.candidate)));
  return inside || best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

/** `max_output_tokens` and `MaxOutputTokens` are the same word to a person. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, "");
}

/** Optimal string alignment: letters added, left out, exchanged or swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
