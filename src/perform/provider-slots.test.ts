import { describe, expect, it } from "vitest";
import { createLocalSlots, enterAll } from "./provider-slots.ts";

const NEVER = new AbortController().signal;

describe("the calls of one provider", () => {
  it("are so many at the same time, and the others wait for their turn", async () => {
    const slots = createLocalSlots();
    const begun: number[] = [];
    const leaves: (() => void)[] = [];
    const entering = [0, 1, 2, 3].map(async (n) => {
      const leave = await slots.enter("openai", 2, NEVER);
      begun.push(n);
      leaves.push(leave);
    });
    await Promise.all(entering.slice(0, 2));
    expect(begun).toEqual([0, 1]);
    leaves[1]!();
    leaves[1]!(); // again is no matter
    await entering[2];
    expect(begun).toEqual([0, 1, 2]);
    await slots.enter("anthropic", 2, NEVER);
    leaves[0]!();
    await entering[3];
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it("that are stopped while they wait take nobody's turn", async () => {
    const slots = createLocalSlots();
    const leave = await slots.enter("openai", 1, NEVER);
    const stopped = new AbortController();
    const waiting = slots.enter("openai", 1, stopped.signal);
    const next = slots.enter("openai", 1, NEVER);
    stopped.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    leave();
    (await next)();
    await expect(slots.enter("openai", 1, stopped.signal)).rejects.toThrow("stopped");
    (await slots.enter("openai", 1, NEVER))();
  });

  it("that wait in several lines hold their places one after the other, and give all back when they are stopped", async () => {
    const slots = createLocalSlots();
    const lines = [
      { name: "key", most: 1 },
      { name: "openai", most: 1 },
    ];
    const leave = await slots.enter("openai", 1, NEVER);
    const stopped = new AbortController();
    const waiting = enterAll(slots, lines, stopped.signal);
    const next = enterAll(slots, lines, NEVER);
    await Promise.resolve();
    stopped.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    leave();
    (await next)();
    (await enterAll(slots, lines, NEVER))();
  });
});
