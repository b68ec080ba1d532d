// Reading a small table: one cell, the sum of some rows, or what they are worth together.

import type { Random } from "../../base/random.ts";
import { defineFamily, defineForm } from "../templates/family.ts";
import { listOf, type Slot, word } from "../templates/slots.ts";
import type { Difficulty, Worksheet } from "../types.ts";

interface SalesRow {
  name: string;
  city: string;
  units: number;
  price: number;
}
const NAMES = ["Anna", "Boris", "Clara", "David", "Elsa", "Felix", "Greta", "Henri"];
const CITIES = ["Rome", "Oslo", "Lima", "Bern"];
const ROW: Slot<SalesRow> = {
  pattern: "[a-z]+, [a-z]+, \\d{1,9}, \\d{1,9}",
  read(text) {
    const [name, city, units, price] = text.split(", ");
    return { name: name!, city: city!, units: Number(units), price: Number(price) };
  },
  write: ({ name, city, units, price }) => `${name}, ${city}, ${units}, ${price}`,
};
/** `asked` is a name for one cell, a city for some rows. */
const SLOTS = { rows: listOf(ROW, [2, 10], "; ", "; ?"), asked: word() };

const cell = form(
  1,
  [
    "Table (name, city, units, price): {rows}. How many units does {asked} have?",
    "Given the rows (name, city, units, price) {rows}, what is the number of units of {asked}?",
    "From the data (name, city, units, price): {rows}. Look up the units of {asked}.",
  ],
  "name",
  (rows, _asked, sheet) => {
    const [{ name, units }] = rows as [SalesRow];
    return sheet.number("find the row and read the column", units, `${name}: # units`);
  },
);

const sum = form(
  2,
  [
    "Table (name, city, units, price): {rows}. How many units do the rows of {asked} have together?",
    "Given the rows (name, city, units, price) {rows}, what is the sum of the units in {asked}?",
    "From the data (name, city, units, price): {rows}. Add up the units of all rows from {asked}.",
  ],
  "city",
  (rows, asked, sheet) => {
    const [first, ...others] = rows as [SalesRow, ...SalesRow[]];
    let total = sheet.number(
      "pick the rows of the city and start with the first",
      first.units,
      `${asked} starts with ${first.name}: #`,
    );
    for (const { name, units } of others)
      total = sheet.number("add the next row of the city", total + units, `with ${name} (${units}): #`);
    return total;
  },
);

const worth = form(
  3,
  [
    "Table (name, city, units, price): {rows}. What are the units of all rows from {asked} worth together, at their prices?",
    "Given the rows (name, city, units, price) {rows}, what is the total of units times price over the rows of {asked}?",
    "From the data (name, city, units, price): {rows}. Work out the total value, units times price, of {asked}.",
  ],
  "city",
  (rows, asked, sheet) => {
    const values = rows.map(({ name, units, price }) =>
      sheet.number(
        "multiply units by price in the next row of the city",
        units * price,
        `${name}: ${units} × ${price} = #`,
      ),
    );
    const [first, ...others] = values as [number, ...number[]];
    let total = first;
    for (const value of others)
      total = sheet.number("add the next product", total + value, `${total} + ${value} = #`);
    return sheet.number("read off the total", total, `${asked} together: #`);
  },
);

export const tables = defineFamily({
  id: "tables",
  topic: "data",
  work: "find the right rows of the table and combine their columns",
  terms: "table, row, rows, column, columns, data, units times price",
  forms: [worth, sum, cell],
});

function form(
  difficulty: Difficulty,
  phrasings: string[],
  key: "name" | "city",
  solve: (rows: SalesRow[], asked: string, sheet: Worksheet) => number,
) {
  return defineForm({
    difficulties: [difficulty],
    slots: SLOTS,
    phrasings,
    draw: (random) => drawTable(random, difficulty, key),
    accepts: ({ rows, asked }) => rows.some((row) => row[key] === asked),
    solve({ rows, asked }, sheet) {
      const chosen = rows.filter((row) => row[key] === asked);
      return String(solve(chosen, asked, sheet));
    },
  });
}

function drawTable(random: Random, difficulty: Difficulty, key: "name" | "city") {
  const names = random.shuffle(NAMES).slice(0, 3 + difficulty);
  const cities = random.shuffle(CITIES);
  // At least three rows of the city asked for, so that there is something to combine.
  const rows = names.map((name, i) => ({
    name,
    city: i < 3 ? cities[0]! : random.pick(cities.slice(1)),
    units: random.integer(2, 30),
    price: random.integer(2, 12),
  }));
  return { rows: random.shuffle(rows), asked: key === "city" ? cities[0]! : random.pick(names) };
}
