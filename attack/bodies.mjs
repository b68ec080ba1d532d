// Thousands of broken bodies. None may bring an error that we do not know ourselves (500), end the process, make it grow
// or keep /health waiting.

import { LARGE, toMutated } from "./tables/mutations.mjs";
import { parse, repeat } from "./tools/http.mjs";
import { createRandom } from "./tools/random.mjs";
import { openStage } from "./tools/stage.mjs";

const COUNT = 3_000;
const SEED = 3_014;
const AT_ONCE = 8;
const SLOWEST_HEALTH_MS = 1_000;
const MOST_MB = 1_200;
const PROBE_MS = 50;
/** What a provider may bring about (529 is Anthropic's 503). A 500 is nobody's but ours. */
const DOCUMENTED = new Set([502, 503, 504, 529]);
const ALL_MS = 150_000;

export default { name: "bodies", what: "break the gateway with a body", tries: COUNT, run };

async function run() {
  const stage = await openStage({ heapMb: 1_024, log: "warn" });
  const { secret } = await stage.createKey({ name: "mallory" });
  const random = createRandom(SEED);
  const problems = [];
  const statuses = {};
  let slowestMs = 0;
  let isOver = false;
  const probe = (async () => {
    while (!isOver && stage.gateway.isAlive()) {
      const { ok, ms } = await stage.gateway.health();
      slowestMs = Math.max(slowestMs, ms);
      if (!ok && !isOver) problems.push("/health did not answer");
      await new Promise((done) => setTimeout(done, PROBE_MS));
    }
  })();
  const judge = ({ status, text }, what) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 500 && !DOCUMENTED.has(status))
      problems.push(`${status} for ${what()}: ${text.slice(0, 200)}`);
    if (status >= 400 && text !== "" && parse(text) === undefined) problems.push(`no JSON for ${what()}`);
  };
  const untilMs = performance.now() + ALL_MS;
  let tries = await repeat(
    COUNT,
    AT_ONCE,
    async () => {
      const { path, bytes } = toMutated(random);
      if (!stage.gateway.isAlive()) return;
      judge(
        await stage.ask(path, { key: secret, body: bytes }),
        () => `${path} ${bytes.toString("utf8").slice(0, 300)}`,
      );
    },
    { untilMs },
  );
  for (const [what, path, make] of LARGE) {
    if (!stage.gateway.isAlive()) break;
    tries++;
    judge(await stage.ask(path, { key: secret, body: make() }), () => what);
    if (!stage.gateway.isAlive()) problems.push(`the gateway died of ${what}`);
  }
  isOver = true;
  await probe;
  const peakMb = stage.gateway.isAlive() ? stage.gateway.peakMb() : Number.NaN;
  if (!stage.gateway.isAlive()) problems.push("the gateway is dead");
  if (peakMb > MOST_MB) problems.push(`it took ${peakMb} MB`);
  if (slowestMs > SLOWEST_HEALTH_MS) problems.push(`/health took ${Math.round(slowestMs)} ms`);
  await stage.close();
  const told = Object.entries(statuses).map(([status, count]) => `${count}× ${status}`);
  return {
    tries,
    ok: problems.length === 0,
    result:
      `${told.join(", ")}; /health at most ${Math.round(slowestMs)} ms; at most ${peakMb} MB` +
      (problems.length > 0 ? `; ${problems.length} problems, first: ${problems[0].slice(0, 160)}` : ""),
    details: { seed: SEED, problems: problems.slice(0, 50) },
  };
}
