// What is passed through and never answered by a team: embeddings, reranking, moderation, pictures, speech, plain completions.
// Each is a dialect that is only relayed, so keys, budgets, names of models, copies for repeats and the journal are the same
// as for everything else.

import { isObject, toFields } from "../../base/fields.ts";
import { toCount } from "../../worker/usage.ts";
import { toOpenAIError } from "../dialect/openai-error.ts";
import { badRequest } from "../http/object-reader.ts";
import type { PricedFields } from "../relay/priced-fields.ts";
import type { RelayReader, ReplyFields } from "../relay/types.ts";
import type { Dialect } from "../types.ts";

interface PassageSettings {
  /** Journaled, and what a key with a budget is allowed by where the price is not that of tokens. */
  name: string;
  path: string;
  /**
   * Which price it has. "input": that of the tokens that are sent. "tokens": of those of the reply too. "unknown": none that
   * could be reserved (by picture, second or search): keys with a budget need `--allow-fields NAME`.
   */
  billing: NonNullable<RelayReader["billing"]>;
  /** Fields that leave the price as it is, or that are counted. */
  fields?: readonly string[];
  read?: RelayReader["read"];
}

const NO_TOOLS = /^$/;

export function createPassage({
  name,
  path,
  billing,
  fields = [],
  read = readUsage,
}: PassageSettings): Dialect {
  const pricedFields: PricedFields = {
    known: new Set(["model", "user", "metadata", "tutti", ...fields]),
    clientTools: NO_TOOLS,
  };
  const isRelayed = (): never => {
    throw new Error(`"${name}" is only passed through`);
  };
  return {
    name,
    path,
    replyIdPrefix: `${name}-`,
    relay: {
      protocols: ["openai", "openai-compatible", "mistral"],
      lengthField: () => "max_tokens",
      pricedFields,
      billing,
      toErrorEvent: (error) => `data: ${JSON.stringify(toOpenAIError(error).body)}\n\n`,
      read,
    },
    // Whoever is asked for and cannot be passed through to ends up here.
    parseRequest() {
      const right = 'Name one whose provider has it, such as "openai/text-embedding-3-small".';
      throw badRequest(`This model takes no requests to /v1${path}. ${right}`, "model");
    },
    toReply: isRelayed,
    createStream: isRelayed,
    toError: toOpenAIError,
  };
}

/** Usage in OpenAI's older and newer names, as far as there is one. Nothing of what was written is kept. */
function readUsage(body: Record<string, unknown>, known: ReplyFields): ReplyFields {
  const usage = toFields(body.usage ?? toFields(body.response).usage);
  const input = usage.prompt_tokens ?? usage.input_tokens ?? usage.total_tokens;
  return {
    ...known,
    usage:
      input === undefined
        ? known.usage
        : {
            inputTokens: toCount(input),
            outputTokens: toCount(usage.completion_tokens ?? usage.output_tokens),
            cachedInputTokens: 0,
            reasoningTokens: 0,
          },
    finishReason: "stop",
    hasError: known.hasError || isObject(body.error),
  };
}
