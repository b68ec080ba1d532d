// The fetch that the AI SDK's packages get, and whoever else asks a provider for something: it follows no redirect, so that
// a key reaches the host it was given for and no other; a body ends somewhere; and our key is taken out of it.

import { createSecretFilter } from "../base/secret-filter.ts";
import { EndlessReply, Redirected } from "./failure.ts";
import { toMaxBytes } from "./reply-limit.ts";

/** Where a request names no length: more than any model writes. */
const LONGEST_REPLY = 131_072;
const MAX_BODY_BYTES = 64 * 1_048_576;
/** Of an error: a line of it is shown. */
const MAX_ERROR_BYTES = 1_048_576;

/** `maxBodyBytes`: of a reply that is no stream, where its length can be told beforehand. */
export function guardFetch(
  fetch: typeof globalThis.fetch,
  secret?: string,
  maxBodyBytes = MAX_BODY_BYTES,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    const { status, headers, body } = response;
    if (status >= 300 && status < 400) {
      await body?.cancel();
      throw new Redirected(status, headers.get("location") ?? undefined);
    }
    if (!body) return response;
    const isStream = headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false;
    const whole = status < 400 ? maxBodyBytes : MAX_ERROR_BYTES;
    const maxBytes = isStream ? toMaxBytes(readLength(init?.body)) : whole;
    const guarded = guardBody(body.getReader(), maxBytes, secret);
    return new Response(guarded, { status, statusText: response.statusText, headers });
  };
}

const LENGTH = /"max(?:_tokens|_completion_tokens|_output_tokens|OutputTokens)":(\d{1,9})\b/g;

/** The largest that is there: what a message or a schema says of lengths can only be more than enough. */
function readLength(body: unknown): number {
  const found = typeof body === "string" ? [...body.matchAll(LENGTH)].map(([, count]) => Number(count)) : [];
  return found.length === 0 ? LONGEST_REPLY : Math.min(Math.max(...found), LONGEST_REPLY);
}

function guardBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  secret: string | undefined,
): ReadableStream<Uint8Array> {
  const filter = createSecretFilter(secret);
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      // A piece may be held back whole: then the next one is read at once.
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          const rest = filter?.end();
          if (rest?.length) controller.enqueue(rest);
          controller.close();
          return;
        }
        bytes += value.length;
        if (bytes > maxBytes) {
          const error = new EndlessReply();
          void reader.cancel(error).catch(() => {});
          throw error;
        }
        const piece = filter
          ? filter.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
          : value;
        if (piece.length === 0) continue;
        controller.enqueue(piece);
        return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
