// What can be asked when nobody has configured anything: a strong and a cheap model for each key in
// the environment, the models behind OPENAI_BASE_URL, and local servers that answer. All in parallel,
// each with a short time-out, so that the slowest costs two seconds once a day.

import { toBillions, toModelName } from "../worker/known-models.ts";
import type { PoolMember } from "../worker/types.ts";
import { checkedOn, LOCAL_SERVERS, PROVIDERS, type ProviderInfo } from "./default-models.ts";
import { type Endpoint, isPrivateHost, toEndpoint, toMember } from "./endpoint.ts";
import type { Environment } from "./home.ts";
import { isChatModel, listModels, type ModelCache, type ModelList, openModelCache } from "./model-list.ts";

const PROVIDER_TIMEOUT_MS = 2_000;
const LOCAL_TIMEOUT_MS = 300;
/** A local server may have dozens; a Conductor chooses badly among so many. */
const MOST_MODELS = 8;
export const NOT_CHAT = "it is no chat model";

export interface DiscoverOptions {
  env: Environment;
  fetch?: typeof globalThis.fetch;
  /** Which local servers are looked for. */
  localServers?: readonly ProviderInfo[];
  now?: number;
}

/**
 * ready: it can be asked. unchecked: it is asked, but its provider did not tell whether it has it. refused: its provider does
 * not take the key. same-model: it is in the pool by another way. over-limit: its server has more models than a pool takes.
 */
export type WorkerReadiness =
  | "ready"
  | "unchecked"
  | "missing-key"
  | "refused"
  | "not-listed"
  | "not-chat"
  | "same-model"
  | "over-limit";

/** `member` is absent where the worker cannot be asked. */
export interface Discovered {
  id: string;
  state: WorkerReadiness;
  detail?: string;
  member?: PoolMember;
}

export async function discover(options: DiscoverOptions): Promise<Discovered[]> {
  const { env, localServers = LOCAL_SERVERS, now = Date.now() } = options;
  const cache = await openModelCache(env, now);
  const found = await Promise.all([
    ...PROVIDERS.map((provider) => discoverProvider(provider, cache, options)),
    ...localServers
      .filter(({ baseUrl }) => !isSameServer(baseUrl, env.OPENAI_BASE_URL))
      .map((server) => discoverLocal(server, options)),
  ]);
  await cache.save();
  return leaveTwinsOut(found.flat()).sort(byStrength);
}

/** A model that is reached by two ways is one worker: the provider's own comes before resellers and other servers. */
function leaveTwinsOut(found: Discovered[]): Discovered[] {
  const first = new Map<string, string>();
  return found.map((item) => {
    if (!item.member) return item;
    const name = toModelName(item.id);
    const twin = first.get(name);
    if (twin === undefined) first.set(name, item.id);
    const detail = `it is the same model as ${twin}. Name it with --pool to ask it by this way`;
    return twin === undefined ? item : { id: item.id, state: "same-model", detail };
  });
}

async function discoverProvider(
  provider: ProviderInfo,
  cache: ModelCache,
  { env, fetch }: DiscoverOptions,
): Promise<Discovered[]> {
  const hasAddress = Boolean(provider.baseUrlEnv && env[provider.baseUrlEnv]);
  if (!hasAddress && !provider.keys.some((name) => env[name]?.trim())) return [];
  const result = toEndpoint(provider.id, env);
  if (!result.ok) {
    const detail = `${provider.baseUrlEnv} is set and its key is missing: set ${result.missingKeys.join(" or ")}`;
    return [{ id: provider.id, state: "missing-key", detail }];
  }
  const { endpoint } = result;
  const isForeign = provider.id === "openai" && !endpoint.isOwn;
  const wanted = isForeign ? toNames(env.OPENAI_MODEL) : [];
  if (wanted.length > 0) return toReady(endpoint, wanted, fetch, wanted.length);

  const cached = endpoint.isPrivate ? undefined : cache.get(endpoint.baseUrl);
  const list = cached
    ? { ok: true as const, models: cached }
    : await listModels(endpoint, { fetch, timeoutMs: PROVIDER_TIMEOUT_MS });
  if (list.ok && !cached && !endpoint.isPrivate) cache.set(endpoint.baseUrl, list.models);

  if (!list.ok && isRefusal(list.status)) {
    const detail = `${endpoint.baseUrl} refuses the key (${list.status}): ${toKeyAdvice(provider, endpoint)}`;
    return [{ id: provider.id, state: "refused", detail }];
  }
  if (isForeign) {
    if (list.ok && list.models.length > 0) return toReady(endpoint, list.models, fetch);
    return [{ id: provider.id, state: "unchecked", detail: toServerAdvice(endpoint, list) }];
  }
  const slots = provider.models.map(async (candidates): Promise<Discovered> => {
    const model = list.ok ? candidates.find((name) => isListed(name, list.models)) : candidates[0];
    const id = `${provider.id}/${model ?? candidates[0]}`;
    if (model === undefined) {
      const detail = `this key has none of ${candidates.join(", ")} (the defaults of ${checkedOn})`;
      return { id, state: "not-listed", detail };
    }
    const member = await toMember(endpoint, model, {}, fetch);
    return list.ok ? { id, state: "ready", member } : { id, state: "unchecked", detail: list.why, member };
  });
  return Promise.all(slots);
}

const isRefusal = (status: number | undefined) => status === 401 || status === 403;

function toKeyAdvice({ keys }: ProviderInfo, { apiKey }: Endpoint): string {
  return apiKey === undefined ? `set ${keys.join(" or ")}` : `put a valid one into ${keys.join(" or ")}`;
}

/** What to do about a server of one's own that does not tell its models. */
function toServerAdvice({ baseUrl }: Endpoint, list: ModelList): string {
  if (list.ok) return `${baseUrl} lists no chat model. Name its models in OPENAI_MODEL`;
  if (list.isUnreachable) return `nobody answers at ${baseUrl}. Start that server, or mend OPENAI_BASE_URL`;
  const { status = 0 } = list;
  const first =
    status === 429
      ? "Ask again in a minute, or name"
      : status >= 500
        ? "Look after that server, or name"
        : "Name";
  return `${baseUrl}: ${list.why}. ${first} its models in OPENAI_MODEL`;
}

async function discoverLocal(server: ProviderInfo, { env, fetch }: DiscoverOptions): Promise<Discovered[]> {
  const result = toEndpoint(server.id, env, { baseUrl: server.baseUrl });
  if (!result.ok) return [];
  const list = await listModels(result.endpoint, { fetch, timeoutMs: LOCAL_TIMEOUT_MS });
  if (!list.ok) return [];
  const endpoint = { ...result.endpoint, source: `local server ${server.baseUrl}` };
  return toReady(endpoint, list.models, fetch);
}

/** The largest first, where their names tell it; those beyond the limit are named, not dropped. */
function toReady(
  endpoint: Endpoint,
  models: string[],
  fetch?: typeof globalThis.fetch,
  most = MOST_MODELS,
): Promise<Discovered[]> {
  const bySize = [...models].sort((a, b) => toBillions(b) - toBillions(a));
  return Promise.all(
    bySize.map(async (model, i): Promise<Discovered> => {
      const id = `${endpoint.provider}/${model}`;
      if (!isChatModel(model)) return { id, state: "not-chat", detail: NOT_CHAT };
      if (i >= most) {
        const detail = `a pool takes ${most} of the ${models.length} models of its server. Name those you want with --pool or in the config`;
        return { id, state: "over-limit", detail };
      }
      const member = await toMember(endpoint, model, {}, fetch);
      return { id: member.worker.id, state: "ready" as const, member };
    }),
  );
}

/** Lists may have the dated name of a model only: `claude-opus-4-5-20251101`, `gpt-5-2025-08-07`. */
function isListed(model: string, models: string[]): boolean {
  return models.some(
    (listed) =>
      listed === model ||
      (listed.startsWith(`${model}-`) && /^\d{4}-?\d{2}-?\d{2}$/.test(listed.slice(model.length + 1))),
  );
}

function isSameServer(baseUrl: string, other: string | undefined): boolean {
  if (!other || !URL.canParse(other)) return false;
  return new URL(baseUrl).port === new URL(other).port && isPrivateHost(other);
}

/** Names that commas may part. */
export function toNames(text: string | string[] = []): string[] {
  return [text]
    .flat()
    .flatMap((part) => part.split(","))
    .map((name) => name.trim())
    .filter(Boolean);
}

/** Without measurements the most expensive is taken for the strongest. */
function byStrength(a: Discovered, b: Discovered): number {
  return (b.member?.price?.outputUsd ?? 0) - (a.member?.price?.outputUsd ?? 0);
}
