// Reading a small table: one cell, the sum of some rows, or what they are worth together.

import type { Random } from "../../base/random.ts";
import type { Difficulty, Worksheet } from "../types.ts";
import { defineFamily, defineForm } from "./family.ts";
import { INTEGER } from "./templates.ts";

interface Row {
  name: string;
  city: string;
  units: number;
  price: number;
}
interface Parameters {
  rows: Row[];
  /** A name for one cell, a city for some rows. */
  asked: string;
}

const NAMES = ["Anna", "Boris", "Clara", "David", "Elsa", "Felix", "Greta", "Henri"];
const CITIES = ["Rome", "Oslo", "Lima", "Bern"];
const ROW = `[a-z]+, [a-z]+, ${INTEGER}, ${INTEGER}`;
const SLOTS = { rows: `${ROW}(?:; ?${ROW}){1,9}`, asked: "[a-z]+" };

const cell = form(
  1,
  [
    "Table (name, city, units, price): {rows}. How many units does {asked} have?",
    "Given the rows (name, city, units, price) {rows}, what is the number of units of {asked}?",
    "From the data (name, city, units, price): {rows}. Look up the units of {asked}.",
  ],
  "name",
  (rows, _asked, sheet) => {
    const row = rows[0]!;
    return sheet.number(
      "find the row and read the column",
      row.units,
      (shown) => `${row.name}: ${shown} units`,
    );
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
    let total = rows[0]!.units;
    total = sheet.number(
      "pick the rows of the city and start with the first",
      total,
      (shown) => `${asked} starts with ${rows[0]!.name}: ${shown}`,
    );
    for (const row of rows.slice(1)) {
      total = sheet.number(
        "add the next row of the city",
        total + row.units,
        (shown) => `with ${row.name} (${row.units}): ${shown}`,
      );
    }
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
        (shown) => `${name}: ${units} × ${price} = ${shown}`,
      ),
    );
    let total = values[0]!;
    for (const value of values.slice(1)) {
      total = sheet.number(
        "add the next product",
        total + value,
        (shown) => `${total} + ${value} = ${shown}`,
      );
    }
    return sheet.number("read off the total", total, (shown) => `${asked} together: ${shown}`);
  },
);

export const tables = defineFamily({
  id: "tables",
  topic: "data",
  work: "find the right rows of the table and combine their columns",
  terms: ["table", "row", "rows", "column", "columns", "data", "units times price"],
  forms: [worth, sum, cell],
});

function form(
  difficulty: Difficulty,
  phrasings: string[],
  key: "name" | "city",
  solve: (rows: Row[], asked: string, sheet: Worksheet) => number,
) {
  return defineForm<Parameters>({
    difficulties: [difficulty],
    slots: SLOTS,
    phrasings,
    draw: (random) => drawTable(random, difficulty, key),
    write: ({ rows, asked }) => ({
      rows: rows.map(({ name, city, units, price }) => `${name}, ${city}, ${units}, ${price}`).join("; "),
      asked,
    }),
    read({ rows, asked }) {
      const parsed = rows!.split(/; ?/).map((row): Row => {
        const [name, city, units, price] = row.split(", ");
        return { name: name!, city: city!, units: Number(units), price: Number(price) };
      });
      return parsed.some((row) => row[key] === asked) ? { rows: parsed, asked: asked! } : undefined;
    },
    solve: ({ rows, asked }, sheet) =>
      String(
        solve(
          rows.filter((row) => row[key] === asked),
          asked,
          sheet,
        ),
      ),
  });
}

function drawTable(random: Random, difficulty: Difficulty, key: "name" | "city"): Parameters {
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
