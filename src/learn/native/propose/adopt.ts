// A proposal takes its parent's place in the repertoire: the same token, so that all that was learned of when to say it
// goes on, an id of its own, and a lineage that can be read back to what was written by hand.

import type { Ancestor, Gain, Instruction, Repertoire, Wording } from "../../../instruction/types.ts";

/** Room for "-999" below the longest id. */
const LONGEST_ROOT = 60;

export interface Draft {
  /** English, and other languages only where the proposer gave them: a translation of the parent says something else. */
  text: Wording;
  by: string;
}

/** The parent with other words, not yet measured. */
export function toProposal(parent: Instruction, { text, by }: Draft, repertoire: Repertoire): Instruction {
  const { role, needs, slots, lineage } = parent;
  const earlier: Ancestor[] = lineage
    ? [
        { id: lineage.parent, text: lineage.parentText ?? "?", by: lineage.by, gain: lineage.gain },
        ...(lineage.earlier ?? []),
      ]
    : [];
  return {
    ...{ id: toId(parent, repertoire), role, needs, text, slots },
    lineage: {
      ...{ parent: parent.id, parentText: parent.text.en, by },
      ...(earlier.length > 0 && { earlier }),
    },
  };
}

export function withGain(proposal: Instruction, gain: Gain): Instruction {
  return { ...proposal, lineage: { ...proposal.lineage!, gain } };
}

export function replace(repertoire: Repertoire, parent: Instruction, by: Instruction): Repertoire {
  const instructions = repertoire.instructions.map((each) => (each.id === parent.id ? by : each));
  return { ...repertoire, instructions };
}

/** The parent's with "-2"; of a parent that was proposed itself the next number. */
function toId({ id, lineage }: Instruction, { instructions }: Repertoire): string {
  const [, root = id, number = "1"] = (lineage && /^(.+)-(\d{1,3})$/.exec(id)) || [];
  const used = new Set(instructions.map((each) => each.id));
  for (let next = Number(number) + 1; ; next++) {
    const found = `${root.slice(0, LONGEST_ROOT)}-${next}`;
    if (!used.has(found)) return found;
  }
}
