import { expect, test } from "vitest";
import { createGate } from "./gate.ts";

/** Work that ends when it is told to. */
function createWork() {
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { finish, run: () => done };
}

test("lets so many in at once, the others in the order they came", async () => {
  const gate = createGate(2);
  const works = Array.from({ length: 4 }, createWork);
  const order: number[] = [];
  const all = works.map(({ run }, i) =>
    gate.enter(() => {
      order.push(i);
      return run();
    }),
  );
  expect([gate.running, gate.waiting, order]).toEqual([2, 2, [0, 1]]);
  works[1]!.finish();
  await all[1];
  expect([gate.running, gate.waiting, order]).toEqual([2, 1, [0, 1, 2]]);
  for (const { finish } of works) finish();
  await Promise.all(all);
  expect([gate.running, gate.waiting, order]).toEqual([0, 0, [0, 1, 2, 3]]);
});

test("a failure frees its place and is passed on", async () => {
  const gate = createGate(1);
  await expect(gate.enter(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(gate.running).toBe(0);
  expect(await gate.enter(async () => 7)).toBe(7);
});
