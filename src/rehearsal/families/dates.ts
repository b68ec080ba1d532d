// Dates: weekdays to count on, days to add across months, days between two dates.

import type { Random } from "../../base/random.ts";
import type { Worksheet } from "../types.ts";
import { defineFamily, defineForm } from "./family.ts";

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DATE = `\\d{1,2} (?:${MONTHS.join("|")}) \\d{4}`;

interface CalendarDate {
  day: number;
  /** From 0. */
  month: number;
  year: number;
}

const weekday = defineForm<{ today: string; days: number }>({
  difficulties: [1],
  slots: { today: WEEKDAYS.join("|"), days: "\\d{1,6}" },
  phrasings: [
    "Today is {today}. Which weekday is it in {days} days?",
    "If today is {today}, what day of the week is it {days} days later?",
    "It is {today}. Name the weekday {days} days from now.",
  ],
  draw: (random) => ({ today: random.pick(WEEKDAYS), days: random.integer(8, 60) }),
  write: ({ today, days }) => ({ today, days: `${days}` }),
  read: ({ today, days }) => ({
    today: WEEKDAYS.find((name) => sameWord(name, today!))!,
    days: Number(days),
  }),
  solve({ today, days }, sheet) {
    const rest = sheet.number(
      "take whole weeks away",
      days % 7,
      (shown) => `${days} days are whole weeks and ${shown} days`,
    );
    const found = WEEKDAYS[(WEEKDAYS.indexOf(today) + rest) % 7]!;
    const others = WEEKDAYS.filter((other) => other !== found);
    return sheet.choice(
      "count on from the weekday",
      found,
      others,
      (shown) => `${today} and ${rest} days: ${shown}`,
    );
  },
});

const later = defineForm<{ from: CalendarDate; days: number }>({
  difficulties: [2],
  slots: { date: DATE, days: "\\d{1,4}" },
  phrasings: [
    "What date is {days} days after {date}?",
    "Which date do you get {days} days after {date}?",
    "Start on {date} and go {days} days forward. What is the date?",
  ],
  draw: (random) => ({ from: drawDate(random), days: random.integer(35, 95) }),
  write: ({ from, days }) => ({ date: toText(from), days: `${days}` }),
  read({ date, days }) {
    const from = toDate(date!);
    return from && { from, days: Number(days) };
  },
  solve({ from, days }, sheet) {
    let { day, month, year } = from;
    let rest = days;
    while (day + rest > daysIn(month, year)) {
      const used = daysIn(month, year) - day;
      rest = sheet.number(
        "use up the rest of the month",
        rest - used,
        (shown) => `${MONTHS[month]} takes ${used} days, ${shown} are left`,
      );
      [day, month, year] = [0, (month + 1) % 12, month === 11 ? year + 1 : year];
    }
    return finish(sheet, { day: day + rest, month, year });
  },
});

const between = defineForm<{ from: CalendarDate; to: CalendarDate }>({
  difficulties: [3],
  slots: { from: DATE, to: DATE },
  phrasings: [
    "How many days is it from {from} to {to}?",
    "How many days lie between {from} and {to}, counting the last but not the first?",
    "Count the days from {from} until {to}.",
  ],
  draw(random) {
    const from = drawDate(random);
    const end = from.month + random.integer(4, 7);
    return {
      from,
      to: { day: random.integer(1, 28), month: end % 12, year: from.year + Math.floor(end / 12) },
    };
  },
  write: ({ from, to }) => ({ from: toText(from), to: toText(to) }),
  read(values) {
    const [from, to] = [toDate(values.from!), toDate(values.to!)];
    if (!from || !to || monthsFrom(from, to) < 1 || monthsFrom(from, to) > 12) return undefined;
    return { from, to };
  },
  solve({ from, to }, sheet) {
    const left = daysIn(from.month, from.year) - from.day;
    let total = sheet.number(
      "count the days left in the first month",
      left,
      (shown) => `${shown} days left in ${MONTHS[from.month]}`,
    );
    for (let step = 1; step < monthsFrom(from, to); step++) {
      const month = (from.month + step) % 12;
      const length = daysIn(month, from.year + Math.floor((from.month + step) / 12));
      total = sheet.number(
        "add the days of the next whole month",
        total + length,
        (shown) => `with ${MONTHS[month]} (${length}): ${shown}`,
      );
    }
    return `${sheet.number("add the days of the last month", total + to.day, (shown) => `with ${to.day} days of ${MONTHS[to.month]}: ${shown}`)}`;
  },
});

export const dates = defineFamily({
  id: "dates",
  topic: "other",
  work: "count the days on the calendar month by month",
  terms: ["date", "dates", "calendar", "weekday", "weekdays", "month", "months", "days"],
  forms: [between, later, weekday],
});

function finish(sheet: Worksheet, date: CalendarDate): string {
  const found = toText({ ...date, day: Math.max(1, date.day) });
  const others = [-2, -1, 1, 2]
    .map((by) => date.day + by)
    .filter((day) => day >= 1 && day <= daysIn(date.month, date.year));
  return sheet.choice(
    "name the date",
    found,
    others.map((day) => toText({ ...date, day })),
    (shown) => `that is ${shown}`,
  );
}

function monthsFrom(from: CalendarDate, to: CalendarDate): number {
  return (to.year - from.year) * 12 + to.month - from.month;
}

function daysIn(month: number, year: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

function drawDate(random: Random): CalendarDate {
  return { day: random.integer(1, 28), month: random.integer(0, 11), year: random.integer(2019, 2030) };
}

function toText({ day, month, year }: CalendarDate): string {
  return `${day} ${MONTHS[month]} ${year}`;
}

/** Undefined for a day that its month does not have. */
function toDate(text: string): CalendarDate | undefined {
  const [day, name, year] = text.split(" ") as [string, string, string];
  const date = {
    day: Number(day),
    month: MONTHS.findIndex((month) => sameWord(month, name)),
    year: Number(year),
  };
  return date.day >= 1 && date.day <= daysIn(date.month, date.year) && date.year >= 1600 ? date : undefined;
}

function sameWord(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
