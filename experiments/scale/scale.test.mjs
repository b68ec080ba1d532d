// That the model of a large service counts right: nobody is lost, and queues are as long as theory says.
import { expect, it } from "vitest";
import { createRandom } from "../../src/base/random.ts";
import { simulateDay, toArrivals } from "./day.mjs";
import { toBreakingLoads, toUse } from "./resources.mjs";
import { exponential, simulateQueue } from "./servers.mjs";

it("loses nobody: who arrived was served, is served or waits", () => {
  for (const [servers, serviceMs] of [
    [1, 5],
    [3, 20],
    [2, 40], // more than they can do
  ]) {
    const random = createRandom(servers);
    const { arrived, done, waiting, served } = simulateQueue({
      servers,
      nextArrivalMs: exponential(random, 10),
      nextServiceMs: exponential(random, serviceMs),
      untilMs: 100_000,
    });
    expect(arrived).toBeGreaterThan(9_000);
    expect(done + waiting + served).toBe(arrived);
  }
});

it("has as many in the system as arrive in a stay (Little), and lets them wait as theory says", () => {
  const random = createRandom(7);
  const untilMs = 4_000_000;
  const { arrived, meanInSystem, meanStayMs, waitsMs } = simulateQueue({
    servers: 1,
    nextArrivalMs: exponential(random, 10),
    nextServiceMs: exponential(random, 7),
    untilMs,
  });
  const perMs = arrived / untilMs;
  expect(meanInSystem / (perMs * meanStayMs)).toBeCloseTo(1, 2);
  // One server, independent arrivals and times of service: use ÷ (1 − use) services.
  const meanWaitMs = waitsMs.reduce((sum, ms) => sum + ms, 0) / waitsMs.length;
  expect(meanWaitMs / (7 * (0.7 / 0.3))).toBeCloseTo(1, 1);
});

it("carries a day's runs through an outage: all are done, under way or wait", () => {
  const day = (options) =>
    simulateDay({
      load: { perDay: 1e6, peakFactor: 2 },
      capacityPerSecond: 100,
      places: 10_000,
      runSeconds: 15,
      random: createRandom(1),
      ...options,
    });
  const quiet = day({});
  expect(quiet.done + quiet.running + quiet.waiting).toBeCloseTo(quiet.arrived, 3);
  expect(quiet.arrived / 1e6).toBeCloseTo(1, 2);
  const cut = day({ outage: { from: 15 * 3_600, seconds: 60 } });
  expect(cut.done + cut.running + cut.waiting).toBeCloseTo(cut.arrived, 3);
  expect(cut.mostWaiting).toBeGreaterThan(60 * 20);
  expect(cut.drainSeconds).toBeGreaterThan(0);
  // More than the database can do: what it cannot take waits.
  const short = day({ capacityPerSecond: 5 });
  expect(short.waiting).toBeGreaterThan(500_000);
});

it("has its peak in the afternoon", () => {
  const random = createRandom(3);
  const mean = (hour) =>
    Array.from({ length: 600 }, (_, i) =>
      toArrivals({ perDay: 8.64e6, peakFactor: 2 }, hour * 3_600 + i, random),
    ).reduce((sum, n) => sum + n, 0) / 600;
  expect(mean(15)).toBeGreaterThan(180);
  expect(mean(3)).toBeLessThan(60);
});

it("uses what grows with the load in proportion, and finds the load at which it is used up", () => {
  const measured = {
    steps: 5,
    gateway: { cpuMsPerRun: 4 },
    postgres: {
      cpuMsPerRun: 4,
      walBytesPerRun: 10_000,
      flushesPerRun: 2,
      journalBytesPerRun: 5_000,
      connectionsPerGateway: 10,
    },
    idle: { postgresCpuMsPerSecond: 0 },
    hotKey: { commitMs: 1 },
  };
  const service = {
    ...{
      gateways: 10,
      perDay: 8.64e6,
      peakFactor: 2,
      steps: 5,
      retentionDays: 10,
      hotKeyShare: 0.1,
      hotKeyHasBudget: true,
    },
    ...{
      maxConnections: 50,
      postgresCores: 8,
      walMbPerSecond: 100,
      flushesPerSecond: 4_000,
      diskGb: 1_000,
      deletedGbPerDay: 100,
    },
  };
  const use = Object.fromEntries(
    toUse({ measured, service }).map(({ name, used, share }) => [name, { used, share }]),
  );
  expect(use["connections of Postgres"]).toEqual({ used: 100, share: 2 });
  expect(use["CPU of Postgres"].used).toBeCloseTo(0.8, 9);
  expect(use["the row of the hottest key"].used).toBeCloseTo(20 * 7 * 0.001, 9);
  expect(use["the journal on the disk"].used).toBeCloseTo(432, 9);
  const breaking = Object.fromEntries(
    toBreakingLoads({ measured, service }).map(({ name, exactly }) => [name, exactly]),
  );
  expect(breaking["CPU of Postgres"]).toBeCloseTo(10, 6);
  expect(breaking["flushes of the disk"]).toBeCloseTo(10, 6);
  expect(breaking["connections of Postgres"]).toBe(0);
});
