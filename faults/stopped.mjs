// Postgres is stopped under load, stays away for ten seconds, and comes back.
import { setTimeout as wait } from "node:timers/promises";
import { createRandom } from "../attack/tools/random.mjs";
import { createClients } from "./tools/clients.mjs";
import { openScene } from "./tools/scene.mjs";
import { judge, toResult } from "./tools/verdict.mjs";

const SEED = 22;
const LANES = 8;
const AWAY_MS = 10_000;
const AROUND_MS = 2_000;

export const what = "Postgres stopped for ten seconds under load, and started again";

export async function run({ server, postgres }) {
  if (!postgres) return { skipped: "needs a Postgres that it may stop" };
  const scene = await openScene({ server, gateways: 2 });
  const clients = createClients(scene);
  let isOver = false;
  const loading = clients.load({ lanes: LANES, random: createRandom(SEED), isOver: () => isOver });
  await wait(AROUND_MS);
  await postgres.stop();
  await wait(AWAY_MS);
  await postgres.start();
  await wait(AROUND_MS);
  isOver = true;
  await loading;
  await scene.settle();
  const verdict = await judge(scene, clients);
  const died = scene.slots.filter((gateway) => !gateway.isAlive()).length;
  if (died > 0) verdict.problems.push(`${died} gateways ended`);
  await scene.close();
  return toResult(verdict, 1);
}
