// Geometry of rectangles: areas, fences, and the path around a garden.

import { defineFamily, defineForm } from "../templates/family.ts";
import { dollars, integer } from "../templates/slots.ts";

const SIDES = { length: integer([10, 40]), width: integer([4, 30]) };
/** Per metre of fence or per square metre of path. */
const PRICE = dollars([3, 25]);

const area = defineForm({
  difficulties: [1],
  slots: SIDES,
  phrasings: [
    "A rectangle is {length} m long and {width} m wide. What is its area in square metres?",
    "What is the area, in square metres, of a rectangle {length} m long and {width} m wide?",
    "How many square metres does a rectangular floor of {length} m by {width} m have?",
  ],
  solve: ({ length, width }, sheet) =>
    sheet.number("multiply length by width", length * width, `${length} × ${width} = # m²`),
});

const fence = defineForm({
  difficulties: [2],
  slots: { ...SIDES, price: PRICE },
  phrasings: [
    "A rectangular garden of {length} m by {width} m gets a fence at {price} a metre. How many dollars does the fence cost?",
    "How many dollars does it cost to fence a rectangular garden {length} m long and {width} m wide at {price} a metre?",
    "Fencing costs {price} a metre. What does a fence around a rectangle of {length} m by {width} m cost in dollars?",
  ],
  solve({ length, width, price }, sheet) {
    const sides = sheet.number("add length and width", length + width, `${length} + ${width} = # m`);
    const around = sheet.number("double the sum to get the perimeter", 2 * sides, `2 × ${sides} = # m`);
    return sheet.number("multiply the perimeter by the price", around * price, `${around} × $${price} = $#`);
  },
});

const path = defineForm({
  difficulties: [3],
  slots: { ...SIDES, price: PRICE, margin: integer([1, 4]) },
  phrasings: [
    "A rectangular garden of {length} m by {width} m is surrounded by a path {margin} m wide. Paving costs {price} a square metre. How many dollars does paving the path cost?",
    "How many dollars does it cost, at {price} a square metre, to pave a path {margin} m wide all around a rectangular garden {length} m long and {width} m wide?",
    "Around a rectangular pool of {length} m by {width} m runs a border {margin} m wide. Tiles cost {price} a square metre. What do the tiles for the border cost in dollars?",
  ],
  solve({ length, width, margin, price }, sheet) {
    const outerLength = sheet.number(
      "add the path on both ends to the length",
      length + 2 * margin,
      `outer length: ${length} + 2 × ${margin} = # m`,
    );
    const outerWidth = sheet.number(
      "add the path on both sides to the width",
      width + 2 * margin,
      `outer width: ${width} + 2 × ${margin} = # m`,
    );
    const outer = sheet.number(
      "work out the outer area",
      outerLength * outerWidth,
      `outer area: ${outerLength} × ${outerWidth} = # m²`,
    );
    const inner = sheet.number(
      "work out the inner area",
      length * width,
      `inner area: ${length} × ${width} = # m²`,
    );
    const paved = sheet.number(
      "subtract the inner area from the outer",
      outer - inner,
      `path: ${outer} − ${inner} = # m²`,
    );
    return sheet.number(
      "multiply the area of the path by the price",
      paved * price,
      `${paved} × $${price} = $#`,
    );
  },
});

export const gardens = defineFamily({
  id: "gardens",
  topic: "geometry",
  work: "work out the geometry: lengths first, then areas or perimeter, then the price",
  terms: "geometry, area, areas, perimeter, rectangle, rectangular, outer area, lengths",
  forms: [path, fence, area],
});
