// From a provider's name to a model object: the AI SDK's packages for the three big dialects, our own for chat
// completions. They are loaded here and only when a model is really asked: each costs tens of milliseconds that
// `tutti --help` should not pay. Keys and addresses are always handed over, so that no package looks into the
// environment by itself.

import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { StreamingModel } from "./provider.ts";

/** The protocols that providers speak. "mistral" is chat completions with other names for some fields. */
export type Dialect = "openai" | "anthropic" | "google" | "mistral" | "openai-compatible";

export interface ModelAddress {
  /** For people and for provider options. */
  provider: string;
  dialect: Dialect;
  baseUrl: string;
  model: string;
  /** Absent for servers that want none. */
  apiKey?: string;
  /** False where a JSON schema is refused and only "some JSON" can be asked for. */
  hasJsonSchema?: boolean;
  fetch?: typeof globalThis.fetch;
}

export async function loadModel(address: ModelAddress): Promise<StreamingModel> {
  const { provider, dialect, model, apiKey = "none", fetch } = address;
  const settings = { apiKey, baseURL: address.baseUrl, fetch };
  switch (dialect) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(settings)(model);
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI(settings)(model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const openai = createOpenAI(settings);
      return toOpenAIModel(openai.chat(model), openai.responses(model));
    }
    default: {
      const { createChatModel } = await import("./chat/model.ts");
      return createChatModel({
        provider,
        model,
        baseUrl: address.baseUrl,
        apiKey: address.apiKey,
        isMistral: dialect === "mistral",
        hasJsonSchema: address.hasJsonSchema ?? true,
        // Node's own fetch knows the way through a proxy, where one is switched on.
        fetch: fetch ?? (process.env.NODE_USE_ENV_PROXY ? globalThis.fetch : undefined),
      });
    }
  }
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
    return {
      model: needsResponses ? responses : chat,
      options: { ...options, stopSequences, providerOptions },
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
