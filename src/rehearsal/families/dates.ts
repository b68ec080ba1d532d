// Dates: weekdays to count on, days to add across months, days between two dates.

import type { Random } from "../../base/random.ts";
import { defineFamily, defineForm } from "../templates/family.ts";
import { integer, oneOf, type Slot } from "../templates/slots.ts";
import type { Worksheet } from "../types.ts";

const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

interface CalendarDate {
  day: number;
  /** From 0. */
  month: number;
  year: number;
}

const DATE: Slot<CalendarDate> = {
  pattern: `\\d{1,2} (?:${MONTHS.join("|")}) \\d{4}`,
  /** Undefined for a day that its month does not have. */
  read(text) {
    const [day, name, year] = text.split(" ") as [string, string, string];
    const month = MONTHS.findIndex((known) => known.toLowerCase() === name.toLowerCase());
    const date = { day: Number(day), month, year: Number(year) };
    return date.day >= 1 && date.day <= daysIn(month, date.year) && date.year >= 1600 ? date : undefined;
  },
  write: ({ day, month, year }) => `${day} ${MONTHS[month]} ${year}`,
  draw: (random) => ({
    day: random.integer(1, 28),
    month: random.integer(0, 11),
    year: random.integer(2019, 2030),
  }),
};

const weekday = defineForm({
  difficulties: [1],
  slots: { today: oneOf(WEEKDAYS), days: integer([8, 60], 6) },
  phrasings: [
    "Today is {today}. Which weekday is it in {days} days?",
    "If today is {today}, what day of the week is it {days} days later?",
    "It is {today}. Name the weekday {days} days from now.",
  ],
  solve({ today, days }, sheet) {
    const rest = sheet.number("take whole weeks away", days % 7, `${days} days are whole weeks and # days`);
    const found = WEEKDAYS[(WEEKDAYS.indexOf(today) + rest) % 7]!;
    const others = WEEKDAYS.filter((other) => other !== found);
    return sheet.choice("count on from the weekday", found, others, `${today} and ${rest} days: #`);
  },
});

const later = defineForm({
  difficulties: [2],
  slots: { date: DATE, days: integer([35, 95], 4) },
  phrasings: [
    "What date is {days} days after {date}?",
    "Which date do you get {days} days after {date}?",
    "Start on {date} and go {days} days forward. What is the date?",
  ],
  solve({ date, days }, sheet) {
    let { day, month, year } = date;
    let rest = days;
    while (day + rest > daysIn(month, year)) {
      const used = daysIn(month, year) - day;
      rest = sheet.number(
        "use up the rest of the month",
        rest - used,
        `${MONTHS[month]} takes ${used} days, # are left`,
      );
      [day, month, year] = [0, (month + 1) % 12, month === 11 ? year + 1 : year];
    }
    return nameDate(sheet, { day: day + rest, month, year });
  },
});

const between = defineForm({
  difficulties: [3],
  slots: { from: DATE, to: DATE },
  phrasings: [
    "How many days is it from {from} to {to}?",
    "How many days lie between {from} and {to}, counting the last but not the first?",
    "Count the days from {from} until {to}.",
  ],
  draw(random: Random) {
    const from = DATE.draw!(random, 3);
    const end = from.month + random.integer(4, 7);
    const year = from.year + Math.floor(end / 12);
    return { from, to: { day: random.integer(1, 28), month: end % 12, year } };
  },
  accepts: ({ from, to }) => monthsFrom(from, to) >= 1 && monthsFrom(from, to) <= 12,
  solve({ from, to }, sheet) {
    let total = sheet.number(
      "count the days left in the first month",
      daysIn(from.month, from.year) - from.day,
      `# days left in ${MONTHS[from.month]}`,
    );
    for (let step = 1; step < monthsFrom(from, to); step++) {
      const month = (from.month + step) % 12;
      const length = daysIn(month, from.year + Math.floor((from.month + step) / 12));
      total = sheet.number(
        "add the days of the next whole month",
        total + length,
        `with ${MONTHS[month]} (${length}): #`,
      );
    }
    return sheet.number(
      "add the days of the last month",
      total + to.day,
      `with ${to.day} days of ${MONTHS[to.month]}: #`,
    );
  },
});

export const dates = defineFamily({
  id: "dates",
  topic: "other",
  work: "count the days on the calendar month by month",
  terms: "date, dates, calendar, weekday, weekdays, month, months, days",
  forms: [between, later, weekday],
});

function nameDate(sheet: Worksheet, date: CalendarDate): string {
  const others = [-2, -1, 1, 2]
    .map((by) => date.day + by)
    .filter((day) => day >= 1 && day <= daysIn(date.month, date.year));
  const [found, ...rest] = [Math.max(1, date.day), ...others].map((day) => DATE.write({ ...date, day }));
  return sheet.choice("name the date", found!, rest, "that is #");
}

function monthsFrom(from: CalendarDate, to: CalendarDate): number {
  return (to.year - from.year) * 12 + to.month - from.month;
}

function daysIn(month: number, year: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}
