// The disk of an embedded journal is full: a small tmpfs with ballast, while a gateway serves from it. Then the ballast goes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { judgeBills } from "../attack/tools/ledger.mjs";
import { createRandom } from "../attack/tools/random.mjs";
import { openStage } from "../attack/tools/stage.mjs";
import { createClients } from "./tools/clients.mjs";

const SEED = 26;
const LANES = 6;
const DISK_MB = 16;
/** What is left when the ballast is there. */
const ROOM_BYTES = 300_000;
const FULL_MS = 6_000;
const AFTER_MS = 3_000;
const BUDGET_USD = 400;

export const what = "a full disk under the embedded journal, and room again";

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "tutti-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tutti-faults", folder], {
      stdio: "pipe",
    });
  } catch {
    rmSync(folder, { recursive: true });
    return { skipped: "needs root, to mount a small disk" };
  }
  try {
    return await fill(folder);
  } finally {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(folder) {
  const stage = await openStage({ home: folder });
  const key = await stage.createKey({ name: "wide", budget: { usd: BUDGET_USD, window: "total" } });
  const keys = [{ ...key, budgetUsd: BUDGET_USD }];
  const clients = createClients({ keys, pick: () => stage.gateway });
  let isOver = false;
  const loading = clients.load({ lanes: LANES, random: createRandom(SEED), isOver: () => isOver });
  await wait(1_000);
  const ballast = join(folder, "ballast");
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - ROOM_BYTES)));
  await wait(FULL_MS);
  const wasFull = statfsSync(folder).bavail * bsize < ROOM_BYTES / 2;
  rmSync(ballast);
  await wait(AFTER_MS);
  isOver = true;
  await loading;
  await stage.settle();
  const bills = judgeBills(keys, await stage.provider.bill(), await stage.journaled());
  const { text } = await stage.ask("/v1/runs?state=interrupted&limit=100");
  const lost = JSON.parse(text).data.length;
  const { told } = clients;
  const refused = Object.values(told.refused).reduce((sum, count) => sum + count, 0);
  const problems = [...told.neither, ...bills.problems];
  if (!stage.gateway.isAlive()) problems.push("the gateway ended");
  if (!wasFull) problems.push("the disk was never full");
  if (lost > 0) problems.push(`${lost} runs never ended`);
  await stage.close();
  return {
    tries: 1,
    ok: problems.length === 0,
    result:
      `${told.asked} requests, ${told.answered} answered, ${refused} told why not; runs lost ${lost}, neither answered nor told ` +
      `why ${told.neither.length}, overspent $${bills.overspentUsd.toFixed(2)}, not journaled $${bills.unjournaledUsd.toFixed(2)}`,
    details: { figures: { ...told, neither: told.neither.length, lost, ...bills }, problems },
  };
}
