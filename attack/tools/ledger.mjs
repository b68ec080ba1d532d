// The verdict on money: for each key the provider's own bill beside the key's budget and the journal.
const ROUNDING_USD = 1e-6;

/** `keys`: name, id and budget of each; `bill` and `journaled` as the provider and the gateway tell them. */
export function judgeBills(keys, bill, journaled) {
  const rows = keys.map(({ name, id, budgetUsd }) => {
    const trueUsd = bill[name]?.usd ?? 0;
    const journaledUsd = journaled[id] ?? 0;
    return { name, budgetUsd, trueUsd, journaledUsd, calls: bill[name]?.calls ?? 0 };
  });
  const over = rows.filter(({ trueUsd, budgetUsd }) => trueUsd > budgetUsd + ROUNDING_USD);
  const hidden = rows.filter(({ trueUsd, journaledUsd }) => trueUsd > journaledUsd + ROUNDING_USD);
  const sum = (list, of) => list.reduce((total, row) => total + of(row), 0);
  return {
    rows,
    ok: over.length === 0 && hidden.length === 0,
    overspentUsd: sum(over, ({ trueUsd, budgetUsd }) => trueUsd - budgetUsd),
    unjournaledUsd: sum(hidden, ({ trueUsd, journaledUsd }) => trueUsd - journaledUsd),
    billedUsd: sum(rows, ({ trueUsd }) => trueUsd),
    problems: [
      ...over.map((row) => `${row.name}: $${row.trueUsd.toFixed(2)} of $${row.budgetUsd}`),
      ...hidden.map(
        (row) => `${row.name}: $${row.trueUsd.toFixed(2)} true, $${row.journaledUsd.toFixed(2)} journaled`,
      ),
    ],
  };
}

export const usd = (amount) => `$${amount.toFixed(2)}`;
