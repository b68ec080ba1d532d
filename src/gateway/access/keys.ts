// The keys of the gateway: who may ask, whom they may ask, how much. A key's secret is shown once and never
// kept: what is kept is its hash, and a key is found by it. The ring looks again at where they are kept (key-shelf.ts),
// so that a key revoked by the command is refused by a running gateway about a second later.

import { createHash, randomBytes, randomInt } from "node:crypto";
import { join } from "node:path";
import { TuttiError, usageError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import { didYouMean } from "../../base/suggest.ts";
import { type Environment, toTuttiHome } from "../../config/home.ts";
import { isHelperId, isModel } from "../../worker/kinds.ts";
import type { Pool, Worker } from "../../worker/types.ts";
import { findBadField, type GatewayKey } from "./key-file.ts";
import { type KeyShelf, openKeyFile } from "./key-shelf.ts";
import { isNamedAnyhow, isNamedExactly } from "./model-names.ts";

export type { GatewayKey } from "./key-file.ts";

export type KeySettings = Pick<GatewayKey, "name"> &
  Partial<Omit<GatewayKey, "id" | "name" | "hash" | "hint" | "createdAt" | "revokedAt">>;

export interface KeyRing {
  /** As they are kept, oldest first. Throws "keys-damaged" with what to do. */
  list(): GatewayKey[];
  /**
   * No key was ever defined. A file whose keys are all revoked is not empty, and neither is one that was
   * deleted under a gateway that had keys: both refuse everybody.
   */
  isEmpty(): boolean;
  /** Throws "auth" (401) for a key that is missing, unknown, revoked or expired, without repeating it. */
  find(secret: string | undefined): GatewayKey;
  /** For each request: as `find`, but undefined as long as no key was ever defined. Tells clients nothing of files. */
  identify(secret: string | undefined): GatewayKey | undefined;
  /** As `find`, for a run that a key has begun: its secret is not kept. */
  findById(id: string): GatewayKey;
  /** The secret cannot be had again. */
  create(settings: KeySettings): Promise<{ key: GatewayKey; secret: string }>;
  /** By id, name, the beginning of either where only one key has it, or the secret itself. */
  revoke(text: string): Promise<GatewayKey>;
}

const PREFIX = "sk-tutti-";
const SECRET_BYTES = 32;
const HINT_LENGTH = 4;

/** Over the file of this machine. */
export function openKeyRing({ env, now = Date.now }: { env: Environment; now?: () => number }): KeyRing {
  return createKeyRing(openKeyFile(toKeyFile(env), now), now);
}

export function toKeyFile(env: Environment): string {
  return join(toTuttiHome(env), "keys.json");
}

export function createKeyRing(shelf: KeyShelf, now: () => number = Date.now): KeyRing {
  let known: readonly GatewayKey[] = [];
  let byHash = new Map<string, GatewayKey>();
  let hadKeys = false;

  function current(): readonly GatewayKey[] {
    const keys = shelf.current();
    if (keys === known) return keys;
    known = keys;
    byHash = new Map(keys.map((key) => [key.hash, key]));
    hadKeys ||= keys.length > 0;
    return keys;
  }

  /** The reason is for the gateway's own log, and not for clients. */
  function look(): void {
    try {
      current();
    } catch (error) {
      throw unreadable(error as TuttiError);
    }
  }

  function find(secret: string | undefined): GatewayKey {
    look();
    if (!secret)
      throw refused(
        `No API key was sent. Send "Authorization: Bearer ${PREFIX}…" or "x-api-key: ${PREFIX}…".`,
      );
    const key = byHash.get(toHash(secret));
    if (!key) throw refused(`This API key is not known here. Keys of this gateway begin with "${PREFIX}".`);
    return usable(key);
  }

  function usable(key: GatewayKey): GatewayKey {
    if (key.revokedAt !== undefined) throw refused(`The API key "${key.name}" was revoked.`);
    if (key.expiresAt !== undefined && now() >= key.expiresAt)
      throw refused(`The API key "${key.name}" expired at ${new Date(key.expiresAt).toISOString()}.`);
    return key;
  }

  return {
    list: () => [...current()],
    isEmpty: () => current().length === 0 && !hadKeys,
    find,
    findById(id) {
      const key = current().find((each) => each.id === id);
      if (!key) throw refused(`The API key ${id} is not known here any more.`);
      return usable(key);
    },
    identify(secret) {
      look();
      return hadKeys ? find(secret) : undefined;
    },
    async create(settings) {
      const secret = `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64url")}`;
      const key = await shelf.change((before) => {
        const made = toKey(settings, secret, before, now());
        return { keys: [...before, made], result: made };
      });
      current();
      return { key, secret };
    },
    revoke: (text) =>
      shelf.change((before) => {
        const found = findKey(before, text);
        if (found.revokedAt !== undefined) return { keys: before, result: found };
        const result = { ...found, revokedAt: now() };
        return { keys: before.map((key) => (key === found ? result : key)), result };
      }),
  };
}

export function toKeyState(key: GatewayKey, now: number): "active" | "expired" | "revoked" {
  if (key.revokedAt !== undefined) return "revoked";
  return key.expiresAt !== undefined && now >= key.expiresAt ? "expired" : "active";
}

/** As others may see it: without the hash, which is nobody's business. */
export function toShownKey(key: GatewayKey, now: number) {
  const { hash: _, ...shown } = key;
  return { ...shown, state: toKeyState(key, now) };
}

function toKey(
  { isAdmin = false, ...settings }: KeySettings,
  secret: string,
  before: readonly GatewayKey[],
  now: number,
): GatewayKey {
  const namesake = before.find(({ name, revokedAt }) => name === settings.name && revokedAt === undefined);
  if (namesake)
    throw usageError(
      `There is a key "${namesake.name}" already (${namesake.id}). Choose another name, or revoke it first`,
    );
  const key: GatewayKey = {
    id: toFreshId(before),
    ...settings,
    hash: toHash(secret),
    hint: secret.slice(-HINT_LENGTH),
    createdAt: now,
    isAdmin,
  };
  const field = findBadField(key);
  if (field !== undefined) {
    const hint = field === "name" ? ": it must have 1 to 64 characters that can be seen" : "";
    throw usageError(`A key cannot have this value for "${field}"${hint}`);
  }
  return key;
}

function toFreshId(keys: readonly GatewayKey[]): string {
  for (;;) {
    const id = `key_${Array.from({ length: 8 }, () => randomInt(36).toString(36)).join("")}`;
    if (!keys.some((key) => key.id === id)) return id;
  }
}

/** Whoever finds a leaked secret has only that: it names its key too, and no error repeats it. */
function findKey(keys: readonly GatewayKey[], text: string): GatewayKey {
  const isSecret = text.startsWith(PREFIX);
  const living = keys.filter(({ revokedAt }) => revokedAt === undefined);
  const exact =
    keys.find((key) => key.id === text || (isSecret && key.hash === toHash(text))) ??
    living.find(({ name }) => name === text);
  if (exact) return exact;
  const begun =
    text === "" ? [] : living.filter(({ id, name }) => id.startsWith(text) || name.startsWith(text));
  if (begun.length === 1) return begun[0]!;
  if (begun.length > 1) {
    const some = begun.slice(0, 3).map(({ id, name }) => `${name} ${id}`);
    throw usageError(
      `"${shorten(text)}" begins ${begun.length} keys (${some.join(", ")}${begun.length > 3 ? ", …" : ""}): write more of it`,
    );
  }
  const gone = keys.findLast(({ name }) => name === text);
  if (gone) return gone;
  const known = living.flatMap(({ id, name }) => [id, name]);
  throw new TuttiError(
    "unknown-key",
    isSecret
      ? "There is no key with this secret."
      : `There is no key "${shorten(text)}".${didYouMean(text, known)}`,
  );
}

function toHash(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function refused(message: string): TuttiError {
  return new TuttiError("auth", message);
}

/** Clients learn nothing of the gateway's files; the reason is for its log. */
function unreadable(cause: TuttiError): TuttiError {
  const message = "The keys of this gateway cannot be read, so nobody is let in. Its log says why.";
  return new TuttiError(cause.code, message, { cause });
}

// ---- Whom a key may ask -------------------------------------------------------------------------

/**
 * `reference` is what stands behind a worker that the config gives a name of its own ("strong"), as "provider/model":
 * without it the name is all there is to go by. A name that looks like another provider's does not help where it is given.
 */
export function isAllowed(key: GatewayKey | undefined, workerId: string, reference = workerId): boolean {
  if (!key || isHelperId(workerId)) return true;
  const { only, without = [] } = key;
  const isOnly = only === undefined || isNamedExactly(only, reference) || only.includes(workerId);
  return isOnly && !isNamedAnyhow(without, reference) && !isNamedAnyhow(without, workerId);
}

/** Fields by which a reseller takes another model than the one that is named, where that one fails or anyhow. */
const OTHER_MODELS = ["models", "fallbacks", "fallback_models", "route", "preset"];

/** Throws "forbidden" for a request to one model that could reach others, of a key that may not ask everybody. */
export function checkOneModel(key: GatewayKey | undefined, body: object): void {
  if (!key || (key.only === undefined && key.without === undefined)) return;
  const param = OTHER_MODELS.find((name) => Object.hasOwn(body, name));
  if (param === undefined) return;
  const why = `"${param}" could lead to models that the API key "${key.name}" may not ask. Leave it out.`;
  throw new TuttiError("forbidden", why, { param });
}

/** The same pool where nobody is left out. */
export function restrictPool(
  key: GatewayKey | undefined,
  pool: Pool,
  isFine: (worker: Worker) => boolean = ({ id }) => isAllowed(key, id),
): Pool {
  if (!key) return pool;
  const members = pool.members.filter(({ worker }) => isFine(worker));
  if (members.length === pool.members.length) return pool;
  if (!members.some(({ worker }) => isModel(worker)))
    throw new TuttiError("forbidden", `The API key "${key.name}" may ask none of the models of this pool.`);
  return { members };
}
