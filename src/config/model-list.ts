// Which models a server really has: one short GET of its list. Answers of providers are kept for a day
// in models-cache.json (addresses and names, never a key), so that a question does not wait for them.

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { makePrivateFolder } from "../files/private.ts";
import { writeFileSafely } from "../files/write-safely.ts";
import { Redirected } from "../worker/failure.ts";
import { guardFetch } from "../worker/guarded-fetch.ts";
import { PROTOCOLS } from "../worker/models.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Environment, toTuttiHome } from "./home.ts";

const DAY_MS = 86_400_000;
/** Of the largest list there is some ten times as much. */
const MOST_BYTES = 8_000_000;
/** What is longer is no name: it would be repeated in errors and kept in the cache. */
const LONGEST_NAME = 256;
const NO_LIST = "what it lists is not a list of models";

export type ModelList =
  | { ok: true; models: string[] }
  /** `status`: what it answered. `isUnreachable`: nobody answered at all. */
  | { ok: false; why: string; status?: number; isUnreachable?: boolean };

const named = z.object({ id: z.string().optional(), name: z.string().optional() });
/** OpenAI's `data`, Google's `models`, Together's bare list. */
const answerSchema = z.union([
  z.object({ data: z.array(named) }).transform(({ data }) => data),
  z.object({ models: z.array(named) }).transform(({ models }) => models),
  z.array(named),
]);

export async function listModels(
  endpoint: Pick<Endpoint, "protocol" | "baseUrl" | "apiKey">,
  options: { fetch?: typeof globalThis.fetch; timeoutMs: number },
): Promise<ModelList> {
  const { fetch = globalThis.fetch, timeoutMs } = options;
  const { baseUrl, apiKey, protocol } = endpoint;
  const { listQuery, toHeaders } = PROTOCOLS[protocol];
  try {
    const response = await guardFetch(
      fetch,
      apiKey,
      MOST_BYTES,
    )(`${baseUrl}/models${listQuery}`, {
      headers: apiKey === undefined ? {} : toHeaders(apiKey),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      const { status } = response;
      return { ok: false, why: `its list of models answers ${status}`, status };
    }
    const answer = answerSchema.safeParse(await response.json());
    if (!answer.success) return { ok: false, why: NO_LIST };
    const models = answer.data.map(({ id, name }) => (id ?? name ?? "").replace(/^models\//, ""));
    const isName = (model: string) => model !== "" && model.length <= LONGEST_NAME;
    return { ok: true, models: models.filter((model) => isName(model) && isChatModel(model)) };
  } catch (error) {
    if (error instanceof Redirected) return { ok: false, why: error.message };
    if (error instanceof SyntaxError) return { ok: false, why: NO_LIST };
    const isLate = (error as Error).name === "TimeoutError";
    if (isLate) return { ok: false, why: `no list of models within ${timeoutMs} ms` };
    return { ok: false, why: "its list of models cannot be reached", isUnreachable: true };
  }
}

const NO_CHAT =
  /embed|whisper|\btts\b|dall-e|image|rerank|moderation|transcri|speech|audio|realtime|\bocr\b|guard|\bbge\b|diffusion|\bflux\b|\bsora\b|\bveo\b|imagen|\bclip\b|minilm|\bgte\b|\be5\b|colbert|davinci|babbage|-turbo-instruct|lyria|\baqa\b|kokoro|parakeet/i;

export function isChatModel(model: string): boolean {
  return !NO_CHAT.test(model);
}

// ---- The cache ----------------------------------------------------------------------------------

const cacheSchema = z.record(z.string(), z.object({ checkedAt: z.number(), models: z.array(z.string()) }));

/** Lists by address. Saving never fails a question: without the file the lists are just asked again. */
export interface ModelCache {
  get(baseUrl: string): string[] | undefined;
  set(baseUrl: string, models: string[]): void;
  save(): Promise<void>;
}

export async function openModelCache(env: Environment, now: number): Promise<ModelCache> {
  const file = join(toTuttiHome(env), "models-cache.json");
  const text = await readFile(file, "utf8").catch(() => "{}");
  const entries = new Map(Object.entries(parseCache(text)));
  let isChanged = false;
  return {
    get(baseUrl) {
      const entry = entries.get(baseUrl);
      const ageMs = now - (entry?.checkedAt ?? Number.NEGATIVE_INFINITY);
      return entry && ageMs >= 0 && ageMs < DAY_MS ? entry.models : undefined;
    },
    set(baseUrl, models) {
      entries.set(baseUrl, { checkedAt: now, models });
      isChanged = true;
    },
    async save() {
      if (!isChanged) return;
      try {
        makePrivateFolder(dirname(file));
        await writeFileSafely(file, Buffer.from(JSON.stringify(Object.fromEntries(entries))));
      } catch {
        // Without a cache the lists are asked for again.
      }
    },
  };
}

function parseCache(text: string): z.output<typeof cacheSchema> {
  try {
    return cacheSchema.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
