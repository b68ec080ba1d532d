// A rolling restart under load: each gateway in turn is told to end (SIGTERM), ends by itself, and is started again.
import { createRandom } from "../attack/tools/random.mjs";
import { createClients } from "./tools/clients.mjs";
import { openScene } from "./tools/scene.mjs";
import { judge, toResult } from "./tools/verdict.mjs";

const SEED = 25;
const LANES = 10;
const GATEWAYS = 3;
const TURNS = 2;
/** Shorter than some runs: those are handed over. */
const SHUTDOWN_MS = 500;
/** Ten times what it takes: the machine may have much else to do. */
const LATEST_END_MS = 14_000;

export const what = "a rolling restart under load, twice around";

export async function run({ server }) {
  const scene = await openScene({
    server,
    gateways: GATEWAYS,
    config: { gateway: { shutdownMs: SHUTDOWN_MS } },
  });
  const clients = createClients(scene);
  let isOver = false;
  const loading = clients.load({ lanes: LANES, random: createRandom(SEED), isOver: () => isOver });
  let slowestMs = 0;
  for (let turn = 0; turn < TURNS * GATEWAYS; turn++) {
    const from = performance.now();
    await scene.slots[turn % GATEWAYS].end();
    slowestMs = Math.max(slowestMs, performance.now() - from);
    await scene.start(turn % GATEWAYS);
  }
  isOver = true;
  await loading;
  await scene.settle();
  const verdict = await judge(scene, clients);
  if (slowestMs > LATEST_END_MS) verdict.problems.push(`a gateway took ${Math.round(slowestMs)} ms to end`);
  await scene.close();
  return toResult(verdict, TURNS * GATEWAYS, `${verdict.figures.resumed} runs handed over; `);
}
