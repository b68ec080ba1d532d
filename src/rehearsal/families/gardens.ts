// Geometry of rectangles: areas, fences, and the path around a garden.

import type { Difficulty, Worksheet } from "../types.ts";
import { defineFamily, defineForm } from "./family.ts";
import { DOLLARS, INTEGER, toNumber } from "./templates.ts";
import { showNumber } from "./worksheet.ts";

interface Parameters {
  length: number;
  width: number;
  /** Dollars per metre of fence or per square metre of path. */
  price?: number;
  path?: number;
}

const area = form(
  [1],
  { length: INTEGER, width: INTEGER },
  [
    "A rectangle is {length} m long and {width} m wide. What is its area in square metres?",
    "What is the area, in square metres, of a rectangle {length} m long and {width} m wide?",
    "How many square metres does a rectangular floor of {length} m by {width} m have?",
  ],
  ({ length, width }, sheet) =>
    sheet.number("multiply length by width", length * width, (shown) => `${length} × ${width} = ${shown} m²`),
);

const fence = form(
  [2],
  { length: INTEGER, width: INTEGER, price: DOLLARS },
  [
    "A rectangular garden of {length} m by {width} m gets a fence at {price} a metre. How many dollars does the fence cost?",
    "How many dollars does it cost to fence a rectangular garden {length} m long and {width} m wide at {price} a metre?",
    "Fencing costs {price} a metre. What does a fence around a rectangle of {length} m by {width} m cost in dollars?",
  ],
  ({ length, width, price = 0 }, sheet) => {
    const sides = sheet.number(
      "add length and width",
      length + width,
      (shown) => `${length} + ${width} = ${shown} m`,
    );
    const around = sheet.number(
      "double the sum to get the perimeter",
      2 * sides,
      (shown) => `2 × ${sides} = ${shown} m`,
    );
    return sheet.number(
      "multiply the perimeter by the price",
      around * price,
      (shown) => `${around} × $${price} = $${shown}`,
    );
  },
);

const path = form(
  [3],
  { length: INTEGER, width: INTEGER, path: INTEGER, price: DOLLARS },
  [
    "A rectangular garden of {length} m by {width} m is surrounded by a path {path} m wide. Paving costs {price} a square metre. How many dollars does paving the path cost?",
    "How many dollars does it cost, at {price} a square metre, to pave a path {path} m wide all around a rectangular garden {length} m long and {width} m wide?",
    "Around a rectangular pool of {length} m by {width} m runs a border {path} m wide. Tiles cost {price} a square metre. What do the tiles for the border cost in dollars?",
  ],
  ({ length, width, path: margin = 0, price = 0 }, sheet) => {
    const outerLength = sheet.number(
      "add the path on both ends to the length",
      length + 2 * margin,
      (shown) => `outer length: ${length} + 2 × ${margin} = ${shown} m`,
    );
    const outerWidth = sheet.number(
      "add the path on both sides to the width",
      width + 2 * margin,
      (shown) => `outer width: ${width} + 2 × ${margin} = ${shown} m`,
    );
    const outer = sheet.number(
      "work out the outer area",
      outerLength * outerWidth,
      (shown) => `outer area: ${outerLength} × ${outerWidth} = ${shown} m²`,
    );
    const inner = sheet.number(
      "work out the inner area",
      length * width,
      (shown) => `inner area: ${length} × ${width} = ${shown} m²`,
    );
    const paved = sheet.number(
      "subtract the inner area from the outer",
      outer - inner,
      (shown) => `path: ${outer} − ${inner} = ${shown} m²`,
    );
    return sheet.number(
      "multiply the area of the path by the price",
      paved * price,
      (shown) => `${paved} × $${price} = $${shown}`,
    );
  },
);

export const gardens = defineFamily({
  id: "gardens",
  topic: "geometry",
  work: "work out the geometry: lengths first, then areas or perimeter, then the price",
  terms: ["geometry", "area", "areas", "perimeter", "rectangle", "rectangular", "outer area", "lengths"],
  forms: [path, fence, area],
});

function form(
  difficulties: Difficulty[],
  slots: Record<string, string>,
  phrasings: string[],
  solve: (parameters: Parameters, sheet: Worksheet) => number,
) {
  return defineForm<Parameters>({
    difficulties,
    slots,
    phrasings,
    draw: (random) => ({
      length: random.integer(10, 40),
      width: random.integer(4, 30),
      ...("price" in slots && { price: random.integer(3, 25) }),
      ...("path" in slots && { path: random.integer(1, 4) }),
    }),
    write: (parameters) =>
      Object.fromEntries(
        Object.entries(parameters).map(([name, value]) => [
          name,
          name === "price" ? `${value} dollars` : `${value}`,
        ]),
      ),
    read: (values) => {
      const number = (name: string) => toNumber(values[name]!);
      return {
        length: number("length"),
        width: number("width"),
        ...("price" in slots && { price: number("price") }),
        ...("path" in slots && { path: number("path") }),
      };
    },
    solve: (parameters, sheet) => showNumber(solve(parameters, sheet)),
  });
}
