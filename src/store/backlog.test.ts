import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { runEnd, runStart, stepEnd } from "../testing/events.ts";
import { JournalBacklog } from "./backlog.ts";
import { createMemoryStore } from "./memory.ts";
import type { Store } from "./types.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

/** A store that fails until it is mended. */
function setUp() {
  const memory = createMemoryStore();
  const state = { isBroken: true, tries: 0, holder: "me", released: [] as string[] };
  const store: Store = {
    ...memory,
    async append(events, owner) {
      state.tries++;
      if (state.isBroken) throw new Error("disk");
      if (owner && owner.id !== state.holder) throw new TuttiError("run-busy", "taken over");
      await memory.append(events);
    },
    async release(runId, { id }) {
      state.released.push(`${runId} of ${id}`);
    },
  };
  return Object.assign(state, { memory, backlog: new JournalBacklog(async () => store) });
}

it("writes what could not be written as soon as it can be, in order", async () => {
  const world = setUp();
  const first = world.backlog.add([runStart("a"), stepEnd("a", "one")]);
  const second = world.backlog.add([runEnd("a", "one", 1), runStart("b")]);
  expect(world.backlog.size).toBe(4);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(world.tries).toBe(3);
  expect(await world.memory.loadRun("a")).toEqual([]);
  world.isBroken = false;
  await vi.advanceTimersByTimeAsync(1_000);
  await Promise.all([first, second]);
  expect((await world.memory.loadRun("a")).map(({ type }) => type)).toEqual([
    "run-start",
    "step-end",
    "run-end",
  ]);
  expect(world.backlog.size).toBe(0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(world.tries).toBe(5);
});

it("tells when the last of a run is written", async () => {
  const world = setUp();
  void world.backlog.add([runStart("a")]);
  void world.backlog.add([runEnd("a", "", 1)]);
  expect(world.backlog.written("b")).toBeUndefined();
  let isWritten = false;
  void world.backlog.written("a")!.then(() => {
    isWritten = true;
  });
  await world.backlog.flush();
  expect(isWritten).toBe(false);
  world.isBroken = false;
  await world.backlog.flush();
  expect(isWritten).toBe(true);
  expect(world.backlog.written("a")).toBeUndefined();
});

it("keeps the claim of a run until its events are written, and leaves a run that others have taken as it is", async () => {
  const owner = { id: "me", pid: 1, host: "here" };
  const world = setUp();
  world.isBroken = false;
  await Promise.all([world.backlog.add([runStart("a")], owner), world.backlog.flush()]);
  expect(world.released).toEqual(["a of me"]);
  expect(await world.memory.loadRun("a")).toHaveLength(1);
  world.holder = "somebody else";
  await Promise.all([world.backlog.add([runEnd("a", "", 1)], owner), world.backlog.flush()]);
  expect(await world.memory.loadRun("a")).toHaveLength(1);
  expect(world.backlog.size).toBe(0);
});

it("is full before it takes all memory", () => {
  const world = setUp();
  for (let i = 0; i < 9_999; i++) void world.backlog.add([runStart(`r${i}`)]);
  expect(world.backlog.isFull).toBe(false);
  void world.backlog.add([runStart("last")]);
  expect(world.backlog.isFull).toBe(true);
});
