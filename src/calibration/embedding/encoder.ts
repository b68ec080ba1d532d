// The port to sentence embeddings, and its implementation over any server that speaks OpenAI's `/embeddings`. Errors are
// short words of our own: neither the server's text nor the key is ever in them. Whoever asks goes on without.

import { z } from "zod";
import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { redact } from "../../base/redact.ts";
import { EndlessReply, Redirected } from "../../worker/failure.ts";
import { guardFetch } from "../../worker/guarded-fetch.ts";
import { cutMiddle } from "../text-features.ts";
import { toUnitVector } from "./vectors.ts";

/** Texts of one request: more than a few dozen are refused by some servers. */
const BATCH = 32;
/** Above the largest that anybody offers. */
export const MOST_DIMENSIONS = 16_384;
/** A number of a vector as JSON, with its comma and blanks. */
const NUMBER_BYTES = 32;
const EXTRA_BYTES = 65_536;

/** What turns questions into vectors. */
export interface QuestionEncoder {
  /** Vectors of two encoders cannot be compared; they are kept with this name. */
  readonly id: string;
  /** In the order of the texts: of unit length, all of one dimension. Long texts lose their middle. Throws a TuttiError. */
  encode(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

export interface EncoderAddress {
  id: string;
  /** With the version, without a slash at the end: "https://api.openai.com/v1". */
  baseUrl: string;
  /** As the server calls it. */
  model: string;
  apiKey?: string;
  fetch?: typeof globalThis.fetch;
}

const replySchema = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()).min(1) })),
});

export function createEndpointEncoder(address: EncoderAddress): QuestionEncoder {
  const { id } = address;
  return {
    id,
    async encode(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += BATCH) {
        const batch = texts.slice(from, from + BATCH).map(cutMiddle);
        try {
          vectors.push(...(await askFor(batch, address, signal)));
        } catch (error) {
          throw toEncoderError(error, signal);
        }
      }
      const other = vectors.find(({ length }) => length !== vectors[0]!.length);
      if (other)
        throw badReply(`its vectors have ${vectors[0]!.length} numbers, and then ${other.length} numbers`);
      return vectors;
    },
  };
}

async function askFor(
  input: readonly string[],
  { baseUrl, model, apiKey, fetch = globalThis.fetch }: EncoderAddress,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const maxBytes = input.length * MOST_DIMENSIONS * NUMBER_BYTES + EXTRA_BYTES;
  const response = await guardFetch(
    fetch,
    apiKey,
    maxBytes,
  )(`${baseUrl}/embeddings`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, input, encoding_format: "float" }),
    signal,
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new TuttiError("provider-error", `it answers ${response.status}`, { status: response.status });
  }
  const parsed = replySchema.safeParse(await response.json());
  if (!parsed.success) throw badReply("what it sent is no list of embeddings");
  const { data } = parsed.data;
  if (data.length !== input.length)
    throw badReply(`it sent ${data.length} vectors for ${input.length} texts`);
  const rows: number[][] = [];
  for (const [place, { index = place, embedding }] of data.entries()) rows[index] = embedding;
  return input.map((_, place) => {
    const row = rows[place];
    if (!row) throw badReply(`it sent no vector for text ${place + 1} of ${input.length}`);
    if (row.length > MOST_DIMENSIONS) throw badReply(`its vectors have ${row.length} numbers`);
    const vector = toUnitVector(row);
    if (!vector) throw badReply("it sent a vector without a length");
    return vector;
  });
}

function badReply(why: string): TuttiError {
  return new TuttiError("bad-response", why);
}

function toEncoderError(error: unknown, signal: AbortSignal): TuttiError {
  if (isTuttiError(error)) return error;
  if (signal.aborted && (signal.reason as Error | undefined)?.name === "TimeoutError")
    return new TuttiError("timeout", "it took too long");
  if (signal.aborted) return new TuttiError("aborted", "it was stopped");
  if (error instanceof Redirected) return badReply(redact(error.message));
  if (error instanceof EndlessReply) return badReply("it sent far more than was asked for");
  if (error instanceof SyntaxError) return badReply("what it sent is not JSON");
  return new TuttiError("unreachable", "it cannot be reached");
}
