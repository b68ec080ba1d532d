// `tutti rl serve` as a page of another site reaches it through a browser, and as somebody who sends too much, too
// slowly or too deep. Engines send no key, so what a browser tells about a page is all there is.
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { repeat, send } from "./tools/http.mjs";
import { startServer } from "./tools/processes.mjs";
import { createFolder } from "./tools/stage.mjs";

const TRIES = 90;
const ROUTES = ["/rl/openrlhf", "/rl/slime", "/rl/score", "/verify", "/seed_session", "/aggregate_metrics"];
const DEPTH = 200_000;
const SLOW_SOCKETS = 40;
const SLOWEST_HEALTH_MS = 1_000;
const SLOW_MS = 3_000;

export default { name: "rl", what: "use the RL server from a web page, or hold it up", tries: TRIES, run };

async function run() {
  const home = createFolder();
  const server = await startServer(["rl", "serve", "--port", "0", "--json"], { home });
  const { host, port } = new URL(server.url);
  const problems = [];
  let tries = 0;
  const body = JSON.stringify({
    prompts: ["x"],
    queries: ["x"],
    labels: ["x"],
    label: "x",
    completion: "x",
    response: "x",
  });
  const pages = {
    "another site": { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    "another site, without Sec-Fetch": { origin: "http://evil.example" },
    "a sandboxed page": { origin: "null" },
    "a form": { "content-type": "text/plain", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
    "a name that was made to point here": { host: `evil.example:${port}` },
    "the same with its origin": { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
    "another port of this machine": { origin: "http://localhost:3000", "sec-fetch-site": "same-site" },
    "a name that ends like ours": { host: `127.0.0.1.evil.example:${port}` },
    "a name that begins like ours": {
      host: `localhost.evil.example:${port}`,
      origin: `http://localhost.evil.example:${port}`,
    },
  };
  for (const [what, headers] of Object.entries(pages))
    for (const path of ROUTES) {
      tries++;
      const reply = await send(`${server.url}${path}`, { body, headers });
      if (reply.status !== 403 && reply.status !== 421) problems.push(`${what} at ${path}: ${reply.status}`);
      if (reply.headers["access-control-allow-origin"]) problems.push(`${what} at ${path}: CORS`);
    }
  for (const [what, headers] of Object.entries(pages)) {
    tries++;
    const { status } = await send(`${server.url}/metrics`, { headers });
    if (status === 200) problems.push(`${what} reads /metrics`);
  }
  // What an engine sends is served: a label that nothing fits is refused in words, without telling what would fit.
  const labels = [
    "x",
    "{}",
    '{"world":"tasks","digest":"0000000000000000","task":"1","pool":[]}',
    '{"world":"rehearsal"}',
  ];
  for (const label of labels) {
    tries++;
    const reply = await send(`${server.url}/rl/score`, {
      body: { rollouts: [{ label, completion: "x" }], label, completion: "x" },
    });
    if (reply.status === 0 || reply.status === 403) problems.push(`an engine's request: ${reply.status}`);
    if (/(?<![0-9a-f])(?!0{16})[0-9a-f]{16}(?![0-9a-f])/.test(reply.text)) problems.push("a digest is told");
  }
  const probe = watch(server.url, problems);
  for (const path of ROUTES) {
    tries += 3;
    const deep = await send(`${server.url}${path}`, { body: `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}` });
    if (deep.status === 0 || deep.status >= 500) problems.push(`a deep body at ${path}: ${deep.status}`);
    const nested = `{"label":${'{"a":'.repeat(DEPTH / 10)}1${"}".repeat(DEPTH / 10)},"completion":"x"}`;
    const inner = await send(`${server.url}${path}`, { body: nested });
    if (inner.status === 0 || inner.status >= 500) problems.push(`a deep label at ${path}: ${inner.status}`);
    const claimed = await claim(host, path);
    if (!/^HTTP\/1\.1 4\d\d/.test(claimed))
      problems.push(`a body of 100 GB at ${path}: ${claimed.slice(0, 30) || "taken"}`);
  }
  tries += SLOW_SOCKETS;
  await crawl(host);
  await probe.end();
  if (!server.isAlive()) problems.push("the server is dead");
  await server.end();
  return {
    tries,
    ok: problems.length === 0,
    result: `${problems.length} through; /health at most ${Math.round(probe.slowestMs())} ms${problems.length > 0 ? `; first: ${problems[0]}` : ""}`,
    details: { problems },
  };
}

/** Asks for /health all the time. */
function watch(url, problems) {
  let isOver = false;
  let slowestMs = 0;
  const done = (async () => {
    while (!isOver) {
      const from = performance.now();
      const { status } = await send(`${url}/health`, { timeoutMs: 10_000 });
      slowestMs = Math.max(slowestMs, performance.now() - from);
      if (status !== 200) problems.push(`/health: ${status}`);
      await wait(50);
    }
    if (slowestMs > SLOWEST_HEALTH_MS) problems.push(`/health took ${Math.round(slowestMs)} ms`);
  })();
  return {
    slowestMs: () => slowestMs,
    end() {
      isOver = true;
      return done;
    },
  };
}

/** Announces a body that nobody can take; gives what is answered within a second. */
function claim(host, path) {
  return new Promise((resolve) => {
    const [name, port] = host.split(":");
    const socket = connect(Number(port), name);
    let text = "";
    const end = () => {
      socket.destroy();
      resolve(text);
    };
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", end).on("close", end);
    setTimeout(end, 1_000);
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 100000000000\r\n\r\n{`,
    );
  });
}

/** Sockets that send a byte now and then. They may stay; others must not wait for them. */
async function crawl(host) {
  const [name, port] = host.split(":");
  const sockets = Array.from({ length: SLOW_SOCKETS }, () =>
    connect(Number(port), name).on("error", () => {}),
  );
  for (const socket of sockets)
    socket.write(
      `POST /rl/score HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`,
    );
  const until = performance.now() + SLOW_MS;
  await repeat(
    30,
    1,
    async () => {
      for (const socket of sockets) if (!socket.destroyed) socket.write(" ");
      await wait(100);
    },
    { untilMs: until },
  );
  for (const socket of sockets) socket.destroy();
}
