// Units: plain conversions, which need no team, speeds, and masses from a density.

import { defineFamily, defineForm } from "./family.ts";
import { NUMBER, toNumber } from "./templates.ts";
import { showNumber } from "./worksheet.ts";

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
const UNIT = [...new Set(FACTORS.flatMap((row) => row.slice(0, 2)))].join("|");

const convert = defineForm<{ amount: number; from: string; to: string }>({
  difficulties: [1],
  slots: { amount: NUMBER, from: UNIT, to: UNIT },
  phrasings: [
    "Convert {amount} {from} to {to}.",
    "How many {to} are {amount} {from}?",
    "Express {amount} {from} in {to}.",
  ],
  draw(random) {
    const [larger, smaller] = random.pick(FACTORS);
    return { amount: random.integer(2, 60), from: larger, to: smaller };
  },
  write: ({ amount, from, to }) => ({ amount: `${amount}`, from, to }),
  read({ amount, from, to }) {
    const asked = { amount: toNumber(amount!), from: from!.toLowerCase(), to: to!.toLowerCase() };
    return findFactor(asked.from, asked.to) === undefined ? undefined : asked;
  },
  solve({ amount, from, to }, sheet) {
    const factor = findFactor(from, to)!;
    return showNumber(
      sheet.number(
        "multiply by the factor between the units",
        amount * factor,
        (shown) => `${amount} ${from} = ${shown} ${to}`,
      ),
    );
  },
});

const speed = defineForm<{ amount: number }>({
  difficulties: [2],
  slots: { amount: NUMBER },
  phrasings: [
    "How many metres per second are {amount} kilometres per hour?",
    "Convert {amount} km/h to metres per second.",
    "A car drives {amount} km/h. What is that in metres per second?",
  ],
  draw: (random) => ({ amount: random.integer(2, 40) * 9 }),
  write: ({ amount }) => ({ amount: `${amount}` }),
  read: ({ amount }) => ({ amount: toNumber(amount!) }),
  solve({ amount }, sheet) {
    const metres = sheet.number(
      "turn the kilometres into metres",
      amount * 1000,
      (shown) => `${amount} km = ${shown} m`,
    );
    const perSecond = Math.round((metres / 3600) * 1000) / 1000;
    return showNumber(
      sheet.number(
        "divide by the seconds of an hour",
        perSecond,
        (shown) => `${showNumber(metres)} m ÷ 3600 s = ${shown} m/s`,
      ),
    );
  },
});

const mass = defineForm<{ litres: number; density: number; tanks: number }>({
  difficulties: [3],
  slots: { litres: NUMBER, density: NUMBER, tanks: "\\d{1,4}" },
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
  write: ({ litres, density, tanks }) => ({ litres: `${litres}`, density: `${density}`, tanks: `${tanks}` }),
  read: ({ litres, density, tanks }) => ({
    litres: toNumber(litres!),
    density: toNumber(density!),
    tanks: Number(tanks),
  }),
  solve({ litres, density, tanks }, sheet) {
    const volume = sheet.number(
      "multiply to get the whole volume",
      litres * tanks,
      (shown) => `${tanks} × ${litres} l = ${shown} l`,
    );
    const cubic = sheet.number(
      "turn the litres into cubic centimetres",
      volume * 1000,
      (shown) => `${showNumber(volume)} l = ${shown} cm³`,
    );
    const grams = sheet.number(
      "multiply the volume by the density",
      cubic * density,
      (shown) => `${showNumber(cubic)} × ${density} = ${shown} g`,
    );
    return showNumber(
      sheet.number(
        "turn the grams into kilograms",
        grams / 1000,
        (shown) => `${showNumber(grams)} g = ${shown} kg`,
      ),
    );
  },
});

export const units = defineFamily({
  id: "units",
  topic: "science",
  work: "convert the units with the right factor",
  terms: ["unit", "units", "convert", "conversion", "density", "science", "factor", "volume"],
  forms: [mass, speed, convert],
});

function findFactor(from: string, to: string): number | undefined {
  for (const [larger, smaller, factor] of FACTORS) {
    if (from === larger && to === smaller) return factor;
    if (from === smaller && to === larger) return 1 / factor;
  }
  return undefined;
}
