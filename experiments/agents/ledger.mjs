// What the stub provider bills: tokens by bytes, and prompt caching as the real providers have it. OpenAI's and the
// like find a known prefix by themselves, in pieces of 128 tokens; Anthropic reads and writes at breakpoints only, and
// writing costs more.

import { createHash } from "node:crypto";

const BYTES_PER_TOKEN = 4;
const PIECE_BYTES = 128 * BYTES_PER_TOKEN;
const LEAST_TOKENS = 1_024;
/** How many blocks before a breakpoint Anthropic looks for what it has. */
const LOOK_BACK = 20;

/** Dollars per million tokens. */
export const PRICES = {
  "coder-cheap": { inputUsd: 1, outputUsd: 5, cachedInputUsd: 0.1, cacheWriteUsd: 1.25 },
  "coder-strong": { inputUsd: 5, outputUsd: 25, cachedInputUsd: 0.5, cacheWriteUsd: 6.25 },
};

export const toTokens = (text) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

export function createLedger() {
  const known = new Set();
  const lines = [];

  /** Pieces of the prompt that are known already, from its beginning. */
  function readPieces(model, text) {
    const bytes = Buffer.from(text);
    let chain = model;
    let pieces = 0;
    let isKnown = true;
    for (let at = 0; at + PIECE_BYTES <= bytes.length; at += PIECE_BYTES) {
      chain = hash(chain, bytes.subarray(at, at + PIECE_BYTES));
      isKnown &&= known.has(chain);
      if (isKnown) pieces++;
      known.add(chain);
    }
    const read = (pieces * PIECE_BYTES) / BYTES_PER_TOKEN;
    return { read: read >= LEAST_TOKENS ? read : 0, written: 0 };
  }

  /** `blocks`: `{ text, isMarked }` in the order in which the provider reads them. */
  function readBlocks(model, blocks) {
    let chain = model;
    let tokens = 0;
    const ends = blocks.map(({ text, isMarked }) => {
      chain = hash(chain, text);
      tokens += toTokens(text);
      return { chain, tokens, isMarked };
    });
    let read = 0;
    let last = 0;
    for (const [at, { tokens: here, isMarked }] of ends.entries()) {
      if (!isMarked || here < LEAST_TOKENS) continue;
      last = here;
      const before = ends.slice(Math.max(0, at - LOOK_BACK), at + 1);
      read = Math.max(read, ...before.filter((end) => known.has(end.chain)).map((end) => end.tokens));
    }
    for (const { chain: end, tokens: here, isMarked } of ends)
      if (isMarked && here >= LEAST_TOKENS) known.add(end);
    return { read, written: Math.max(0, last - read) };
  }

  return {
    lines,
    /** What one request took. `prompt`: a text, or blocks. */
    bill({ model, prompt, reply, purpose }) {
      const isText = typeof prompt === "string";
      const { read, written } = isText ? readPieces(model, prompt) : readBlocks(model, prompt);
      const input = isText ? toTokens(prompt) : prompt.reduce((sum, { text }) => sum + toTokens(text), 0);
      const output = toTokens(reply);
      const { inputUsd, outputUsd, cachedInputUsd, cacheWriteUsd } = PRICES[model];
      const fresh = input - read - written;
      const usd =
        (fresh * inputUsd + read * cachedInputUsd + written * cacheWriteUsd + output * outputUsd) / 1e6;
      const line = { model, purpose, input, read, written, output, usd };
      lines.push(line);
      return line;
    },
  };
}

function hash(chain, bytes) {
  return createHash("sha256").update(chain).update(bytes).digest("base64");
}
