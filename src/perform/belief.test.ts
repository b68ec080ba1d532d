// What a Conductor believed is journaled with its decisions, comes back from every store, and goes when content goes.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDecidingConductor } from "../conductor/deciding.ts";
import type { RunEvent, Store } from "../store/types.ts";
import { inTurns, toBelief } from "../testing/belief.ts";
import { scriptedWorker, step, toPool, toStage, toStart } from "../testing/stage.ts";
import { STORES } from "../testing/stores.ts";
import { performRun, resumeRun } from "./driver.ts";
import { toRun } from "./run.ts";
import { fold } from "./state.ts";

const SAID = "forty-two";
const BELIEFS = [
  toBelief([], [[0, 0.4, 0.01, "worker"]]),
  toBelief([[SAID, 0.6]], [[1, 0.1, 0.02, "verifier"]]),
  toBelief(
    [
      [SAID, 0.9],
      ["41", 0.05],
    ],
    [[0, 0.001, 0.01]],
  ),
];
const TURNS = [{ worker: 0, belief: BELIEFS[0] }, { worker: 1, belief: BELIEFS[1] }, { belief: BELIEFS[2] }];

const toTeam = () => toPool([scriptedWorker("a", SAID), scriptedWorker("b", SAID)]);
const perform = async (store?: Store, turns = TURNS, rounds = 5) => {
  const pool = toTeam();
  return performRun(toStart(pool, { rounds }), toStage(pool, inTurns(...turns), store && { store }));
};

describe.each(STORES)("beliefs in the %s store", (_, open) => {
  let folder: string;
  let store: Store;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "tutti-belief-"));
    store = await open(folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it("come back with each round, and the one it accepted with is the run's own", async () => {
    await perform(store);
    const run = toRun(fold(await store.loadRun("r_test"))!);
    expect(run).toMatchObject({ stopReason: "done", answer: SAID });
    expect(run.belief).toEqual(BELIEFS[2]);
    expect(run.rounds.map(({ belief }) => belief)).toEqual(BELIEFS);
    expect(run.rounds.map(({ steps }) => steps.length)).toEqual([1, 1, 0]);
  });

  it("are deleted with what was said", async () => {
    await perform(store);
    expect(JSON.stringify(await store.loadRun("r_test"))).toContain(SAID);
    expect(await store.stripRun("r_test")).toBe(true);
    const events = await store.loadRun("r_test");
    expect(JSON.stringify(events)).not.toContain(SAID);
    const run = toRun(fold(events)!);
    expect([run.belief, ...run.rounds.map(({ belief }) => belief)]).toEqual(Array(4).fill(undefined));
    expect(run).toMatchObject({ stopReason: "done", isStripped: true, calls: 2 });
  });
});

describe("the belief of a run", () => {
  it("is absent when a limit ended it: what was believed last is from before the last turn", async () => {
    const run = toRun(await perform(undefined, TURNS, 2));
    expect(run.stopReason).toBe("done");
    expect(run.belief).toBeUndefined();
    expect(run.rounds.map(({ belief }) => belief)).toEqual(BELIEFS.slice(0, 2));
  });

  it("is absent where the Conductor weighs no answers, and in journals from before there were beliefs", async () => {
    const pool = toTeam();
    const conductor = createDecidingConductor({ kind: "custom", id: "plain" }, ({ rounds }) =>
      rounds.length === 0
        ? { type: "workflow", workflow: { steps: [step(0, "go")] } }
        : { type: "accept", round: 0, step: 0 },
    );
    const stage = toStage(pool, conductor);
    const state = await performRun(toStart(pool, { rounds: 3 }), stage);
    expect(toRun(state)).toMatchObject({ stopReason: "done", answer: SAID });
    const events = await stage.store.loadRun("r_test");
    expect(toRun(fold(JSON.parse(JSON.stringify(events)) as RunEvent[])!).belief).toBeUndefined();
  });

  it("survives the death of the process: a resumed run has what was believed before", async () => {
    const pool = toTeam();
    const stage = toStage(pool, inTurns(...TURNS));
    await performRun(toStart(pool, { rounds: 5 }), stage);
    const journal = await stage.store.loadRun("r_test");
    const kept = journal.slice(0, journal.findIndex(({ type }) => type === "step-end") + 1);
    const again = toStage(pool, inTurns({}, ...TURNS.slice(1)));
    await again.store.append(kept);
    const run = toRun(await resumeRun(kept, again));
    expect(run.rounds.map(({ belief }) => belief)).toEqual(BELIEFS);
    expect(run.belief).toEqual(BELIEFS[2]);
  });
});
