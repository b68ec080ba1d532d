// The network between one of two gateways and Postgres is cut for longer than a lease: packets vanish, nobody is told. The other
// gateway takes its runs over. Then it heals, and breaks its connections a few times more.
import { setTimeout as wait } from "node:timers/promises";
import { createRandom } from "../attack/tools/random.mjs";
import { createClients } from "./tools/clients.mjs";
import { startProxy } from "./tools/proxy.mjs";
import { openScene } from "./tools/scene.mjs";
import { judge, toResult } from "./tools/verdict.mjs";

const SEED = 23;
const LANES = 8;
/** A lease lasts for 15 seconds. */
const CUT_MS = 26_000;
const AROUND_MS = 2_000;
const RESETS = 5;

export const what = "the network between gateway and Postgres cut for 26 seconds (silence), then five resets";

export async function run({ server }) {
  const proxy = await startProxy(server);
  const toAddress = (address, slot) => (slot === 0 ? proxy.toAddress(address) : address);
  const scene = await openScene({ server, gateways: 2, toAddress });
  const clients = createClients(scene);
  let isOver = false;
  const loading = clients.load({ lanes: LANES, random: createRandom(SEED), isOver: () => isOver });
  await wait(AROUND_MS);
  proxy.cut();
  await wait(CUT_MS);
  proxy.heal();
  for (let i = 0; i < RESETS; i++) {
    await wait(AROUND_MS / 4);
    proxy.dropAll();
  }
  await wait(AROUND_MS);
  isOver = true;
  await loading;
  await scene.settle();
  const verdict = await judge(scene, clients);
  await scene.close();
  proxy.close();
  return toResult(verdict, 1 + RESETS, `${verdict.figures.resumed} runs gone on with; `);
}
