// Items that a client names instead of sending them. The AI SDK does so for every earlier answer of a stored
// response, so a conversation would lose its answers if they were only skipped. Finding them takes the journal,
// which dialects do not know: so this half says which responses are needed, and puts their items into the body.

import { type Fields, isFields } from "../../http/object-reader.ts";
import { type OutputItem, parseItemId } from "./object.ts";

/** The responses of ours that the input refers to, each once. */
export function readReferences(body: Fields): string[] {
  const items: unknown[] = Array.isArray(body.input) ? body.input : [];
  const ids = items.flatMap((item) => parseItemId(referenceOf(item) ?? "")?.responseId ?? []);
  return [...new Set(ids)];
}

/** The body with the items in place of their references. What is not among them stays a reference, and is skipped. */
export function expandReferences(body: Fields, items: OutputItem[]): Fields {
  const byId = new Map<string, unknown>(items.map((item) => [item.id, item]));
  if (!Array.isArray(body.input)) return body;
  return { ...body, input: body.input.map((item) => byId.get(referenceOf(item) ?? "") ?? item) };
}

/** An item with nothing but an id is a reference too. */
export function referenceOf(item: unknown): string | undefined {
  if (!isFields(item) || typeof item.id !== "string") return undefined;
  const isReference =
    item.type === "item_reference" || ((item.type ?? undefined) === undefined && item.role === undefined);
  return isReference ? item.id : undefined;
}
