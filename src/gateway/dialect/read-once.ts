// Messages of a conversation that were read before: an agent sends them again with every turn, and what begins like an earlier
// body has the same objects (http/known-bodies.ts), so the same message stands for them. Nobody may change it.

import type { Message } from "../../worker/types.ts";
import type { Fields, ObjectReader } from "../http/object-reader.ts";

/** What is known while a conversation is read. */
export interface Reading {
  /** By the ids of their calls. */
  toolNames: Map<string, string>;
  /** Names of what could not be read. */
  left: Set<string>;
}

/** One for each dialect. What came before an object is the same every time, so a message depends on nothing else. */
export function createMessageReader() {
  const before = new WeakMap<Fields, { messages: Message[]; left: ReadonlySet<string> }>();
  return (
    { fields }: ObjectReader,
    { toolNames, left }: Reading,
    read: (reading: Reading) => Message[],
  ): Message[] => {
    let known = before.get(fields);
    if (!known) {
      const own = new Set<string>();
      known = { messages: read({ toolNames, left: own }), left: own };
      before.set(fields, known);
    }
    for (const name of known.left) left.add(name);
    for (const message of known.messages)
      if (message.role === "assistant")
        for (const { id, name } of message.toolCalls ?? []) toolNames.set(id, name);
    return known.messages;
  };
}
