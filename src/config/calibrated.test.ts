import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { saveCalibration } from "../calibration/file.ts";
import { createHome } from "../testing/command.ts";
import { scriptedWorker } from "../testing/stage.ts";
import { resolvePool } from "./pool.ts";
import { parseConfig } from "./problems.ts";

const TEXTS = ["add two numbers", "add more numbers", "rhyme with moon", "rhyme with winter"];
const ELSEWHERE = { success: 0.7, tasks: 3, topics: {} };

/** "sums" can add and "verses" can rhyme; "told" was measured too, but the config says how good it is. */
async function resolve(home: string, selector?: string) {
  const config = parseConfig({
    workers: [
      scriptedWorker("sums", ""),
      scriptedWorker("verses", ""),
      { worker: scriptedWorker("told", ""), profile: ELSEWHERE },
      scriptedWorker("unknown", ""),
    ],
  });
  const options = { env: { TUTTI_HOME: home, TUTTI_REHEARSAL_DELAY: "0" }, localServers: [] };
  return resolvePool(config, { ...options, ...(selector !== undefined && { selector }) });
}

async function calibratedHome(): Promise<string> {
  const home = createHome();
  const workers = ["sums", "verses", "told", "rehearsal/oboe", "nobody"];
  await saveCalibration(home, "own", {
    workers,
    measuredAt: workers.map(() => "2026-01-01T00:00:00.000Z"),
    tasks: TEXTS.map((text, i) => ({ text, topic: i < 2 ? "arithmetic" : "language" })),
    scores: TEXTS.map((_, i) => [i < 2 ? 1 : 0, i < 2 ? 0 : 1, 0, 0, 1]),
    source: "calibrated on own",
    delaysMs: [250, undefined, undefined, 1, undefined],
  });
  return home;
}

it("workers without a profile in the config get the one that was measured", async () => {
  const { pool } = await resolve(await calibratedHome());
  const [sums, verses, told, unknown] = pool.members.map(({ profile }) => profile);
  expect(sums).toMatchObject({ success: 0.5, tasks: 4, delayMs: 250, source: "calibrated on own" });
  expect(sums!.topics.arithmetic).toBeGreaterThan(sums!.topics.language!);
  expect(verses!.topics.arithmetic).toBeLessThan(verses!.topics.language!);
  expect(told).toEqual(ELSEWHERE);
  expect(unknown).toBeUndefined();
  expect(sums).not.toHaveProperty("similar");
});

it("a question fills in what they can of questions like it", async () => {
  const { pool, poolFor } = await resolve(await calibratedHome());
  const similar = (text: string) => poolFor!(pool, text).members.map(({ profile }) => profile?.similar);
  const [sums, verses, ...others] = similar("please add five numbers");
  expect(sums).toBeGreaterThan(verses!);
  expect(others.every((rate) => rate === undefined)).toBe(true);
  const [sumsNow, versesNow] = similar("what does rhyme with river?");
  expect(sumsNow).toBeLessThan(versesNow!);
});

it("the rehearsal has figures of its own, which a saved calibration replaces", async () => {
  const empty = await resolve(createHome(), "rehearsal");
  const simulated = empty.poolFor!(empty.pool, "What is 17 × 23?").members;
  for (const { worker, profile } of simulated.filter(({ worker }) => worker.kind === "model")) {
    expect(profile!.similar, worker.id).toBeGreaterThan(0);
    expect(profile!.source).toBe("simulated, 24 tasks a topic");
    expect(profile!.delayMs).toBeGreaterThan(10);
  }
  const saved = await resolve(await calibratedHome(), "rehearsal");
  const oboe = saved.poolFor!(saved.pool, "add").members.find(
    ({ worker }) => worker.id === "rehearsal/oboe",
  )!;
  expect(oboe.profile).toMatchObject({ tasks: 4, source: "calibrated on own", similar: 0 });
  expect(oboe.profile!.delayMs).toBeGreaterThan(10);
});

it("without calibrations there is nothing to fill in; a broken file is told of and does no harm", async () => {
  const home = createHome();
  expect((await resolve(home)).poolFor).toBeUndefined();
  mkdirSync(join(home, "calibration"));
  writeFileSync(join(home, "calibration", "torn.json"), '{"version":1,');
  const { warnings, pool } = await resolve(home);
  expect(warnings).toEqual([expect.stringMatching(/torn\.json is no calibration: not JSON/)]);
  expect(pool.members).toHaveLength(5);
});
