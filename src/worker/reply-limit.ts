// How long a reply may be at the most, by the tokens that were asked for. A provider keeps to them; one that does not, by
// error or on purpose, must not fill our memory nor write to a client for ever. Far above what an honest reply takes.

import { endlessReply } from "./failure.ts";

/** Words of a model have four characters a token; tables and rows of blanks have more. */
const TOKEN_CHARACTERS = 16;
const EXTRA_CHARACTERS = 65_536;
/** Most tokens are one part of a stream; the parts around them are few. */
const TOKEN_PARTS = 4;
const EXTRA_PARTS = 10_000;
/** An event with its names and ids around one token. */
const TOKEN_BYTES = 2_048;
/** For comments that only keep a connection alive. */
const EXTRA_BYTES = 16 * 1_048_576;

export interface ReplyLimit {
  /** One more part with so many characters. Throws "endless-reply". */
  add(characters: number): void;
}

export function createReplyLimit(workerId: string, maxOutputTokens: number): ReplyLimit {
  const maxCharacters = toMaxCharacters(maxOutputTokens);
  const maxParts = maxOutputTokens * TOKEN_PARTS + EXTRA_PARTS;
  let characters = 0;
  let parts = 0;
  return {
    add(more) {
      characters += more;
      parts += 1;
      if (characters > maxCharacters || parts > maxParts) throw endlessReply(workerId);
    },
  };
}

/** Of all that a model writes: answer, reasoning and the arguments of tools. */
export function toMaxCharacters(maxOutputTokens: number): number {
  return maxOutputTokens * TOKEN_CHARACTERS + EXTRA_CHARACTERS;
}

/** Of a body, as it comes over the wire. */
export function toMaxBytes(maxOutputTokens: number): number {
  return maxOutputTokens * TOKEN_BYTES + EXTRA_BYTES;
}
