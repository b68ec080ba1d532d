// The state of a training on disk: enough to go on as if nothing had happened. A new state is written beside
// the old one, then `latest.json` points at it: a kill or a full disk leaves the last good one.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { TuttiError } from "../base/errors.ts";
import { type Choices, choiceTensors, createChoices, sizesOf } from "../conductor/native/choice.ts";
import { Language } from "../conductor/native/language.ts";
import { type WriteSystem, writeFileSafely } from "../files/write-safely.ts";
import { fromSafetensors, toSafetensors } from "../nn/safetensors.ts";
import { fromTokenizerJson } from "../nn/tokenizer.ts";
import { weightDims } from "../nn/transformer.ts";
import type { ModelShape, Weights } from "../nn/types.ts";
import type { StageName, TuneFigures } from "./types.ts";

export interface TrainingState {
  /** The next one. */
  iteration: number;
  shape: ModelShape;
  weights: Weights;
  language: Language;
  /** Of the sizes of teams, as far as they are not settled. */
  choices: Choices;
  /** Of the optimiser. */
  moments?: Weights;
  best?: TuneFigures;
  /** The stage of a look at the tune split that is due and was not finished. */
  look?: StageName;
  /** What the minutes became. */
  iterations?: number;
  secondsOfFirst: number[];
}

const LATEST = "latest.json";
const VERSION = 1;
const MOMENT = "moment:";

const latestSchema = z.object({
  version: z.literal(VERSION),
  folder: z.string().regex(/^[0-9]+$/),
  iteration: z.int().nonnegative(),
  shape: z.record(z.string(), z.number()),
  best: z.record(z.string(), z.unknown()).optional(),
  look: z.enum(["warm-up", "supervised", "selection", "teams", "rounds", "sizes"]).optional(),
  iterations: z.number().optional(),
  choices: z
    .object({ first: z.array(z.number()).optional(), later: z.array(z.number()).optional() })
    .default({}),
  secondsOfFirst: z.array(z.number()),
});

export async function saveState(folder: string, state: TrainingState, system?: WriteSystem): Promise<void> {
  const {
    iteration,
    shape,
    weights,
    moments = new Map(),
    choices,
    language,
    best,
    look,
    iterations,
    secondsOfFirst,
  } = state;
  const name = String(iteration);
  mkdirSync(join(folder, name), { recursive: true });
  const all: Weights = new Map(weights);
  for (const [key, value] of moments) all.set(`${MOMENT}${key}`, value);
  for (const [key, value] of choiceTensors(choices, { isLearning: true })) all.set(key, value);
  await writeFileSafely(join(folder, name, "state.safetensors"), toSafetensors(all, {}), system);
  const tokenizer = JSON.stringify(language.tokenizer.toJson());
  await writeFileSafely(join(folder, name, "tokenizer.json"), new TextEncoder().encode(tokenizer), system);
  const latest: z.input<typeof latestSchema> = {
    version: VERSION,
    folder: name,
    iteration,
    shape: { ...shape },
    secondsOfFirst,
    choices: structuredClone(sizesOf(choices)) as z.input<typeof latestSchema>["choices"],
    ...(best && { best: { ...best } }),
    ...(look && { look }),
    ...(iterations !== undefined && { iterations }),
  };
  await writeFileSafely(join(folder, LATEST), new TextEncoder().encode(JSON.stringify(latest)), system);
  for (const other of readdirSync(folder))
    if (/^[0-9]+$/.test(other) && other !== name)
      rmSync(join(folder, other), { recursive: true, force: true });
}

/** Nothing where no state was saved yet: the training begins at its beginning. */
export async function loadState(folder: string): Promise<TrainingState | undefined> {
  const file = join(folder, LATEST);
  if (!existsSync(file)) return undefined;
  try {
    const latest = latestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    const { weights: all } = fromSafetensors(readFileSync(join(folder, latest.folder, "state.safetensors")));
    const tokenizer = JSON.parse(readFileSync(join(folder, latest.folder, "tokenizer.json"), "utf8"));
    const shape = latest.shape as unknown as ModelShape;
    // In the order they were made in: the norm of a gradient depends on the order of its sum, by a hair.
    const weights: Weights = new Map();
    for (const [name] of weightDims(shape)) {
      const value = all.get(name);
      if (!value) throw new TuttiError("bad-checkpoint", `weight "${name}" is missing`);
      weights.set(name, value);
    }
    const moments: Weights = new Map();
    for (const [name, value] of all)
      if (name.startsWith(MOMENT)) moments.set(name.slice(MOMENT.length), value);
    const language = new Language(fromTokenizerJson(tokenizer));
    return {
      iteration: latest.iteration,
      shape,
      weights,
      language,
      choices: createChoices(latest.choices, language.vocabulary, all),
      ...(moments.size > 0 && { moments }),
      secondsOfFirst: latest.secondsOfFirst,
      ...(latest.best && { best: latest.best as unknown as TuneFigures }),
      ...(latest.look && { look: latest.look }),
      ...(latest.iterations !== undefined && { iterations: latest.iterations }),
    };
  } catch (cause) {
    const reason = explain(cause);
    const message = `The training in ${folder} cannot go on: ${reason}`;
    throw new TuttiError("bad-checkpoint", message, { cause });
  }
}

function explain(cause: unknown): string {
  if (!(cause instanceof z.ZodError)) return cause instanceof Error ? cause.message : String(cause);
  const [issue] = cause.issues;
  return `${LATEST} is damaged, or of a version other than ${VERSION}: ${issue?.path.join(".")}: ${issue?.message}`;
}
