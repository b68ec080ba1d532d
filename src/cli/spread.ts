// `--postgres` of the verbs that ask a pool very often: their asks go to a queue that other machines take from, too.

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { usageError } from "../base/errors.ts";
import { isObject } from "../base/fields.ts";
import type { TuttiConfig } from "../config/schema.ts";
import type { AskQueue, QueueOptions } from "../durable/queue.ts";
import { makePrivateFolder, writePrivateFile } from "../files/private.ts";
import type { Pool } from "../worker/types.ts";
import { toOneLine } from "./terminal/sanitise.ts";
import { createStyle } from "./terminal/style.ts";

export interface SpreadFlags {
  postgres?: string | true;
}

export function addSpreadFlag(command: Command): Command {
  return command.option(
    "--postgres [url]",
    "share the calls with other machines that run `tutti work`; without an address that of TUTTI_POSTGRES_URL",
  );
}

/** A pool whose models are asked by way of the queue, once that is open. */
export interface PreparedQueue {
  pool: Pool;
  /** `folder` is where this work goes on after it was killed: its asks are known by it. */
  open(where: { title: string; folder: string }): Promise<AskQueue>;
}

export async function prepareQueue(
  { postgres }: SpreadFlags,
  pool: Pool,
  config: TuttiConfig,
  selector?: string,
): Promise<PreparedQueue | undefined> {
  if (postgres === undefined) return undefined;
  const [{ toPostgresAddress }, { spreadPool }, { toQueue, openQueue }, { toPublicName }] = await Promise.all(
    [
      import("../config/home.ts"),
      import("../durable/queued-worker.ts"),
      import("../durable/queue.ts"),
      import("../store/postgres/connection.ts"),
    ],
  );
  const address = toPostgresAddress(postgres, process.env);
  const options = await toQueueOptions(pool, config);
  const spread = spreadPool(pool, (worker) => toQueue(options.providerOf(worker)));
  return {
    pool: spread.pool,
    async open({ title, folder }) {
      const asking = { title, owner: openOwner(folder), spread };
      const queue = await openQueue(address, { ...options, asking });
      const also = `tutti work --postgres${selector === undefined ? "" : ` --pool ${toOneLine(selector)}`}`;
      const { dim } = createStyle(process.stderr, process.env);
      const text = `Calls go through ${toPublicName(address)}; other machines take part with: ${also}`;
      process.stderr.write(`${dim(text)}\n`);
      return queue;
    },
  };
}

export async function toQueueOptions(pool: Pool, config: TuttiConfig): Promise<QueueOptions> {
  const { digestPool, providerOf } = await import("../config/pool-digest.ts");
  const style = createStyle(process.stderr, process.env);
  return {
    pool,
    ...digestPool(pool, config),
    providerOf: (worker) => providerOf(pool, worker),
    limits: config.queue,
    onWarning: (text) => process.stderr.write(`${style.yellow(`The queue: ${toOneLine(text)}`)}\n`),
  };
}

/** Where nobody is asked there is nothing to share. */
export function refuseSpread({ postgres }: SpreadFlags, why: string): void {
  if (postgres !== undefined) throw usageError(`--postgres goes with ${why}`);
}

const FILE = "queue.json";

/** Who owns the asks of a folder: the same when it is gone on with, and another one for another folder at the same path. */
function openOwner(folder: string): string {
  const file = join(folder, FILE);
  if (existsSync(file)) {
    const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isObject(kept) && "owner" in kept && typeof kept.owner === "string") return kept.owner;
    throw usageError(
      `${file} does not say who owns its calls: delete it, and what is unfinished is asked again`,
    );
  }
  const owner = randomUUID();
  makePrivateFolder(folder);
  writePrivateFile(file, `${JSON.stringify({ owner })}\n`);
  return owner;
}
