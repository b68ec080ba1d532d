// Facts of science: symbols and atomic numbers of chemical elements.

import { defineFamily } from "../templates/family.ts";
import { defineFactForm } from "./facts.ts";

const SYMBOLS = {
  1: `hydrogen: H, helium: He, carbon: C, nitrogen: N, oxygen: O, calcium: Ca, aluminium: Al,
    magnesium: Mg, iron: Fe, gold: Au, silver: Ag, zinc: Zn`,
  2: `sodium: Na, potassium: K, lead: Pb, tin: Sn, mercury: Hg, copper: Cu, manganese: Mn, platinum: Pt,
    tungsten: W, arsenic: As`,
};

const NUMBERS = {
  2: `fluorine: 9, neon: 10, silicon: 14, sulfur: 16, chlorine: 17`,
  3: `titanium: 22, chromium: 24, nickel: 28, krypton: 36, zirconium: 40, palladium: 46, antimony: 51,
    xenon: 54, barium: 56, neodymium: 60, bismuth: 83, thorium: 90`,
};

export const elements = defineFamily({
  id: "elements",
  topic: "science",
  work: "recall the chemical element",
  terms: "element, elements, chemical, chemistry, atomic, science, periodic table",
  recall: true,
  forms: [
    defineFactForm(SYMBOLS, {
      work: "recall the symbol",
      phrasings: [
        "What is the chemical symbol of {key}?",
        "Which symbol does the element {key} have?",
        "Give the symbol for {key} in the periodic table.",
      ],
      line: (element) => `${element} has the symbol #`,
    }),
    defineFactForm(NUMBERS, {
      work: "recall the atomic number",
      phrasings: [
        "What is the atomic number of {key}?",
        "Which atomic number does {key} have?",
        "How many protons does an atom of {key} have?",
      ],
      line: (element) => `${element} has the atomic number #`,
    }),
  ],
});
