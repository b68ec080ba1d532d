// A run that was left, while its journal is away: nobody gives it up for that.

import { afterEach, expect, it, vi } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import type { RunState } from "../../perform/state.ts";
import { openPostgresStore } from "../../store/postgres/store.ts";
import type { Store } from "../../store/types.ts";
import { runEnd, runStart } from "../../testing/events.ts";
import { createTestDatabase, noPostgres, POSTGRES, readTables } from "../../testing/stores.ts";
import type { GatewayContext } from "../context.ts";
import { openRunEngine } from "./left-runs.ts";

vi.setConfig({ testTimeout: 60_000 });
const SOON = { timeout: 30_000, interval: 50 };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it.skipIf(!POSTGRES)(`is looked up again until the journal is back${noPostgres}`, async () => {
  const address = await createTestDatabase();
  const store = await openPostgresStore(address);
  closing.push(() => store.close());
  await store.append([runStart("r_left"), runEnd("r_left", "done")]);
  let looks = 0;
  const comingBack: Store = {
    ...store,
    async loadRun(id) {
      looks++;
      if (looks < 3) throw new TuttiError("journal-failed", "away");
      return store.loadRun(id);
    },
  };
  const dispatcher = { queued: new Set<string>(), refused: new Set<string>() };
  const tutti = { store: async () => comingBack, backlog: { written: () => undefined } };
  const log = { warn: () => {}, info: () => {} };
  const context = { dispatcher, tutti, log, isClosing: false } as unknown as GatewayContext;
  await openRunEngine(context, address, { id: "here" });
  const { engine } = context;
  closing.push(() => engine!.close());
  await engine!.perform({ runId: "r_left", turn: 0 }, async () => ({}) as RunState);
  const toRow = async () => (await readTables(address, "dbos")).workflow_status![0]!;
  await expect.poll(async () => (await toRow()).status, SOON).toBe("SUCCESS");
  expect(looks).toBe(3);
  expect([...dispatcher.refused, ...dispatcher.queued]).toEqual([]);
});
