// Grades numbers: the last stated one must be within a tolerance, relative to the expected one. Words
// and units may stand around it; a second number beside it is one too many.

import { readQuantities } from "../maths/read.ts";
import { toReal } from "../maths/same-expression.ts";
import { readStatedMaths } from "../maths/stated-maths.ts";
import { isConstant, isExpression, type MathsValue } from "../maths/types.ts";
import type { Grade, GradedTask } from "../types.ts";
import { short, statedAnswer } from "./stated.ts";

const TOLERANCE = 1e-6;

export function gradeNumeric(task: GradedTask, answer: string): Grade {
  const [quantity] = readQuantities(task.answer);
  const expected = quantity && toNumber(quantity.value);
  if (expected === undefined) {
    const why = `the expected answer ${short(task.answer)} is not a number`;
    return { score: 0, why, ungraded: true };
  }
  const stated = readStatedMaths(statedAnswer(answer));
  const value = stated.quantities[0] && toNumber(stated.quantities[0].value);
  const why = `said ${short(stated.text)}, expected ${short(task.answer)}`;
  if (value === undefined) return { score: 0, why: `${why}: that is not one number` };
  const allowed = (task.tolerance ?? TOLERANCE) * (expected === 0 ? 1 : Math.abs(expected));
  // Asked for percent, people write 12 and 12% alike.
  const isPercent = /%|percent/.test(stated.text) !== /%|percent/.test(task.answer);
  const scale =
    isPercent && /%|percent/i.test(task.prompt) ? (/%|percent/.test(stated.text) ? 100 : 0.01) : 1;
  const difference = Math.abs(value * scale - expected);
  if (difference === 0) return { score: 1, why };
  const isClose = difference <= allowed;
  return { score: isClose ? 1 : 0, why: `${why}: ${isClose ? "within" : "outside"} the tolerance` };
}

/** A number as such, or as the last side of "x = 5". */
function toNumber(value: MathsValue): number | undefined {
  if (value.kind !== "relation") return isExpression(value) && isConstant(value) ? toReal(value) : undefined;
  const isEquation = value.operators.every((operator) => operator === "=" || operator === "≈");
  const last = value.sides.at(-1);
  return isEquation && last ? toNumber(last) : undefined;
}
