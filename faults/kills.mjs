// Gateways are killed (SIGKILL) at random moments under load, the oldest first: in the middle of calls, between them, while they
// stream. A replacement starts at once. What a dead one left, another goes on with.
import { setTimeout as wait } from "node:timers/promises";
import { createRandom } from "../attack/tools/random.mjs";
import { createClients } from "./tools/clients.mjs";
import { openScene } from "./tools/scene.mjs";
import { judge, toResult } from "./tools/verdict.mjs";

const SEED = 20;
const GATEWAYS = 4;
/** Who is still there after a kill: others are on their way. */
const LEFT = 2;
const LANES = 12;
const LATEST_KILL_MS = 1_400;

export const what = "kill −9 of a gateway in a call, between calls, while it streams";

/** `longestMs`: a machine with much else to do kills less often. */
export async function run({ server, moments, longestMs = Number.POSITIVE_INFINITY }) {
  const scene = await openScene({ server, gateways: GATEWAYS });
  const random = createRandom(SEED);
  const clients = createClients(scene);
  const starting = new Set();
  /** Those that may be killed, the oldest first. */
  const ready = [...scene.slots.keys()];
  let isOver = false;
  const loading = clients.load({ lanes: LANES, random: createRandom(SEED + 1), isOver: () => isOver });
  const until = performance.now() + longestMs;
  let kills = 0;
  for (; kills < moments && performance.now() < until; kills++) {
    await wait(random.integer(0, LATEST_KILL_MS));
    while (ready.length < LEFT + 1) await Promise.race(starting);
    const slot = ready.shift();
    await scene.slots[slot].kill();
    const started = scene.start(slot).then(() => {
      starting.delete(started);
      ready.push(slot);
    });
    starting.add(started);
  }
  await Promise.all(starting);
  isOver = true;
  await loading;
  await scene.settle();
  const verdict = await judge(scene, clients);
  await scene.close();
  const { resumed, leftInACall, leftBetweenCalls, streamsCut } = verdict.figures;
  const how = `${resumed} runs gone on with (${leftInACall} left in a call, ${leftBetweenCalls} between calls), ${streamsCut} streams cut; `;
  return toResult(verdict, kills, how);
}
