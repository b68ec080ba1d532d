// Who finished where? A race with clues, solved by trying all finishing orders.

import type { Random } from "../../base/random.ts";
import type { Difficulty } from "../types.ts";
import { defineFamily, defineForm } from "./family.ts";
import { type Clue, narrow, ordersOf } from "./narrow.ts";

interface Relation {
  first: string;
  kind: "before" | "right before";
  second: string;
}
interface Parameters {
  runners: string[];
  clues: Relation[];
  /** From 1. */
  place: number;
}

const RUNNERS = ["Amir", "Bea", "Carl", "Dina", "Emil", "Fay", "Gita", "Hugo"];
const PLACES = ["first", "second", "third", "fourth", "fifth"];
const SIZE: Record<Difficulty, number> = { 1: 3, 2: 4, 3: 5 };
const LIST = "[a-z]+(?:, [a-z]+){1,3},? and [a-z]+";
const CLUE = "[a-z]+ finished (?:right )?before [a-z]+";

export const ordering = defineFamily({
  id: "ordering",
  topic: "logic",
  work: "use the clues about the finishing order one by one",
  terms: [
    "logic",
    "logical",
    "clue",
    "clues",
    "finishing order",
    "finishing orders",
    "puzzle",
    "deduce",
    "deduction",
  ],
  forms: [
    defineForm<Parameters>({
      difficulties: [1, 2, 3],
      slots: { runners: LIST, clues: `${CLUE}(?:[,.;] ${CLUE}){0,7}`, place: PLACES.join("|") },
      phrasings: [
        "{runners} ran a race without ties. {clues}. Who finished {place}?",
        "In a race of {runners}, nobody tied. {clues}. Who was {place}?",
        "{runners} raced, no two of them level. {clues}. Name the one who came {place}.",
      ],
      draw: drawRace,
      write: ({ runners, clues, place }) => ({
        runners: `${runners.slice(0, -1).join(", ")} and ${runners.at(-1)}`,
        clues: clues.map(({ first, kind, second }) => `${first} finished ${kind} ${second}`).join(", "),
        place: PLACES[place - 1]!,
      }),
      read({ runners, clues, place }) {
        const race: Parameters = {
          runners: runners!.split(/,? and |, /),
          clues: clues!.split(/[,.;] /).map((clue) => {
            const [first, second] = clue.split(/ finished (?:right )?before /i);
            return {
              first: first!,
              kind: clue.includes(" right ") ? "right before" : "before",
              second: second!,
            };
          }),
          place: PLACES.indexOf(place!.toLowerCase()) + 1,
        };
        const known = race.clues.every(
          ({ first, second }) => race.runners.includes(first) && race.runners.includes(second),
        );
        const sensible = race.runners.length <= 5 && race.place <= race.runners.length;
        return known && sensible && isDetermined(race) ? race : undefined;
      },
      difficultyOf: ({ runners }) => (runners.length <= 3 ? 1 : runners.length === 4 ? 2 : 3),
      solve({ runners, clues, place }, sheet) {
        const tests = clues.map((clue) => toClue(clue, runners));
        const left = narrow(sheet, ordersOf(runners.length), tests);
        const found = runners[left[0]![place - 1]!]!;
        const others = runners.filter((runner) => runner !== found);
        return sheet.choice(
          "read off who holds the place asked for",
          found,
          others,
          (shown) => `${PLACES[place - 1]}: ${shown}`,
        );
      },
    }),
  ],
});

function drawRace(random: Random, difficulty: Difficulty): Parameters {
  const size = SIZE[difficulty];
  for (;;) {
    const order = random.shuffle(RUNNERS).slice(0, size);
    const clues: Relation[] = [];
    const race = { runners: random.shuffle(order), clues, place: random.integer(1, size) };
    // True clues are added until they settle the place; too many would be a long and dull question.
    while (clues.length < size + 1 && !isDetermined(race)) {
      const at = random.integer(0, size - 2);
      const kind = random.next() < 0.35 ? "right before" : "before";
      const to = kind === "right before" ? at + 1 : random.integer(at + 1, size - 1);
      const clue: Relation = { first: order[at]!, kind, second: order[to]! };
      if (!clues.some(({ first, second }) => first === clue.first && second === clue.second))
        clues.push(clue);
      else if (random.next() < 0.2) break;
    }
    if (clues.length >= size - 1 && isDetermined(race)) return race;
  }
}

function isDetermined({ runners, clues, place }: Parameters): boolean {
  if (clues.length === 0) return false;
  const tests = clues.map((clue) => toClue(clue, runners));
  const left = ordersOf(runners.length).filter((order) => tests.every(({ holds }) => holds(order)));
  return left.length > 0 && left.every((order) => order[place - 1] === left[0]![place - 1]);
}

/** A case is an order of the runners, by their numbers. */
function toClue({ first, kind, second }: Relation, runners: string[]): Clue<readonly number[]> {
  const [ahead, behind] = [runners.indexOf(first), runners.indexOf(second)];
  return {
    work: "use the next clue on the finishing orders that are left",
    text: `${first} ${kind} ${second}`,
    holds(order) {
      const gap = order.indexOf(behind) - order.indexOf(ahead);
      return kind === "before" ? gap > 0 : gap === 1;
    },
  };
}
