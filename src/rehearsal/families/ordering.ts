// Who finished where? A race with clues, solved by trying all finishing orders.

import type { Random } from "../../base/random.ts";
import { defineFamily, defineForm } from "../templates/family.ts";
import { listOf, oneOf, type Slot } from "../templates/slots.ts";
import type { Difficulty } from "../types.ts";
import { type Clue, narrow, ordersOf } from "./narrow.ts";

interface RaceClue {
  first: string;
  kind: "before" | "right before";
  second: string;
}
interface Race {
  runners: string[];
  clues: RaceClue[];
  /** One of PLACES. */
  place: string;
}

const RUNNERS = ["Amir", "Bea", "Carl", "Dina", "Emil", "Fay", "Gita", "Hugo"];
const PLACES = ["first", "second", "third", "fourth", "fifth"];
const SIZE: Record<Difficulty, number> = { 1: 3, 2: 4, 3: 5 };
const LIST: Slot<string[]> = {
  pattern: "[a-z]+(?:, [a-z]+){1,3},? and [a-z]+",
  read: (text) => text.split(/,? and |, /),
  write: (runners) => `${runners.slice(0, -1).join(", ")} and ${runners.at(-1)}`,
};
const CLUE: Slot<RaceClue> = {
  pattern: "[a-z]+ finished (?:right )?before [a-z]+",
  read(text) {
    const [first, second] = text.split(/ finished (?:right )?before /i);
    return { first: first!, kind: text.includes(" right ") ? "right before" : "before", second: second! };
  },
  write: ({ first, kind, second }) => `${first} finished ${kind} ${second}`,
};

export const ordering = defineFamily({
  id: "ordering",
  topic: "logic",
  work: "use the clues about the finishing order one by one",
  terms: "logic, logical, clue, clues, finishing order, finishing orders, puzzle, deduce, deduction",
  forms: [
    defineForm({
      slots: { runners: LIST, clues: listOf(CLUE, [1, 8], ", ", "[,.;] "), place: oneOf(PLACES) },
      phrasings: [
        "{runners} ran a race without ties. {clues}. Who finished {place}?",
        "In a race of {runners}, nobody tied. {clues}. Who was {place}?",
        "{runners} raced, no two of them level. {clues}. Name the one who came {place}.",
      ],
      draw: drawRace,
      accepts(race) {
        const { runners, clues, place } = race;
        const areKnown = clues.every(({ first, second }) =>
          [first, second].every((name) => runners.includes(name)),
        );
        return (
          areKnown && PLACES.indexOf(place) < runners.length && runners.length <= 5 && isDetermined(race)
        );
      },
      difficultyOf: ({ runners }) => (runners.length <= 3 ? 1 : runners.length === 4 ? 2 : 3),
      solve({ runners, clues, place }, sheet) {
        const tests = clues.map((clue) => toClue(clue, runners));
        const left = narrow(sheet, ordersOf(runners.length), tests);
        const found = runners[left[0]![PLACES.indexOf(place)]!]!;
        const others = runners.filter((runner) => runner !== found);
        return sheet.choice("read off who holds the place asked for", found, others, `${place}: #`);
      },
    }),
  ],
});

function drawRace(random: Random, difficulty: Difficulty): Race {
  const size = SIZE[difficulty];
  for (;;) {
    const order = random.shuffle(RUNNERS).slice(0, size);
    const clues: RaceClue[] = [];
    const race = { runners: random.shuffle(order), clues, place: PLACES[random.integer(1, size) - 1]! };
    // True clues are added until they settle the place; too many would be a long and dull question.
    while (clues.length < size + 1 && !isDetermined(race)) {
      const at = random.integer(0, size - 2);
      const kind = random.next() < 0.35 ? "right before" : "before";
      const to = kind === "right before" ? at + 1 : random.integer(at + 1, size - 1);
      const clue: RaceClue = { first: order[at]!, kind, second: order[to]! };
      if (!clues.some(({ first, second }) => first === clue.first && second === clue.second))
        clues.push(clue);
      else if (random.next() < 0.2) break;
    }
    if (clues.length >= size - 1 && isDetermined(race)) return race;
  }
}

function isDetermined({ runners, clues, place }: Race): boolean {
  if (clues.length === 0) return false;
  const at = PLACES.indexOf(place);
  const tests = clues.map((clue) => toClue(clue, runners));
  const left = ordersOf(runners.length).filter((order) => tests.every(({ holds }) => holds(order)));
  return left.length > 0 && left.every((order) => order[at] === left[0]![at]);
}

/** A case is an order of the runners, by their numbers. */
function toClue({ first, kind, second }: RaceClue, runners: string[]): Clue<readonly number[]> {
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
