// A checkpoint that is used: its model is made when the first plan is wanted, once for all Conductors of the process
// that use the same folder, and lives as long as the process.

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ForwardModel } from "../../nn/forward/model.ts";
import type { TextModel } from "../../nn/text-model.ts";
import { Batcher } from "./batcher.ts";
import { type Checkpoint, loadCheckpoint } from "./checkpoint.ts";

/** The most tokens of a plan, the same as in training. */
export const PLAN_TOKENS = 48;

interface Writer {
  model: TextModel;
  batcher: Batcher;
}

export interface OpenedCheckpoint {
  checkpoint: Checkpoint;
  writer(): Writer;
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

export function openCheckpoint(checkpoint: Checkpoint): OpenedCheckpoint {
  let opened: Writer | undefined;
  return {
    checkpoint,
    writer() {
      const { card, weights, language } = checkpoint;
      if (opened) return opened;
      const model = new ForwardModel(card.shape, weights);
      const { start, end } = language;
      opened = { model, batcher: new Batcher(model, { length: PLAN_TOKENS, start, end }) };
      return opened;
    },
  };
}

function stampOf(path: string): string {
  return ["card.json", WEIGHTS, "tokenizer.json", "repertoire.yaml"]
    .map((name) => {
      const found = statSync(join(path, name), { throwIfNoEntry: false });
      return found ? `${found.mtimeMs} ${found.size}` : "none";
    })
    .join();
}
