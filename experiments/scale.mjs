// A model, not a measurement: 1,000 gateways and ten million runs a day on one Postgres. What each resource is used by, what is
// used up first and at what load, how a day and an outage go, and how long the hottest key is waited for. Its constants were
// measured on one machine (speed/scale/measured.json, written by speed/scale.mjs --write); the sizes of the service are below.
// Run: node experiments/scale.mjs [--gateways 1000] [--runs-per-day 1e7] [--seed 1] [--json]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createRandom } from "../dist/base/random.js";
import { simulateDay } from "./scale/day.mjs";
import { toBreakingLoads, toUse } from "./scale/resources.mjs";
import { at, exponential, simulateQueue } from "./scale/servers.mjs";

const { values } = parseArgs({
  options: {
    gateways: { type: "string", default: "1000" },
    "runs-per-day": { type: "string", default: "1e7" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean" },
  },
});
const measured = JSON.parse(readFileSync(new URL("../speed/scale/measured.json", import.meta.url), "utf8"));
const random = createRandom(Number(values.seed));
/** What nobody has measured: how such a service would look. */
const service = {
  gateways: Number(values.gateways),
  perDay: Number(values["runs-per-day"]),
  peakFactor: 3,
  steps: 5,
  /** Of a run with real models. */
  runSeconds: 15,
  placesPerGateway: 100,
  retentionDays: 30,
  /** The largest customer's. */
  hotKeyShare: 0.3,
  hotKeyHasBudget: true,
  /** A large managed Postgres with fast disks. */
  maxConnections: 5_000,
  postgresCores: 32,
  walMbPerSecond: 200,
  flushesPerSecond: 5_000,
  diskGb: 4_000,
  deletedGbPerDay: 500,
};

const use = toUse({ measured, service });
const breaking = toBreakingLoads({ measured, service });

const postgresMs = measured.postgres.cpuMsPerRun * (service.steps / measured.steps);
const capacityPerSecond = (service.postgresCores * 1000) / postgresMs;
const load = { perDay: service.perDay, peakFactor: service.peakFactor };
const places = service.gateways * service.placesPerGateway;
const dayOf = (outage) =>
  simulateDay({ load, capacityPerSecond, places, runSeconds: service.runSeconds, outage, random });
const day = dayOf();
/** At the peak of the afternoon. */
const outages = [10, 30, 300].map((seconds) => ({ seconds, ...dayOf({ from: 15 * 3_600, seconds }) }));

/** The hottest key's row, event by event, at the peak: one waits for another's commit. */
const lockMs = measured.hotKey.commitMs;
const changes = service.steps + 2;
const peakPerSecond = (service.perDay / 86_400) * service.peakFactor;
const hotKeys = [0.01, 0.05, 0.1, 0.3, 0.5].map((share) => {
  const perSecond = peakPerSecond * share * changes;
  const queue = simulateQueue({
    servers: 1,
    nextArrivalMs: exponential(random, 1_000 / perSecond),
    nextServiceMs: () => lockMs,
    untilMs: 60_000,
  });
  const { waiting, waitsMs } = queue;
  return {
    share,
    perSecond,
    used: (perSecond * lockMs) / 1_000,
    waitP50Ms: at(waitsMs, 0.5),
    waitP99Ms: at(waitsMs, 0.99),
    waiting,
  };
});

if (values.json)
  console.log(JSON.stringify({ measured, service, use, breaking, day, outages, hotKeys }, null, 2));
else print();

function print() {
  const show = (value, digits = 2) =>
    value === undefined ? "–" : value.toLocaleString("en-US", { maximumFractionDigits: digits });
  console.log(
    `A model: ${show(service.gateways)} gateways, ${show(service.perDay)} runs a day (${show(peakPerSecond)} a second at the peak)`,
  );
  console.table(
    Object.fromEntries(
      use.map(({ name, used, of, unit, share }, i) => [
        name,
        {
          used: `${show(used)} of ${show(of)} ${unit}`,
          share: `${show(share * 100, 1)} %`,
          // Connections grow with the gateways, not with the runs.
          "used up at":
            unit === "connections"
              ? `${show(of / measured.postgres.connectionsPerGateway, 0)} gateways`
              : `× ${show(breaking[i].exactly)} the load`,
        },
      ]),
    ),
  );
  console.log(
    `A day: ${show(day.arrived, 0)} arrived, ${show(day.done, 0)} done, ${show(day.running, 0)} under way and ${show(day.waiting, 0)} waiting at its end; ` +
      `at the most ${show(day.mostRunning, 0)} under way, ${show(day.mostWaiting, 0)} waiting`,
  );
  for (const { seconds, mostWaiting, drainSeconds } of outages)
    console.log(
      `Postgres away for ${seconds} s at the peak: ${show(mostWaiting, 0)} wait, gone ${show(drainSeconds)} s after it is back`,
    );
  console.table(
    Object.fromEntries(
      hotKeys.map(({ share, perSecond, used, waitP50Ms, waitP99Ms, waiting }) => [
        `${share * 100} % of all runs`,
        {
          "changes a second": show(perSecond, 0),
          locked: `${show(used * 100, 0)} %`,
          "wait p50 ms": show(waitP50Ms),
          "p99 ms": show(waitP99Ms),
          "waiting after a minute": waiting,
        },
      ]),
    ),
  );
}
