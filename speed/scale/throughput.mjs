// Runs per second and added delay per step: each contender in turns, with one request at a time and with many, runs of one step
// and of several that wait for each other. Workers answer at once, so all of it is ours.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readCpuMs, readTreeCpuMs } from "../gateway/process-figures.mjs";
import { createDatabase, runBareDbos, startGateways } from "./contenders.mjs";

const LOAD = fileURLToPath(new URL("../gateway/load.mjs", import.meta.url));
export const STEPS = 5;
export const AT_ONCE = 64;

/** A chain: each step sees all before it. */
export function toWorkflow(steps) {
  return {
    steps: Array.from({ length: steps }, (_, i) => ({
      worker: 0,
      subtask: i === 0 ? "Answer the question." : "Make the answer before better.",
      access: i === 0 ? [] : [i - 1],
    })),
  };
}

export async function load(url, { steps, ...orders }) {
  const body = JSON.stringify({
    model: "tutti",
    messages: [{ role: "user", content: "(########) What is a counterpoint, and who wrote the best ones?" }],
    tutti: { workflow: toWorkflow(steps) },
  });
  const all = { url: `${url}/v1/chat/completions`, headers: {}, body, ...orders };
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(all)]);
  return JSON.parse(stdout);
}

/** `gateways` are asked all at once, each by a client of its own with its share of the connections. */
async function measureGateways(gateways, { postgres, connections, ...orders }) {
  const each = Math.max(1, Math.round(connections / gateways.length));
  const cpuOf = () => ({
    gateways: gateways.reduce((sum, { pid }) => sum + readCpuMs(pid), 0),
    postgres: postgres ? readTreeCpuMs(postgres.pid()) : 0,
  });
  const before = cpuOf();
  const from = performance.now();
  const results = await Promise.all(gateways.map(({ url }) => load(url, { connections: each, ...orders })));
  const tookMs = performance.now() - from;
  const after = cpuOf();
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  return {
    requests,
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    failures: results.map(({ failures }) => failures).filter((failed) => Object.keys(failed).length > 0),
    gatewayCores: (after.gateways - before.gateways) / tookMs,
    postgresCores: (after.postgres - before.postgres) / tookMs,
    gatewayCpuMs: (after.gateways - before.gateways) / requests,
    postgresCpuMs: (after.postgres - before.postgres) / requests,
  };
}

/** All contenders, started once and measured in turns. `builds`: others of the product, by name, on files of their own. */
export async function measureThroughput({ postgres, seconds, rounds, counts = [1, 2, 4], builds = {} }) {
  const contenders = {};
  const all = [];
  try {
    for (const [name, dist] of Object.entries({ embedded: undefined, ...builds })) {
      const gateways = await startGateways({ dist });
      all.push(...gateways);
      contenders[name] = (orders) => measureGateways(gateways, orders);
    }
    const address = await createDatabase(postgres.address, "scale");
    const shared = await startGateways({ count: Math.max(...counts), address });
    all.push(...shared);
    for (const count of counts)
      contenders[`postgres-${count}`] = (orders) =>
        measureGateways(shared.slice(0, count), { ...orders, postgres });
    const bare = await createDatabase(postgres.address, "bare");
    contenders["bare-dbos"] = async ({ steps, connections, seconds: forSeconds }) => {
      const before = readTreeCpuMs(postgres.pid());
      const orders = { address: bare, steps, atOnce: connections, seconds: forSeconds, warmSeconds: 1 };
      const { cores, allRequests, ...figures } = await runBareDbos(orders);
      const postgresCpuMs = (readTreeCpuMs(postgres.pid()) - before) / allRequests;
      const gatewayCpuMs = (cores * 1000) / figures.perSecond;
      const postgresCores = (postgresCpuMs * figures.perSecond) / 1000;
      return { ...figures, gatewayCores: cores, postgresCores, gatewayCpuMs, postgresCpuMs };
    };
    for (const [name, measure] of Object.entries(contenders))
      if (name !== "bare-dbos") await measure({ steps: STEPS, connections: AT_ONCE, seconds: 3 });
    const figures = Object.fromEntries(
      Object.keys(contenders).map((name) => [name, { one: [], chain: [], many: [] }]),
    );
    for (let round = 0; round < rounds; round++)
      for (const [name, measure] of Object.entries(contenders)) {
        figures[name].one.push(await measure({ steps: 1, connections: 1, seconds: seconds / 2 }));
        figures[name].chain.push(await measure({ steps: STEPS, connections: 1, seconds: seconds / 2 }));
        figures[name].many.push(await measure({ steps: STEPS, connections: AT_ONCE, seconds }));
      }
    return figures;
  } finally {
    await Promise.all(all.map((gateway) => gateway.end()));
  }
}
