import { beforeEach, describe, expect, it, vi } from "vitest";
import { toConductorName } from "../store/conductor-name.ts";
import { saveTinyCheckpoint } from "../testing/learn/tiny-checkpoint.ts";
import { playedConductor, scriptedWorker, toPool } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { Pool, Profile, Task } from "../worker/types.ts";
import type { PoolKind } from "./conductors.ts";
import { chooseConductor } from "./conductors.ts";

// What ships with the package is set by each test.
const shipped = vi.hoisted(() => ({ folders: new Map<string, string>() }));

vi.mock("../conductor/native/shipped.ts", async (original) => {
  const real = await original<typeof import("../conductor/native/shipped.ts")>();
  const find = (world: string) => shipped.folders.get(world === "rehearsal" ? "rehearsal" : "recordings");
  return {
    ...real,
    findShippedFor: find,
    findNative: (named: string | undefined, world: string) => named ?? find(world) ?? "nowhere",
  };
});

const PROFILE: Profile = { success: 0.7, tasks: 50, topics: {} };
const TASK: Task = { messages: [{ role: "user", content: "What is the sum of 12 and 30?" }] };
const EASY = { threshold: 100, median: 2, share: 0.98 };
const HARD = { threshold: 0.001, median: 0.001, share: 0.98 };

function poolOf(measured: boolean[]): Pool {
  const members = measured.map((isMeasured, i) => ({
    worker: scriptedWorker(`model-${i}`, ""),
    price: { inputUsd: i, outputUsd: i },
    ...(isMeasured && { profile: PROFILE }),
  }));
  return toPool([...members, createConsensusWorker()]);
}

async function choose(
  wanted: Parameters<typeof chooseConductor>[0],
  { kind = "config", pool = poolOf([true, true]) }: { kind?: PoolKind; pool?: Pool } = {},
) {
  const { conductor, reason } = await chooseConductor(wanted, pool, {
    kind,
    showNames: false,
    env: {},
    task: TASK,
  });
  return { id: toConductorName(conductor.identity), reason };
}

beforeEach(() => {
  shipped.folders.clear();
});

describe("in the rehearsal", () => {
  it("the trained Conductor plans, where it is there", async () => {
    const folder = await saveTinyCheckpoint();
    shipped.folders.set("rehearsal", folder);
    expect(await choose(undefined, { kind: "rehearsal" })).toEqual({
      id: `native:${folder}`,
      reason: "shipped weights, trained on the rehearsal, which is the pool",
    });
  });

  it("the scripted planner does where none is shipped", async () => {
    expect(await choose(undefined, { kind: "rehearsal" })).toEqual({
      id: "scripted-planner",
      reason:
        "the pool is the rehearsal, and its trained Conductor cannot be used: none comes with this package",
    });
  });

  it("the scripted planner does where the checkpoint is broken", async () => {
    shipped.folders.set("rehearsal", "no/such/folder");
    const { id, reason } = await choose(undefined, { kind: "rehearsal" });
    expect(id).toBe("scripted-planner");
    expect(reason).toContain("No trained Conductor in no/such/folder: card.json cannot be read");
  });

  it("a planner that is named is taken", async () => {
    shipped.folders.set("rehearsal", await saveTinyCheckpoint());
    expect(await choose("scripted-planner", { kind: "rehearsal" })).toEqual({
      id: "scripted-planner",
      reason: "named",
    });
  });
});

describe("on a live pool", () => {
  const live = { noWorseOn: ["recordings", "live"] };
  const CHEAP = "model-0 is the strongest of the cheaper half of the pool, by measured success";

  it("a prompted one plans, and nothing is said of the trained one where workers are not measured", async () => {
    shipped.folders.set("recordings", await saveTinyCheckpoint({ about: live, nll: EASY }));
    expect(await choose(undefined, { pool: poolOf([true, false]) })).toEqual({
      id: "prompted:model-0",
      reason: CHEAP,
    });
  });

  it.each([
    ["no bench has shown it", {}, EASY, "no bench has shown it to be no worse on a live pool"],
    ["the question is strange", live, HARD, "the question is unlike those it was trained on"],
    ["its card knows no threshold", live, undefined, "the question is unlike those it was trained on"],
  ])("a prompted one plans where %s, and it is said", async (_, about, nll, why) => {
    shipped.folders.set("recordings", await saveTinyCheckpoint({ about, ...(nll && { nll }) }));
    const { id, reason } = await choose(undefined);
    expect(id).toBe("prompted:model-0");
    expect(reason).toBe(`${CHEAP}; native is not the default here: ${why}`);
  });

  it("the trained one plans where all of it holds", async () => {
    const folder = await saveTinyCheckpoint({ about: live, nll: EASY });
    shipped.folders.set("recordings", folder);
    expect(await choose(undefined)).toEqual({
      id: `native:${folder}`,
      reason: "every model is measured, and the question is like those it was trained on",
    });
  });

  it("a prompted one plans where it is named", async () => {
    shipped.folders.set("recordings", await saveTinyCheckpoint({ about: live, nll: EASY }));
    expect(await choose("prompted")).toEqual({ id: "prompted:model-0", reason: `named; ${CHEAP}` });
  });
});

describe("native by its name", () => {
  it("plans for measured models without more words", async () => {
    const folder = await saveTinyCheckpoint();
    shipped.folders.set("recordings", folder);
    expect(await choose("native")).toEqual({ id: `native:${folder}`, reason: "named" });
  });

  it.each([
    [[true, false], "model-1"],
    [[false, false], "2 models"],
  ])("says which profiles are missing and who measures them: %s", async (measured, who) => {
    shipped.folders.set("recordings", await saveTinyCheckpoint());
    const { reason } = await choose("native", { pool: poolOf(measured) });
    expect(reason).toBe(
      `named; the profile of ${who} is missing, by which it would choose: tutti pool calibrate measures it`,
    );
  });

  it("takes a folder, and the trace names it", async () => {
    const folder = await saveTinyCheckpoint();
    expect((await choose(`native:${folder}`)).id).toBe(`native:${folder}`);
  });

  it("fails clearly: no checkpoint, no engine, a pool that is too large", async () => {
    await expect(choose("native:no/such")).rejects.toMatchObject({ code: "bad-checkpoint" });
    const folder = await saveTinyCheckpoint({ limits: { workers: 2, rounds: 1 } });
    await expect(choose(`native:${folder}`)).rejects.toMatchObject({ code: "pool-too-large" });
  });
});

it("one that is given in code is taken as it is", async () => {
  expect(await choose(playedConductor({ type: "accept" }))).toEqual({
    id: "played",
    reason: "given in code",
  });
});
