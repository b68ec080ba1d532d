// The one dated list of providers and of the models taken when nobody has chosen any: for each
// provider a strong one and a cheap one, each with fall-backs in order. Which of them an account
// really has is checked against the provider's own list (discover.ts). Data only; review it when
// `checkedOn` is half a year old.

import type { ProviderProtocol } from "../worker/models.ts";

export interface ProviderInfo {
  id: string;
  protocol: ProviderProtocol;
  baseUrl: string;
  /** Environment variables with the key, the first one found counts. Empty: no key is needed. */
  keys: string[];
  /** Environment variable that puts another server in the place of `baseUrl`. */
  baseUrlEnv?: string;
  /** Each entry is one worker: its candidates, best first. */
  models: string[][];
  hasJsonSchema?: boolean;
}

export const checkedOn = "2026-11-15";

export const PROVIDERS: readonly ProviderInfo[] = [
  {
    id: "openai",
    protocol: "openai",
    baseUrl: "https://api.openai.com/v1",
    baseUrlEnv: "OPENAI_BASE_URL",
    keys: ["OPENAI_API_KEY"],
    models: [
      ["gpt-6-sol", "gpt-5.6-sol", "gpt-5.4", "gpt-5"],
      ["gpt-6-luna", "gpt-5.6-luna", "gpt-5.4-mini", "gpt-5-mini"],
    ],
  },
  {
    id: "anthropic",
    protocol: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    baseUrlEnv: "ANTHROPIC_BASE_URL",
    keys: ["ANTHROPIC_API_KEY"],
    models: [
      ["claude-opus-5-5", "claude-opus-5", "claude-opus-4-8", "claude-opus-4-5"],
      ["claude-sonnet-5", "claude-haiku-4-5", "claude-sonnet-4-6"],
    ],
  },
  {
    id: "google",
    protocol: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    models: [
      ["gemini-3.1-pro-preview", "gemini-3-pro-preview", "gemini-2.5-pro"],
      ["gemini-3.8-flash", "gemini-3.7-flash", "gemini-3.5-flash-lite", "gemini-2.5-flash"],
    ],
  },
  {
    id: "xai",
    protocol: "openai-compatible",
    baseUrl: "https://api.x.ai/v1",
    keys: ["XAI_API_KEY"],
    models: [
      ["grok-4.6", "grok-4.5", "grok-4.3"],
      ["grok-4-1-fast-reasoning", "grok-4-fast-reasoning"],
    ],
  },
  {
    id: "mistral",
    protocol: "mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keys: ["MISTRAL_API_KEY"],
    models: [
      ["mistral-medium-3-5", "mistral-medium-latest", "mistral-large-2512"],
      ["mistral-small-2603", "mistral-small-latest"],
    ],
  },
  {
    id: "deepseek",
    protocol: "openai-compatible",
    baseUrl: "https://api.deepseek.com/v1",
    keys: ["DEEPSEEK_API_KEY"],
    models: [
      ["deepseek-v4-pro", "deepseek-reasoner"],
      ["deepseek-v4-flash", "deepseek-chat"],
    ],
    hasJsonSchema: false,
  },
  {
    id: "groq",
    protocol: "openai-compatible",
    baseUrl: "https://api.groq.com/openai/v1",
    keys: ["GROQ_API_KEY"],
    models: [
      ["openai/gpt-oss-120b", "llama-3.3-70b-versatile"],
      ["openai/gpt-oss-20b", "qwen/qwen3-32b"],
    ],
  },
  {
    id: "together",
    protocol: "openai-compatible",
    baseUrl: "https://api.together.xyz/v1",
    keys: ["TOGETHER_API_KEY"],
    models: [
      ["meta-llama/Llama-3.3-70B-Instruct-Turbo", "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8"],
    ],
  },
  {
    id: "fireworks",
    protocol: "openai-compatible",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keys: ["FIREWORKS_API_KEY"],
    models: [
      ["accounts/fireworks/models/kimi-k3", "accounts/fireworks/models/kimi-k2p6"],
      ["accounts/fireworks/models/deepseek-v4-flash", "accounts/fireworks/models/gpt-oss-120b"],
    ],
  },
  {
    id: "openrouter",
    protocol: "openai-compatible",
    baseUrl: "https://openrouter.ai/api/v1",
    keys: ["OPENROUTER_API_KEY"],
    models: [
      ["anthropic/claude-opus-5.5", "anthropic/claude-opus-5"],
      ["openai/gpt-6-luna", "openai/gpt-5.6-luna", "z-ai/glm-5.3-flash"],
    ],
  },
];

/** Servers people run themselves, at the port each takes when nobody says another. They cost nothing. */
export const LOCAL_SERVERS: readonly ProviderInfo[] = [
  local("ollama", 11434),
  local("llamacpp", 8080),
  local("vllm", 8000),
  local("lmstudio", 1234),
];

function local(id: string, port: number): ProviderInfo {
  return { id, protocol: "openai-compatible", baseUrl: `http://127.0.0.1:${port}/v1`, keys: [], models: [] };
}
