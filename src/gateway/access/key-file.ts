// The file with the gateway's keys: read strictly, changed by one process at a time, replaced in one step.
// A field that is not known may be a restriction of a later version, so it is damage and not ignored: whoever
// cannot read the restrictions of a key must let nobody in.
// Covered: death of the process, two processes that change it at once. Not covered: a disk that lies.

import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { TuttiError } from "../../base/errors.ts";
import { createGate, type Gate } from "../../base/gate.ts";
import { claimFile } from "../../files/claim-file.ts";
import { makePrivateFolder } from "../../files/private.ts";
import { writeFileSafely } from "../../files/write-safely.ts";
import { BUDGET_WINDOWS } from "./budget-window.ts";

const VERSION = 1;
/** A change takes milliseconds; another process that holds the file longer than this has stopped. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 15;

const time = z.number().int().min(0).max(8.64e15);
const names = z.array(z.string().min(1).max(200)).min(1).max(1000);
/** Times are milliseconds since 1970. Absent limits are no limits. */
const keySchema = z.strictObject({
  id: z.string().regex(/^key_[0-9a-z]{8}$/),
  name: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u)
    .refine((name) => name === name.trim()),
  /** SHA-256 of the secret, in hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** The last four characters of the secret, so that people can tell keys apart. */
  hint: z.string().length(4),
  createdAt: time,
  expiresAt: time.optional(),
  revokedAt: time.optional(),
  /** May see runs and bills of all keys. */
  isAdmin: z.boolean(),
  /** Providers ("openai") or workers ("anthropic/claude-opus-5-5"): nobody else may be asked. */
  only: names.optional(),
  /** These may not be asked, even where `only` names them. */
  without: names.optional(),
  /** With a budget: fields of passed-through requests that may change their price, allowed all the same; "*" is all. */
  allowFields: names.optional(),
  requestsPerMinute: z.number().int().min(1).max(1_000_000).optional(),
  concurrency: z.number().int().min(1).max(100_000).optional(),
  budget: z.strictObject({ usd: z.number().positive().max(1e9), window: z.enum(BUDGET_WINDOWS) }).optional(),
});
export type GatewayKey = z.infer<typeof keySchema>;

const fileSchema = z
  .strictObject({ version: z.literal(VERSION), keys: z.array(keySchema) })
  .refine(({ keys }) => new Set(keys.map(({ id }) => id)).size === keys.length, "two keys have the same id")
  .refine(
    ({ keys }) => new Set(keys.map(({ hash }) => hash)).size === keys.length,
    "two keys have the same hash",
  );

/** The field that cannot be as it is, or undefined for a key that can be kept. */
export function findBadField(key: GatewayKey): string | undefined {
  const { error } = keySchema.safeParse(key);
  return error && toPlace(error.issues[0]!);
}

/** Undefined for what cannot be read: it may be a key with restrictions of a later version. */
export function parseKey(value: unknown): GatewayKey | undefined {
  return keySchema.safeParse(value).data;
}

/** No file is no keys. Throws "keys-damaged" for anything else that cannot be read. */
export function readKeyFile(file: string): GatewayKey[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw damaged(file, `it cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(file, "it is no JSON", error);
  }
  const { data, error } = fileSchema.safeParse(value);
  if (data) return data.keys;
  const issue = error.issues[0]!;
  const place = toPlace(issue);
  throw damaged(file, place === "" ? issue.message : `"${place}" is not as it must be`);
}

/** Changes whenever the file does: a replaced file has a number of its own. */
export function toFileMark(file: string): string {
  try {
    const { ino, mtimeMs, ctimeMs, size } = statSync(file);
    return `${ino} ${mtimeMs} ${ctimeMs} ${size}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/**
 * `change` gets the keys as they are now and returns them as they shall be, with its result. Where it returns
 * the same list, nothing is written; where it throws, nothing is changed.
 */
export async function changeKeyFile<T>(
  file: string,
  change: (keys: readonly GatewayKey[]) => { keys: readonly GatewayKey[]; result: T },
): Promise<T> {
  return turnAt(file).enter(() => changeAlone(file, change));
}

/**
 * Changes of this process wait for each other here, in order, and not for the claim: one that has to try again and
 * again may be overtaken until its patience ends.
 */
const turns = new Map<string, Gate>();

function turnAt(file: string): Gate {
  const path = resolve(file);
  const turn = turns.get(path) ?? createGate(1);
  turns.set(path, turn);
  return turn;
}

async function changeAlone<T>(
  file: string,
  change: (keys: readonly GatewayKey[]) => { keys: readonly GatewayKey[]; result: T },
): Promise<T> {
  makePrivateFolder(dirname(file));
  const release = await claim(`${file}.lock`);
  try {
    const before = readKeyFile(file);
    const { keys, result } = change(before);
    if (keys !== before) await replace(file, `${JSON.stringify({ version: VERSION, keys }, null, 2)}\n`);
    return result;
  } finally {
    release();
  }
}

async function claim(lock: string): Promise<() => void> {
  const busy = () =>
    new TuttiError("keys-busy", `The keys are being changed by another process. If not so, delete ${lock}`);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return claimFile(lock, busy);
    } catch (error) {
      const isBusy = error instanceof TuttiError && error.code === "keys-busy";
      if (!isBusy || performance.now() > deadline) throw error;
      await wait(RETRY_MS);
    }
  }
}

async function replace(file: string, text: string): Promise<void> {
  await writeFileSafely(file, Buffer.from(text)).catch((cause: TuttiError) => {
    throw new TuttiError("keys-not-written", cause.message, { cause });
  });
}

function toPlace({ path, code, ...issue }: z.core.$ZodIssue): string {
  const unknown = code === "unrecognized_keys" ? (issue as { keys: string[] }).keys.slice(0, 1) : [];
  return [...path, ...unknown].map(String).join(".");
}

function damaged(file: string, problem: string, cause?: unknown): TuttiError {
  return new TuttiError(
    "keys-damaged",
    `${file} is damaged: ${problem}. Nobody is let in until it is repaired: put a copy of it back, ` +
      "or delete it and create new keys with: tutti keys create --name NAME",
    { cause },
  );
}
