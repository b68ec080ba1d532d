// The gateway beside its peers: the same upstream that answers at once, on loopback, in turns, each in a process
// of its own. Direct, the barest proxies (node:http and Hono, with undici), ours passing through, ours with a workflow of
// one step, @portkey-ai/gateway, and LiteLLM where --litellm names its program (pip install "litellm[proxy]").
// Run: npm run build && npm --prefix speed install && node speed/gateway.mjs [--seconds 10] [--quick] [--only a,b]
//   [--litellm venv/bin/litellm]
// --seconds is for each contender at each number of connections; 30 make a minute of load for each.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { startLiteLlm, startPortkey, startServer } from "./gateway/servers.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string" },
    quick: { type: "boolean" },
    only: { type: "string" },
    litellm: { type: "string" },
  },
});
const seconds = Number(values.seconds ?? (values.quick ? 2 : 10));
const ROUNDS = values.quick ? 2 : 5;
const STREAMS = values.quick ? 50 : 200;
/** Connections at which it is tried how much goes through while all but one of a hundred wait no longer than so. */
const STEPS = [1, 2, 4, 8, 16, 32, 64, 128];
const BOUNDS_MS = [5, 10, 50];
const LOAD = fileURLToPath(new URL("./gateway/load.mjs", import.meta.url));
const QUESTION =
  "(########) What is a counterpoint, and who wrote the best ones? Answer in two sentences, name two works of each composer and say in which year they were printed first.";

const folder = mkdtempSync(join(tmpdir(), "tutti-speed-"));
const upstream = await startServer("./upstream.mjs");
const key = { authorization: "Bearer none" };
const toPortkey = { ...key, "x-portkey-provider": "openai", "x-portkey-custom-host": `${upstream.url}/v1` };
const CONTENDERS = {
  direct: { start: () => startServer("./upstream.mjs"), model: "zero", headers: key },
  bare: { start: () => startServer("./bare-proxy.mjs", upstream.url), model: "zero", headers: key },
  relay: {
    start: () => startServer("./tutti.mjs", upstream.url, join(folder, "relay")),
    model: "upstream/zero",
    headers: key,
  },
  workflow: {
    start: () => startServer("./tutti.mjs", upstream.url, join(folder, "workflow")),
    model: "tutti",
    headers: key,
  },
  hono: { start: () => startServer("./bare-hono.mjs", upstream.url), model: "zero", headers: key },
  ...(values.litellm && {
    litellm: { start: () => startLiteLlm(values.litellm, upstream.url, folder), model: "zero", headers: key },
  }),
  portkey: { start: startPortkey, model: "zero", headers: toPortkey },
};
const TITLES = {
  direct: "direct",
  bare: "bare Node + undici",
  relay: "Tutti, pass-through",
  workflow: "Tutti, one-step workflow",
  hono: "bare Hono + undici",
  litellm: "LiteLLM",
  portkey: "@portkey-ai/gateway",
};

async function load({ server, model, headers }, options) {
  const { isStream = false, ...rest } = options;
  const body = JSON.stringify({
    model,
    messages: [{ role: "user", content: QUESTION }],
    temperature: 0,
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
  });
  const orders = { url: `${server.url}/v1/chat/completions`, headers, body, ...rest };
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(orders)]);
  return JSON.parse(stdout);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const medianOf = (results, field) => median(results.map((result) => result[field]));
/** The best of the steps that keep the bound; 0 where none does. */
const most = ({ steps }, boundMs) =>
  Math.max(0, ...steps.filter(({ p99Ms }) => p99Ms <= boundMs).map(({ perSecond }) => perSecond));
const show = (value, digits, unit = "") => (Number.isFinite(value) ? `${value.toFixed(digits)}${unit}` : "–");

async function measure() {
  const names = values.only?.split(",") ?? Object.keys(CONTENDERS);
  const contenders = [];
  try {
    for (const name of names) {
      const contender = {
        name,
        ...CONTENDERS[name],
        one: [],
        many: [],
        streams: [],
        steps: [],
        failures: {},
      };
      contender.server = await contender.start();
      contenders.push(contender);
      // Warm, as a server is.
      await load(contender, { connections: 16, seconds: values.quick ? 1 : 3 });
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const contender of contenders) {
        const each = seconds / ROUNDS;
        contender.one.push(await load(contender, { connections: 1, seconds: each }));
        const cpuMs = contender.server.cpuMs();
        const many = await load(contender, { connections: 64, seconds: each });
        // Says the same on a busy machine, where requests per second do not.
        const cpuMicros = ((contender.server.cpuMs() - cpuMs) * 1000) / many.requests;
        contender.many.push({ ...many, cpuMicros });
        const stream = { connections: 1, seconds: 10, requests: STREAMS / ROUNDS, isStream: true };
        contender.streams.push(await load(contender, stream));
      }
    }
    for (let round = 0; round < ROUNDS; round++)
      for (const contender of contenders)
        for (const connections of STEPS)
          contender.steps.push(
            await load(contender, { connections, seconds: seconds / ROUNDS / STEPS.length }),
          );
    for (const contender of contenders) {
      contender.rssMb = contender.server.rssMb();
      for (const { failures } of [
        ...contender.one,
        ...contender.many,
        ...contender.streams,
        ...contender.steps,
      ])
        for (const [reason, count] of Object.entries(failures))
          contender.failures[reason] = (contender.failures[reason] ?? 0) + count;
    }
    return contenders;
  } finally {
    for (const { server } of contenders) await server.stop();
  }
}

function report(contenders) {
  const byName = Object.fromEntries(contenders.map((contender) => [contender.name, contender]));
  const rows = contenders.map((contender) => {
    const { name, one, many, streams, rssMb } = contender;
    const rate = (peer) => peer && medianOf(many, "perSecond") / medianOf(peer.many, "perSecond");
    return {
      "": TITLES[name],
      "req/s, 1": show(medianOf(one, "perSecond"), 0),
      "p50 ms, 1": show(medianOf(one, "p50Ms"), 3),
      "p99 ms, 1": show(medianOf(one, "p99Ms"), 3),
      "req/s, 64": show(medianOf(many, "perSecond"), 0),
      "p50 ms, 64": show(medianOf(many, "p50Ms"), 2),
      "p99 ms, 64": show(medianOf(many, "p99Ms"), 2),
      "CPU µs/req": show(medianOf(many, "cpuMicros"), 0),
      "first event ms": show(medianOf(streams, "firstEventP50Ms"), 3),
      "RSS MB": show(rssMb, 0),
      ...Object.fromEntries(BOUNDS_MS.map((ms) => [`req/s, p99 ≤ ${ms} ms`, show(most(contender, ms), 0)])),
      "× Portkey, 64": show(rate(byName.portkey), 2),
      "× bare, 64": show(rate(byName.bare), 2),
      "× Hono, 64": show(rate(byName.hono), 2),
    };
  });
  console.table(Object.fromEntries(rows.map(({ "": title, ...cells }) => [title, cells])));
  const { direct } = byName;
  if (direct) {
    const base = medianOf(direct.one, "p50Ms");
    for (const { name, one } of contenders)
      if (name !== "direct")
        console.log(
          `${TITLES[name]}: adds ${show(medianOf(one, "p50Ms") - base, 3)} ms at p50, 1 connection`,
        );
  }
  for (const { name, failures } of contenders)
    if (Object.keys(failures).length > 0) console.log(`${TITLES[name]}: FAILED ${JSON.stringify(failures)}`);
}

try {
  report(await measure());
} finally {
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
}
