// The clocks of three gateways differ by minutes while they are killed one after the other. The shift is made in the process
// (a preload that shifts Date), so files, certificates and the kernel have the true time.
import { setTimeout as wait } from "node:timers/promises";
import { createRandom } from "../attack/tools/random.mjs";
import { createClients } from "./tools/clients.mjs";
import { openScene } from "./tools/scene.mjs";
import { judge, toResult } from "./tools/verdict.mjs";

const SEED = 24;
const LANES = 8;
const KILLS = 6;
const LATEST_KILL_MS = 900;
const MINUTE_MS = 60_000;
const SHIFTS = [7 * MINUTE_MS, -5 * MINUTE_MS, 0];

export const what = "clocks of the gateways 12 minutes apart, with kills";

export async function run({ server }) {
  const scene = await openScene({ server, gateways: SHIFTS.length, shiftMs: SHIFTS });
  const random = createRandom(SEED);
  const clients = createClients(scene);
  let isOver = false;
  const loading = clients.load({ lanes: LANES, random: createRandom(SEED + 1), isOver: () => isOver });
  for (let kill = 0; kill < KILLS; kill++) {
    await wait(random.integer(200, LATEST_KILL_MS));
    const slot = kill % SHIFTS.length;
    await scene.slots[slot].kill();
    await scene.start(slot);
  }
  isOver = true;
  await loading;
  await scene.settle();
  const verdict = await judge(scene, clients);
  await scene.close();
  return toResult(verdict, KILLS, `${verdict.figures.resumed} runs gone on with; `);
}
