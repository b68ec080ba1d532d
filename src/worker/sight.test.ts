// Which models see images, as far as that is known.

import { expect, it } from "vitest";
import { seesImages } from "./known-models.ts";

it.each([
  ["openai/gpt-5-mini", true],
  ["anthropic/claude-opus-4-5", true],
  ["openrouter/google/gemini-3-pro", true],
  ["ollama/qwen2.5vl:7b", true],
  ["ollama/llama3.2-vision", true],
  ["deepseek/deepseek-chat", false],
  ["ollama/qwen3:8b", false],
  ["openai/o3-mini", false],
  ["local/something-new", undefined],
])("%s: %s", (id, sees) => expect(seesImages(id)).toBe(sees));
