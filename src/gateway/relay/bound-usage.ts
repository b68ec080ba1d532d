// What a relayed request can have taken at the most, where the provider does not say: a chat stream without
// `include_usage`, a reply that was cut. On the high side, so that a budget holds.

import { boundInputTokens, NO_USAGE } from "../../worker/price.ts";
import type { Usage } from "../../worker/types.ts";
import type { RelayReading } from "./read-usage.ts";

export function boundUsage(body: Buffer, { usageSoFar, writtenTokens }: RelayReading): Usage {
  if (usageSoFar) return { ...usageSoFar, outputTokens: Math.max(usageSoFar.outputTokens, writtenTokens) };
  return { ...NO_USAGE, inputTokens: boundInput(body), outputTokens: writtenTokens };
}

/** No token is shorter than a byte. Images are not billed by their bytes, which would be far too many. */
export function boundInput(body: Buffer): number {
  let imageBytes = 0;
  let images = 0;
  for (let at = body.indexOf(BASE64); at >= 0; at = body.indexOf(BASE64, at + 1)) {
    const bytes = dataLength(body, at + BASE64.length);
    if (bytes < SMALLEST_IMAGE_BYTES) continue;
    imageBytes += bytes;
    images += 1;
    at += bytes;
  }
  return boundInputTokens(body.length - imageBytes, 0, images);
}

const QUOTE = 0x22;
const SPACE = 0x20;
const BASE64 = Buffer.from("base64");
const SMALLEST_IMAGE_BYTES = 16_384;
/** `"type":"base64","media_type":"image/png","data":"…`: how far after the word the data may begin. */
const NEAR_BYTES = 200;

/** Length of the data that begins near here, up to the quote that ends it. Words have spaces, data has none. */
function dataLength(body: Buffer, from: number): number {
  for (let start = from; start - from < NEAR_BYTES; ) {
    const end = body.indexOf(QUOTE, start);
    if (end < 0) return 0;
    if (end - start >= SMALLEST_IMAGE_BYTES) {
      const space = body.indexOf(SPACE, start);
      return space < 0 || space > end ? end - start : 0;
    }
    start = end + 1;
  }
  return 0;
}
