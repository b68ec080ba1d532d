// Facts of science: symbols and atomic numbers of chemical elements.

import { defineFactForm, type Fact } from "./facts.ts";
import { defineFamily } from "./family.ts";

const SYMBOLS: readonly Fact[] = [
  ["hydrogen", "H", 1],
  ["helium", "He", 1],
  ["carbon", "C", 1],
  ["nitrogen", "N", 1],
  ["oxygen", "O", 1],
  ["calcium", "Ca", 1],
  ["aluminium", "Al", 1],
  ["magnesium", "Mg", 1],
  ["iron", "Fe", 1],
  ["gold", "Au", 1],
  ["silver", "Ag", 1],
  ["zinc", "Zn", 1],
  ["sodium", "Na", 2],
  ["potassium", "K", 2],
  ["lead", "Pb", 2],
  ["tin", "Sn", 2],
  ["mercury", "Hg", 2],
  ["copper", "Cu", 2],
  ["manganese", "Mn", 2],
  ["platinum", "Pt", 2],
  ["tungsten", "W", 2],
  ["arsenic", "As", 2],
];

const NUMBERS: readonly Fact[] = [
  ["fluorine", "9", 2],
  ["neon", "10", 2],
  ["silicon", "14", 2],
  ["sulfur", "16", 2],
  ["chlorine", "17", 2],
  ["titanium", "22", 3],
  ["chromium", "24", 3],
  ["nickel", "28", 3],
  ["krypton", "36", 3],
  ["zirconium", "40", 3],
  ["palladium", "46", 3],
  ["antimony", "51", 3],
  ["xenon", "54", 3],
  ["barium", "56", 3],
  ["neodymium", "60", 3],
  ["bismuth", "83", 3],
  ["thorium", "90", 3],
];

export const elements = defineFamily({
  id: "elements",
  topic: "science",
  work: "recall the chemical element",
  terms: ["element", "elements", "chemical", "chemistry", "atomic", "science", "periodic table"],
  recall: true,
  forms: [
    defineFactForm(SYMBOLS, {
      work: "recall the symbol",
      phrasings: [
        "What is the chemical symbol of {key}?",
        "Which symbol does the element {key} have?",
        "Give the symbol for {key} in the periodic table.",
      ],
      line: (element, symbol) => `${element} has the symbol ${symbol}`,
    }),
    defineFactForm(NUMBERS, {
      work: "recall the atomic number",
      phrasings: [
        "What is the atomic number of {key}?",
        "Which atomic number does {key} have?",
        "How many protons does an atom of {key} have?",
      ],
      line: (element, number) => `${element} has the atomic number ${number}`,
    }),
  ],
});
