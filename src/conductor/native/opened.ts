// A checkpoint that is used: its model and its engine are opened when the first plan is wanted, once for all
// Conductors of the process that use the same folder, and live as long as the process.

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { openEngine } from "../../nn/engine.ts";
import { Model } from "../../nn/model.ts";
import type { Engine } from "../../nn/types.ts";
import { Batcher } from "./batcher.ts";
import { type Checkpoint, loadCheckpoint } from "./checkpoint.ts";

/** The most tokens of a plan, the same as in training. */
export const PLAN_TOKENS = 48;

/**
 * The model is so small that a second thread has little to do but to wait for the first; on a machine that is
 * busy it makes plans several times slower.
 */
const THREADS = 1;

export interface OpenedCheckpoint {
  checkpoint: Checkpoint;
  engine(): Promise<Engine>;
  writer(): Promise<{ model: Model; batcher: Batcher }>;
}

const WEIGHTS = "weights.safetensors";
const byFolder = new Map<string, { stamp: string; opened: OpenedCheckpoint }>();

/** Throws "bad-checkpoint" where the folder holds none that can be read. */
export function openFolder(folder: string): OpenedCheckpoint {
  const path = resolve(folder);
  // A training may have written a better one there since.
  const stamp = stampOf(path);
  const known = byFolder.get(path);
  if (known?.stamp === stamp) return known.opened;
  const opened = openCheckpoint(loadCheckpoint(folder));
  byFolder.set(path, { stamp, opened });
  return opened;
}

const digests = new Map<string, { stamp: string; digest: string }>();

/** Which weights these are: the beginning of their sha256, 8 hex. */
export function digestOf(folder: string): string {
  const path = resolve(folder);
  const stamp = stampOf(path);
  let known = digests.get(path);
  if (known?.stamp !== stamp) {
    const hash = createHash("sha256").update(readFileSync(join(path, WEIGHTS)));
    known = { stamp, digest: hash.digest("hex").slice(0, 8) };
    digests.set(path, known);
  }
  return known.digest;
}

export function openCheckpoint(checkpoint: Checkpoint, given?: Engine): OpenedCheckpoint {
  const { card, weights, language } = checkpoint;
  const engine = given ? async () => given : sharedEngine;
  const writer = once(async () => {
    const model = new Model(await engine(), card.shape, weights);
    const { start, end } = language;
    return { model, batcher: new Batcher(model, { length: PLAN_TOKENS, start, end }) };
  });
  return { checkpoint, engine, writer };
}

const sharedEngine = once(() => openEngine({ threads: THREADS }));

/** What failed is tried again: an engine may have been installed since. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

function stampOf(path: string): string {
  return ["card.json", WEIGHTS, "tokenizer.json"]
    .map((name) => {
      const found = statSync(join(path, name), { throwIfNoEntry: false });
      return found ? `${found.mtimeMs} ${found.size}` : "none";
    })
    .join();
}
