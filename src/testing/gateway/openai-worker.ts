// A worker that speaks OpenAI's Responses through the AI SDK's package, to a provider that a test makes up. The config has
// such workers at OpenAI's own address only.

import { loadModel } from "../../worker/models.ts";
import { createModelWorker, type ModelWorkerOptions } from "../../worker/provider.ts";
import type { Worker } from "../../worker/types.ts";

export function toOpenAIWorker(url: string, options: ModelWorkerOptions = {}): Worker {
  const known = { protocol: "openai" as const, model: "gpt-5.4" };
  const address = { baseUrl: `${url}/v1`, apiKey: "sk-test-provider-0123456789" };
  return createModelWorker("gpt", () => loadModel({ provider: "openai", ...known, ...address }), {
    known,
    ...options,
  });
}
