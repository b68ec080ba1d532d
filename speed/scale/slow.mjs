// Thousands of runs at once on one gateway, with workers that take one to five seconds: what a run takes beyond the calls that it
// waited for, and what the gateway holds meanwhile.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { toThirds } from "../gateway/children.mjs";
import { readCpuMs, readRssMb, readTreeCpuMs } from "../gateway/process-figures.mjs";
import { startServer } from "../gateway/servers.mjs";
import { createDatabase, startGateways } from "./contenders.mjs";
import { toWorkflow } from "./throughput.mjs";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
/** A key may have 512 requests at the same time, so thousands are those of several. */
const RUNS_OF_KEY = 450;
const LOAD = fileURLToPath(new URL("../gateway/load.mjs", import.meta.url));
/** Of a run, one after the other. */
export const SLOW_STEPS = 3;
const RAMP_SECONDS = 15;
const SAMPLE_MS = 500;
const PATIENCE_SECONDS = 60;

/** `postgres`: without it the journal is a file. */
export async function measureSlow({ postgres, atOnce, seconds }) {
  const provider = await startServer("../scale/slow-provider.mjs");
  const address = postgres && (await createDatabase(postgres.address, "slow"));
  const [gateway] = await startGateways({ address, provider: provider.url });
  try {
    const bearers = await createKeys(gateway, { address, count: Math.ceil(atOnce / RUNS_OF_KEY) });
    const cpuOf = () => ({
      gateway: readCpuMs(gateway.pid),
      provider: provider.cpuMs(),
      postgres: postgres ? readTreeCpuMs(postgres.pid()) : 0,
    });
    const rssMb = [];
    let before;
    const beganAt = performance.now();
    const sampling = setInterval(() => {
      const at = (performance.now() - beganAt) / 1000 - RAMP_SECONDS;
      if (at >= 0) before ??= cpuOf();
      // Until the load ends.
      if (at >= 0 && at < seconds) rssMb.push(readRssMb(gateway.pid));
      if (at >= seconds) clearInterval(sampling);
    }, SAMPLE_MS);
    let after;
    setTimeout(
      () => {
        after = cpuOf();
      },
      (RAMP_SECONDS + seconds) * 1000,
    );
    const { each, failures, perSecond } = await load(gateway.url, { atOnce, seconds, bearers });
    const { calls, waitedMs } = await (await fetch(`${provider.url}/waited`)).json();
    const addedMs = each.map(([number, ms]) => ms - waitedMs[number]).sort((a, b) => a - b);
    const at = (share) => addedMs[Math.min(addedMs.length - 1, Math.floor(addedMs.length * share))];
    const cores = Object.fromEntries(
      Object.keys(after).map((name) => [name, (after[name] - before[name]) / (seconds * 1000)]),
    );
    return {
      atOnce,
      runs: each.length,
      perSecond,
      calls,
      failures,
      addedP50Ms: at(0.5),
      addedP99Ms: at(0.99),
      addedPerStepP50Ms: at(0.5) / SLOW_STEPS,
      rssMbByThirds: toThirds(rssMb),
      rssMb,
      cores,
    };
  } finally {
    await gateway.kill();
    await provider.stop();
  }
}

async function createKeys({ home }, { address, count }) {
  const env = { ...process.env, TUTTI_HOME: home, ...(address && { TUTTI_POSTGRES_URL: address }) };
  const secrets = [];
  for (let i = 0; i < count; i++) {
    const words = ["keys", "create", "--name", `slow-${i}`, "--json", ...(address ? ["--postgres"] : [])];
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...words], { env });
    secrets.push(JSON.parse(stdout).secret);
  }
  // A gateway looks for new keys once a second.
  await new Promise((go) => setTimeout(go, 2_000));
  return secrets;
}

async function load(url, { atOnce, seconds, bearers }) {
  const body = JSON.stringify({
    model: "tutti",
    messages: [{ role: "user", content: "(########) What is a counterpoint, and who wrote the best ones?" }],
    tutti: { workflow: toWorkflow(SLOW_STEPS) },
  });
  const orders = {
    url: `${url}/v1/chat/completions`,
    headers: {},
    body,
    connections: atOnce,
    seconds,
    rampSeconds: RAMP_SECONDS,
    patienceSeconds: PATIENCE_SECONDS,
    keepsEach: true,
    bearers,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(orders)], {
    maxBuffer: 100_000_000,
  });
  return JSON.parse(stdout);
}
