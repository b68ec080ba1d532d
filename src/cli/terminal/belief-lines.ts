// What a Conductor believed before a turn, and what it did, in one line each. Answers are text of models: made harmless, on
// one line, and short.

import { toCount, toPercent, toPoints } from "../../base/format.ts";
import { toLikeliest, toTaken } from "../../belief/reading.ts";
import type { Belief } from "../../belief/types.ts";
import type { RoundState, RunState } from "../../perform/state.ts";
import { toConductorName } from "../../store/conductor-name.ts";
import type { Profile } from "../../worker/types.ts";
import { toOneLine } from "./sanitise.ts";
import { nameOf, type Scene } from "./step-lines.ts";
import { cut, wrap } from "./text-width.ts";

const MOST_ANSWERS = 3;
const WIDEST_ANSWER = 28;

/** `"42" 62 %, "41" 20 %, none right 18 %`. */
export function toBelievedWords(belief: Belief): string {
  if (belief.answers.length === 0) return "nothing has been answered yet";
  const { shown, others } = toLikeliest(belief, MOST_ANSWERS);
  return [
    ...shown.map(
      ({ answer, probability }) => `"${cut(toOneLine(answer), WIDEST_ANSWER)}" ${toPercent(probability)}`,
    ),
    ...(others.count > 0 ? [`${toCount(others.count, "other")} ${toPercent(others.probability)}`] : []),
    `none right ${toPercent(belief.none)}`,
  ].join(", ");
}

/** `b as verifier, 62 % ± 9 right: gain 10.0 points, price 2.0`, for each ask of the turn. */
export function toAskedWords(state: RunState, { plan, workflow }: RoundState): string {
  const asked = (workflow?.steps ?? []).map(({ worker }, step) => {
    const taken = plan.belief && toTaken(plan.belief, step, worker);
    const role = taken?.role ? ` as ${taken.role}` : "";
    const worth = taken ? `: gain ${toPoints(taken.gain)} points, price ${toPoints(taken.price)}` : "";
    return `${nameOf(state, worker)}${role}${toExpected(state.pool[worker]?.profile)}${worth}`;
  });
  return asked.join("; ");
}

/** How probably it was thought right on this question, with the standard error of that; nothing where it is not known. */
function toExpected({ probability, standardError }: Partial<Profile> = {}): string {
  if (probability === undefined || standardError === undefined) return "";
  return `, ${toPercent(probability)} ± ${Math.round(standardError * 100)} right`;
}

/** A turn as it begins, on a terminal: instead of the plan, which is but one step. */
export function toTurnLines({ state, style, columns }: Scene, number: number): string[] {
  const round = state.rounds[number]!;
  const { settings } = state;
  const line = (text: string) => cut(text, columns - 3);
  const heading = round.workflow ? `Turn ${number + 1}` : "Accepted";
  const who = toOneLine(`by ${toConductorName(settings.conductor)} (${settings.conductorReason})`);
  return [
    ...(number === 0 ? wrap(who, columns - 3).map((each) => `  ${style.dim(each)}`) : []),
    `  ${style.bold(heading)} ${cut(toBelievedWords(round.plan.belief!), columns - heading.length - 4)}`,
    ...(round.workflow ? [`  ${style.dim(line(`asks ${toAskedWords(state, round)}`))}`] : []),
  ];
}
