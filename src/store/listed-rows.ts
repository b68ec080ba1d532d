// Rows of a journal with the long conversations taken out. Every turn is sent with all that was said before it, so kept as they
// come they would make a journal grow with the square of their turns. Each message stands once beside the events, under the hash
// of it and of all before it; a row with such lists is `{ lists, events }` and names the last message of each. Shared by the
// journals that keep text (sqlite/message-lists.ts, postgres/message-lists.ts).

import { createHash } from "node:crypto";
import { toJson } from "./event-rows.ts";
import type { RunEvent } from "./types.ts";

/** One message of a list, with the hash of it and of all before it. */
export interface ListItem {
  json: string;
  hash: string;
}

/** Where in a row's events a list belongs. */
type ListPlace = [event: number, field: ListField];
type ListField = "task" | "messages" | "exchanges";

export interface TakenList {
  place: ListPlace;
  items: ListItem[];
}

export interface ListedEvents {
  json: string;
  lists: TakenList[];
}

/** A row whose lists stand elsewhere, each found again by `Key`. */
export interface ListedRow<Key> {
  lists: [...ListPlace, list: Key][];
  events: RunEvent | RunEvent[];
}

/** A shorter conversation is kept where it is: a row of its own would cost more than it saves. */
const LEAST_MESSAGES = 2;
const LEAST_CHARACTERS = 1_000;

/** Before the transaction: what cannot be text fails alone. */
export function takeLists(events: readonly RunEvent[]): ListedEvents {
  const lists: TakenList[] = [];
  const short = events.map((event, at) => withoutLists(event, at, lists));
  return { json: toJson(short), lists };
}

/** The text of a row whose lists are found by these keys. */
export function toListedJson<Key>({ json, lists }: ListedEvents, keys: readonly Key[]): string {
  if (lists.length === 0) return json;
  return `{"lists":${JSON.stringify(lists.map(({ place }, i) => [...place, keys[i]]))},"events":${json}}`;
}

/** The events of a row, with their lists as they were. `load` gives the messages in order, as JSON. */
export function putListsBack<Key>(row: ListedRow<Key>, load: (list: Key) => readonly string[]): RunEvent[] {
  const events = Array.isArray(row.events) ? row.events : [row.events];
  for (const [at, field, list] of row.lists) {
    const messages = load(list).map((message) => JSON.parse(message) as unknown);
    events[at] = withList(events[at]!, field, messages);
  }
  return events;
}

function toItems(messages: readonly unknown[]): ListItem[] {
  let hash = "";
  return messages.map((message) => {
    const json = JSON.stringify(message);
    hash = createHash("sha256").update(`${hash}\n`).update(json).digest("base64");
    return { json, hash };
  });
}

/** The event with its long lists put into `lists`. */
function withoutLists(event: RunEvent, at: number, lists: TakenList[]): RunEvent {
  const take = (field: ListField, messages: readonly unknown[] | undefined): boolean => {
    if (!messages || messages.length < LEAST_MESSAGES) return false;
    const items = toItems(messages);
    if (items.reduce((sum, { json }) => sum + json.length, 0) < LEAST_CHARACTERS) return false;
    lists.push({ place: [at, field], items });
    return true;
  };
  if (event.type === "run-start")
    return take("task", event.task.messages) ? { ...event, task: { ...event.task, messages: [] } } : event;
  if (event.type !== "run-resume") return event;
  const resumed = take("messages", event.messages) ? { ...event, messages: [] } : event;
  return take("exchanges", event.exchanges) ? { ...resumed, exchanges: [] } : resumed;
}

function withList(event: RunEvent, field: ListField, messages: unknown[]): RunEvent {
  if (event.type !== "run-start") return { ...event, [field]: messages } as RunEvent;
  return { ...event, task: { ...event.task, messages: messages as typeof event.task.messages } };
}
