// From "provider/model" to a worker: which server, which key, which price. The one place where keys
// are taken out of the environment; each is registered to be redacted everywhere.

import { isIPv4, isIPv6 } from "node:net";
import { TuttiError, usageError } from "../base/errors.ts";
import { shorten } from "../base/format.ts";
import { registerSecret } from "../base/redact.ts";
import { didYouMean } from "../base/suggest.ts";
import { COUNTERS } from "../worker/count-input.ts";
import { knownAbilities } from "../worker/known-models.ts";
import { loadModel, PROTOCOLS, type ProviderProtocol } from "../worker/models.ts";
import { contextOf, priceAt, priceOf } from "../worker/price.ts";
import { createModelWorker } from "../worker/provider.ts";
import type { PoolMember, Price, Worker } from "../worker/types.ts";
import { LOCAL_SERVERS, PROVIDERS, type ProviderInfo } from "./default-models.ts";
import { type Environment, readVariable } from "./home.ts";
import type { ModelEntry } from "./schema.ts";

export interface Endpoint {
  provider: string;
  protocol: ProviderProtocol;
  baseUrl: string;
  apiKey?: string;
  /** The server stands on this machine or in a private network. */
  isPrivate: boolean;
  /** It is the provider's own server, whose prices are in the catalogue. */
  isOwn: boolean;
  hasJsonSchema?: boolean;
  /** Where the key or the address comes from. */
  source?: string;
}

export type EndpointResult = { ok: true; endpoint: Endpoint } | { ok: false; missingKeys: string[] };

export function splitRef(ref: string): { provider: string; model: string } {
  const slash = ref.indexOf("/");
  return { provider: ref.slice(0, slash), model: ref.slice(slash + 1) };
}

export function findProviderInfo(id: string): ProviderInfo | undefined {
  return [...PROVIDERS, ...LOCAL_SERVERS].find((provider) => provider.id === id);
}

export function toEndpoint(
  provider: string,
  env: Environment,
  given: Pick<ModelEntry, "baseUrl" | "apiKeyEnv"> = {},
): EndpointResult {
  const info = findProviderInfo(provider);
  if (!info && given.baseUrl === undefined) {
    const known = [...PROVIDERS, ...LOCAL_SERVERS].map(({ id }) => id);
    const others = `(there are: ${known.join(", ")}).${didYouMean(provider, known)}`;
    throw usageError(
      `No provider "${shorten(provider)}" ${others} A worker with a baseUrl may have any name.`,
    );
  }
  const baseUrlEnv = findAddressVariable(info, env);
  const baseUrl = toAddress(provider, env, given);
  const isOwn = info !== undefined && new URL(info.baseUrl).host === new URL(baseUrl).host;

  // A server of one's own choice gets a key only where its own variable is named: no key leaves by accident.
  const names = given.apiKeyEnv ? [given.apiKeyEnv] : given.baseUrl !== undefined ? [] : (info?.keys ?? []);
  const keyName = names.find((name) => readVariable(env, name)?.trim());
  const isKeyNeeded = given.apiKeyEnv !== undefined || (isOwn && names.length > 0);
  if (isKeyNeeded && !keyName) return { ok: false, missingKeys: names };
  const apiKey = keyName && readVariable(env, keyName)?.trim();
  if (apiKey) registerSecret(apiKey);

  const protocol =
    info?.protocol === "openai" && !isOwn ? "openai-compatible" : (info?.protocol ?? "openai-compatible");
  const { hasJsonSchema } = info ?? {};
  const source = baseUrlEnv ?? keyName;
  return {
    ok: true,
    endpoint: {
      provider,
      protocol,
      baseUrl,
      apiKey,
      isPrivate: isPrivateHost(baseUrl),
      isOwn,
      hasJsonSchema,
      source,
    },
  };
}

/** Where its requests go: as given, by the environment, else the provider's own. */
export function toAddress(
  provider: string,
  env: Environment,
  given: Pick<ModelEntry, "baseUrl"> = {},
): string {
  const info = findProviderInfo(provider);
  const variable = findAddressVariable(info, env);
  const address = given.baseUrl ?? (variable ? env[variable] : info?.baseUrl) ?? "";
  return toBaseUrl(address, given.baseUrl === undefined ? (variable ?? "") : "baseUrl", info?.protocol);
}

function findAddressVariable(info: ProviderInfo | undefined, env: Environment): string | undefined {
  return info?.baseUrlEnv && env[info.baseUrlEnv] ? info.baseUrlEnv : undefined;
}

function toBaseUrl(address: string, name: string, protocol?: ProviderProtocol): string {
  if (!URL.canParse(address) || !/^https?:/i.test(address)) {
    throw usageError(`${name} must be an http or https address, but is "${address}"`);
  }
  const url = address.replace(/\/+$/, "");
  // Anthropic's own tools write their address without the version.
  return protocol === "anthropic" && new URL(url).pathname === "/" ? `${url}/v1` : url;
}

/** Loopback, private networks and names without a dot: nobody sends a bill from there. */
export function isPrivateHost(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIPv4(host)) return /^(10|127|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^0\.0\.0\.0$/.test(host);
  if (isIPv6(host)) return host === "::1" || /^f[cd]|^fe80/.test(host);
  return !host.includes(".") || /\.(local|localhost|internal|lan|home\.arpa)$/.test(host);
}

export type MemberSettings = Omit<Partial<ModelEntry>, "model"> & { source?: string };

export async function toMember(
  endpoint: Endpoint,
  model: string,
  settings: MemberSettings,
  fetch?: typeof globalThis.fetch,
): Promise<PoolMember> {
  const { provider, protocol, baseUrl, apiKey, hasJsonSchema } = endpoint;
  const id = settings.id ?? `${provider}/${model}`;
  let loading: ReturnType<typeof loadModel> | undefined;
  const load = () => {
    loading ??= loadModel({ provider, protocol, baseUrl, model, apiKey, hasJsonSchema, fetch });
    return loading;
  };
  const { isCompatible, takesPdf } = PROTOCOLS[protocol];
  const { takesImages = knownAbilities(model).vision } = settings;
  const providerOptions = {
    // A client's schema need not keep to the rules of strict mode.
    ...(isCompatible ? { openaiCompatible: { strictJsonSchema: false } } : {}),
    ...(settings.options ? { [isCompatible ? provider : protocol]: settings.options } : {}),
  };
  const { profile, maxOutputTokens, temperature } = settings;
  const worker = createModelWorker(id, load, {
    ...{ temperature, providerOptions, takesImages, takesPdf },
    known: { protocol, model },
    countsInput: Object.hasOwn(COUNTERS, protocol),
    explain: (failure) => explainUnknownModel(failure, id, endpoint, model, fetch),
    thinking: settings.thinking ?? (isCompatible ? undefined : "tagged"),
  });
  const price = settings.price ?? (await findPrice(endpoint, model));
  rememberTarget(worker, { provider, protocol, baseUrl, model, apiKey, price, dialects: settings.dialects });
  return {
    worker,
    price,
    profile,
    maxOutputTokens,
    takesImages,
    takesPdf,
    contextTokens: endpoint.isOwn ? await contextOf(provider, model) : undefined,
    source: settings.source ?? endpoint.source,
  };
}

/** Where the server has no such model, and says which it has, the nearest name helps more than what the server says. */
async function explainUnknownModel(
  failure: TuttiError,
  id: string,
  endpoint: Endpoint,
  model: string,
  fetch?: typeof globalThis.fetch,
): Promise<TuttiError> {
  const { status, message } = failure;
  if (status !== 404 && !(status === 400 && UNKNOWN_MODEL.test(message))) return failure;
  const { listModels } = await import("./model-list.ts");
  const list = await listModels(endpoint, { fetch, timeoutMs: LIST_TIMEOUT_MS });
  if (!list.ok || list.models.length === 0 || list.models.includes(model)) return failure;
  const some = list.models.slice(0, SHOWN_MODELS).join(", ");
  const rest = list.models.length > SHOWN_MODELS ? ", …" : "";
  const hint = didYouMean(model, list.models) || ` There are: ${some}${rest}.`;
  const text = `Worker "${id}": its server has no model "${shorten(model)}".${hint}`;
  return new TuttiError(failure.code, text, { status, retryable: false, cause: failure });
}

/** "Invalid model: x", "x is not a valid model ID", "Model Not Exist"; not "this model's context length is 8192". */
const UNKNOWN_MODEL =
  /\b(unknown|invalid|incorrect|no such|no valid|not a valid|unsupported|find the|find) model\b|\bmodel\b.{0,120}\b(not? (found|exist|available|valid|known|supported)|(not|n't) exist|unknown|invalid)/is;
const LIST_TIMEOUT_MS = 2_000;
const SHOWN_MODELS = 8;

async function findPrice(
  { provider, baseUrl, isPrivate, isOwn }: Endpoint,
  model: string,
): Promise<Price | undefined> {
  if (isPrivate) return { inputUsd: 0, outputUsd: 0 };
  return isOwn ? priceOf(provider, model) : priceAt(baseUrl, model);
}

// ---- For the relay -------------------------------------------------------------------------------

// Where a worker's model really stands, for whoever passes requests through to it. Apart from the pool's
// members, because those are journaled and shown, and this holds the key: nothing that walks over the
// fields of a worker can find it here.

export interface RelayTarget {
  provider: string;
  protocol: ProviderProtocol;
  /** Without a slash at the end, and with the version: "https://api.openai.com/v1". */
  baseUrl: string;
  /** As the provider calls it. */
  model: string;
  /** Absent for servers that want none. */
  apiKey?: string;
  price?: Price;
  /** In how many places the worker stands; absent: in one. */
  places?: number;
  /** It failed in a request that was passed through: a place that is to blame is left alone for a while. */
  failed?(error: TuttiError): void;
  /** What its server understands as it is, where the config says so. Absent: what its protocol tells. */
  dialects?: readonly string[];
}

/** Which of several places a conversation goes to (deployments.ts). */
type TargetOf = (affinity: string) => RelayTarget;

const targets = new WeakMap<Worker, TargetOf>();
const references = new WeakMap<Worker, string>();

function rememberTarget(worker: Worker, target: RelayTarget): void {
  targets.set(worker, () => target);
  rememberReference(worker, target.provider, target.model);
}

export function rememberReference(worker: Worker, provider: string, model: string): void {
  references.set(worker, `${provider}/${model}`);
}

/** "provider/model", whatever name the config gives to the worker. Undefined for those that are no model of a provider. */
export function referenceOf(worker: Worker): string | undefined {
  return references.get(worker);
}

/** The same for a worker that stands in several places. */
export function rememberTargets(worker: Worker, targetOf: TargetOf): void {
  targets.set(worker, targetOf);
}

/**
 * Undefined for workers that are no model behind an address: simulated ones, tools, objects made in code. `affinity`: what
 * stays the same of a conversation.
 */
export function relayTargetOf(worker: Worker, affinity = ""): RelayTarget | undefined {
  return targets.get(worker)?.(affinity);
}
