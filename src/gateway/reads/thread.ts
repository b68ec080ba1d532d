// The thread in which long questions about the past are answered, with a connection to the journal of its own: SQLite
// and files are read without a wait, which would hold up every request there is.

import { parentPort, workerData } from "node:worker_threads";
import { isTuttiError, messageOf } from "../../base/errors.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/types.ts";
import { createReads, type Folders, type Reads, toBytes } from "./reads.ts";

export interface ThreadSettings extends Folders {
  storePath: string;
}

export type ThreadRequest =
  | { type: "read"; number: number; name: keyof Reads; args: unknown[]; isBytes: boolean }
  /** Ends the thread when what was asked before is answered. */
  | { type: "close" };

export interface ThreadReply {
  number: number;
  value?: unknown;
  error?: { code: string; message: string; param?: string };
}

const port = parentPort!;
const { storePath, ...folders } = workerData as ThreadSettings;
let opened: Promise<Store> | undefined;
const reads = createReads(() => {
  opened ??= openStore(storePath);
  return opened;
}, folders);

port.on("message", async (request: ThreadRequest) => {
  if (request.type === "close") {
    await (await opened?.catch(() => undefined))?.close();
    port.close();
    return;
  }
  const { number, name, args, isBytes } = request;
  try {
    const read = reads[name] as (...args: unknown[]) => Promise<unknown>;
    const value = await read(...args);
    const bytes = isBytes ? toBytes(value) : undefined;
    // Handed over, not copied: it may have megabytes.
    port.postMessage({ number, value: bytes ?? value } satisfies ThreadReply, bytes ? [bytes.buffer] : []);
  } catch (error) {
    const { code = "internal", param } = isTuttiError(error) ? error : {};
    const told: ThreadReply = { number, error: { code, message: messageOf(error), param } };
    port.postMessage(told);
  }
});
