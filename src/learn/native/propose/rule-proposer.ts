// Who proposes in a simulation: an edit by rule, at random among those that were not tried. It reads no failures, since
// replies of simulated workers are no reason for a sentence, and its name says that it is simulated.

import { editsOf } from "./edits.ts";
import type { Proposed, Proposer } from "./types.ts";

export function createRuleProposer(): Proposer {
  return {
    async *propose({ parent, tried, random }): AsyncGenerator<never, Proposed, never> {
      const fresh = editsOf(parent, random).filter(({ text }) => !tried.includes(text));
      if (fresh.length === 0)
        return { type: "refused", by: toName("none"), costUsd: 0, why: "every rule was tried for it" };
      const { name, text } = random.pick(fresh);
      return { type: "sentences", by: toName(name), costUsd: 0, text: { en: text } };
    },
  };
}

function toName(rule: string): string {
  return `rule (simulated): ${rule}`;
}
