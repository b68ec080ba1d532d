// Relayed replies that were asked for with an idempotency key, kept for all gateways: a repeat at any of them waits for the first
// and gets the same bytes. What is kept can be read only by whoever sends the very same request again: it is sealed with a key
// made of the request, of which the table has no more than digests. A gateway's own copies (../relay/copies.ts) come first.

import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { TuttiError } from "../../base/errors.ts";
import type { PostgresConnection } from "../../store/postgres/connection.ts";
import { ensure } from "../../store/postgres/ensure.ts";
import { MOST_COPIED_BYTES_OF_KEY } from "../access/request-limits.ts";
import type { ReplyCopy } from "../relay/copies.ts";

const FIRST_LOOK_MS = 25;
const LONGEST_LOOK_MS = 250;
/** After this a request that is being answered is waited for no more. */
const LONGEST_WAIT_MS = 600_000;
const KEPT_MS = 600_000;
/** Of one that was never settled, though its gateway lives. */
const OPEN_MS = 3_600_000;
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Of a statement that is asked every two seconds; `isDead`: of a gateway that has died. */
export const toCopySweep = (isDead: string) =>
  `DELETE FROM relayed_replies WHERE (status IS NULL AND ${isDead}) OR at < ${NOW} - ${OPEN_MS}
     OR (status IS NOT NULL AND at < ${NOW} - ${KEPT_MS})`;

interface NamedRequest {
  keyId: string | undefined;
  /** The idempotency key. */
  name: string;
  /** Of what was asked. */
  hash: string;
}

export type SharedReply =
  | { kind: "known"; copy: ReplyCopy }
  /** Nobody else asks it until `settle`: with the whole reply, or without one. */
  | { kind: "ours"; settle(copy: ReplyCopy | undefined): Promise<void> };

export interface SharedCopies {
  /** Waits while another gateway is being answered. Throws "conflict" where the name was used for another request. */
  begin(request: NamedRequest, signal: AbortSignal): Promise<SharedReply>;
}

interface Begun {
  name: string;
  keyId: string;
  /** Of this very asking. */
  entry: string;
  seal: Buffer;
}

interface Row {
  request: string;
  status: number | null;
  reply: Buffer | null;
}

/** Tried again although it was committed, it finds that the row is its own. */
const BEGIN = `INSERT INTO relayed_replies (name, key_id, request, owner, at, entry) VALUES ($1, $2, $3, $4, ${NOW}, $5)
  ON CONFLICT (name) DO UPDATE SET entry = excluded.entry WHERE relayed_replies.entry = excluded.entry RETURNING name`;

export function createSharedCopies({
  connection,
  id: owner,
}: {
  connection: Pick<PostgresConnection, "query">;
  id: string;
}): SharedCopies {
  const { query } = connection;

  return {
    async begin(asked, signal) {
      const { name, request, seal } = toDigests(asked);
      const keyId = asked.keyId ?? "";
      const entry = randomUUID();
      const begun = { name, keyId, entry, seal };
      const endsAt = performance.now() + LONGEST_WAIT_MS;
      for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(LONGEST_LOOK_MS, waitMs * 2)) {
        const [taken] = await query(BEGIN, [name, keyId, request, owner, entry]).catch((error: unknown) => {
          // It may be ours all the same, and then every repeat would wait for it.
          void forget(begun);
          throw error;
        });
        if (taken) return { kind: "ours", settle: (copy) => settle(begun, copy) };
        const [row] = await query<Row>("SELECT request, status, reply FROM relayed_replies WHERE name = $1", [
          name,
        ]);
        if (row && row.request !== request)
          throw new TuttiError("conflict", "This idempotency key was used with another request.");
        if (row && row.status !== null)
          return { kind: "known", copy: open(row.status, row.reply ?? undefined, seal) };
        if (performance.now() > endsAt)
          throw new TuttiError("overloaded", "This very request is still being answered at another gateway.");
        await delay(waitMs, undefined, { signal }).catch(() => {
          throw new TuttiError("client-left", "The client left while its request was answered elsewhere.");
        });
      }
    },
  };

  /** Nobody is kept waiting for a reply that will not come, however long the server is away. */
  function forget({ name, entry }: Begun): Promise<void> {
    return ensure(connection, "DELETE FROM relayed_replies WHERE name = $1 AND entry = $2", [name, entry]);
  }

  async function settle(begun: Begun, copy: ReplyCopy | undefined): Promise<void> {
    if (!copy) return void forget(begun);
    try {
      await keep(begun, copy.status, copy.body && sealed(copy, copy.body, begun.seal));
    } catch (error) {
      // It was paid for: repeats are told so rather than asked again.
      const answered =
        "UPDATE relayed_replies SET status = $3 WHERE name = $1 AND entry = $2 AND status IS NULL";
      void ensure(connection, answered, [begun.name, begun.entry, copy.status]);
      throw error;
    }
  }

  /** The newest of a key stay, as far as there is room for them; of others it is known that they were answered. */
  async function keep(
    { name, keyId, entry }: Begun,
    status: number,
    reply: Buffer | undefined,
  ): Promise<void> {
    const bytes = reply?.length ?? 0;
    await query(
      "UPDATE relayed_replies SET status = $3, reply = $4, bytes = $5 WHERE name = $1 AND entry = $2",
      [name, entry, status, reply ?? null, bytes],
    );
    await query(
      `UPDATE relayed_replies SET reply = NULL, bytes = 0 WHERE name IN (
         SELECT name FROM (
           SELECT name, sum(bytes) OVER (ORDER BY at DESC, name) AS total FROM relayed_replies
           WHERE key_id = $1 AND bytes > 0
         ) AS kept WHERE total > $2)`,
      [keyId, MOST_COPIED_BYTES_OF_KEY],
    );
  }
}

/** Names say nothing to whoever reads the table, and `seal` opens what is kept. */
function toDigests({ keyId = "", name, hash }: NamedRequest): {
  name: string;
  request: string;
  seal: Buffer;
} {
  const digest = (about: string, ...parts: string[]) =>
    createHash("sha256").update(JSON.stringify([about, ...parts]));
  return {
    name: digest("name", keyId, name).digest("hex"),
    request: digest("request", keyId, name, hash).digest("hex"),
    seal: digest("seal", keyId, name, hash).digest(),
  };
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Nonce, tag, and the headers as a line of JSON before the body. */
function sealed({ headers }: ReplyCopy, body: Buffer, seal: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, seal, nonce);
  const text = [cipher.update(`${JSON.stringify(headers)}\n`), cipher.update(body), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...text]);
}

function open(status: number, reply: Buffer | undefined, seal: Buffer): ReplyCopy {
  if (!reply) return { status, headers: {}, body: undefined };
  const decipher = createDecipheriv(CIPHER, seal, reply.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(reply.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const whole = Buffer.concat([decipher.update(reply.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  const end = whole.indexOf("\n");
  return { status, headers: JSON.parse(whole.subarray(0, end).toString()), body: whole.subarray(end + 1) };
}
