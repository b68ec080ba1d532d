// The state of a training on disk: the trainer's own and the algorithm's, enough to go on as if nothing had happened.
// A new state is written beside the old one, then `latest.json` points at it: a kill or a full disk leaves the last
// good one. States of before 0.2 are upgraded here, and nowhere else.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, TuttiError } from "../base/errors.ts";
import { makePrivateFolder } from "../files/private.ts";
import { type WriteSystem, writeFileSafely } from "../files/write-safely.ts";
import { fromSafetensors, toSafetensors } from "../nn/safetensors.ts";
import type { AlgorithmState, ValidationMetrics } from "./types.ts";

export interface TrainerState {
  /** Of the algorithm. */
  name: string;
  /** The next one. */
  iteration: number;
  best?: ValidationMetrics;
  /** An evaluation is due and was not finished. */
  isEvaluationDue?: boolean;
  /** What the minutes became. */
  iterations?: number;
  secondsOfFirst: number[];
}

const LATEST = "latest.json";
const TENSORS = "state.safetensors";
const VALUES = "values.json";
const VERSION = 2;

const latestSchema = z.object({
  version: z.literal(VERSION),
  folder: z.string().regex(/^[0-9]+$/),
  name: z.string(),
  iteration: z.int().nonnegative(),
  best: z.record(z.string(), z.unknown()).optional(),
  isEvaluationDue: z.boolean().optional(),
  iterations: z.number().optional(),
  secondsOfFirst: z.array(z.number()),
});

export async function saveState(
  folder: string,
  state: TrainerState,
  { tensors, values }: AlgorithmState,
  system?: WriteSystem,
): Promise<void> {
  const name = String(state.iteration);
  makePrivateFolder(join(folder, name));
  const write = (file: string, bytes: Uint8Array) => writeFileSafely(join(folder, file), bytes, system);
  const toBytes = (json: unknown) => new TextEncoder().encode(JSON.stringify(json));
  await write(join(name, TENSORS), toSafetensors(tensors, {}));
  await write(join(name, VALUES), toBytes(values));
  await write(LATEST, toBytes({ version: VERSION, folder: name, ...state }));
  for (const other of readdirSync(folder))
    if (/^[0-9]+$/.test(other) && other !== name)
      rmSync(join(folder, other), { recursive: true, force: true });
}

/** Nothing where no state was saved yet: the training begins at its beginning. */
export async function loadState(
  folder: string,
): Promise<{ state: TrainerState; algorithm: AlgorithmState } | undefined> {
  if (!existsSync(join(folder, LATEST))) return undefined;
  const readJson = (...file: string[]) => JSON.parse(readFileSync(join(folder, ...file), "utf8"));
  try {
    const json = readJson(LATEST);
    const { folder: name, version: _, ...state } = latestSchema.parse(upgradeLatest(json));
    const { weights: tensors } = fromSafetensors(readFileSync(join(folder, name, TENSORS)));
    const values =
      json.version === VERSION
        ? readJson(name, VALUES)
        : { shape: json.shape, choices: json.choices ?? {}, tokenizer: readJson(name, "tokenizer.json") };
    return { state: state as TrainerState, algorithm: { tensors, values } };
  } catch (cause) {
    const message = `The training in ${folder} cannot go on: ${explain(cause)}`;
    throw new TuttiError("bad-checkpoint", message, { cause });
  }
}

/** Version 1 knew one algorithm, and held its shape and choices itself. */
function upgradeLatest(latest: Record<string, unknown>): unknown {
  if (latest.version !== 1) return latest;
  const { look, best, ...rest } = latest;
  const validation = best ? { ...best, type: "validation" } : undefined;
  return { ...rest, version: VERSION, name: "native", best: validation, isEvaluationDue: look !== undefined };
}

function explain(cause: unknown): string {
  if (!(cause instanceof z.ZodError)) return messageOf(cause);
  const [issue] = cause.issues;
  return `${LATEST} is damaged, or of a version after ${VERSION}: ${issue?.path.join(".")}: ${issue?.message}`;
}
