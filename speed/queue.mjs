// Calls a second through the queue that machines share, beside bare DBOS on the same Postgres: workers that answer at once, so
// that what is measured is the queue. One process asks and takes. Needs a build (npm run build) and TUTTI_POSTGRES_URL, the
// address of an empty database.
//
//   node speed/queue.mjs [--calls 2000] [--at-once 200]
//
// On a machine that does other things look at the processor time of this process; the server's own is not in it.

import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { openQueue, toQueue } from "../dist/durable/queue.js";
import { spreadPool } from "../dist/durable/queued-worker.js";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "2000" },
    "at-once": { type: "string", default: "200" },
  },
});
const calls = Number(values.calls);
const atOnce = Number(values["at-once"]);
const address = process.env.TUTTI_POSTGRES_URL;
if (!address) throw new Error("Set TUTTI_POSTGRES_URL to the address of an empty database");

async function measure(perform) {
  // What is done once: code is compiled, connections are opened.
  await perform(Math.min(200, calls));
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await perform(calls);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: calls / seconds, cpuMsPerCall: (user + system) / 1000 / calls };
}

/** So many at once, until all are done. */
async function perform(count, one) {
  let next = 0;
  const lane = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

async function measureTutti() {
  const worker = {
    id: "acme/echo",
    kind: "model",
    async *ask({ messages }) {
      yield { type: "text-delta", text: messages[0].content };
      const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
      yield { type: "finish", usage, reason: "stop" };
    },
  };
  const pool = { members: [{ worker }] };
  const spread = spreadPool(pool, () => toQueue("acme"));
  const queue = await openQueue(address, {
    pool,
    digests: { "acme/echo": "1" },
    digest: randomUUID(),
    providerOf: () => "acme",
    limits: { perProcess: atOnce, perProvider: {} },
    asking: { title: "speed", owner: randomUUID(), spread },
    onWarning: console.error,
  });
  const asked = spread.pool.members[0].worker;
  const result = await measure((count) => {
    const round = randomUUID();
    return perform(count, async (i) => {
      const { signal } = new AbortController();
      const ask = { run: `${round}/${i}`, name: "0.0.0" };
      const request = { messages: [{ role: "user", content: `call ${i}` }], maxOutputTokens: 10, ask };
      for await (const event of asked.ask(request, signal)) void event;
      asked.forget(ask.run);
    });
  });
  await queue.close();
  return result;
}

/** The same by DBOS alone: a queue of its own, the question and the reply as input and output, and its own way to wait. */
async function measureBare() {
  const { DBOS } = createRequire(import.meta.url)("@dbos-inc/dbos-sdk");
  const silent = () => {};
  const reply = DBOS.registerWorkflow(async (text) => ({ text }), { name: "bare" });
  DBOS.setConfig({
    name: "bare",
    systemDatabaseUrl: address,
    systemDatabaseSchemaName: "dbos",
    applicationVersion: randomUUID(),
    enableOTLP: false,
    tracingEnabled: false,
    logger: { debug: silent, info: silent, warn: silent, error: console.error },
    listenQueues: ["bare"],
  });
  await DBOS.launch();
  const limits = { workerConcurrency: atOnce, minPollingIntervalMs: 100, onConflict: "always_update" };
  await DBOS.registerQueue("bare", limits);
  const result = await measure((count) =>
    perform(count, async (i) => {
      const handle = await DBOS.startWorkflow(reply, { queueName: "bare" })(`call ${i}`);
      await handle.getResult({ pollingIntervalMs: 100 });
    }),
  );
  await DBOS.shutdown();
  return result;
}

const tutti = await measureTutti();
const bare = await measureBare();
const ratio = { calls: tutti.perSecond / bare.perSecond, cpu: tutti.cpuMsPerCall / bare.cpuMsPerCall };
console.log(JSON.stringify({ calls, atOnce, tutti, bare, ratio }, null, 2));
process.exit(0);
