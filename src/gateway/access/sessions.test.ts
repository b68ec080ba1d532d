// The minutes of a conversation are counted from its first request on, also by a process that has just begun.

import { expect, it } from "vitest";
import type { Store } from "../../store/types.ts";
import { LocalSessions } from "./sessions.ts";

const HOUR_MS = 3_600_000;
const caps = { minutes: 120 };

it("a conversation has the minutes that are left since it began, as the journal says, and then none", async () => {
  let now = 10 * HOUR_MS;
  const runs = [9, 8.5, 9.5].map((hour) => ({ startedAt: hour * HOUR_MS, costUsd: 0.1, calls: 2 }));
  const store = { listRuns: async () => runs } as unknown as Pick<Store, "listRuns">;
  const sessions = new LocalSessions(
    async () => store,
    () => now,
  );
  // It began an hour and a half ago.
  expect(await sessions.check("night", caps)).toMatchObject({ ms: HOUR_MS / 2 });
  now += HOUR_MS / 2 - 1;
  expect(await sessions.check("night", caps)).toMatchObject({ ms: 1 });
  now += 1;
  const refused = await sessions.check("night", caps).catch(String);
  expect(refused).toContain("it began 120 minutes ago, and 120 are allowed");
  await expect(sessions.take("night", caps, { usd: 1 })).rejects.toMatchObject({ code: "budget-spent" });
});
