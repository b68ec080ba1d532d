// The config as it may be written, in a file or in code, with its defaults: the specification of
// `tutti.config.*`. Strict: what is not here is an error (see problems.ts), never silently ignored.
// Besides it Tutti reads from the environment: the keys named in default-models.ts, OPENAI_BASE_URL,
// OPENAI_MODEL (which of its models, comma-separated), ANTHROPIC_BASE_URL, TUTTI_HOME (its own files) and
// TUTTI_REHEARSAL_DELAY (1 is the simulated delay of the rehearsal pool, 0 none).

import { z } from "zod";
import { isObject } from "../base/fields.ts";
import { QUALITIES } from "../base/quality-names.ts";
import { HELPER_IDS } from "../worker/kinds.ts";
import type { ModelObject } from "../worker/provider.ts";
import { type PoolMember, TOPICS, type Worker } from "../worker/types.ts";
import { writtenWorkflowSchema } from "./workflow-text.ts";

const count = z.int().min(1);
const milliseconds = z.number().min(1);
const rate = z.number().min(0).max(1);
const dollars = z.number().min(0);
/** Names that mean something else wherever a worker can be named. */
const RESERVED = ["rehearsal", ...HELPER_IDS];
const name = z.string().regex(/^[^\s,]+$/, "must be a name without spaces and commas");

/** Dollars per million tokens; overrides the catalogue. Free is 0. */
const priceSchema = z.strictObject({
  inputUsd: dollars,
  outputUsd: dollars,
  cachedInputUsd: dollars.optional(),
  cacheWriteUsd: dollars.optional(),
});

/** What was measured about the worker elsewhere. */
const profileSchema = z.strictObject({
  success: rate,
  tasks: z.int().min(0).default(0),
  topics: z.partialRecord(z.enum(TOPICS), rate).default({}),
  delayMs: milliseconds.optional(),
  source: z.string().optional(),
});

/** "provider/model", as a config can hold it: lists and flags part names at commas and spaces. */
export function isModelName(text: string): boolean {
  return /^[^/\s,]+\/[^\s,]+$/.test(text);
}

const addressSchema = z.url({ protocol: /^https?$/, error: "must be an http or https address" });
/** The environment variable that holds the key; never the key. */
const keyNameSchema = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable");

const modelSchema = z.custom<string | ModelObject>(
  (value) => (typeof value === "string" ? isModelName(value) : isModelObject(value)),
  'must be "provider/model", such as "openai/gpt-6-sol", or an AI SDK model object',
);

/** One of several places where the same model stands, or one of several keys for it. */
const deploymentSchema = z.strictObject({
  baseUrl: addressSchema.optional(),
  apiKeyEnv: keyNameSchema.optional(),
  /** The share of conversations it gets, beside the others'. */
  weight: z.number().gt(0).max(1_000).default(1),
});

/** A worker as data. In a list, a plain text is short for `{ model: text }`. */
const modelEntrySchema = z.strictObject({
  /** How it is called in pools, flags and traces. Default: the model's name. */
  id: name.refine((id) => !RESERVED.includes(id), `must not be one of ${RESERVED.join(", ")}`).optional(),
  model: modelSchema,
  /**
   * Another server that speaks chat completions (Anthropic's and Google's own protocol for their
   * models). It gets a key only where `apiKeyEnv` names one.
   */
  baseUrl: addressSchema.optional(),
  apiKeyEnv: keyNameSchema.optional(),
  /**
   * Several keys or servers for this model. A conversation stays with one, because caches are kept there; one that fails is
   * left alone for a while.
   */
  deployments: z.array(deploymentSchema).min(1).max(16).optional(),
  /** For `tutti serve`: who answers in its place where it cannot and was asked for by its name, in this order. */
  fallbacks: z.array(name).min(1).max(8).optional(),
  /** For `tutti serve`: the dialects that its server speaks beside or in place of its provider's, so that they are relayed. */
  dialects: z.array(z.enum(["chat", "responses", "messages"])).optional(),
  price: priceSchema.optional(),
  profile: profileSchema.optional(),
  maxOutputTokens: count.optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** Whether it sees images, where its name does not tell or tells wrong (worker/known-models.ts). */
  takesImages: z.boolean().optional(),
  /** How it thinks aloud: in tags or not at all, or with a closing tag alone. Default: found out from its first reply. */
  thinking: z.enum(["tagged", "unopened"]).optional(),
  /** Settings of the provider's own, such as `reasoningEffort`, in the words of its AI SDK package. */
  options: z.record(z.string(), z.unknown()).optional(),
});

/** In code a list may also hold a `Worker` or a whole `PoolMember`. */
const workerSchema = z.unknown().transform((value, context): PoolMember | ModelEntry => {
  if (isWorker(value)) return { worker: value };
  if (isPoolMember(value)) return value;
  const parsed = modelEntrySchema.safeParse(typeof value === "string" ? { model: value } : value);
  if (parsed.success) return parsed.data;
  const inside = (path: PropertyKey[]) => (typeof value === "string" ? [] : path);
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: inside(issue.path), input: value }));
  context.issues.push(...(issues as typeof context.issues));
  return z.NEVER;
});

const originSchema = z
  .string()
  .regex(/^(\*|https?:\/\/[^/\s]+)$/, 'must be an origin such as "https://app.example.org", or "*"');

const configSchema = z.strictObject({
  /** Without any: keys in the environment, local servers, at last the rehearsal pool. */
  workers: z.array(workerSchema).optional(),
  /** Names for groups of workers: `tutti ask --pool NAME`. */
  pools: z.record(name, z.array(name).min(1)).default({}),
  /** Workflows of one's own, by name: `tutti ask --workflow NAME` (docs/workflows.md). */
  workflows: z.record(name, writtenWorkflowSchema).default({}),
  /**
   * A model of sentence embeddings that questions are also read by, beside their words: `tutti pool calibrate` embeds the
   * measured ones, and each question that is asked is embedded once. Without it, or where it fails, words are enough.
   */
  embeddings: z
    .strictObject({
      model: z
        .string()
        .refine(isModelName, 'must be "provider/model", such as "openai/text-embedding-3-small"'),
      /** Any server with OpenAI's `/embeddings`. It gets a key only where `apiKeyEnv` names one. */
      baseUrl: addressSchema.optional(),
      apiKeyEnv: keyNameSchema.optional(),
    })
    .optional(),
  /** Adds the voting worker to every pool with two models or more. */
  consensus: z.boolean().default(true),
  /** Adds the Conductor itself as a worker: a step may then be performed by a team of its own. */
  self: z.boolean().default(false),
  /** Who plans: "prompted", "native", "native:FOLDER", "scripted-planner", the id of a worker or "provider/model". */
  conductor: z.string().min(1).optional(),
  /** Shows the Conductor the names of the workers. Off, because brands bias it. */
  showNames: z.boolean().default(false),
  /** Per question. null switches a limit off. */
  limits: z
    .strictObject({
      usd: dollars.nullable().default(1),
      calls: count.nullable().default(40),
      tokens: count.nullable().default(null),
      deadlineMs: milliseconds.nullable().default(600_000),
    })
    .prefault({}),
  /** How much an answer may take: rounds, team sizes, budget and who is asked (`tutti/quality.ts`). */
  quality: z.enum(QUALITIES).default("balanced"),
  /** How many workflows at the most: more than 1 allows corrective ones. */
  rounds: z.int().min(1).max(10).default(1),
  /** Conversations in which the client's tools are called, turn after turn (docs/gateway.md). */
  trajectory: z
    .strictObject({
      /** Each turn goes to whoever is worth most from there on. False: whoever began goes on. */
      route: z.boolean().default(true),
      /**
       * Final answers are verified where that is worth its price; "measured": only of workers whose success is measured.
       * Default: "measured", and "worth-it" where the quality is high or max.
       */
      verify: z.enum(["worth-it", "measured", "never"]).optional(),
      /** What a right end is worth. Default: the dollar limit of a question, or 1. */
      worthUsd: dollars.optional(),
    })
    .prefault({}),
  /** What people and tests said of runs (docs/gateway.md, "Feedback"). */
  feedback: z
    .strictObject({
      /** Ratings of this journal change whom questions like the rated ones go to. */
      learn: z.boolean().default(false),
      /** After this long a rating counts half. */
      halfLifeDays: z.number().min(0.1).max(3_650).default(30),
    })
    .prefault({}),
  /** The largest reply asked of a step. */
  maxOutputTokens: count.default(8192),
  /** How often one worker is asked again before the next best one takes over. */
  retries: z.int().min(0).max(10).default(2),
  timeouts: z
    .strictObject({
      stepMs: milliseconds.default(300_000),
      /** Reasoning models are silent for long before they begin. */
      firstTokenMs: milliseconds.default(120_000),
      idleMs: milliseconds.default(60_000),
    })
    .prefault({}),
  /** How deep `self` may nest. */
  maxDepth: z.int().min(0).max(3).default(1),
  /**
   * "memory", the file of the journal, or "postgres" (its address is in TUTTI_POSTGRES_URL). Default: journal.db in
   * TUTTI_HOME, which is ~/.tutti.
   */
  store: z.string().min(1).optional(),
  /** How many calls run at the same time, also where several machines share them (`--postgres`, docs/queues.md). */
  queue: z
    .strictObject({
      /** Of one process at one provider. */
      perProcess: count.default(32),
      /**
       * At a provider, over all machines: `{ openai: 50 }`. Others wait for their turn, in a gateway too; several gateways on
       * one Postgres count together.
       */
      perProvider: z.record(name, count).default({}),
      /** Of one key of the gateway, over all gateways on one Postgres. Others wait for their turn. */
      perKey: count.optional(),
      /** Of one bench, recording, training or environment at one provider, over all machines. */
      perOwner: count.optional(),
    })
    .prefault({}),
  /** Runs older than this are deleted. Without it they are kept. */
  retentionDays: z.number().min(0).optional(),
  /** `tutti serve`. */
  gateway: z
    .strictObject({
      /** Tells clients what the team is doing while they wait. A request may switch it off for itself. */
      progress: z.boolean().default(true),
      /**
       * Other names of models: `{ "claude-haiku-*": "tutti-fast" }`. They come before what names of known models mean by
       * themselves (docs/gateway.md).
       */
      aliases: z.record(name, name).default({}),
      /** Origins of pages that may use the gateway from a browser: "https://app.example.org", or "*" where there are keys. */
      cors: z.array(originSchema).default([]),
      /** Larger bodies are refused. Images travel inside of them. */
      maxBodyBytes: count.default(16_000_000),
      /** More requests at once are told to come back: each may be a whole team at work. */
      maxRunning: count.default(512),
      /** Caps of a whole conversation, for agents that nobody watches. A request may name lower ones (docs/gateway.md). */
      session: z
        .strictObject({
          usd: dollars.nullable().default(null),
          calls: count.nullable().default(null),
          minutes: z.number().min(0).nullable().default(null),
        })
        .prefault({}),
      /** A share of the requests is asked once more of somebody else, unseen, to compare (docs/gateway.md). Off by default. */
      shadow: z
        .strictObject({
          /** A name as clients ask for it ("tutti-fast", "provider/model"), or a Conductor ("trinity"). */
          model: name,
          share: z.number().min(0).max(1),
          /** Of all shadow runs of a day (UTC) together, whatever gateways share the journal. */
          budgetUsd: dollars,
          /** Ids or names of keys whose requests may be asked again; absent: all. */
          keys: z.array(z.string().min(1)).optional(),
        })
        .optional(),
      /** Keeps what is said in requests that are passed through to one model, and not only their usage. */
      keepRelayed: z.boolean().default(false),
      /**
       * Equal requests of the same key get the answer that the first one got, from memory: no call, no dollar. Off without
       * it (docs/gateway.md).
       */
      responseCache: z
        .strictObject({
          ttlMs: milliseconds.default(600_000),
          maxBytes: count.default(64_000_000),
        })
        .optional(),
      /** How long running work may go on after the server was told to end. */
      shutdownMs: milliseconds.default(30_000),
    })
    .prefault({}),
  /** Asks workers of unknown price although there is a dollar limit, and counts them as free. */
  allowUnknownPrice: z.boolean().default(false),
});

export type ModelEntry = z.output<typeof modelEntrySchema>;
/** With all defaults in place. It may be parsed again. */
export type TuttiConfig = z.output<typeof configSchema>;
/** As a person writes it. */
export type TuttiConfigInput = Omit<z.input<typeof configSchema>, "workers"> & {
  workers?: (string | z.input<typeof modelEntrySchema> | Worker | PoolMember)[];
};

export const schemas = { config: configSchema, worker: modelEntrySchema };

export function isPoolMember(value: unknown): value is PoolMember {
  return isObject(value) && "worker" in value && isWorker(value.worker);
}

/** The name that a worker has in pools, flags and traces. */
export function toWorkerId(entry: PoolMember | ModelEntry): string {
  if (isPoolMember(entry)) return entry.worker.id;
  if (entry.id !== undefined) return entry.id;
  return typeof entry.model === "string" ? entry.model : `${entry.model.provider}/${entry.model.modelId}`;
}

function isWorker(value: unknown): value is Worker {
  return isObject(value) && "ask" in value && "id" in value && "kind" in value;
}

function isModelObject(value: unknown): value is ModelObject {
  return isObject(value) && "specificationVersion" in value && "doStream" in value;
}
