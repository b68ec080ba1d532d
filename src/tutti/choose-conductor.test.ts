import { beforeEach, describe, expect, it, vi } from "vitest";
import { digestOfShipped } from "../conductor/shipped-digests.ts";
import { saveVerdict, type Verdict } from "../config/verdicts.ts";
import { toConductorName } from "../store/conductor-name.ts";
import { saveTinyCheckpoint } from "../testing/learn/tiny-checkpoint.ts";
import { playedConductor, scriptedWorker, toPool } from "../testing/stage.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { Pool, Profile, Task } from "../worker/types.ts";
import type { PoolKind } from "./conductors.ts";
import { chooseConductor } from "./conductors.ts";

// What ships with the package is set by each test.
const shipped = vi.hoisted(() => ({ folder: undefined as string | undefined }));

vi.mock("../conductor/native/shipped.ts", async (original) => {
  const real = await original<typeof import("../conductor/native/shipped.ts")>();
  return {
    ...real,
    findShippedNative: () => shipped.folder,
    findNative: (named: string | undefined) => named ?? shipped.folder ?? "nowhere",
  };
});

const PROFILE: Profile = { success: 0.7, tasks: 50, topics: {} };
const TASK: Task = { messages: [{ role: "user", content: "What is the sum of 12 and 30?" }] };

function poolOf(measured: boolean[], profile = PROFILE): Pool {
  const members = measured.map((isMeasured, i) => ({
    worker: scriptedWorker(`model-${i}`, ""),
    price: { inputUsd: i, outputUsd: i },
    ...(isMeasured && { profile }),
  }));
  return toPool([...members, createConsensusWorker()]);
}

interface Parts {
  kind?: PoolKind;
  pool?: Pool;
  /** TUTTI_HOME; by default one that is not there. */
  home?: string;
  task?: Task;
}

async function choose(
  wanted: Parameters<typeof chooseConductor>[0],
  { kind = "config", pool = poolOf([true, true]), home = "no/such/home", task = TASK }: Parts = {},
) {
  const env = { TUTTI_HOME: home };
  const { conductor, reason } = await chooseConductor(wanted, pool, { kind, showNames: false, env, task });
  return { id: toConductorName(conductor.identity), reason };
}

beforeEach(() => {
  shipped.folder = undefined;
});

describe("in the rehearsal", () => {
  it("the trained Conductor plans, where it is there", async () => {
    const folder = await saveTinyCheckpoint();
    shipped.folder = folder;
    expect(await choose(undefined, { kind: "rehearsal" })).toEqual({
      id: `native:${folder}`,
      reason: "shipped weights, trained in the rehearsal, which is the pool, and on recordings",
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
    shipped.folder = "no/such/folder";
    const { id, reason } = await choose(undefined, { kind: "rehearsal" });
    expect(id).toBe("scripted-planner");
    expect(reason).toContain("No trained Conductor in no/such/folder: card.json cannot be read");
  });

  it("a planner that is named is taken", async () => {
    shipped.folder = await saveTinyCheckpoint();
    expect(await choose("scripted-planner", { kind: "rehearsal" })).toEqual({
      id: "scripted-planner",
      reason: "named",
    });
  });
});

describe("on a live pool", () => {
  const CHEAP = "model-0 is the strongest of the cheaper half of the pool, by measured success";
  const NONE = `${CHEAP}; no trained Conductor is the default here: `;
  const date = "2026-11-19";
  const files = createFiles();
  let homes = 0;
  /** A home where a bench on the pool has shown this. */
  async function homeWith(...verdicts: (Partial<Verdict> & Pick<Verdict, "conductor">)[]): Promise<string> {
    const home = `${files.folder}/home-${homes++}`;
    for (const verdict of verdicts)
      await saveVerdict(home, {
        ...{ workers: ["model-0", "model-1"], digest: digestOfShipped(verdict.conductor)!, date },
        ...{ against: "best-single", tasks: 80, difference: 0.02, low: -0.01, high: 0.05 },
        ...verdict,
      });
    return home;
  }
  const known = (value = 0.6) => poolOf([true, true], { ...PROFILE, known: value });
  const whereShown = `a bench of ${date} showed it no worse than best-single on this pool (80 tasks), and the question is like those that were measured`;

  it("a prompted one plans, and nothing is said of trained ones where workers are not measured", async () => {
    const home = await homeWith({ conductor: "trinity" });
    expect(await choose(undefined, { pool: poolOf([true, false]), home })).toEqual({
      id: "prompted:model-0",
      reason: CHEAP,
    });
  });

  it("a prompted one plans where no bench has shown a trained one, and it is said", async () => {
    shipped.folder = await saveTinyCheckpoint();
    const others = [
      await homeWith(),
      await homeWith({ conductor: "trinity", workers: ["model-0"] }),
      await homeWith({ conductor: "trinity", tasks: 20 }),
      await homeWith({ conductor: "native", low: -0.1 }),
      await homeWith({ conductor: "native", digest: "ffffffff" }),
    ];
    for (const home of others)
      expect(await choose(undefined, { pool: known(), home })).toEqual({
        id: "prompted:model-0",
        reason: `${NONE}no bench has shown one to be no worse on this pool`,
      });
  });

  it("a prompted one plans where the question is like none that was measured, and it is said", async () => {
    const home = await homeWith({ conductor: "trinity" });
    const { id, reason } = await choose(undefined, { pool: known(0.05), home });
    expect([id, reason]).toEqual([
      "prompted:model-0",
      `${NONE}the question is unlike those that were measured`,
    ]);
  });

  it("the one that a bench has shown plans: native or TRINITY, and of both the one that gained more", async () => {
    const folder = await saveTinyCheckpoint();
    shipped.folder = folder;
    const [native, trinity] = [{ conductor: "native" }, { conductor: "trinity" }] as const;
    const cases = [
      [[native], `native:${folder}`],
      [[trinity], "trinity:trinity"],
      [[native, { ...trinity, difference: 0.03 }], "trinity:trinity"],
      [[{ ...native, difference: 0.03 }, trinity], `native:${folder}`],
      [[{ ...native, difference: 0.03, low: -0.2 }, trinity], "trinity:trinity"],
    ] as const;
    for (const [verdicts, id] of cases)
      expect(await choose(undefined, { pool: known(), home: await homeWith(...verdicts) })).toEqual({
        id,
        reason: whereShown,
      });
  });

  it("the other one plans where the better one cannot, and a prompted one where neither can", async () => {
    const folder = await saveTinyCheckpoint({ limits: { workers: 2, rounds: 1 } });
    shipped.folder = folder;
    const better = { conductor: "native", difference: 0.1 } as const;
    const both = await homeWith(better, { conductor: "trinity" });
    expect((await choose(undefined, { pool: known(), home: both })).id).toBe("trinity:trinity");
    const { id, reason } = await choose(undefined, { pool: known(), home: await homeWith(better) });
    expect(id).toBe("prompted:model-0");
    expect(reason).toContain(`${NONE}The pool has 3 workers`);
  });

  it("a prompted one plans where it is named, or where the client brings tools", async () => {
    const home = await homeWith({ conductor: "trinity" });
    expect(await choose("prompted", { pool: known(), home })).toEqual({
      id: "prompted:model-0",
      reason: `named; ${CHEAP}`,
    });
    const output = { tools: [{ name: "read", inputSchema: {} }] };
    const asked = await choose(undefined, { pool: known(), home, task: { ...TASK, output } });
    expect(asked.id).toBe("prompted:model-0");
  });
});

describe("native by its name", () => {
  it("plans for measured models without more words", async () => {
    const folder = await saveTinyCheckpoint();
    shipped.folder = folder;
    expect(await choose("native")).toEqual({ id: `native:${folder}`, reason: "named" });
  });

  it.each([
    [[true, false], "model-1"],
    [[false, false], "2 models"],
  ])("says which profiles are missing and who measures them: %s", async (measured, who) => {
    shipped.folder = await saveTinyCheckpoint();
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
