// From a provider's name to a model object: the AI SDK's packages for the three big protocols, our own for chat
// completions. They are loaded here and only when a model is really asked: each costs tens of milliseconds that
// `tutti --help` should not pay. Keys and addresses are always handed over, so that no package looks into the
// environment by itself.

import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { TuttiError } from "../base/errors.ts";
import { withCacheBreakpoints } from "./cache-breakpoints.ts";
import { withImagesAfterResults } from "./call-options.ts";
import { COUNTERS, countWith } from "./count-input.ts";
import { guardFetch } from "./guarded-fetch.ts";
import type { StreamingModel } from "./provider.ts";
import { ANTHROPIC_IDS, withAcceptedIds, withSystemFirst } from "./provider-rules.ts";

/** What is different from protocol to protocol. */
interface ProtocolTraits {
  load(address: ModelAddress): Promise<StreamingModel>;
  /** Chat completions by our own code: options go under the provider's name, not under the protocol's. */
  isCompatible: boolean;
  /** Its models read PDF files themselves. */
  takesPdf: boolean;
  /** How its list of models is asked for. */
  toHeaders(apiKey: string): Record<string, string>;
  listQuery: string;
}

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

/** Every protocol that providers speak. A new one is a line here and its file. */
export const PROTOCOLS = {
  openai: { load: loadOpenAI, isCompatible: false, takesPdf: true, toHeaders: bearer, listQuery: "" },
  anthropic: {
    load: loadAnthropic,
    isCompatible: false,
    takesPdf: true,
    toHeaders: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
    listQuery: "?limit=1000",
  },
  google: {
    load: loadGoogle,
    isCompatible: false,
    takesPdf: true,
    toHeaders: (apiKey) => ({ "x-goog-api-key": apiKey }),
    listQuery: "?pageSize=1000",
  },
  "openai-compatible": {
    load: loadChat,
    isCompatible: true,
    takesPdf: false,
    toHeaders: bearer,
    listQuery: "",
  },
  /** Chat completions with other names for some fields. */
  mistral: { load: loadChat, isCompatible: true, takesPdf: false, toHeaders: bearer, listQuery: "" },
} satisfies Record<string, ProtocolTraits>;

export type ProviderProtocol = keyof typeof PROTOCOLS;

export interface ModelAddress {
  /** For people and for provider options. */
  provider: string;
  protocol: ProviderProtocol;
  baseUrl: string;
  model: string;
  /** Absent for servers that want none. */
  apiKey?: string;
  /** False where a JSON schema is refused and only "some JSON" can be asked for. */
  hasJsonSchema?: boolean;
  fetch?: typeof globalThis.fetch;
}

export function loadModel(address: ModelAddress): Promise<StreamingModel> {
  return PROTOCOLS[address.protocol].load(address);
}

function toSettings({ apiKey = "none", baseUrl, fetch = globalThis.fetch }: ModelAddress) {
  return { apiKey, baseURL: baseUrl, fetch: guardFetch(fetch, apiKey) };
}

/** Google has the model's name in the path: it must not lead to another one, whatever it is. */
function toPathName(model: string): string {
  const parts = model.split("/");
  if (!parts.some((part) => /^\.*$/.test(part))) return parts.map(encodeURIComponent).join("/");
  throw new TuttiError("unknown-model", `"${model.slice(0, 80)}" is no name of a model.`);
}

async function loadAnthropic(address: ModelAddress): Promise<StreamingModel> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const settings = toSettings(address);
  const model = createAnthropic(settings)(address.model);
  const { specificationVersion, provider, modelId, supportedUrls } = model;
  const adapt = (options: LanguageModelV3CallOptions) =>
    withCacheBreakpoints(withAcceptedIds(withSystemFirst(options), ANTHROPIC_IDS));
  const doStream: StreamingModel["doStream"] = (options) => model.doStream(adapt(options));
  const create = (fetch: typeof globalThis.fetch) => createAnthropic({ ...settings, fetch })(address.model);
  const countInput: StreamingModel["countInput"] = (options) =>
    countWith(COUNTERS.anthropic, settings.fetch, create, adapt(options));
  return { specificationVersion, provider, modelId, supportedUrls, doStream, countInput };
}

async function loadGoogle(address: ModelAddress): Promise<StreamingModel> {
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  const settings = toSettings(address);
  const name = toPathName(address.model);
  const model = createGoogleGenerativeAI(settings)(name);
  const { specificationVersion, provider, modelId, supportedUrls } = model;
  const doStream: StreamingModel["doStream"] = (options) => model.doStream(withSystemFirst(options));
  const create = (fetch: typeof globalThis.fetch) => createGoogleGenerativeAI({ ...settings, fetch })(name);
  const countInput: StreamingModel["countInput"] = (options) =>
    countWith(COUNTERS.google, settings.fetch, create, withSystemFirst(options));
  return { specificationVersion, provider, modelId, supportedUrls, doStream, countInput };
}

async function loadOpenAI(address: ModelAddress): Promise<StreamingModel> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const settings = toSettings(address);
  const openai = createOpenAI(settings);
  const model = toOpenAIModel(openai.chat(address.model), openai.responses(address.model));
  // Chat completions cannot count; a conversation is as long there.
  const create = (fetch: typeof globalThis.fetch) =>
    createOpenAI({ ...settings, fetch }).responses(address.model);
  const countInput: StreamingModel["countInput"] = (options) =>
    countWith(COUNTERS.openai, settings.fetch, create, {
      ...options,
      stopSequences: undefined,
      seed: undefined,
    });
  return { ...model, countInput };
}

async function loadChat(address: ModelAddress): Promise<StreamingModel> {
  const { provider, protocol, model, baseUrl, apiKey, hasJsonSchema = true } = address;
  const { createChatModel } = await import("./chat/model.ts");
  // Node's own fetch knows the way through a proxy, where one is switched on.
  const fetch = address.fetch ?? (process.env.NODE_USE_ENV_PROXY ? globalThis.fetch : undefined);
  const isMistral = protocol === "mistral";
  return createChatModel({ provider, model, baseUrl, apiKey, isMistral, hasJsonSchema, fetch });
}

const RESPONSES_ONLY = /-pro(-|$)|codex|deep-research|computer-use/;
const REASONING = /^(o\d|gpt-([5-9]|\d{2}))(?!.*-chat)/;

/**
 * OpenAI has two doors. Chat completions keeps what a client may set: `stop` and `seed`, which the
 * Responses API does not have; largest output and the count of reasoning tokens work in both. But
 * chat completions refuses function tools for its reasoning models since GPT-5.4, and some models are
 * behind Responses alone. So: chat, and Responses where chat would fail. Reasoning models also refuse
 * `stop`; it is then not sent, and provider.ts cuts the text itself.
 */
function toOpenAIModel(chat: LanguageModelV3, responses: LanguageModelV3): LanguageModelV3 {
  const id = chat.modelId;
  const isReasoning = REASONING.test(id);
  const route = (options: LanguageModelV3CallOptions) => {
    const needsResponses = RESPONSES_ONLY.test(id) || (isReasoning && (options.tools?.length ?? 0) > 0);
    const stopSequences = isReasoning ? undefined : options.stopSequences;
    const openai = {
      // A client's schema need not keep to the rules of OpenAI's strict mode, which refuses most.
      strictJsonSchema: false,
      // What is asked here is not kept at OpenAI, as with chat completions.
      ...(needsResponses ? { store: false } : {}),
      ...options.providerOptions?.openai,
    };
    const providerOptions = { ...options.providerOptions, openai };
    const prompt = needsResponses ? options.prompt : withImagesAfterResults(options.prompt);
    return {
      model: needsResponses ? responses : chat,
      options: { ...options, prompt, stopSequences, providerOptions },
    };
  };
  return {
    specificationVersion: "v3",
    provider: "openai",
    modelId: id,
    supportedUrls: chat.supportedUrls,
    doGenerate(options) {
      const routed = route(options);
      return routed.model.doGenerate(routed.options);
    },
    doStream(options) {
      const routed = route(options);
      return routed.model.doStream(routed.options);
    },
  };
}
