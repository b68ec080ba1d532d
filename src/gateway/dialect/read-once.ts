// Messages of a conversation that were read before: an agent sends them again with every turn, and what begins like an earlier
// body has the same objects (http/known-bodies.ts), so the same messages stand for them. Nobody may change them.

import { countSame } from "../../base/growing-fold.ts";
import type { Message } from "../../worker/types.ts";
import { type Fields, isFields, ObjectReader, wrongValue } from "../http/object-reader.ts";

/** What is known while a conversation is read. */
export interface Reading {
  /** By the ids of their calls. */
  toolNames: Map<string, string>;
  /** Names of what could not be read. */
  left: Set<string>;
}

interface ReadItem {
  messages: Message[];
  left: ReadonlySet<string>;
}

/** A conversation as it was read last. */
interface ReadList {
  items: readonly unknown[];
  messages: Message[];
  /** Behind each item: how many messages there were. */
  ends: number[];
  toolNames: Map<string, string>;
  /** Ids of calls, each with its item. */
  named: { id: string; item: number }[];
  /** What could not be read of an item. */
  left: { name: string; item: number }[];
}

/** Puts what an item becomes behind the messages before it. It may change the last one only if that is an assistant's. */
type AddMessages = (messages: Message[], added: readonly Message[]) => void;

/** One for each dialect. What came before an item is the same every time, so what it becomes depends on nothing else. */
export function createConversationReader(
  read: (item: ObjectReader, reading: Reading) => Message[],
  add: AddMessages = (messages, added) => messages.push(...added),
) {
  const readItems = new WeakMap<Fields, ReadItem>();
  /** By the first item. */
  const lists = new WeakMap<Fields, ReadList>();

  function readOnce(reader: ObjectReader, toolNames: Map<string, string>): ReadItem {
    const known = readItems.get(reader.fields);
    if (known) return known;
    const left = new Set<string>();
    const item = { messages: read(reader, { toolNames, left }), left };
    readItems.set(reader.fields, item);
    return item;
  }

  /** `path`: of the list. `left` gets what nobody can read. */
  return (items: readonly unknown[], path: string, left: Set<string>): Message[] => {
    const [first] = items;
    const before = isFields(first) ? lists.get(first) : undefined;
    // What is known of it is taken over: should it turn out to be wrong, nothing is known any more.
    if (isFields(first)) lists.delete(first);
    const list = goOn(before, items);
    for (let at = list.ends.length; at < items.length; at++) {
      const fields = items[at];
      if (!isFields(fields)) throw wrongValue(fields, "an object", `${path}[${at}]`);
      const item = readOnce(new ObjectReader(fields, `${path}[${at}]`), list.toolNames);
      for (const message of item.messages)
        if (message.role === "assistant")
          for (const { id, name } of message.toolCalls ?? []) {
            list.toolNames.set(id, name);
            list.named.push({ id, item: at });
          }
      for (const name of item.left) list.left.push({ name, item: at });
      add(list.messages, item.messages);
      list.ends.push(list.messages.length);
    }
    for (const { name } of list.left) left.add(name);
    if (isFields(first)) lists.set(first, list);
    return list.messages.slice();
  };
}

/** What is known of the beginning of a list: up to where nothing of it can still be changed by what follows. */
function goOn(before: ReadList | undefined, items: readonly unknown[]): ReadList {
  // An id that comes twice means the later call only from there on: then it is read from the beginning.
  const isClear = before !== undefined && before.toolNames.size === before.named.length;
  let count = isClear ? countSame(before.items, items) : 0;
  while (count > 0 && before!.messages[before!.ends[count - 1]! - 1]?.role === "assistant") count--;
  if (!before || count === 0)
    return { items: items.slice(), messages: [], ends: [], toolNames: new Map(), named: [], left: [] };
  const { messages, ends, toolNames, named, left } = before;
  ends.length = count;
  messages.length = ends.at(-1)!;
  while (named.length > 0 && named.at(-1)!.item >= count) toolNames.delete(named.pop()!.id);
  while (left.length > 0 && left.at(-1)!.item >= count) left.pop();
  return { items: items.slice(), messages, ends, toolNames, named, left };
}
