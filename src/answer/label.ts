// Equal answers as equal numbers: what is kept of answers where only who agreed with whom matters.

import { normaliseAnswer, sameAnswer } from "./normalise.ts";

/** In the order of the answers; equal numbers are equal answers, undefined is no answer. */
export function labelAnswers(answers: readonly (string | null | undefined)[]): (number | undefined)[] {
  const known: string[] = [];
  return answers.map((answer) => {
    if (answer === null || answer === undefined || normaliseAnswer(answer) === "") return undefined;
    const label = known.findIndex((other) => sameAnswer(other, answer));
    if (label >= 0) return label;
    known.push(answer);
    return known.length - 1;
  });
}
