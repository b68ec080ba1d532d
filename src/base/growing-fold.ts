// A fold over a list that grows: whoever comes back with the same items and more behind them pays for the new ones only.
// Items are compared by identity, all of them, so a list in which anything was replaced is folded from its beginning.

/** `step` must be pure, and must change neither items nor earlier values. */
export function createGrowingFold<Item extends object, Value>(
  initial: Value,
  step: (value: Value, item: Item) => Value,
): (items: readonly Item[]) => Value {
  // By the first item: what is known of a list goes when the list does.
  const known = new WeakMap<Item, { items: readonly Item[]; value: Value }>();
  return (items) => {
    const first = items[0];
    if (first === undefined) return initial;
    const before = known.get(first);
    const isLonger =
      before && before.items.length <= items.length && before.items.every((item, at) => item === items[at]);
    let value = isLonger ? before.value : initial;
    for (let at = isLonger ? before.items.length : 0; at < items.length; at++)
      value = step(value, items[at]!);
    known.set(first, { items: items.slice(), value });
    return value;
  };
}

/**
 * The same for what each item becomes: of a list that has grown, or of which the last items were replaced, only what is new is
 * made. The same items give the same list, which is nobody's to change.
 */
export function createGrowingList<Item extends object, Made>(
  make: (item: Item) => readonly Made[],
): (items: readonly Item[]) => readonly Made[] {
  const known = new WeakMap<Item, { items: readonly Item[]; made: readonly Made[]; ends: number[] }>();
  return (items) => {
    const first = items[0];
    if (first === undefined) return [];
    const before = known.get(first);
    const same = before ? countSame(before.items, items) : 0;
    if (before && same === items.length && same === before.items.length) return before.made;
    const ends = before?.ends.slice(0, same) ?? [];
    const made = before?.made.slice(0, ends.at(-1) ?? 0) ?? [];
    for (let at = same; at < items.length; at++) {
      for (const each of make(items[at]!)) made.push(each);
      ends.push(made.length);
    }
    known.set(first, { items: items.slice(), made, ends });
    return made;
  };
}

/** How many items two lists begin with that are the very same. */
export function countSame(a: readonly unknown[], b: readonly unknown[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count++;
  return count;
}
