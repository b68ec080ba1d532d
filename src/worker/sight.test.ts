// Which models see images, as far as that is known.

import { expect, it } from "vitest";
import { knownAbilities } from "./known-models.ts";

it.each([
  ["openai/gpt-5-mini", true],
  ["anthropic/claude-opus-4-5", true],
  ["openrouter/google/gemini-3-pro", true],
  ["ollama/qwen2.5vl:7b", true],
  ["ollama/llama3.2-vision", true],
  ["deepseek/deepseek-chat", false],
  ["ollama/qwen3:8b", false],
  ["openai/o3-mini", false],
  ["openai/o3", true],
  ["openai/gpt-4o-mini", true],
  ["openai/gpt-oss-120b", false],
  ["openai/gpt-5-chat-latest", true],
  ["ollama/qwen2.5:7b", false],
  ["ollama/qwen3.5:9b", undefined],
  ["ollama/qwen3-vl:8b", true],
  ["local/something-new", undefined],
])("%s: %s", (id, sees) => expect(knownAbilities(id).vision).toBe(sees));
