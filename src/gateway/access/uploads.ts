// Bodies on their way in. They take memory and, to be parsed, time that everybody waits for, before it is known what is
// asked: so a key has places and bytes for them, the gateway has a total, and large ones are parsed one at a time, with
// time for everybody else between two of them.

import { setTimeout as wait } from "node:timers/promises";
import { TuttiError } from "../../base/errors.ts";
import { createGate, type Gate } from "../../base/gate.ts";
import type { Connection } from "../../http/connection.ts";
import { unpackBody } from "../../http/unpack.ts";
import { parseBody } from "../http/body.ts";
import { KnownBodies } from "../http/known-bodies.ts";
import type { Fields } from "../http/object-reader.ts";
import type { GatewayKey } from "./keys.ts";
import {
  LARGE_BODY_BYTES,
  MOST_BYTES_IN_FLIGHT,
  MOST_BYTES_OF_KEY,
  MOST_UPLOADS_OF_KEY,
} from "./request-limits.ts";

export interface Upload {
  raw: Buffer;
  body: Fields;
}

/** What one key has under way. */
interface UploadAccount {
  places: number;
  bytes: number;
  waiting: Set<() => void>;
  parsing: Gate;
}

/** A place is waited for this long: bodies of programs that work arrive in milliseconds. */
const PLACE_WAIT_MS = 1_000;
/** How much longer than a large body took to parse everybody else has before the next one. */
const PACE = 2;
/** So small that they are let in whatever others have under way. */
const SMALL_BYTES = 65_536;

export class UploadDesk {
  readonly #maxBytes: number;
  readonly #accounts = new Map<string, UploadAccount>();
  readonly #parsing = createGate(1);
  readonly #known = new KnownBodies();
  #bytes = 0;
  #isPaced: Promise<unknown> = Promise.resolve();

  constructor({ maxBodyBytes }: { maxBodyBytes: number }) {
    this.#maxBytes = maxBodyBytes;
  }

  /** Its bytes count until the response is over. Throws "rate-limited" (429), "overloaded" (503), "too-large" (413). */
  async read(connection: Connection, key: GatewayKey | undefined): Promise<Upload> {
    const raw = await this.readRaw(connection, key);
    return { raw, body: await this.#parse(raw, key?.id ?? "") };
  }

  /** SHA-256 of the salt, a line end and a body that was read here. */
  digest(raw: Buffer, key: GatewayKey | undefined, salt: string): string {
    return this.#known.digest(key?.id ?? "", raw, salt);
  }

  /** The same for a body that is no JSON. */
  async readRaw(connection: Connection, key: GatewayKey | undefined): Promise<Buffer> {
    const name = key?.id ?? "";
    const account = this.#accountOf(name);
    await this.#takePlace(account, key);
    if (connection.outgoing.destroyed) {
      account.places--;
      throw new TuttiError("client-left", "The client left");
    }
    let taken = 0;
    connection.outgoing.once("close", () => {
      account.bytes -= taken;
      this.#bytes -= taken;
      taken = 0;
      if (account.bytes === 0 && account.places === 0 && account.waiting.size === 0)
        this.#accounts.delete(name);
    });
    let raw: Buffer;
    try {
      raw = await connection.readBody(this.#maxBytes, (bytes) => {
        taken += bytes;
        account.bytes += bytes;
        this.#bytes += bytes;
        if (taken > SMALL_BYTES) this.#checkBytes(account);
      });
    } finally {
      account.places--;
      account.waiting.values().next().value?.();
    }
    const unpacked = await unpackBody(raw, connection.header("content-encoding"), this.#maxBytes);
    if (unpacked !== raw && !connection.outgoing.destroyed) {
      // It counts with what it has become.
      const more = Math.max(0, unpacked.length - raw.length);
      taken += more;
      account.bytes += more;
      this.#bytes += more;
      if (taken > SMALL_BYTES) this.#checkBytes(account);
    }
    return unpacked;
  }

  #accountOf(name: string): UploadAccount {
    const known = this.#accounts.get(name);
    if (known) return known;
    const account = { places: 0, bytes: 0, waiting: new Set<() => void>(), parsing: createGate(1) };
    this.#accounts.set(name, account);
    return account;
  }

  async #takePlace(account: UploadAccount, key: GatewayKey | undefined): Promise<void> {
    const most = key?.concurrency ?? MOST_UPLOADS_OF_KEY;
    const endsAt = performance.now() + PLACE_WAIT_MS;
    while (account.places >= most) {
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0)
        throw new TuttiError("rate-limited", `${most} bodies of this API key are being read already.`, {
          retryAfterMs: PLACE_WAIT_MS,
        });
      await new Promise<void>((resolve) => {
        const go = () => {
          clearTimeout(timer);
          account.waiting.delete(go);
          resolve();
        };
        const timer = setTimeout(go, leftMs);
        account.waiting.add(go);
      });
    }
    account.places++;
  }

  #checkBytes({ bytes }: UploadAccount): void {
    // A gateway that was told to take larger bodies must be able to.
    const ofKey = Math.max(MOST_BYTES_OF_KEY, this.#maxBytes);
    const retryAfterMs = PLACE_WAIT_MS;
    if (bytes > ofKey)
      throw new TuttiError(
        "rate-limited",
        `The requests of this API key that are under way have more than ${toMb(ofKey)}.`,
        { retryAfterMs },
      );
    const inAll = Math.max(MOST_BYTES_IN_FLIGHT, this.#maxBytes);
    if (this.#bytes > inAll)
      throw new TuttiError(
        "overloaded",
        `The requests that are under way here have more than ${toMb(inAll)}.`,
        {
          retryAfterMs,
        },
      );
  }

  /** One of each key waits for its turn: a key with many does not come before others with one. */
  async #parse(raw: Buffer, owner: string): Promise<Fields> {
    const before = { known: this.#known, owner };
    if (raw.length <= LARGE_BODY_BYTES) return parseBody(raw, before);
    return this.#accountOf(owner).parsing.enter(() =>
      this.#parsing.enter(async () => {
        await this.#isPaced;
        const startedAt = performance.now();
        try {
          return await parseBody(raw, before);
        } finally {
          this.#isPaced = wait(PACE * (performance.now() - startedAt), undefined, { ref: false });
        }
      }),
    );
  }
}

function toMb(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
