// From `embeddings` of the config to an encoder: which server, which key. Nothing here throws or asks anybody: who wants
// embeddings and cannot have them is told why, and questions are read without.

import { messageOf } from "../base/errors.ts";
import { createEndpointEncoder, type QuestionEncoder } from "../calibration/embedding/encoder.ts";
import { splitRef, toEndpoint } from "./endpoint.ts";
import type { Environment } from "./home.ts";
import type { TuttiConfig } from "./schema.ts";

export type EncoderResult = { ok: true; encoder: QuestionEncoder } | { ok: false; problem: string };

/** Undefined where none is configured. */
export function toEncoder(
  { embeddings }: Pick<TuttiConfig, "embeddings">,
  env: Environment,
  fetch?: typeof globalThis.fetch,
): EncoderResult | undefined {
  if (!embeddings) return undefined;
  const fail = (why: string) => ({
    ok: false as const,
    problem: `Embeddings by ${embeddings.model} are not used: ${why}`,
  });
  const { provider, model } = splitRef(embeddings.model);
  try {
    const result = toEndpoint(provider, env, embeddings);
    if (!result.ok) return fail(`their key is missing: set ${result.missingKeys.join(" or ")}`);
    const { baseUrl, apiKey, protocol } = result.endpoint;
    // At an address of one's own the protocol is OpenAI's, whatever the name before the model is.
    if (embeddings.baseUrl === undefined && (protocol === "anthropic" || protocol === "google"))
      return fail(`${provider} has no embeddings in OpenAI's protocol at its usual address: give a baseUrl`);
    // The same name elsewhere may be another model.
    const id = `${embeddings.model} at ${new URL(baseUrl).host}`;
    return { ok: true, encoder: createEndpointEncoder({ id, baseUrl, model, apiKey, fetch }) };
  } catch (error) {
    return fail(messageOf(error));
  }
}
