// Ratings as they come in: read once for the first question, then what is new, and never in a question's way.

import { expect, it, vi } from "vitest";
import { createMemoryStore } from "../../store/memory.ts";
import type { FeedbackFilter, RunEvent, Store } from "../../store/types.ts";
import { scriptedWorker } from "../../testing/stage.ts";
import { createLiveRatings } from "./live-ratings.ts";

const MINUTE_MS = 60_000;
const POOL = {
  members: [
    {
      worker: scriptedWorker("w0", ""),
      profile: { success: 0.7, tasks: 60, topics: {}, source: "measured" },
    },
  ],
};

function rating(runId: string, at: number): RunEvent {
  return { type: "run-feedback", runId, at, score: 0, about: { workers: ["w0"], question: "Why?" } };
}

function watch(store: Store): { store: Store; asked: FeedbackFilter[] } {
  const asked: FeedbackFilter[] = [];
  const listFeedback = (filter: FeedbackFilter) => {
    asked.push(filter);
    return store.listFeedback(filter);
  };
  return { store: { ...store, listFeedback }, asked };
}

it("reads what is new once a minute beside the questions, and all of it once an hour", async () => {
  let clock = 0;
  const { store, asked } = watch(createMemoryStore());
  await store.append([rating("a", 0)]);
  const ratings = createLiveRatings(async () => store, { halfLifeDays: 30, now: () => clock });
  const count = () => ratings.poolFor(POOL, "").members[0]!.profile!;
  await ratings.ready();
  expect(count()).toMatchObject({ ratings: 1, source: "measured; 1 rating" });
  await store.append([rating("b", 1)]);
  expect(count()).toMatchObject({ ratings: 1 });
  clock += MINUTE_MS;
  expect(count(), "nobody waits").toMatchObject({ ratings: 1 });
  await vi.waitFor(() => expect(count()).toMatchObject({ ratings: 2 }));
  expect(asked).toEqual([
    { limit: 10_000, after: 0 },
    { limit: 10_000, after: 1 },
  ]);
  await store.deleteRun("a");
  clock += 60 * MINUTE_MS;
  await vi.waitFor(() => expect(count()).toMatchObject({ ratings: 1 }));
});

it("a journal that cannot be read is told of and stops no question", async () => {
  const notice = vi.fn();
  const broken = async () => {
    throw new Error("it is on fire");
  };
  const ratings = createLiveRatings(broken, { halfLifeDays: 30, notice });
  await ratings.ready();
  expect(ratings.poolFor(POOL, "Why?")).toBe(POOL);
  expect(notice).toHaveBeenCalledWith(expect.stringContaining("it is on fire"));
});
