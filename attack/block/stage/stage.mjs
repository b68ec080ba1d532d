// What every attack stands on: a provider, the gateway as people run it, and a probe of /health, each a process of
// its own on loopback; and the verdict, which is the probe's. TUTTI_ATTACK_DIST names another build to attack.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const DIST = process.env.TUTTI_ATTACK_DIST ?? fileURLToPath(new URL("../../../dist", import.meta.url));
/** What nobody may bring /health above, at p99. */
const MOST_MS = 100;
const QUIET_MS = 1_000;
/** No attack may go on for longer. */
const LONGEST_MS = 15_000;
const MODELS = ["alpha", "planner", "flood", "line", "large", "drip"];

/**
 * `prepare` may fill the home before the gateway starts; `attack` gets the gateway and ends by itself or when its
 * signal says so, and returns what is worth telling.
 */
export function createAttack({ name, tries, keys = { mallory: {} }, config = {}, prepare, attack }) {
  return {
    name,
    tries,
    async run() {
      const home = mkdtempSync(join(tmpdir(), "tutti-attack-"));
      const children = [];
      try {
        const provider = fork(join(import.meta.dirname, "provider.mjs"));
        children.push(provider);
        const [{ url: upstream }] = await once(provider, "message");
        const secrets = await createKeys(home, keys);
        await prepare?.(home, await import(pathToFileURL(join(DIST, "store/open.js"))));
        const gateway = await startGateway(home, upstream, config);
        children.push(gateway.child);
        const probe = fork(join(import.meta.dirname, "probe.mjs"), [gateway.url]);
        children.push(probe);
        await wait(QUIET_MS);
        const before = await report(probe);
        const controller = new AbortController();
        const timer = setTimeout(() => controller.abort(), LONGEST_MS);
        const target = { ...gateway, home, secrets, signal: controller.signal };
        const told = await attack(target).catch((error) => ({ error: String(error) }));
        clearTimeout(timer);
        controller.abort();
        const during = await report(probe);
        const isAlive = gateway.child.exitCode === null && (await isHealthy(gateway.url));
        const ok =
          isAlive &&
          told?.error === undefined &&
          during.failures === 0 &&
          during.p99 !== null &&
          during.p99 <= MOST_MS;
        const result = `${isAlive ? "alive" : "dead"}, /health p99 ${toMs(during.p99)}`;
        return {
          name,
          tries,
          result,
          ok,
          details: { before, during, memoryMb: gateway.memoryMb(), ...told },
        };
      } finally {
        for (const child of children) child.kill("SIGKILL");
        rmSync(home, { recursive: true, force: true });
      }
    },
  };
}

async function createKeys(home, keys) {
  const { openKeyRing } = await import(pathToFileURL(join(DIST, "gateway/access/keys.js")));
  const ring = openKeyRing({ env: { TUTTI_HOME: home } });
  const secrets = {};
  for (const [name, settings] of Object.entries(keys))
    secrets[name] = (await ring.create({ name, ...settings })).secret;
  return secrets;
}

async function startGateway(home, upstream, config) {
  const workers = MODELS.map((name) => ({
    ...{ id: `stub/${name}`, model: `stub/${name}`, baseUrl: upstream },
    price: { inputUsd: 1, outputUsd: 2 },
  }));
  const file = join(home, "tutti.config.json");
  writeFileSync(file, JSON.stringify({ workers, conductor: "stub/planner", retries: 0, ...config }));
  const args = [
    join(DIST, "cli/main.js"),
    "serve",
    "--port",
    "0",
    "--json",
    "--log",
    "off",
    "--config",
    file,
  ];
  const env = { PATH: process.env.PATH, TUTTI_HOME: home };
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(child.stdout, "data");
  return { child, url: JSON.parse(String(line)).url, memoryMb: () => memoryOf(child.pid) };
}

/** The most that the process ever held. */
function memoryOf(pid) {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Math.round(Number(peak[1]) / 1024);
  } catch {
    return undefined;
  }
}

async function report(probe) {
  probe.send("report");
  const [seen] = await once(probe, "message");
  return seen;
}

async function isHealthy(url) {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}

export function toMs(value) {
  return value === null || value === undefined ? "none" : `${value.toFixed(1)} ms`;
}

/** Statuses by how often they came. A connection that broke is "broken". */
export function createTally() {
  const counts = {};
  const add = (name) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  return { counts, add };
}

/** Sends it once and reads the reply to its end; the status, or "broken". */
export async function send(target, path, { key = "mallory", method = "POST", body, headers = {} } = {}) {
  try {
    const response = await fetch(`${target.url}${path}`, {
      method: body === undefined ? "GET" : method,
      headers: {
        ...(target.secrets[key] && { authorization: `Bearer ${target.secrets[key]}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      body,
      signal: target.signal,
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return "broken";
  }
}

/** So many at once, again and again, until there were `count` or the time is over. */
export async function repeat(target, { count, atOnce, forMs = 8_000 }, once) {
  const tally = createTally();
  const endsAt = performance.now() + forMs;
  let begun = 0;
  const lane = async () => {
    while (begun < count && performance.now() < endsAt && !target.signal.aborted)
      tally.add(await once(begun++));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return { statuses: tally.counts };
}

export const chat = (fields) =>
  JSON.stringify({ model: "tutti", messages: [{ role: "user", content: "Hi" }], ...fields });
