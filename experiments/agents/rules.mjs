// What real providers refuse, enforced by the stub: results of tools without their call, calls without their result,
// thoughts that were not signed here or were lost, too many breakpoints. Each function takes the parsed conversation
// (read-request.mjs) and throws what the provider would say.

import { createHash } from "node:crypto";

export class Refused extends Error {}

/** The signature of a thought: only its provider can make it, and it fits no other text. */
export function sign(text) {
  return createHash("sha256").update(`stub provider ${text}`).digest("base64");
}

/** Every call is answered right behind it, and nothing is answered that was not called. */
export function checkCalls(entries) {
  let open = new Set();
  for (const { role, calls = [], toolId } of entries) {
    if (role === "tool") {
      if (!open.delete(toolId))
        throw new Refused(`No tool call ${JSON.stringify(toolId)} waits for a result`);
      continue;
    }
    // Calls of one reply may arrive as several items.
    if (open.size > 0 && calls.length === 0)
      throw new Refused(`Tool calls without a result: ${[...open].join(", ")}`);
    open = new Set([...open, ...calls.map(({ id }) => id)]);
    for (const { id } of calls)
      if (!/^[\w-]{1,64}$/.test(id ?? "")) throw new Refused(`"${id}" is no id of a tool call`);
  }
  if (open.size > 0) throw new Refused(`Tool calls without a result: ${[...open].join(", ")}`);
}

/**
 * Thoughts come back as they were given, and with the calls that followed them. `issued`: ids of calls to the signature
 * of the thought before them.
 */
export function checkThoughts(entries, issued, { isThinking }) {
  let signatures = [];
  for (const { role, thoughts = [], calls = [] } of entries) {
    if (role !== "assistant") {
      signatures = [];
      continue;
    }
    for (const { text, signature } of thoughts) {
      if (signature !== sign(text)) throw new Refused("Invalid signature in a thinking block");
      signatures.push(signature);
    }
    for (const { id } of calls) {
      const wanted = issued.get(id);
      if (isThinking && wanted && !signatures.includes(wanted))
        throw new Refused(`The call ${id} came back without the thought before it`);
    }
  }
}

const MOST_BREAKPOINTS = 4;

export function checkBreakpoints(blocks) {
  const marked = blocks.filter(({ isMarked }) => isMarked).length;
  if (marked > MOST_BREAKPOINTS)
    throw new Refused(`${marked} blocks have cache_control; ${MOST_BREAKPOINTS} may`);
}
