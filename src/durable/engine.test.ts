// What the durable engine promises where a process does not die: a run that it has lost, could not begin or was given without
// hearing of it does not stay open for ever. That another process goes on with a dead one's runs is in ../gateway/durable-runs.test.ts.

import { afterEach, describe, expect, it, vi } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { withResolvers } from "../base/with-resolvers.ts";
import type { RunState } from "../perform/state.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { createTestDatabase, noPostgres, POSTGRES, readTables } from "../testing/stores.ts";
import { type EngineOptions, openEngine, type RunEngine } from "./engine.ts";

vi.setConfig({ testTimeout: 60_000 });
const SOON = { timeout: 30_000, interval: 50 };
const LEFT = {} as RunState;
const OVER = { ended: {} } as RunState;

let engine: RunEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function open(options: Partial<EngineOptions> = {}) {
  const address = await createTestDatabase();
  await (await openPostgresStore(address)).close();
  const left: string[] = [];
  engine = await openEngine(address, {
    id: "here",
    async onLeft(runId) {
      left.push(runId);
      return "over";
    },
    onWarning: () => {},
    ...options,
  });
  const rows = async () => (await readTables(address, "dbos")).workflow_status!;
  const statuses = async () => (await rows()).map(({ status }) => status);
  return { engine, address, left, rows, statuses };
}

describe.skipIf(!POSTGRES)(`the durable engine${noPostgres}`, () => {
  it("goes on with a run that this process has lost while it lives", async () => {
    const { engine, left, statuses } = await open();
    expect(await engine.perform({ runId: "r_lost", turn: 0 }, async () => LEFT)).toBe(LEFT);
    expect(await engine.isKept("r_lost")).toBe(true);
    await expect.poll(() => left, SOON).toEqual(["r_lost"]);
    await expect.poll(statuses, SOON).toEqual(["SUCCESS"]);
    expect(await engine.isKept("r_lost")).toBe(false);
  });

  it("looks up what became of a run whose journal failed at its beginning, and of nothing else that failed", async () => {
    const { engine, left, statuses } = await open();
    const fail = (runId: string, error: TuttiError) =>
      engine.perform({ runId, turn: 0 }, () => Promise.reject(error));
    await expect(fail("r_away", new TuttiError("journal-failed", "away"))).rejects.toThrow("away");
    await expect(fail("r_busy", new TuttiError("run-busy", "busy"))).rejects.toThrow("busy");
    await expect.poll(statuses, SOON).toEqual(["SUCCESS", "SUCCESS"]);
    expect(left).toEqual(["r_away"]);
  });

  it("counts a run as over when all of it is in the journal", async () => {
    const written = withResolvers();
    const { engine, statuses } = await open({ written: () => written.promise });
    expect(await engine.perform({ runId: "r_kept", turn: 0 }, async () => OVER)).toBe(OVER);
    expect(await engine.isKept("r_kept")).toBe(true);
    written.resolve();
    await expect.poll(statuses, SOON).toEqual(["SUCCESS"]);
  });

  it("begins a later turn once more that came to nothing", async () => {
    const { engine, statuses } = await open();
    await engine.perform({ runId: "r_turns", turn: 0 }, async () => OVER);
    const busy = () => Promise.reject(new TuttiError("run-busy", "it was taken"));
    await expect(engine.perform({ runId: "r_turns", turn: 1 }, busy)).rejects.toThrow("it was taken");
    expect(await engine.perform({ runId: "r_turns", turn: 1 }, async () => OVER)).toBe(OVER);
    await expect.poll(statuses, SOON).toEqual(["SUCCESS", "SUCCESS", "SUCCESS"]);
    // A run of the same id is another run.
    await expect(engine.perform({ runId: "r_turns", turn: 0 }, async () => OVER)).rejects.toMatchObject({
      code: "run-busy",
    });
  });

  it("gives a run out again that it was given and does not know of", async () => {
    const { engine, left, address, statuses } = await open({ lookMs: 100 });
    await engine.perform({ runId: "r_given", turn: 0 }, async () => OVER);
    await expect.poll(statuses, SOON).toEqual(["SUCCESS"]);
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    // As it stands when the database goes away just after it has given the run to this process.
    await client.query(
      "UPDATE dbos.workflow_status SET status = 'PENDING', queue_name = '_dbos_internal_queue'",
    );
    await client.end();
    await expect.poll(() => left, SOON).toEqual(["r_given"]);
    await expect.poll(statuses, SOON).toEqual(["SUCCESS"]);
  });
});
