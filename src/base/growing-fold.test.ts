import { expect, it } from "vitest";
import { createGrowingFold, createGrowingList } from "./growing-fold.ts";

const items = ["a", "b", "c", "d"].map((name) => ({ name }));

function counted() {
  let steps = 0;
  const fold = createGrowingFold<{ name: string }, string>("", (value, { name }) => {
    steps++;
    return value + name;
  });
  return { fold, steps: () => steps };
}

it("goes on where the same items ended", () => {
  const { fold, steps } = counted();
  expect(fold([])).toBe("");
  expect(fold(items.slice(0, 2))).toBe("ab");
  expect(fold(items)).toBe("abcd");
  expect(steps()).toBe(4);
});

it("begins anew for a shorter list and for one in which anything was replaced", () => {
  const { fold } = counted();
  expect(fold(items)).toBe("abcd");
  expect(fold(items.slice(0, 3))).toBe("abc");
  expect(fold(items)).toBe("abcd");
  expect(fold(items.with(1, { name: "x" }))).toBe("axcd");
});

it("is not misled by a list that is changed afterwards", () => {
  const { fold } = counted();
  const list = items.slice(0, 3);
  fold(list);
  list[1] = { name: "x" };
  expect(fold(list)).toBe("axc");
});

it("a list is made of what each item becomes, and only of new ones anew", () => {
  let made = 0;
  const list = createGrowingList<{ name: string }, string>(({ name }) => {
    made++;
    return name === "b" ? [] : [name, `${name}!`];
  });
  expect(list([])).toEqual([]);
  const three = list(items.slice(0, 3));
  expect(three).toEqual(["a", "a!", "c", "c!"]);
  expect(list(items.slice(0, 3))).toBe(three);
  expect(list(items)).toEqual(["a", "a!", "c", "c!", "d", "d!"]);
  expect(made).toBe(4);
  expect(three, "an earlier list stays as it was").toEqual(["a", "a!", "c", "c!"]);
  const replaced = items.with(2, { name: "x" });
  expect(list(replaced)).toEqual(["a", "a!", "x", "x!", "d", "d!"]);
  expect(made).toBe(6);
  expect(list(items.slice(0, 1))).toEqual(["a", "a!"]);
  expect(made).toBe(6);
});
