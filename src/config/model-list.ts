// Which models a server really has: one short GET of its list. Answers of providers are kept for a day
// in models-cache.json (addresses and names, never a key), so that a question does not wait for them.

import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { writeFileSafely } from "../files/write-safely.ts";
import { PROTOCOLS } from "../worker/models.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Environment, toTuttiHome } from "./home.ts";

const DAY_MS = 86_400_000;

export type ModelList = { ok: true; models: string[] } | { ok: false; why: string };

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
    const response = await fetch(`${baseUrl}/models${listQuery}`, {
      headers: apiKey === undefined ? {} : toHeaders(apiKey),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return { ok: false, why: `its list of models answers ${response.status}` };
    }
    const answer = answerSchema.safeParse(await response.json());
    if (!answer.success) return { ok: false, why: "what it lists is not a list of models" };
    const models = answer.data.map(({ id, name }) => (id ?? name ?? "").replace(/^models\//, ""));
    return { ok: true, models: models.filter((model) => model !== "" && isChatModel(model)) };
  } catch (error) {
    const isLate = (error as Error).name === "TimeoutError";
    return {
      ok: false,
      why: isLate ? `no list of models within ${timeoutMs} ms` : "its list of models cannot be reached",
    };
  }
}

const NO_CHAT =
  /embed|whisper|\btts\b|dall-e|image|rerank|moderation|transcri|speech|audio|realtime|\bocr\b|guard|\bbge\b|diffusion|\bflux\b|\bsora\b|\bveo\b|imagen|\bclip\b/i;

function isChatModel(model: string): boolean {
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
      await mkdir(dirname(file), { recursive: true })
        .then(() => writeFileSafely(file, Buffer.from(JSON.stringify(Object.fromEntries(entries)))))
        .catch(() => {});
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
