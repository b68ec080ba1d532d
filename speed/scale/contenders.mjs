// Who is measured: gateways as real processes, on a file or on one Postgres, and bare DBOS in a process of its own.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startGateway } from "../../attack/tools/processes.mjs";

const pg = createRequire(import.meta.url)("pg");
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const CONFIG = here("./zero.config.mjs");

/** So many gateways: with an `address` on one Postgres, without one on a file. `provider` is of slow workers. */
export async function startGateways({ count = 1, address, provider, dist }) {
  const env = {
    TUTTI_NO_UPDATE_CHECK: "1",
    ...(address && { SCALE_STORE: "postgres", TUTTI_POSTGRES_URL: address }),
    ...(provider && { SCALE_PROVIDER: provider, SLOW_API_KEY: "none" }),
  };
  const gateways = [];
  for (let i = 0; i < count; i++) {
    const home = mkdtempSync(join(tmpdir(), "tutti-scale-"));
    const gateway = await startGateway({ home, config: CONFIG, env, heapMb: 4_096, log: "warn", dist });
    gateways.push({ ...gateway, home });
  }
  return gateways;
}

/** Its own clients: see bare-dbos.mjs. */
export async function runBareDbos(orders) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    here("./bare-dbos.mjs"),
    JSON.stringify(orders),
  ]);
  return JSON.parse(stdout);
}

export async function createDatabase(server, name) {
  const database = `${name}_${randomBytes(4).toString("hex")}`;
  await query(server, `CREATE DATABASE ${database}`);
  const address = new URL(server);
  address.pathname = `/${database}`;
  return address.href;
}

export async function query(address, sql, values) {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
