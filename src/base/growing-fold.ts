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
