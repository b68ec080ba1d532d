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
    await wait(random.integer(150, 700));
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
  await scene.close();
  return toResult(verdict, KILLS + 1, `${verdict.figures.resumed} runs gone on with; `);
}
