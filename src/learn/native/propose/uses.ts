// Which instructions the steps of plans were told.

import type { Language } from "../../../conductor/native/language.ts";
import type { Instruction, Repertoire } from "../../../instruction/types.ts";
import type { InstructionUse } from "../../types.ts";
import type { Plan } from "../stage.ts";

/** By step; undefined where the plan is none. */
export function instructionsOf(
  { tokens }: Pick<Plan, "tokens">,
  language: Language,
): (Instruction | undefined)[] {
  const steps = language.toSteps(tokens) ?? [];
  return steps.map(({ saying }) => language.instructionOf(saying[0] ?? -1));
}

/** Adds to the counts, by id. */
export function countInstructions(
  plan: Pick<Plan, "tokens">,
  language: Language,
  counts: Map<string, number>,
): void {
  for (const instruction of instructionsOf(plan, language))
    if (instruction) counts.set(instruction.id, (counts.get(instruction.id) ?? 0) + 1);
}

/** All that were used, or were proposed in this training or one before; the most used first. */
export function toInstructionUses(
  { instructions }: Repertoire,
  counts: ReadonlyMap<string, number>,
): InstructionUse[] {
  return instructions
    .map(({ id, role, text, lineage }) => ({ id, role, text: text.en, used: counts.get(id) ?? 0, lineage }))
    .filter(({ used, lineage }) => used > 0 || lineage)
    .sort((a, b) => b.used - a.used);
}
