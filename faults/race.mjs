// Two gateways want one run. First its gateway is killed and both others find it; then its gateway is frozen (SIGSTOP) for
// longer than a lease, another one takes the run over, and the frozen one wakes up in the middle of its call.
import { setTimeout as wait } from "node:timers/promises";
import { createRandom } from "../attack/tools/random.mjs";
import { createClients } from "./tools/clients.mjs";
import { openScene } from "./tools/scene.mjs";
import { judge, toResult } from "./tools/verdict.mjs";

const SEED = 21;
const KILLS = 3;
const RUNS = 8;
const LATEST_KILL_MS = 500;
/** A busy machine takes its time to begin. */
const LATEST_BEGIN_MS = 60_000;
/** A lease lasts for 15 seconds. */
const FROZEN_MS = 18_000;

export const what = "two gateways race for one run: its gateway killed, or frozen for longer than its lease";

export async function run({ server }) {
  const scene = await openScene({ server });
  const random = createRandom(SEED);
  const clients = createClients(scene);
  const asking = [];
  /** Asked at the first gateway, which is then taken out of service. */
  const begin = async () => {
    const [first] = scene.slots;
    const pick = scene.pick;
    scene.pick = () => first;
    for (let i = 0; i < RUNS; i++) asking.push(clients.ask("background", scene.keys[0]));
    await someRun(scene);
    await wait(random.integer(0, LATEST_KILL_MS));
    scene.pick = pick;
  };
  for (let i = 0; i < KILLS; i++) {
    await begin();
    await scene.slots[0].kill();
    await Promise.all(asking);
    await scene.start(0);
  }
  await begin();
  process.kill(scene.slots[0].pid, "SIGSTOP");
  await wait(FROZEN_MS);
  process.kill(scene.slots[0].pid, "SIGCONT");
  await Promise.all(asking);
  await scene.settle();
  const verdict = await judge(scene, clients);
  if (verdict.figures.resumed === 0) verdict.problems.push("no run was gone on with: nothing was tried");
  await scene.close();
  return toResult(verdict, KILLS + 1, `${verdict.figures.resumed} runs gone on with; `);
}

/** Until one is under way. */
async function someRun(scene) {
  const until = performance.now() + LATEST_BEGIN_MS;
  while (performance.now() < until) {
    const [{ open }] = await scene.query("SELECT count(*) AS open FROM tutti.runs WHERE ended IS NULL");
    if (Number(open) > 0) return;
    await wait(20);
  }
}
