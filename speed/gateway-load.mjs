// The gateway under load that goes wrong on both sides: clients that leave at random, a provider that fails in one
// request of five, and then thousands of requests that are garbage. Checks that everybody is answered, that nothing
// leaks and that every step that was finished is in the journal. Ends with 1 where it is not so.
// Run: npm run build && node speed/gateway-load.mjs [--seconds 30] [--garbage 10000] [--connections 24] [--seed 1]
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "../dist/base/random.js";
import { openStore } from "../dist/store/open.js";
import { startGateway, toThirds } from "./gateway/children.mjs";
import { toGarbage } from "./gateway/garbage.mjs";
import { load } from "./gateway/mixed-load.mjs";
import { startServer } from "./gateway/servers.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    garbage: { type: "string", default: "10000" },
    connections: { type: "string", default: "24" },
    seed: { type: "string", default: "1" },
  },
});
const seconds = Number(values.seconds);
const garbageCount = Number(values.garbage);
const connections = Number(values.connections);
const random = createRandom(Number(values.seed));
const WARM_SECONDS = (seconds * 2) / 3;
const SAMPLE_MS = 200;
const MOST_GROWTH = 1.1;
/** In a shorter time a process only warms up: its memory is shown, and judged by the longer one. */
const LEAST_SAMPLES = 40;
const AT_ONCE = 16;

const home = mkdtempSync(join(tmpdir(), "tutti-load-"));
const problems = [];
const check = (isFine, problem) => isFine || problems.push(problem);
let upstream;
let gateway;
try {
  upstream = await startServer("./faulty-upstream.mjs", values.seed, "0.2");
  gateway = await startGateway(home, upstream.url);
  const marks = seconds > 0 ? await mixed() : undefined;
  if (garbageCount > 0) await garbage();
  const code = await gateway.stop();
  check(code === 0, `The gateway ended with ${code}: ${gateway.said()}`);
  if (marks) await compareJournal(marks);
} finally {
  await gateway?.stop();
  await upstream?.stop();
  rmSync(home, { recursive: true, force: true });
}
for (const problem of problems.slice(0, 20)) console.error(`✗ ${problem}`);
console.log(problems.length === 0 ? "All is well." : `${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Samples memory while `work` goes on. */
async function weigh(title, work) {
  const rss = [];
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      rss.push((await gateway.figures()).rssMb);
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  const result = await work().finally(() => {
    isOver = true;
  });
  await sampling;
  const thirds = toThirds(rss);
  const growth = thirds[2] / thirds[1];
  console.log(
    `${title}: RSS ${thirds.map((mb) => `${mb.toFixed(0)} MB`).join(" · ")} (last/middle third ${growth.toFixed(3)}, ${rss.length} samples)`,
  );
  check(
    growth <= MOST_GROWTH || rss.length < LEAST_SAMPLES,
    `${title}: memory grew by ${((growth - 1) * 100).toFixed(1)} % in the last third`,
  );
  return result;
}

async function mixed() {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const results = [];
  const options = {
    url: gateway.url,
    agent,
    random,
    connections,
    onResult: (result) => results.push(result),
  };
  // Caches, compiled code, the first pages of the journal: then it is as it stays.
  const firstMark = await load({ ...options, firstMark: 0, endAt: Date.now() + WARM_SECONDS * 1000 });
  await weigh("mixed load", () => load({ ...options, firstMark, endAt: Date.now() + seconds * 1000 }));
  agent.destroy();
  printMixed(results);
  for (const { kind, mark, verdict, status } of results)
    check(["answer", "error", "left"].includes(verdict), `${kind} (${mark}, ${status}): ${verdict}`);
  const figures = await settled();
  check(figures.running === 0, `${figures.running} requests still run`);
  console.log(`afterwards: ${figures.running} requests running, ${figures.openFiles} open files`);
  return new Map(results.map(({ mark, left }) => [mark, left]));
}

/** Runs whose client has left are stopped within a second. */
async function settled() {
  const endAt = Date.now() + 10_000;
  for (;;) {
    const figures = await gateway.figures();
    if (figures.running === 0 || Date.now() > endAt) return figures;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function printMixed(results) {
  const kinds = [...new Set(results.map(({ kind }) => kind))].sort();
  const row = (...cells) =>
    console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(36) : String(cell).padStart(9))).join(""));
  row("", "requests", "answers", "errors", "left", "p50 ms", "p99 ms");
  for (const kind of [...kinds, "all"]) {
    const some = results.filter((result) => kind === "all" || result.kind === kind);
    const count = (verdict) => some.filter((result) => result.verdict === verdict).length;
    const times = some
      .filter(({ left }) => !left)
      .map(({ ms }) => ms)
      .sort((a, b) => a - b);
    const at = (share) => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
    row(kind, some.length, count("answer"), count("error"), count("left"), at(0.5), at(0.99));
  }
}

/** Every reply that the provider served whole is a finished step, unless the client had left by then. */
async function compareJournal(marks) {
  const { requests, faults, served } = await (await fetch(`${upstream.url}/counts`)).json();
  const store = await openStore(join(home, "journal.db"));
  const found = new Map();
  let runs = 0;
  let unfinished = 0;
  for (let cursor = {}; ; ) {
    const page = await store.listRuns({ limit: 500, nested: true, ...cursor });
    for (const { id, state, origin } of page) {
      runs++;
      if (state !== "ended") unfinished++;
      const ends = (await store.loadRun(id)).filter(({ type }) => type === "step-end").length;
      found.set(origin?.user, (found.get(origin?.user) ?? 0) + ends);
    }
    if (page.length < 500) break;
    const last = page.at(-1);
    cursor = { startedBefore: last.startedAt, beforeId: last.id };
  }
  await store.close();
  let steps = 0;
  let lost = 0;
  for (const [mark, left] of marks) {
    const [there, wanted] = [found.get(mark) ?? 0, served[mark] ?? 0];
    steps += there;
    // The last bytes of a reply may have been under way when its client left: that step is journaled as broken off.
    if (left ? there > wanted : there !== wanted) {
      lost++;
      check(false, `${mark}: the provider served ${wanted} replies, the journal has ${there}`);
    }
  }
  check(unfinished === 0, `${unfinished} runs in the journal have no end`);
  const wrong = Object.entries(faults)
    .map(([name, count]) => `${count} × ${name}`)
    .join(", ");
  console.log(`upstream: ${requests} requests, of them ${wrong}`);
  console.log(`journal: ${runs} runs, ${steps} finished steps, ${lost} that differ from what was served`);
}

async function garbage() {
  const statuses = {};
  let left = garbageCount;
  const startedAt = performance.now();
  await weigh("garbage", () =>
    Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left-- > 0) {
          const { kind, bytes } = toGarbage(random);
          const status = await send(bytes);
          statuses[status] = (statuses[status] ?? 0) + 1;
          const isFine =
            status === "closed" || (status >= 400 && status < 500) || isAsked(kind, bytes, status);
          check(isFine, `${kind} got ${status}: ${bytes.subarray(0, 200).toString("latin1")}`);
        }
      }),
    ),
  );
  const took = (performance.now() - startedAt) / 1000;
  console.log(
    `garbage: ${garbageCount} requests in ${took.toFixed(1)} s, by status: ${JSON.stringify(statuses)}`,
  );
  check(gateway.isAlive, "The gateway is dead");
  check((await fetch(`${gateway.url}/health`)).ok, "The gateway is not healthy");
}

/** A path may turn out to be a good one ("/x/.." is "/", and so is "///"): then it is answered. */
function isAsked(kind, bytes, status) {
  const [, path = ""] = bytes.toString("latin1").split(" ");
  const plain = path.replace(/\/+/g, "/");
  const isThere =
    URL.canParse(plain, "http://localhost") &&
    /^\/((v1\/)?(runs|usage|models))?\/?$/.test(new URL(plain, "http://localhost").pathname);
  return kind === "path" && status === 200 && isThere;
}

/** The status, or "closed". */
async function send(bytes) {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const late = setTimeout(() => socket.destroy(new Error("late")), 20_000);
  let text = "";
  let isLate = false;
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", (error) => {
    isLate = error.message === "late";
  });
  socket.end(bytes);
  await once(socket, "close").catch(() => {});
  clearTimeout(late);
  if (isLate) return "no answer";
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]) || "closed";
}
