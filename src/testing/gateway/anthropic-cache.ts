// Prompt caching as Anthropic does it, for providers that tests make up: written up to each mark, read at a mark or at most
// twenty blocks before one, and five marks are refused.

import { createHash } from "node:crypto";
import type { Loose } from "./doors.ts";

const MOST_MARKS = 4;
const BLOCKS_LOOKED_BACK = 20;

export interface CachedInput {
  input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  /** All of it. */
  total: number;
}

/** Undefined where the request would be refused. */
export function createAnthropicCache() {
  const known = new Set<string>();
  return ({ tools = [], system = [], messages }: Loose): CachedInput | undefined => {
    const listed = (content: unknown) =>
      typeof content === "string" ? [{ type: "text", text: content }] : (content as Loose[]);
    const said = messages.flatMap(({ role, content }: Loose) =>
      listed(content).map((block) => ({ role, ...block })),
    );
    const blocks: Loose[] = [...tools, ...listed(system), ...said];
    const marks: number[] = [];
    const ends: { hash: string; tokens: number }[] = [];
    for (const [at, { cache_control: mark, ...block }] of blocks.entries()) {
      if (mark) marks.push(at);
      const text = JSON.stringify(block);
      const before = ends[at - 1] ?? { hash: "", tokens: 0 };
      const hash = createHash("sha1").update(before.hash).update(text).digest("hex");
      ends.push({ hash, tokens: before.tokens + Math.ceil(text.length / 4) });
    }
    if (marks.length > MOST_MARKS) return undefined;
    const reachable = marks.flatMap((mark) =>
      Array.from({ length: BLOCKS_LOOKED_BACK }, (_, back) => ends[mark - back]),
    );
    const read = Math.max(0, ...reachable.map((end) => (end && known.has(end.hash) ? end.tokens : 0)));
    for (const mark of marks) known.add(ends[mark]!.hash);
    const total = ends.at(-1)!.tokens;
    const written = Math.max(0, (marks.length > 0 ? ends[marks.at(-1)!]!.tokens : 0) - read);
    return {
      input_tokens: total - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      total,
    };
  };
}
