// Small values that come from outside: secrets in texts, ids, usage, depth.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { isDeep } from "../../src/base/deep.ts";
import { redact, redactRegistered, registerSecret } from "../../src/base/redact.ts";
import { parseEventId } from "../../src/gateway/routes/runs.ts";
import { parseReplyId, parseToolCallId, toReplyId, toToolCallId } from "../../src/gateway/runs/turns.ts";
import { fromChatUsage } from "../../src/worker/chat/stream.ts";
import { costOf } from "../../src/worker/price.ts";
import { acceptUsage } from "../../src/worker/usage.ts";
import { type FuzzTarget, must, toText } from "../target.ts";

const SECRET = "fuzz-secret-0123456789";

export const redaction: FuzzTarget = {
  name: "redaction",
  tokens: [
    SECRET,
    encodeURIComponent(SECRET),
    Buffer.from(SECRET).toString("base64"),
    "api_key=",
    "Bearer ",
    "sk-",
    "://a:b@",
    '":"',
  ],
  inputs: fc.string(),
  check(input) {
    registerSecret(SECRET);
    const text = toText(input);
    const once = redact(text);
    must(!once.includes(SECRET), "a secret is still there");
    must(redact(once) === once, "redacting twice is not redacting once");
    const [first, { text: second }] = redactRegistered([text, { text }] as const, new Set());
    must(!`${first}\n${second}`.includes(SECRET), "a secret is still there");
  },
};

const DIALECT = { replyIdPrefix: "chatcmpl-" };

export const ids: FuzzTarget = {
  name: "ids",
  tokens: ["chatcmpl-", "call_", "r_", "_0", "_1", "_000001", "1.1"],
  inputs: fc.string(),
  check(input) {
    const text = toText(input);
    const reply = parseReplyId(DIALECT, text);
    if (reply) must(toReplyId(DIALECT, reply.runId, reply.turn) === text, "a reply's id is another one");
    const { isFromJournal: _, ...numbers } = parseEventId(text);
    for (const number of Object.values(numbers))
      must(Number.isSafeInteger(number) && number >= 0, `an event's number is ${number}`);
    const call = parseToolCallId(text);
    if (!call) return;
    const again = parseToolCallId(toToolCallId(call.runId, call.turn, call.index));
    must(isDeepStrictEqual(again, call), "a tool call's id is another one");
  },
};

export const usage: FuzzTarget = {
  name: "usage",
  tokens: [
    '"prompt_tokens":',
    '"completion_tokens":',
    '"total_tokens":',
    '"prompt_tokens_details":{',
    '"cached_tokens":',
    "1e308",
    "-5",
  ],
  inputs: fc.json({ maxDepth: 2 }),
  check(input) {
    let fields: unknown;
    try {
      fields = JSON.parse(toText(input));
    } catch {
      return;
    }
    if (typeof fields !== "object" || fields === null) return;
    // What cannot be true is refused where it is read; only what is accepted is ever counted with.
    const read = acceptUsage("worker", fromChatUsage(fields as Record<string, unknown>), 1_000);
    for (const count of Object.values(read))
      must(Number.isFinite(count) && count >= 0, `a count of ${count}`);
    const costUsd = costOf(read, { inputUsd: 1, outputUsd: 2 });
    must(Number.isFinite(costUsd) && costUsd >= 0, `a cost of ${costUsd}`);
  },
};

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).slice(0, 1_000).map(depthOf))
    : 0;

export const deep: FuzzTarget = {
  name: "deep",
  tokens: ["[", "]", '{"a":', "}", "[[[[[[[[", "]]]]]]]]"],
  inputs: fc.json(),
  check(input) {
    let value: unknown;
    try {
      value = JSON.parse(toText(input));
    } catch {
      return;
    }
    if (!isDeep(value)) JSON.stringify(value);
    if (!isDeep(value, 8) && input.length < 1_000) must(depthOf(value) <= 9, "deeper than it says");
  },
};
