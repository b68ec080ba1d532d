// Word problems about money and journeys: rates, percentages, a bill to share. The hard ones have seven
// stages, and each can go wrong.

import type { Worksheet } from "../types.ts";
import { defineFamily, defineForm } from "./family.ts";
import { DOLLARS, INTEGER, NAME, toNumber } from "./templates.ts";
import { showNumber } from "./worksheet.ts";

const PEOPLE = ["Mia", "Noah", "Lena", "Omar", "Ruth", "Ivan"];
const ITEMS = ["notebooks", "pencils", "lamps", "mugs", "candles", "books", "scarves", "plants"];
const WORD = "[a-z]+";

const one = defineForm<{ name: string; count: number; item: string; price: number }>({
  difficulties: [1],
  slots: { name: NAME, count: INTEGER, item: WORD, price: DOLLARS },
  phrasings: [
    "{name} buys {count} {item} at {price} each. How many dollars is that?",
    "One of the {item} costs {price}. How many dollars does {name} pay for {count} of them?",
    "How many dollars do {count} {item} cost {name} at {price} each?",
  ],
  draw: (random) => ({
    name: random.pick(PEOPLE),
    count: random.integer(2, 12),
    item: random.pick(ITEMS),
    price: random.integer(2, 15),
  }),
  write: ({ name, count, item, price }) => ({ name, count: `${count}`, item, price: `${price} dollars` }),
  read: ({ name, count, item, price }) => ({
    name: name!,
    count: toNumber(count!),
    item: item!,
    price: toNumber(price!),
  }),
  solve: ({ count, price }, sheet) =>
    showNumber(multiply(sheet, "multiply the count by the price", count, price)),
});

const journey = defineForm<{ hours: [number, number]; speeds: [number, number] }>({
  difficulties: [2],
  slots: { hours: INTEGER, speed: INTEGER, moreHours: INTEGER, otherSpeed: INTEGER },
  phrasings: [
    "A train runs {hours} hours at {speed} km/h and then {moreHours} hours at {otherSpeed} km/h. How many kilometres does it cover?",
    "How far does a bus get, in kilometres, that drives {hours} hours at {speed} km/h and then {moreHours} hours at {otherSpeed} km/h?",
    "A cyclist rides {hours} hours at {speed} km/h, rests, and rides {moreHours} hours at {otherSpeed} km/h. How many kilometres is that together?",
  ],
  draw: (random) => ({
    hours: [random.integer(2, 9), random.integer(2, 9)],
    speeds: [random.integer(12, 95), random.integer(12, 95)],
  }),
  write: ({ hours, speeds }) => ({
    hours: `${hours[0]}`,
    speed: `${speeds[0]}`,
    moreHours: `${hours[1]}`,
    otherSpeed: `${speeds[1]}`,
  }),
  read: ({ hours, speed, moreHours, otherSpeed }) => ({
    hours: [Number(hours), Number(moreHours)],
    speeds: [Number(speed), Number(otherSpeed)],
  }),
  solve({ hours, speeds }, sheet) {
    const first = multiply(sheet, "work out the distance of the first part", hours[0], speeds[0]);
    const second = multiply(sheet, "work out the distance of the second part", hours[1], speeds[1]);
    return showNumber(
      sheet.number("add the two distances", first + second, (shown) => `${first} + ${second} = ${shown} km`),
    );
  },
});

interface Bill {
  name: string;
  items: [string, string];
  counts: [number, number];
  prices: [number, number];
  percent: number;
  delivery: number;
  friends: number;
}

const bill = defineForm<Bill>({
  difficulties: [3],
  slots: {
    name: NAME,
    count: INTEGER,
    item: WORD,
    price: DOLLARS,
    moreCount: INTEGER,
    otherItem: WORD,
    otherPrice: DOLLARS,
    percent: "\\d{1,2}",
    delivery: DOLLARS,
    friends: "\\d{1,2}",
  },
  phrasings: [
    "{name} orders {count} {item} at {price} each and {moreCount} {otherItem} at {otherPrice} each. The shop takes {percent}% off, then adds {delivery} for delivery. {friends} friends share the bill equally. How many dollars does each pay?",
    "An order by {name}: {count} {item} at {price} each, {moreCount} {otherItem} at {otherPrice} each, a discount of {percent}% on the goods, and {delivery} for delivery. Shared equally by {friends} people, how many dollars is that for each?",
    "How many dollars does each of {friends} people pay if {name} buys {count} {item} at {price} each and {moreCount} {otherItem} at {otherPrice} each with {percent}% off, delivery costs {delivery}, and all is shared equally?",
  ],
  draw(random) {
    for (;;) {
      const items = random.shuffle(ITEMS);
      const drawn: Bill = {
        name: random.pick(PEOPLE),
        items: [items[0]!, items[1]!],
        counts: [random.integer(2, 9), random.integer(2, 9)],
        prices: [random.integer(2, 20), random.integer(2, 20)],
        percent: random.pick([10, 20, 25, 40]),
        delivery: random.integer(2, 15),
        friends: random.integer(2, 5),
      };
      const goods = drawn.counts[0] * drawn.prices[0] + drawn.counts[1] * drawn.prices[1];
      const off = (goods * drawn.percent) / 100;
      // Whole dollars all the way, so that the difficulty lies in the stages and not in the cents.
      if (Number.isInteger(off) && (goods - off + drawn.delivery) % drawn.friends === 0) return drawn;
    }
  },
  write: ({ name, items, counts, prices, percent, delivery, friends }) => ({
    name,
    count: `${counts[0]}`,
    item: items[0],
    price: `${prices[0]} dollars`,
    moreCount: `${counts[1]}`,
    otherItem: items[1],
    otherPrice: `${prices[1]} dollars`,
    percent: `${percent}`,
    delivery: `${delivery} dollars`,
    friends: `${friends}`,
  }),
  read(values) {
    const number = (slot: string) => toNumber(values[slot]!);
    if (number("friends") === 0) return undefined;
    return {
      name: values.name!,
      items: [values.item!, values.otherItem!],
      counts: [number("count"), number("moreCount")],
      prices: [number("price"), number("otherPrice")],
      percent: number("percent"),
      delivery: number("delivery"),
      friends: number("friends"),
    };
  },
  solve({ counts, prices, percent, delivery, friends }, sheet) {
    const first = multiply(sheet, "work out the price of the first goods", counts[0], prices[0]);
    const second = multiply(sheet, "work out the price of the second goods", counts[1], prices[1]);
    const goods = sheet.number("add the prices of the goods", first + second, (shown) => `goods: $${shown}`);
    const off = sheet.number(
      "work out the discount",
      (goods * percent) / 100,
      (shown) => `${percent}% of $${showNumber(goods)} is $${shown}`,
    );
    const reduced = sheet.number(
      "take the discount off",
      goods - off,
      (shown) => `after the discount: $${shown}`,
    );
    const total = sheet.number("add the delivery", reduced + delivery, (shown) => `with delivery: $${shown}`);
    const each = Math.round((total / friends) * 100) / 100;
    return showNumber(
      sheet.number("divide by the number of people", each, (shown) => `for each of ${friends}: $${shown}`),
    );
  },
});

export const shopping = defineFamily({
  id: "shopping",
  topic: "arithmetic",
  work: "work through the word problem with its prices, percentages or rates",
  terms: [
    "word problem",
    "price",
    "prices",
    "discount",
    "percentage",
    "percentages",
    "bill",
    "rates",
    "distance",
    "dollars",
  ],
  forms: [bill, journey, one],
});

function multiply(sheet: Worksheet, work: string, a: number, b: number): number {
  return sheet.number(work, a * b, (shown) => `${showNumber(a)} × ${showNumber(b)} = ${shown}`);
}
