// When two values are the same answer. Kinds are kept apart: (1, 2), [1, 2] and {1, 2} are three
// things. Forgiven is only the frame around a value: "x = 5" says 5, "5 or 7" says {5, 7}, and
// x > 3 says (3, ∞).

import { isMultiple, sameExpression, toReal } from "./same-expression.ts";
import { type Expression, INFINITY, isExpression, type MathsValue, negated, type Relation } from "./types.ts";

/** Matching sets is quadratic; nobody's answer has more items. */
const MAX_ITEMS = 200;

type RelationValue = MathsValue & { kind: "relation" };

export function sameValue(left: MathsValue, right: MathsValue): boolean {
  const [a, b] = [spread(left), spread(right)];
  if (isExpression(a) && isExpression(b)) return sameExpression(a, b);
  if (a.kind === "relation" || b.kind === "relation") return sameWithRelation(a, b);
  const [aAssigned, bAssigned] = [toAssigned(a), toAssigned(b)];
  if (aAssigned && b.kind === "group") return sameValue(aAssigned, b);
  if (bAssigned && a.kind === "group") return sameValue(a, bAssigned);
  if (isRegion(a) !== isRegion(b)) return sameRegion(a, b);
  return sameKind(a, b);
}

function sameKind(a: MathsValue, b: MathsValue): boolean {
  if (a.kind === "set" && b.kind === "set") {
    // x < 1 and x > 0 is not x < 1 or x > 0.
    const isConditional = [...a.items, ...b.items].some(
      (item) => item.kind === "relation" && !isAssigning(item),
    );
    if (isConditional && (a.joint === "and") !== (b.joint === "and")) return false;
    return sameItemsInAnyOrder(a.items, b.items);
  }
  if (a.kind === "union" && b.kind === "union") return sameItemsInAnyOrder(a.items, b.items);
  if (a.kind === "ratio" && b.kind === "ratio") return sameItems(a.items, b.items);
  if (a.kind === "based" && b.kind === "based") return a.base === b.base && a.digits === b.digits;
  if (a.kind === "text" && b.kind === "text") return a.text === b.text;
  if (a.kind === "group" && b.kind === "group") {
    return a.open === b.open && a.close === b.close && sameItems(a.items, b.items);
  }
  if (a.kind !== "matrix" || b.kind !== "matrix" || a.isDeterminant !== b.isDeterminant) return false;
  const isSameShape = a.rows.length === b.rows.length;
  return isSameShape && a.rows.every((row, i) => sameItems(row, b.rows[i] ?? []));
}

function sameItems(a: MathsValue[], b: MathsValue[]): boolean {
  return a.length === b.length && a.every((item, i) => sameValue(item, b[i] as MathsValue));
}

/** Being the same is transitive but for rounding, so the first match is as good as any. */
function sameItemsInAnyOrder(a: MathsValue[], b: MathsValue[]): boolean {
  if (a.length !== b.length || a.length > MAX_ITEMS) return false;
  const free = [...b];
  return a.every((item) => {
    const found = free.findIndex((other) => sameValue(item, other));
    if (found >= 0) free.splice(found, 1);
    return found >= 0;
  });
}

// ---- Values that stand for several: ±, lists, {5} ----

/** ± written out, lists within lists flattened, a set of one taken for its item. */
function spread(value: MathsValue): MathsValue {
  if (isExpression(value)) {
    const both = [withSign(value, 1), withSign(value, -1)] as const;
    return both[0] === both[1] ? value : { kind: "set", items: [...both], joint: "," };
  }
  if (isEquation(value)) return spreadEquation(value);
  if (value.kind !== "set") return value;
  const items = inheritName(value.items).flatMap((item) => {
    const inner = spread(item);
    return inner.kind === "set" && inner.joint !== "{" ? inner.items : [inner];
  });
  if (items.length === 1) return items[0] as MathsValue;
  const names = items.map(assignedName);
  const isOneName = names.every((name) => name !== undefined && name === names[0]);
  if (!isOneName || value.items.length === 0) return { ...value, items };
  return { ...value, items: items.map((item) => (item as RelationValue).sides[1] as MathsValue) };
}

/** x = ±3 is x = 3 or x = −3. */
function spreadEquation(value: RelationValue): MathsValue {
  const [left, right] = value.sides as [MathsValue, MathsValue];
  const inner = spread(right);
  if (inner === right || inner.kind !== "set") return value;
  const items = inner.items.map((item): MathsValue => ({ ...value, sides: [left, item] }));
  return { kind: "set", items, joint: "," };
}

/** "x = 5, 7" says x twice. */
function inheritName(items: MathsValue[]): MathsValue[] {
  const [first, ...rest] = items;
  if (first?.kind !== "relation" || assignedName(first) === undefined) return items;
  if (rest.some((item) => item.kind === "relation")) return items;
  return [
    first,
    ...rest.map((item): MathsValue => ({ ...first, sides: [first.sides[0] as MathsValue, item] })),
  ];
}

/** The same tree where there is no sign to choose. */
function withSign(tree: Expression, sign: 1 | -1): Expression {
  switch (tree.kind) {
    case "number":
    case "symbol":
      return tree;
    case "call": {
      const inputs = tree.inputs.map((input) => withSign(input, sign));
      return inputs.every((input, i) => input === tree.inputs[i]) ? tree : { ...tree, inputs };
    }
    default: {
      const [left, right] = [withSign(tree.left, sign), withSign(tree.right, sign)];
      if (tree.kind === "plus-minus") {
        return { kind: "add", left, right: tree.sign === sign ? right : negated(right) };
      }
      return left === tree.left && right === tree.right ? tree : { ...tree, left, right };
    }
  }
}

// ---- Equations and inequalities ----

function sameWithRelation(a: MathsValue, b: MathsValue): boolean {
  if (a.kind === "relation" && b.kind === "relation") return sameRelation(a, b) || sameRegion(a, b);
  const [relation, plain] = a.kind === "relation" ? [a, b] : [b, a as MathsValue];
  if (relation.kind !== "relation") return false;
  const operators = new Set(relation.operators);
  if (operators.has("≈") && operators.size === 1) return sameApproximation(relation, plain);
  if (!isAssigning(relation)) return sameRegion(relation, plain);
  const [first, ...rest] = relation.sides as [MathsValue, ...MathsValue[]];
  if (isName(first)) {
    const chain: MathsValue = { kind: "relation", operators: relation.operators.slice(1), sides: rest };
    return sameValue(rest.length === 1 ? (rest[0] as MathsValue) : chain, plain);
  }
  // 12 + 3 = 15 says 15; 2x = 10 does not say 10.
  const result = rest.at(-1) as MathsValue;
  return operators.size === 1 && sameItems(rest, relation.sides.slice(0, -1)) && sameValue(result, plain);
}

/** "1/3 ≈ 0.333" says 1/3, and 0.333 where that is what is wanted, as long as the two are close. */
function sameApproximation({ sides }: RelationValue, plain: MathsValue): boolean {
  const [first, second] = sides;
  if (!first || !second || sides.length > 2) return false;
  if (isName(first)) return sameValue(second, plain);
  if (sameValue(first, plain)) return true;
  if (!isExpression(first) || !isExpression(second) || !sameValue(second, plain)) return false;
  const [exact, rounded] = [toReal(first), toReal(second)];
  if (exact === undefined || rounded === undefined) return false;
  return Math.abs(exact - rounded) <= 0.01 * Math.abs(exact);
}

const MIRRORED: Partial<Record<Relation, Relation>> = { "<": ">", ">": "<", "≤": "≥", "≥": "≤" };

function sameRelation(a: RelationValue, b: RelationValue): boolean {
  if (a.operators.length !== b.operators.length) return false;
  const isSame = (operators: Relation[], sides: MathsValue[]) =>
    a.operators.every((operator, i) => operator === operators[i]) && sameItems(a.sides, sides);
  if (isSame(b.operators, b.sides)) return true;
  const mirrored = b.operators.map((operator) => MIRRORED[operator] ?? operator).reverse();
  if (!b.operators.includes("∈") && isSame(mirrored, [...b.sides].reverse())) return true;
  const [first, second] = [toDifference(a), toDifference(b)];
  return first !== undefined && second !== undefined && isMultiple(first, second);
}

/** An equation as what must be 0. */
function toDifference(value: RelationValue): Expression | undefined {
  const [left, right] = value.sides as [MathsValue, MathsValue];
  if (!isEquation(value) || !isExpression(left) || !isExpression(right)) return undefined;
  return { kind: "add", left, right: negated(right) };
}

function isAssigning({ operators }: RelationValue): boolean {
  return operators.every((operator) => operator === "=" || operator === "∈" || operator === "≈");
}

/** What stands before "=" only to say what the value is of: x, f(x), AB, P(A), (x, y). */
function isName(value: MathsValue): boolean {
  if (value.kind === "text" || value.kind === "symbol") return true;
  if (value.kind === "call") return /^[fgh]$/.test(value.name);
  if (value.kind === "multiply") return letters(value)?.every((letter) => /^[A-Z]$/.test(letter)) ?? false;
  return value.kind === "group" && value.items.every((item) => item.kind === "symbol");
}

function letters(tree: Expression): string[] | undefined {
  if (tree.kind === "symbol") return [tree.name];
  if (tree.kind !== "multiply") return undefined;
  const [left, right] = [letters(tree.left), letters(tree.right)];
  return left && right && [...left, ...right];
}

function assignedName(value: MathsValue): string | undefined {
  const first = isEquation(value) ? value.sides[0] : undefined;
  return first?.kind === "symbol" ? first.name : undefined;
}

/** One "=" and nothing else. */
function isEquation(value: MathsValue): value is RelationValue {
  return value.kind === "relation" && value.operators.join() === "=";
}

/** "x = 1, y = 2" as the point (1, 2). */
function toAssigned(value: MathsValue): MathsValue | undefined {
  if (value.kind !== "set" || value.joint === "or") return undefined;
  const named = value.items.map((item) => [assignedName(item), item] as const);
  if (named.some(([name]) => name === undefined)) return undefined;
  named.sort(([a], [b]) => (a! < b! ? -1 : 1));
  const items = named.map(([, item]) => (item as RelationValue).sides[1] as MathsValue);
  return { kind: "group", open: "(", close: ")", items };
}

// ---- Inequalities as regions ----

function isRegion(value: MathsValue): boolean {
  return value.kind === "group" || value.kind === "union";
}

function sameRegion(a: MathsValue, b: MathsValue): boolean {
  const [first, second] = [toRegion(a), toRegion(b)];
  if (!first || !second || (first.name && second.name && first.name !== second.name)) return false;
  return (first.name ?? second.name) !== undefined && sameItemsInAnyOrder(first.parts, second.parts);
}

/** The intervals that a value stands for, and of which variable where it says so. */
interface Region {
  parts: MathsValue[];
  name?: string;
}

function toRegion(value: MathsValue): Region | undefined {
  if (value.kind === "group" && value.items.length === 2) return { parts: [value] };
  if (value.kind === "union") return { parts: value.items };
  if (value.kind === "relation") return toMembership(value) ?? toInterval(value);
  if (value.kind !== "set" || value.joint === "and") return undefined;
  const parts = value.items.map((item) => (item.kind === "relation" ? toInterval(item) : undefined));
  const name = parts[0]?.name;
  if (name === undefined || parts.some((part) => part?.name !== name)) return undefined;
  return { parts: parts.flatMap((part) => part?.parts ?? []), name };
}

/** x ∈ [1, 2] */
function toMembership({ operators, sides }: RelationValue): Region | undefined {
  const [variable, set] = sides;
  if (operators.join() !== "∈" || variable?.kind !== "symbol" || !set) return undefined;
  const region = toRegion(set);
  return region && { ...region, name: variable.name };
}

/** x > 3, 1 < x ≤ 2, and the same written from right to left. */
function toInterval({ operators, sides }: RelationValue): Region | undefined {
  const isDown = operators.every((operator) => operator === ">" || operator === "≥");
  const isUp = operators.every((operator) => operator === "<" || operator === "≤");
  if (!isDown && !isUp) return undefined;
  const ordered = isUp ? sides : [...sides].reverse();
  const strict = (isUp ? operators : [...operators].reverse()).map(
    (operator) => operator === "<" || operator === ">",
  );
  const at = ordered.findIndex((side) => side.kind === "symbol" && side.name !== "infinity");
  const variable = ordered[at];
  if (variable?.kind !== "symbol" || ordered.length > 3 || (ordered.length === 3 && at !== 1))
    return undefined;
  const low = ordered[at - 1] ?? negated(INFINITY);
  const high = ordered[at + 1] ?? INFINITY;
  const isOpenBelow = at === 0 || strict[at - 1];
  const isOpenAbove = at === ordered.length - 1 || strict[at];
  const open = isOpenBelow ? "(" : "[";
  const close = isOpenAbove ? ")" : "]";
  return { parts: [{ kind: "group", open, close, items: [low, high] }], name: variable.name };
}
