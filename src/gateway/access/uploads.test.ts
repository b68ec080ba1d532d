import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import type { Connection } from "../../http/connection.ts";
import type { GatewayKey } from "./keys.ts";
import { MOST_BYTES_IN_FLIGHT, MOST_BYTES_OF_KEY } from "./request-limits.ts";
import { UploadDesk } from "./uploads.ts";

const MB = 1_000_000;
const keyOf = (id: string, concurrency?: number) => ({ id, concurrency }) as GatewayKey;

/** A client that sends so many bytes, at once or when it is told to. Only what the desk looks at. */
function client(bytes: number, ready: Promise<void> = Promise.resolve()) {
  const outgoing = Object.assign(new EventEmitter(), { destroyed: false });
  const connection = {
    outgoing,
    header: () => undefined,
    async readBody(_: number, onBytes: (bytes: number) => void) {
      await ready;
      for (let left = bytes; left > 0; left -= MB) onBytes(Math.min(left, MB));
      return Buffer.from("{}");
    },
  } as unknown as Connection;
  return { connection, end: () => outgoing.emit("close") };
}

function later() {
  let go = () => {};
  const ready = new Promise<void>((resolve) => {
    go = resolve;
  });
  return { ready, go };
}

const desk = () => new UploadDesk({ maxBodyBytes: 16 * MB });

describe("bodies of one key", () => {
  it("have its concurrency while they arrive; others do not wait for them", async () => {
    const uploads = desk();
    const slow = later();
    const key = keyOf("a", 2);
    const arriving = [client(9, slow.ready), client(9, slow.ready)].map(({ connection }) =>
      uploads.read(connection, key),
    );
    await expect(uploads.read(client(9).connection, key)).rejects.toMatchObject({
      code: "rate-limited",
      retryAfterMs: 1_000,
    });
    await uploads.read(client(9).connection, keyOf("b", 2));
    await uploads.read(client(9).connection, undefined);
    const waiting = uploads.read(client(9).connection, key);
    slow.go();
    await Promise.all([...arriving, waiting]);
  });

  it("have a bound in bytes until they are answered", async () => {
    const uploads = desk();
    const key = keyOf("a");
    const count = Math.floor(MOST_BYTES_OF_KEY / (16 * MB));
    const open = Array.from({ length: count }, () => client(16 * MB));
    for (const { connection } of open) await uploads.read(connection, key);
    const refused = client(16 * MB);
    await expect(uploads.read(refused.connection, key)).rejects.toMatchObject({ code: "rate-limited" });
    refused.end();
    await uploads.read(client(1_000).connection, key); // a small one always fits
    await uploads.read(client(16 * MB).connection, keyOf("b"));
    open[0]!.end();
    open[0]!.end();
    await uploads.read(client(15 * MB).connection, key);
  });
});

it("all bodies together have a bound, and small ones are let in all the same", async () => {
  const uploads = desk();
  const open = [];
  for (let bytes = 0; bytes + 16 * MB <= MOST_BYTES_IN_FLIGHT; bytes += 16 * MB) {
    const each = client(16 * MB);
    open.push(each);
    await uploads.read(each.connection, keyOf(`key${Math.floor(bytes / (64 * MB))}`));
  }
  await expect(uploads.read(client(16 * MB).connection, keyOf("late"))).rejects.toMatchObject({
    code: "overloaded",
    retryAfterMs: 1_000,
  });
  await uploads.read(client(60_000).connection, keyOf("small"));
  for (const { end } of open) end();
  await uploads.read(client(16 * MB).connection, keyOf("late"));
});
