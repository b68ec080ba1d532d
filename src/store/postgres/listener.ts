// Hears what other processes on the same Postgres tell with NOTIFY, over a connection of its own that is opened again whenever it
// breaks. For what changes rarely and should be known at once: a notification holds up every other one that commits, so what
// happens often is told of many at once. One may be lost while there is no connection: whoever listens looks again by itself.

import type Pg from "pg";
import { loadPg } from "./connection.ts";

const AGAIN_MS = 1_000;
const CONNECT_MS = 5_000;
/** The channel of all gateways on one database. */
export const CHANNEL = "tutti";

export interface Listener {
  close(): Promise<void>;
}

export interface ListenOptions {
  channel?: string;
  /** Gets what was sent. */
  onMessage(text: string): void;
  /** Called with each new connection, when something may have been missed. */
  onOpen(): void;
}

export async function listen(
  address: string,
  { channel = CHANNEL, onMessage, onOpen }: ListenOptions,
): Promise<Listener> {
  const pg = await loadPg();
  let client: Pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function open(): Promise<void> {
    const opened = new pg.Client({
      connectionString: address,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      application_name: "tutti",
    });
    client = opened;
    const again = () => {
      if (isClosed || client !== opened) return;
      client = undefined;
      opened.end().catch(() => {});
      timer = setTimeout(() => void open(), AGAIN_MS);
      timer.unref();
    };
    opened.on("error", again);
    opened.on("end", again);
    opened.on("notification", ({ payload = "" }) => onMessage(payload));
    try {
      await opened.connect();
      await opened.query(`LISTEN ${channel}`);
      onOpen();
    } catch {
      again();
    }
  }

  await open();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
