// Has a provider count the input of a request, without being asked for a reply: the request is written by the same package that
// would send it, and its fetch turns it into the one that counts. What a provider counts is not billed.

import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { StreamingModel } from "./provider.ts";
import { toCount } from "./usage.ts";

/** How the request for a reply becomes the one that counts. */
interface Counter {
  toUrl(url: string): string;
  toBody(body: Record<string, unknown>, url: string): Record<string, unknown>;
  /** The field of the reply that has the number. */
  field: string;
}

const ANTHROPIC_FIELDS = ["model", "messages", "system", "tools", "tool_choice", "thinking"];
const OPENAI_FIELDS = [
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
  "text",
];
const GOOGLE_PATH = /\/(models\/[^/:]+(?:\/[^/:]+)*):\w+(?:\?.*)?$/;

/** Of the protocols whose own servers count. */
export const COUNTERS = {
  anthropic: {
    toUrl: (url) => `${url}/count_tokens`,
    toBody: (body) => pick(body, ANTHROPIC_FIELDS),
    field: "input_tokens",
  },
  openai: {
    toUrl: (url) => `${url}/input_tokens`,
    toBody: (body) => pick(body, OPENAI_FIELDS),
    field: "input_tokens",
  },
  google: {
    toUrl: (url) => url.replace(/:\w+(?:\?.*)?$/, ":countTokens"),
    toBody: (body, url) => ({
      generateContentRequest: { model: GOOGLE_PATH.exec(url)?.[1], ...body },
    }),
    field: "totalTokens",
  },
} satisfies Record<string, Counter>;

/** `create` makes the model with a fetch of ours. Undefined: the provider did not say. */
export async function countWith(
  { toUrl, toBody, field }: Counter,
  fetch: typeof globalThis.fetch,
  create: (fetch: typeof globalThis.fetch) => Pick<StreamingModel, "doStream">,
  options: LanguageModelV3CallOptions,
): Promise<number | undefined> {
  let counted: number | undefined;
  const model = create(async (input, init) => {
    const url = String(input);
    const body = JSON.stringify(toBody(JSON.parse(String(init?.body)), url));
    const response = await fetch(toUrl(url), { ...init, body });
    if (response.ok) counted = toCount(((await response.json()) as Record<string, unknown>)[field]);
    throw NOTHING_ASKED;
  });
  try {
    await model.doStream(options);
  } catch {
    // Ours, which ends what would read a reply; or there is no count.
  }
  return counted;
}

const NOTHING_ASKED = new Error("counted, and not asked");

function pick(body: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in body).map((name) => [name, body[name]]));
}
