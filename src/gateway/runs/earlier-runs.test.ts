import { expect, it } from "vitest";
import { createMemoryStore } from "../../store/memory.ts";
import { runEnd, runStart } from "../../testing/events.ts";
import { HeldBytes } from "../access/held-bytes.ts";
import type { PastReader } from "../reads/reader.ts";
import { EarlierRuns } from "./earlier-runs.ts";

it("a run that is in memory comes from there, the same objects every time; any other from whoever reads journals", async () => {
  const store = createMemoryStore();
  await store.append([runStart("a"), runEnd("a", "reply")]);
  const known = new Set<string>();
  const asked: string[] = [];
  const reader = {
    read: async (_key: undefined, _name: string, id: string) => {
      asked.push(id);
      return structuredClone(await store.loadRun(id));
    },
  } as unknown as Pick<PastReader, "read">;
  const earlier = new EarlierRuns({ ...store, isAtHand: (id) => known.has(id) }, reader, new HeldBytes());
  const read = await earlier.load(undefined, "a");
  expect(asked).toEqual(["a"]);
  known.add("a");
  const [one, other] = [await earlier.load(undefined, "a"), await earlier.load(undefined, "a")];
  expect(asked).toEqual(["a"]);
  expect(one).toEqual(read);
  expect(one.every((event, at) => event === other[at])).toBe(true);
});
