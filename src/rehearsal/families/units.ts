// Units: plain conversions, which need no team, speeds, and masses from a density.

import { defineFamily, defineForm } from "../templates/family.ts";
import { decimal, integer, oneOf } from "../templates/slots.ts";
import { showNumber } from "../templates/worksheet.ts";

/** How many of the smaller unit make one of the larger. */
const FACTORS: readonly [larger: string, smaller: string, factor: number][] = [
  ["kilometres", "metres", 1000],
  ["metres", "centimetres", 100],
  ["kilograms", "grams", 1000],
  ["litres", "millilitres", 1000],
  ["hours", "minutes", 60],
  ["minutes", "seconds", 60],
  ["days", "hours", 24],
  ["tonnes", "kilograms", 1000],
];
const UNIT = oneOf([...new Set(FACTORS.flatMap(([larger, smaller]) => [smaller, larger]))]);

const convert = defineForm({
  difficulties: [1],
  slots: { amount: decimal(), from: UNIT, to: UNIT },
  phrasings: [
    "Convert {amount} {from} to {to}.",
    "How many {to} are {amount} {from}?",
    "Express {amount} {from} in {to}.",
  ],
  draw(random) {
    const [from, to] = random.pick(FACTORS);
    return { amount: random.integer(2, 60), from, to };
  },
  accepts: ({ from, to }) => findFactor(from, to) !== undefined,
  solve: ({ amount, from, to }, sheet) =>
    sheet.number(
      "multiply by the factor between the units",
      amount * findFactor(from, to)!,
      `${amount} ${from} = # ${to}`,
    ),
});

const speed = defineForm({
  difficulties: [2],
  slots: { amount: decimal() },
  phrasings: [
    "How many metres per second are {amount} kilometres per hour?",
    "Convert {amount} km/h to metres per second.",
    "A car drives {amount} km/h. What is that in metres per second?",
  ],
  draw: (random) => ({ amount: random.integer(2, 40) * 9 }),
  solve({ amount }, sheet) {
    const metres = sheet.number("turn the kilometres into metres", amount * 1000, `${amount} km = # m`);
    return sheet.number(
      "divide by the seconds of an hour",
      Math.round((metres / 3600) * 1000) / 1000,
      `${showNumber(metres)} m ÷ 3600 s = # m/s`,
    );
  },
});

const mass = defineForm({
  difficulties: [3],
  slots: { litres: decimal(), density: decimal(), tanks: integer(undefined, 4) },
  phrasings: [
    "{tanks} tanks hold {litres} litres of oil each, and the oil has a density of {density} grams per cubic centimetre. How many kilograms of oil is that?",
    "What is the mass, in kilograms, of the liquid in {tanks} tanks of {litres} litres each if its density is {density} grams per cubic centimetre?",
    "A liquid with a density of {density} grams per cubic centimetre fills {tanks} tanks of {litres} litres each. What does it weigh in kilograms?",
  ],
  draw: (random) => ({
    litres: random.integer(2, 40),
    density: random.integer(6, 14) / 10,
    tanks: random.integer(2, 12),
  }),
  solve({ litres, density, tanks }, sheet) {
    const volume = sheet.number(
      "multiply to get the whole volume",
      litres * tanks,
      `${tanks} × ${litres} l = # l`,
    );
    const cubic = sheet.number(
      "turn the litres into cubic centimetres",
      volume * 1000,
      `${showNumber(volume)} l = # cm³`,
    );
    const grams = sheet.number(
      "multiply the volume by the density",
      cubic * density,
      `${showNumber(cubic)} × ${density} = # g`,
    );
    return sheet.number("turn the grams into kilograms", grams / 1000, `${showNumber(grams)} g = # kg`);
  },
});

export const units = defineFamily({
  id: "units",
  topic: "science",
  work: "convert the units with the right factor",
  terms: "unit, units, convert, conversion, density, science, factor, volume",
  forms: [mass, speed, convert],
});

function findFactor(from: string, to: string): number | undefined {
  for (const [larger, smaller, factor] of FACTORS) {
    if (from === larger && to === smaller) return factor;
    if (from === smaller && to === larger) return 1 / factor;
  }
  return undefined;
}
