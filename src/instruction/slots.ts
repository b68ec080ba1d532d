// Slots in the texts of instructions: `{work}`, `{part}` and `{form}`, found once and remembered as the literal text
// around them, since training renders the same few texts millions of times.

import { SLOT_NAMES, type SlotName } from "./types.ts";

/** A text cut at its slots: literal texts and slots in turn. */
export interface Template {
  pieces: readonly (string | { slot: SlotName })[];
  /** In braces, but no slot. */
  unknown: readonly string[];
  /** Slots that stand there more than once. */
  twice: readonly SlotName[];
}

const MOST_REMEMBERED = 2000;
const remembered = new Map<string, Template>();

export function toTemplate(text: string): Template {
  const known = remembered.get(text);
  if (known) return known;
  const pieces: (string | { slot: SlotName })[] = [];
  const unknown: string[] = [];
  const found: SlotName[] = [];
  for (const piece of text.split(/(\{[^{}]*\}?|\})/)) {
    const slot = SLOT_NAMES.find((name) => piece === `{${name}}`);
    if (slot) {
      pieces.push({ slot });
      found.push(slot);
    } else if (piece !== "") {
      if (/[{}]/.test(piece)) unknown.push(piece);
      pieces.push(piece);
    }
  }
  const twice = [...new Set(found.filter((slot, i) => found.indexOf(slot) !== i))];
  const template = { pieces, unknown, twice };
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(text, template);
  return template;
}

/** The slots of a text, in the order of SLOT_NAMES. */
export function readSlots(text: string): SlotName[] {
  const { pieces } = toTemplate(text);
  return SLOT_NAMES.filter((name) =>
    pieces.some((piece) => typeof piece !== "string" && piece.slot === name),
  );
}
