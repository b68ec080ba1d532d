// A trained Conductor on disk: `card.json` (what it is, where it comes from, what it reaches), `weights.safetensors`,
// `tokenizer.json` and `repertoire.yaml` (the sentences it chooses from) in one folder.

import { join } from "node:path";
import { z } from "zod";
import { DEEPEST_LEVEL, isDeep } from "../../base/deep.ts";
import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { readWhole } from "../../files/bounds.ts";
import { makePrivateFolder } from "../../files/private.ts";
import { type WriteSystem, writeFileSafely } from "../../files/write-safely.ts";
import { parseRepertoire, toRepertoireYaml } from "../../instruction/repertoire.ts";
import type { Repertoire } from "../../instruction/types.ts";
import { fromSafetensors, toSafetensors } from "../../nn/safetensors.ts";
import { fromTokenizerJson } from "../../nn/tokenizer.ts";
import { weightDims } from "../../nn/transformer.ts";
import type { Weights } from "../../nn/types.ts";
import { MAX_STEPS } from "../../workflow/types.ts";
import { type Choices, choiceDims, choiceTensors, createChoices } from "./choice.ts";
import { Language } from "./language.ts";
import { FEATURES } from "./reading.ts";

const FORMAT = "tutti-conductor";
/** 1 wrote the words of its subtasks itself. */
const VERSION = 2;
/** Ours have a few megabytes of weights and a tokenizer of some hundred kilobytes; a stranger's may be larger. */
const MOST_WEIGHTS_BYTES = 1_000_000_000;
const MOST_JSON_BYTES = 32_000_000;

const cardSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  /** "rehearsal-1": part of the Conductor's id in traces. */
  name: z.string(),
  shape: z.object({
    // Bounded, for a name and a shape are made for each weight before any is looked for.
    vocabulary: z.int().positive().max(1_000_000),
    width: z.int().positive().max(65_536),
    layers: z.int().positive().max(256),
    heads: z.int().positive().max(1_024),
    hidden: z.int().positive().max(1_000_000),
    features: z.int().positive().max(65_536),
  }),
  limits: z.object({
    /** The largest pool it may be given. */
    workers: z.int().positive(),
    /** Rounds it was trained for. */
    rounds: z.int().positive(),
  }),
  /** How large its teams are; absent: it decides. */
  size: z.int().min(1).max(MAX_STEPS).optional(),
  /** Sizes of teams it chooses from, before it writes and after a round; absent: it decides while it writes. */
  choices: z
    .object({
      first: z.array(z.int().min(1).max(MAX_STEPS)).min(1).optional(),
      /** 0: the answer is taken as it is. */
      later: z.array(z.int().min(0).max(MAX_STEPS)).min(1).optional(),
    })
    .optional(),
  /**
   * Ids of what it chooses from, in the order of its tokens. The sentences are in its repertoire.yaml, where people may
   * change their words; what they add there has no token until it is trained with.
   */
  repertoire: z.object({
    instructions: z.array(z.string()).min(1),
    works: z.array(z.string()).min(1),
    forms: z.array(z.string()),
  }),
  /** Cost per call when choosing the team size, of a reward from 0 to 1; right against wrong is 0.5. */
  cost: z.number().nonnegative().optional(),
  /** Negative log-likelihood of questions, in nats per token. Above the threshold it was not trained on such a kind. */
  nll: z.object({ threshold: z.number(), median: z.number(), share: z.number() }).optional(),
  /** What the questions of its training without options ended with, after their own words: it reads others as if they did. */
  closing: z.string().optional(),
  /**
   * Models may see the replies of others: always, never, or where the pool allows it. It was trained where that was
   * possible, where it was not, or in both.
   */
  handOffs: z.union([z.boolean(), z.literal("by-pool")]),
  training: z.object({
    world: z.string(),
    isSimulated: z.boolean(),
    command: z.string(),
    seed: z.number(),
    iterations: z.number(),
    engine: z.string(),
    date: z.string(),
  }),
  /** Free text and metrics for people: data, results, curves, limits. */
  about: z.record(z.string(), z.unknown()).default({}),
});
export type Card = z.infer<typeof cardSchema>;
export type CardDraft = Omit<Card, "format" | "version" | "repertoire">;

export interface Checkpoint {
  card: Card;
  weights: Weights;
  language: Language;
  /** Those of the card. */
  choices: Choices;
}

export type CheckpointDraft = Omit<Checkpoint, "card" | "choices"> & { card: CardDraft; choices?: Choices };

export async function saveCheckpoint(
  folder: string,
  { card, weights, language, choices = {} }: CheckpointDraft,
  options: { dtype?: "F32" | "F16"; system?: WriteSystem } = {},
): Promise<void> {
  makePrivateFolder(folder);
  const { repertoire } = language;
  const ids = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);
  const whole: Card = {
    ...{ format: FORMAT, version: VERSION, ...card },
    repertoire: {
      instructions: ids(repertoire.instructions),
      works: ids(repertoire.works),
      forms: ids(repertoire.forms),
    },
  };
  const text = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
  const tokenizer = new TextEncoder().encode(`${JSON.stringify(language.tokenizer.toJson())}\n`);
  const { dtype = "F32", system } = options;
  const write = (name: string, bytes: Uint8Array) => writeFileSafely(join(folder, name), bytes, system);
  const tensors: Weights = new Map([...weights, ...choiceTensors(choices, { isLearning: false })]);
  await write("weights.safetensors", toSafetensors(tensors, { name: card.name }, { dtype }));
  await write("tokenizer.json", tokenizer);
  await write("repertoire.yaml", new TextEncoder().encode(toRepertoireYaml(repertoire)));
  await write("card.json", text(whole));
}

/** What the checkpoint says of itself, without its weights. */
export function loadCard(folder: string): Card {
  return parseCard(folder, readJson(folder, "card.json"));
}

export function loadCheckpoint(folder: string): Checkpoint {
  const card = loadCard(folder);
  const language = of(folder, () => {
    const tokenizer = fromTokenizerJson(readJson(folder, "tokenizer.json"));
    return new Language(tokenizer, readRepertoire(folder, card));
  });
  const { weights: tensors } = of(folder, () =>
    fromSafetensors(read(folder, "weights.safetensors", MOST_WEIGHTS_BYTES)),
  );
  const { shape, choices: sizes = {} } = card;
  if (shape.features !== FEATURES || shape.vocabulary !== language.vocabulary)
    throw bad(
      folder,
      `it describes workers by ${shape.features} features and knows ${shape.vocabulary} tokens; ${FEATURES} and ${language.vocabulary} are needed`,
    );
  const own = [...weightDims(shape)];
  for (const [name, dims] of [...own, ...choiceDims(sizes, language.vocabulary)]) {
    const own = tensors.get(name)?.dims;
    if (own?.join() !== dims.join())
      throw bad(
        folder,
        `weight "${name}" is ${own ? `[${own.join(", ")}]` : "missing"}, and [${dims.join(", ")}] is needed`,
      );
  }
  const weights: Weights = new Map(own.map(([name]) => [name, tensors.get(name)!]));
  return { card, weights, language, choices: createChoices(sizes, language.vocabulary, tensors) };
}

/** Those of the card, in its order, in the words of the file. */
function readRepertoire(folder: string, { repertoire: ids }: Card): Repertoire {
  const name = "repertoire.yaml";
  const text = new TextDecoder().decode(read(folder, name, MOST_JSON_BYTES));
  const found = parseRepertoire(text, name);
  const order = <Entry extends { id: string }>(wanted: readonly string[], entries: readonly Entry[]) =>
    wanted.map((id) => {
      const entry = entries.find((each) => each.id === id);
      if (entry) return entry;
      throw bad(folder, `${name} has no entry "${id}", which the weights were trained with`);
    });
  return {
    instructions: order(ids.instructions, found.instructions),
    works: order(ids.works, found.works),
    forms: order(ids.forms, found.forms),
  };
}

function parseCard(folder: string, json: unknown): Card {
  const { surprise, ...rest } = (json ?? {}) as Record<string, unknown>;
  // Cards of before 0.2 call it "surprise".
  const parsed = cardSchema.safeParse({ nll: surprise, ...rest });
  if (parsed.success) return parsed.data;
  const { version, format } = rest;
  if (format === FORMAT && version !== VERSION)
    throw bad(
      folder,
      `it is of version ${String(version)}, and this Tutti reads version ${VERSION}: train it again, or use the Tutti that made it`,
    );
  const [issue] = parsed.error.issues;
  throw bad(folder, `card.json: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
}

/** What is wrong with a file, with the folder it is in. */
function of<T>(folder: string, readPart: () => T): T {
  try {
    return readPart();
  } catch (cause) {
    if (!isTuttiError(cause) || cause.message.includes(folder)) throw cause;
    const { message } = cause;
    throw bad(folder, `${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.$/, "")}`, cause);
  }
}

function readJson(folder: string, name: string): unknown {
  const text = new TextDecoder().decode(read(folder, name, MOST_JSON_BYTES));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw bad(folder, `${name} is no JSON, or cut off`, cause);
  }
  if (isDeep(value)) throw bad(folder, `${name} is nested more than ${DEEPEST_LEVEL} levels deep`);
  return value;
}

function read(folder: string, name: string, mostBytes: number): Uint8Array {
  try {
    return readWhole(join(folder, name), mostBytes);
  } catch (cause) {
    if (isTuttiError(cause)) throw bad(folder, cause.message, cause);
    throw bad(folder, `${name} cannot be read`, cause);
  }
}

function bad(folder: string, problem: string, cause?: unknown): TuttiError {
  return new TuttiError("bad-checkpoint", `No trained Conductor in ${folder}: ${problem}.`, {
    cause,
  });
}
