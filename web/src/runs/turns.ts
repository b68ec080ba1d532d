// A run as turns: for each round that was decided on a belief who was asked, what came back, and what was believed before
// and after it. Pure; what it looks like is in turn-list.tsx.

import { shorten } from "../../../src/base/format.ts";
import { toTaken } from "../../../src/belief/reading.ts";
import type { Belief, BelievedOption } from "../../../src/belief/types.ts";
import type { Run, RunStep } from "../../../src/perform/run.ts";

export interface TurnAsk {
  step: RunStep;
  /** What the Conductor thought that it would bring; undefined where its belief does not say. */
  option: BelievedOption | undefined;
  /** Its answer in few words; empty while there is none. */
  said: string;
}

export interface Turn {
  /** From 0: the round's number. */
  number: number;
  /** One, unless several were asked at once. */
  asks: TurnAsk[];
  before: Belief;
  /** What the next decision was taken on. Undefined while there is none, or where something else ended the run. */
  after: Belief | undefined;
  /** What else could have been asked, best first. */
  others: BelievedOption[];
}

const LONGEST_SAID = 120;

/** Empty for runs whose Conductor weighs no answers. */
export function toTurns({ rounds }: Pick<Run, "rounds">): Turn[] {
  return rounds.flatMap(({ belief, steps, workflow }, number): Turn[] => {
    if (!belief || steps.length === 0) return [];
    const after = rounds[number + 1]?.belief;
    const asks = steps.map((step, position): TurnAsk => {
      // Whom the Conductor named: somebody else may have replied instead.
      const option = toTaken(belief, position, workflow.steps[position]?.worker ?? step.worker);
      return { step, option, said: toSaid(step, after) };
    });
    const others = belief.options.filter((option) => !asks.some((ask) => ask.option === option));
    return [{ number, asks, before: belief, after, others }];
  });
}

/** The answer as it was counted; where it was not, the end of the reply, which is where answers are. */
function toSaid({ round, step, reply, partial }: RunStep, after: Belief | undefined): string {
  const counted = after?.answers.find(({ replies }) =>
    replies.some((each) => each.round === round && each.step === step),
  );
  if (counted) return shorten(counted.answer.replace(/\s+/g, " ").trim(), LONGEST_SAID);
  const text = (reply || partial || "")
    .slice(-4 * LONGEST_SAID)
    .replace(/\s+/g, " ")
    .trim();
  return text.length > LONGEST_SAID ? `…${text.slice(-LONGEST_SAID)}` : text;
}
