// A checkpoint of a few thousand weights for tests, untrained: what it plans is random, and so
// meets every rule a plan can break.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CardDraft, type Checkpoint, saveCheckpoint } from "../../conductor/native/checkpoint.ts";
import { createChoices } from "../../conductor/native/choice.ts";
import { FEATURES } from "../../conductor/native/reading.ts";
import type { Repertoire } from "../../instruction/types.ts";
import { createWeights } from "../../nn/transformer.ts";
import { createTinyLanguage } from "./tiny-language.ts";

export function createTinyCheckpoint(change: Partial<CardDraft> = {}, seed = 1): Checkpoint {
  const language = createTinyLanguage();
  const { vocabulary } = language;
  const shape = { vocabulary, width: 32, layers: 1, heads: 2, hidden: 64, features: FEATURES };
  const weights = createWeights(shape, seed);
  // Embeddings as large as those of a trained model: else all tokens would be about as likely.
  const { data } = weights.get("embedding")!;
  for (let i = 0; i < data.length; i++) data[i]! *= 10;
  return {
    choices: createChoices(change.choices ?? {}, vocabulary),
    card: {
      format: "tutti-conductor",
      version: 2,
      name: "tiny",
      shape,
      repertoire: toIds(language.repertoire),
      limits: { workers: 20, rounds: 2 },
      handOffs: true,
      training: {
        world: "none",
        isSimulated: true,
        command: "none",
        seed,
        iterations: 0,
        engine: "none",
        date: "2026-01-01",
      },
      about: {},
      ...change,
    },
    weights,
    language,
  };
}

function toIds({ instructions, works, forms }: Repertoire): Checkpoint["card"]["repertoire"] {
  const ids = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);
  return { instructions: ids(instructions), works: ids(works), forms: ids(forms) };
}

/** The same in a folder of its own. */
export async function saveTinyCheckpoint(change: Partial<CardDraft> = {}, seed = 1): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tutti-checkpoint-"));
  await saveCheckpoint(folder, createTinyCheckpoint(change, seed), { dtype: "F16" });
  return folder;
}
