// Word problems about money and journeys: rates, percentages, a bill to share. The hard ones have seven
// stages, and each can go wrong.

import { defineFamily, defineForm } from "../templates/family.ts";
import { dollars, integer, word } from "../templates/slots.ts";
import { showNumber } from "../templates/worksheet.ts";
import type { Worksheet } from "../types.ts";

const NAME = word(["Mia", "Noah", "Lena", "Omar", "Ruth", "Ivan"], "[A-Z][a-z]+");
const ITEMS = ["notebooks", "pencils", "lamps", "mugs", "candles", "books", "scarves", "plants"];
const ITEM = word(ITEMS);

const one = defineForm({
  difficulties: [1],
  slots: { name: NAME, count: integer([2, 12]), item: ITEM, price: dollars([2, 15]) },
  phrasings: [
    "{name} buys {count} {item} at {price} each. How many dollars is that?",
    "One of the {item} costs {price}. How many dollars does {name} pay for {count} of them?",
    "How many dollars do {count} {item} cost {name} at {price} each?",
  ],
  solve: ({ count, price }, sheet) => multiply(sheet, "multiply the count by the price", count, price),
});

const HOURS = integer([2, 9]);
const SPEED = integer([12, 95]);

const journey = defineForm({
  difficulties: [2],
  slots: { hours: HOURS, moreHours: HOURS, speed: SPEED, otherSpeed: SPEED },
  phrasings: [
    "A train runs {hours} hours at {speed} km/h and then {moreHours} hours at {otherSpeed} km/h. How many kilometres does it cover?",
    "How far does a bus get, in kilometres, that drives {hours} hours at {speed} km/h and then {moreHours} hours at {otherSpeed} km/h?",
    "A cyclist rides {hours} hours at {speed} km/h, rests, and rides {moreHours} hours at {otherSpeed} km/h. How many kilometres is that together?",
  ],
  solve({ hours, moreHours, speed, otherSpeed }, sheet) {
    const first = multiply(sheet, "work out the distance of the first part", hours, speed);
    const second = multiply(sheet, "work out the distance of the second part", moreHours, otherSpeed);
    return sheet.number("add the two distances", first + second, `${first} + ${second} = # km`);
  },
});

const bill = defineForm({
  difficulties: [3],
  slots: {
    name: NAME,
    ...{ count: integer(), item: ITEM, price: dollars() },
    ...{ moreCount: integer(), otherItem: ITEM, otherPrice: dollars() },
    ...{ percent: integer(undefined, 2), delivery: dollars(), friends: integer(undefined, 2) },
  },
  phrasings: [
    "{name} orders {count} {item} at {price} each and {moreCount} {otherItem} at {otherPrice} each. The shop takes {percent}% off, then adds {delivery} for delivery. {friends} friends share the bill equally. How many dollars does each pay?",
    "An order by {name}: {count} {item} at {price} each, {moreCount} {otherItem} at {otherPrice} each, a discount of {percent}% on the goods, and {delivery} for delivery. Shared equally by {friends} people, how many dollars is that for each?",
    "How many dollars does each of {friends} people pay if {name} buys {count} {item} at {price} each and {moreCount} {otherItem} at {otherPrice} each with {percent}% off, delivery costs {delivery}, and all is shared equally?",
  ],
  draw(random) {
    for (;;) {
      const [item, otherItem] = random.shuffle(ITEMS) as [string, string];
      const drawn = {
        item,
        otherItem,
        name: NAME.draw!(random, 3),
        count: random.integer(2, 9),
        moreCount: random.integer(2, 9),
        price: random.integer(2, 20),
        otherPrice: random.integer(2, 20),
        percent: random.pick([10, 20, 25, 40]),
        delivery: random.integer(2, 15),
        friends: random.integer(2, 5),
      };
      const goods = drawn.count * drawn.price + drawn.moreCount * drawn.otherPrice;
      const off = (goods * drawn.percent) / 100;
      // Whole dollars all the way, so that the difficulty lies in the stages and not in the cents.
      if (Number.isInteger(off) && (goods - off + drawn.delivery) % drawn.friends === 0) return drawn;
    }
  },
  accepts: ({ friends }) => friends > 0,
  solve({ count, moreCount, price, otherPrice, percent, delivery, friends }, sheet) {
    const first = multiply(sheet, "work out the price of the first goods", count, price);
    const second = multiply(sheet, "work out the price of the second goods", moreCount, otherPrice);
    const goods = sheet.number("add the prices of the goods", first + second, "goods: $#");
    const off = sheet.number(
      "work out the discount",
      (goods * percent) / 100,
      `${percent}% of $${showNumber(goods)} is $#`,
    );
    const reduced = sheet.number("take the discount off", goods - off, "after the discount: $#");
    const total = sheet.number("add the delivery", reduced + delivery, "with delivery: $#");
    const each = Math.round((total / friends) * 100) / 100;
    return sheet.number("divide by the number of people", each, `for each of ${friends}: $#`);
  },
});

export const shopping = defineFamily({
  id: "shopping",
  topic: "arithmetic",
  work: "work through the word problem with its prices, percentages or rates",
  terms: "word problem, price, prices, discount, percentage, percentages, bill, rates, distance, dollars",
  forms: [bill, journey, one],
});

function multiply(sheet: Worksheet, work: string, a: number, b: number): number {
  return sheet.number(work, a * b, `${showNumber(a)} × ${showNumber(b)} = #`);
}
