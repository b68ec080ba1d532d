// How deep JSON of a stranger may be nested. Parsing takes any depth; whatever walks or writes it again ends at some
// depth of the stack.

/** Far beyond what people and programs write. */
export const DEEPEST_LEVEL = 200;

export function isDeep(value: unknown, deepest = DEEPEST_LEVEL): boolean {
  let level = isParent(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    const below: object[] = [];
    for (const parent of level)
      for (const child of Object.values(parent)) if (isParent(child)) below.push(child);
    level = below;
  }
  return false;
}

function isParent(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
