// `tutti work`: takes calls out of the queue that benches, recordings, trainings and environments on other machines have put
// there, until it is told to end. It needs their config and their keys, and nothing else of them.

import type { Command } from "commander";
import { TuttiError } from "../../base/errors.ts";
import { toCount } from "../../base/format.ts";
import type { Peer } from "../../durable/peers.ts";
import type { AskQueue } from "../../durable/queue.ts";
import { untilEnded } from "../serve.ts";
import { toQueueOptions } from "../spread.ts";
import { printJson } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";

interface WorkFlags {
  postgres?: string | true;
  pool?: string;
  config?: string;
  json?: boolean;
}

const LOOK_MS = 5_000;

export function define(command: Command): void {
  command
    .option(
      "--postgres [url]",
      "where the queue is; without an address, or without the flag, TUTTI_POSTGRES_URL",
    )
    .option("--pool <name|ids>", "the same as whoever asks: a pool of the config, or ids of workers")
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option("--json", "print one line of JSON once it is ready, and one at the end")
    .addHelpText(
      "after",
      `
Examples:
  $ export TUTTI_POSTGRES_URL=postgres://user:password@db.example:5432/tutti
  $ tutti work                                             # on as many machines as you like
  $ tutti bench --tasks mine.jsonl --postgres --concurrency 200   # and once, somewhere

It needs the config and the keys of whoever asks. Ctrl-C takes nothing more and ends what it has begun; a second one
does not wait. See docs/queues.md.`,
    )
    .action(work);
}

async function work({ postgres = true, pool: selector, config: file, json }: WorkFlags): Promise<void> {
  const [{ openConfig }, { resolvePool }, { toPostgresAddress }, { openQueue }, { toPublicName }] =
    await Promise.all([
      import("../open-config.ts"),
      import("../../config/pool.ts"),
      import("../../config/home.ts"),
      import("../../durable/queue.ts"),
      import("../../store/postgres/connection.ts"),
    ]);
  const address = toPostgresAddress(postgres, process.env);
  const { config } = await openConfig({ file });
  const { pool, notice, warnings } = await resolvePool(config, { env: process.env, selector });
  const style = createStyle(process.stderr, process.env);
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  for (const text of [notice, ...warnings]) if (text) say(style.yellow(toOneLine(text)));
  const options = await toQueueOptions(pool, config);
  const queue = await openQueue(address, options);
  let looking: NodeJS.Timeout | undefined;
  try {
    const watch = await createPeerWatch(queue, options.digests, (text) => say(style.yellow(text)));
    const workers = toCount(Object.keys(options.digests).length, "worker");
    if (json) printJson({ ready: true, workers: Object.keys(options.digests), digest: options.digest });
    say(`${style.bold("Tutti")} takes calls from ${toPublicName(address)} · ${workers}`);
    say(style.dim("  Ctrl-C takes nothing more; what has begun is finished first."));
    looking = setInterval(() => void watch().catch(() => {}), LOOK_MS);
    await untilEnded(
      () => {},
      say,
      async () => {},
    );
  } finally {
    clearInterval(looking);
    await queue.close();
  }
  if (json) printJson({ taken: queue.taken });
  say(`${toCount(queue.taken, "call")} made.`);
}

/** Refuses where all that ask mean other workers; tells later ones that do. */
async function createPeerWatch(
  queue: AskQueue,
  digests: Readonly<Record<string, string>>,
  tell: (text: string) => void,
): Promise<() => Promise<void>> {
  const { toDifference } = await import("../../durable/peers.ts");
  const toText = (peer: Peer) =>
    `"${toOneLine(peer.title!)}" on ${toOneLine(peer.host)} asks other workers than this machine has: ${toOneLine(toDifference(digests, peer))}`;
  const asking = (await queue.peers()).filter(({ title }) => title !== undefined);
  const strangers = asking.filter(({ isSame }) => !isSame);
  if (strangers.length > 0 && strangers.length === asking.length)
    throw new TuttiError(
      "conflict",
      `${toText(strangers[0]!)}. Start it with the same config and the same --pool`,
    );
  const told = new Set<string>();
  const look = async () => {
    for (const peer of await queue.peers()) {
      const name = `${peer.host} ${peer.pid}`;
      if (peer.isSame || peer.title === undefined || told.has(name)) continue;
      told.add(name);
      tell(`${toText(peer)}. Its calls are left to others`);
    }
  };
  await look();
  return look;
}
