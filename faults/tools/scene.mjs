// What every fault needs: one Postgres, a provider that keeps its own bill, keys with budgets, and gateways as real processes
// of which any may be killed, told to end and started again. Made of the tools of the attacks.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { openStage } from "../../attack/tools/stage.mjs";

/** One that is never spent, and one that is soon. */
const BUDGETS = { wide: 400, tight: 0.4 };
/** As long as clients wait. */
const SETTLE_MS = 180_000;

/**
 * `server`: the address of a Postgres. The scene has a database of its own there, `toAddress` says how each gateway reaches it.
 * `shiftMs`: how far each gateway's clock is from the true time.
 */
export async function openScene({ server, gateways = 3, config = {}, shiftMs = [], toAddress = (a) => a }) {
  const address = await createDatabase(server);
  // A call that was cut off counts as spent at its most: no run may end for that.
  const settings = { timeouts: { stepMs: 20_000 }, limits: { usd: 2 }, ...config, store: "postgres" };
  const stage = await openStage({ config: settings, env: { TUTTI_POSTGRES_URL: address } });
  const toOptions = (slot) => ({
    clock: shiftMs[slot] ? Date.now() + shiftMs[slot] : undefined,
    env: { ...stage.secrets, TUTTI_POSTGRES_URL: toAddress(address, slot) },
  });
  const slots = [];
  const keys = [];
  for (const [name, budgetUsd] of Object.entries(BUDGETS)) {
    const { id, secret } = await stage.createKey({ name, budget: { usd: budgetUsd, window: "total" } });
    keys.push({ name, id, secret, budgetUsd });
  }
  await stage.gateway.end();
  for (let slot = 0; slot < gateways; slot++) slots.push(await stage.start(toOptions(slot)));
  stage.gateway = slots[0];
  let next = 0;

  return {
    address,
    stage,
    keys,
    slots,
    /** As a load balancer does: one after the other of those that live. */
    pick() {
      const living = slots.filter((gateway) => gateway?.isAlive());
      return living[next++ % Math.max(1, living.length)];
    },
    async start(slot) {
      slots[slot] = await stage.start(toOptions(slot));
      stage.gateway = slots[slot];
      return slots[slot];
    },
    query: (sql, values) => queryAt(address, sql, values),
    /** Until every run is over, or the time is. */
    async settle() {
      const until = performance.now() + SETTLE_MS;
      for (;;) {
        const [{ open }] = await queryAt(
          address,
          "SELECT count(*) AS open FROM tutti.runs WHERE ended IS NULL",
        );
        const [{ held }] = await queryAt(address, "SELECT count(*) AS held FROM tutti.reservations");
        if ((Number(open) === 0 && Number(held) === 0) || performance.now() > until) return;
        await new Promise((done) => setTimeout(done, 200));
      }
    },
    async close() {
      await Promise.all(slots.map((gateway) => gateway?.kill()));
      await stage.provider.end();
    },
  };
}

async function createDatabase(server) {
  const name = `faults_${randomBytes(6).toString("hex")}`;
  await queryAt(server, `CREATE DATABASE ${name}`);
  const address = new URL(server);
  address.pathname = `/${name}`;
  return address.href;
}

async function queryAt(address, sql, values) {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
