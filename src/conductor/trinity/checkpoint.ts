// Trained weights of TRINITY: one card, in which every number has its name. A few dozen numbers need no other file, and people
// can read what was learned.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { TuttiError } from "../../base/errors.ts";
import { writeFileSafely } from "../../files/write-safely.ts";
import { createStartPolicy, fromVector, toNames, toVector } from "./policy.ts";
import { logit, USUAL_COINCIDENCE } from "./transcript.ts";
import type { TrinityPolicy } from "./types.ts";

/** What tells a folder of TRINITY from one of the native Conductor. */
const FORMAT = "tutti-trinity";
const FILE = "card.json";
/** 1: the coincidence was a logarithm that measured ones were scaled by, now it shifts their logit. */
const VERSION = 2;

const cardSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  name: z.string().min(1),
  hasRoles: z.boolean(),
  maxTurns: z.int().min(1).max(30),
  /** What a call costs, in probability of a right answer, where nobody says otherwise. */
  costPerCall: z.number().min(0).max(1),
  weights: z.record(z.string(), z.number()),
  training: z.object({
    world: z.string(),
    isSimulated: z.boolean(),
    command: z.string(),
    seed: z.number(),
    iterations: z.number(),
    algorithm: z.string(),
    date: z.string(),
  }),
  /** For people: data, seeds, results. `splitBy` and `splitSeed` say what it was trained on. */
  about: z.record(z.string(), z.unknown()),
});
export type TrinityCard = z.infer<typeof cardSchema>;

export interface TrinityCheckpoint {
  card: TrinityCard;
  policy: TrinityPolicy;
  /** sha256 of the weights, 8 hex digits. */
  digest: string;
}

/** Throws "bad-checkpoint" where the folder holds none that can be read. */
export function loadTrinity(folder: string): TrinityCheckpoint {
  const file = join(folder, FILE);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw bad(file, (error as Error).message, error);
  }
  const { data: card, error } = cardSchema.safeParse(upgrade(value));
  if (!card) throw bad(file, `"${error.issues[0]!.path.join(".")}": ${error.issues[0]!.message}`);
  const names = toNames();
  const unknown = Object.keys(card.weights).find((name) => !names.includes(name));
  if (unknown !== undefined) throw bad(file, `it has a weight "${unknown}" that this version does not know`);
  // What a later version added keeps the value from which every search begins.
  const start = toVector(createStartPolicy());
  const vector = names.map((name, number) => card.weights[name] ?? start[number]!);
  return { card, policy: fromVector(vector), digest: digestOf(vector) };
}

export async function saveTrinity(
  folder: string,
  policy: TrinityPolicy,
  card: Omit<TrinityCard, "format" | "version" | "weights">,
): Promise<void> {
  const vector = toVector(policy);
  const weights = Object.fromEntries(toNames().map((name, number) => [name, round(vector[number]!)]));
  const { name, hasRoles, maxTurns, costPerCall, ...rest } = card;
  const whole = { format: FORMAT, version: VERSION, name, hasRoles, maxTurns, costPerCall, weights, ...rest };
  mkdirSync(folder, { recursive: true });
  await writeFileSafely(
    join(folder, FILE),
    Buffer.from(`${JSON.stringify(cardSchema.parse(whole), null, 2)}\n`),
  );
}

/** A card of version 1: the same at a usual coincidence. */
function upgrade(value: unknown): unknown {
  const card = value as { version?: unknown; weights?: { coincidence?: unknown } } | null;
  if (card?.version !== 1) return value;
  const scale = card.weights?.coincidence;
  if (typeof scale !== "number") return { ...card, version: VERSION };
  const scaled = Math.min(0.9, USUAL_COINCIDENCE * Math.exp(scale));
  const coincidence = logit(scaled) - logit(USUAL_COINCIDENCE);
  return { ...card, version: VERSION, weights: { ...card.weights, coincidence } };
}

/** Whether the folder holds a card of TRINITY, and not of another Conductor. */
export function isTrinity(folder: string): boolean {
  try {
    return (JSON.parse(readFileSync(join(folder, FILE), "utf8")) as { format?: unknown }).format === FORMAT;
  } catch {
    return false;
  }
}

/** More digits than these mean nothing, and people read them. */
function round(weight: number): number {
  return Math.round(weight * 1e6) / 1e6;
}

function digestOf(vector: readonly number[]): string {
  return createHash("sha256").update(JSON.stringify(vector)).digest("hex").slice(0, 8);
}

function bad(file: string, problem: string, cause?: unknown): TuttiError {
  return new TuttiError("bad-checkpoint", `${file} is no card of a TRINITY Conductor: ${problem}`, { cause });
}
