// Which conversation a request belongs to, by what its client says of itself, else by how the conversation begins. Only a
// digest is kept: names of sessions hold account ids in some agents. Covered: agents that send a session's id or all of the
// conversation. Not covered: one that rewrites its first messages and names no session, which begins a new conversation.

import { createHash } from "node:crypto";
import { type Fields, isFields } from "../http/object-reader.ts";
import type { HeaderReader } from "../types.ts";

/** Of headers that agents send, the most particular first. */
const HEADERS = [
  "x-tutti-session",
  "x-claude-code-session-id",
  "session_id",
  "session-id",
  "x-session-id",
  "x-session-affinity",
  "conversation_id",
  "x-conversation-id",
];

/** `before`: the conversation of the reply that this one goes on from. */
export function toSessionId(
  body: Fields,
  header: HeaderReader,
  keyId: string | undefined,
  before?: string,
): string | undefined {
  if (before !== undefined) return before;
  const named = findNamed(body, header) ?? toBeginning(body);
  if (named === undefined) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([keyId ?? null, named]))
    .digest("hex")
    .slice(0, 24);
}

function findNamed({ tutti, conversation, prompt_cache_key, metadata }: Fields, header: HeaderReader) {
  const inHeader = HEADERS.find((name) => header(name));
  const { session } = isFields(tutti) ? tutti : ({} as Fields);
  const { session_id, user_id } = isFields(metadata) ? metadata : ({} as Fields);
  const said = [
    isFields(session) ? session.id : session,
    inHeader && header(inHeader),
    isFields(conversation) ? conversation.id : conversation,
    session_id,
    // Claude Code writes the session into it. Who writes an account alone shares one conversation, and its caps.
    user_id,
    prompt_cache_key,
  ];
  const index = said.findIndex((value) => typeof value === "string" && value !== "");
  return index < 0 ? undefined : ["named", said[index]];
}

/** What comes again with every request: the system's words and the first thing that the user said. */
function toBeginning({ system, instructions, messages, input }: Fields): unknown {
  const list: unknown[] = Array.isArray(messages) ? messages : Array.isArray(input) ? input : [input];
  const isOf = (role: string) => (item: unknown) => isFields(item) && item.role === role;
  const first = list.find(isOf("user")) ?? (typeof input === "string" ? input : undefined);
  if (first === undefined) return undefined;
  const told = list.find((item) => isOf("system")(item) || isOf("developer")(item));
  return ["begins", system ?? instructions ?? contentOf(told), contentOf(first)];
}

/** Without marks for caches, which move from turn to turn. */
function contentOf(item: unknown): unknown {
  const content = isFields(item) ? item.content : item;
  if (!Array.isArray(content)) return content ?? null;
  return content.map((part: unknown) => (isFields(part) && typeof part.text === "string" ? part.text : part));
}
