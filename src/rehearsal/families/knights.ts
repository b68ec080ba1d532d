// Knights always tell the truth, knaves always lie: who is who? Solved by trying all cases; a question
// whose statements leave more than one case, or none, is not recognised.

import { defineFamily, defineForm } from "../templates/family.ts";
import type { Slot } from "../templates/slots.ts";
import type { Difficulty } from "../types.ts";
import { type Clue, narrow } from "./narrow.ts";

interface IslandStatement {
  speaker: string;
  kind: "knight" | "knave" | "same" | "different";
  about: string;
}
/** For each person, in the order of their statements, whether it is a knight. */
type Case = boolean[];

const PEOPLE = ["Ada", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal"];
const SIZE: Record<Difficulty, number> = { 1: 2, 2: 3, 3: 4 };
const KINDS = ["knight", "knave", "same", "different"] as const;

const SAYS: Record<IslandStatement["kind"], (about: string) => string> = {
  knight: (about) => `${about} is a knight`,
  knave: (about) => `${about} is a knave`,
  same: (about) => `${about} and I are the same kind`,
  different: (about) => `${about} and I are different kinds`,
};
const ONE = `[a-z]+ says: "[a-z]+ (?:is a (?:knight|knave)|and I are (?:the same kind|different kinds))\\.?"`;

const STATEMENTS: Slot<IslandStatement[]> = {
  pattern: `(?:${ONE} ?){2,5}`,
  read(text) {
    const said = text.matchAll(/([a-z]+) says: "([a-z]+) ([^"]*)"/gi);
    return [...said].flatMap(([, speaker, about, words]) => {
      const kind = KINDS.find((name) => new RegExp(`\\b${name}\\b`, "i").test(words!));
      return kind ? [{ speaker: speaker!, kind, about: about! }] : [];
    });
  },
  write: (statements) =>
    statements.map(({ speaker, kind, about }) => `${speaker} says: "${SAYS[kind](about)}."`).join(" "),
  draw(random, difficulty) {
    for (;;) {
      const people = random.shuffle(PEOPLE).slice(0, SIZE[difficulty]);
      const statements = people.map((speaker) => ({
        speaker,
        kind: random.pick(KINDS),
        about: random.pick(people.filter((other) => other !== speaker)),
      }));
      if (hasOneCase(statements)) return statements;
    }
  },
};

export const knights = defineFamily({
  id: "knights",
  topic: "logic",
  work: "test each statement of the knights and knaves against the cases",
  terms: "logic, logical, knights, knaves, knight, knave, statement, statements, truth, liar",
  forms: [
    defineForm({
      slots: { statements: STATEMENTS },
      phrasings: [
        "On an island, knights always tell the truth and knaves always lie. {statements} Who are the knights? List them separated by commas, or write nobody.",
        "Knights always tell the truth, knaves always lie. {statements} Name all the knights, separated by commas, or write nobody.",
        "Everyone here is a knight, who is always truthful, or a knave, who always lies. {statements} Which of them are knights? Separate them by commas, or write nobody.",
      ],
      accepts({ statements }) {
        const people = new Set(statements.map(({ speaker }) => speaker));
        const isKnown = statements.every(({ about, speaker }) => people.has(about) && about !== speaker);
        return isKnown && people.size === statements.length && hasOneCase(statements);
      },
      difficultyOf: ({ statements }) => (statements.length <= 2 ? 1 : statements.length === 3 ? 2 : 3),
      solve({ statements }, sheet) {
        const people = statements.map(({ speaker }) => speaker);
        const all = allCases(people.length);
        const clues = statements.map((statement) => toClue(statement, people));
        const left = narrow(sheet, all, clues);
        const list = (candidate: Case) => people.filter((_, i) => candidate[i]).join(", ") || "nobody";
        const found = list(left[0]!);
        const others = all.map(list).filter((other) => other !== found);
        return sheet.choice("list the knights of the case that is left", found, others, "knights: #");
      },
    }),
  ],
});

function hasOneCase(statements: IslandStatement[]): boolean {
  const people = statements.map(({ speaker }) => speaker);
  const clues = statements.map((statement) => toClue(statement, people));
  const fitting = allCases(people.length).filter((each) => clues.every(({ holds }) => holds(each)));
  return fitting.length === 1;
}

function toClue({ speaker, kind, about }: IslandStatement, people: string[]): Clue<Case> {
  const [self, other] = [people.indexOf(speaker), people.indexOf(about)];
  return {
    work: "test the next statement in every case that is left",
    text: `${speaker} on ${about}`,
    holds(candidate) {
      const same = candidate[self] === candidate[other];
      const truths = { knight: candidate[other], knave: !candidate[other], same, different: !same };
      return truths[kind] === candidate[self];
    },
  };
}

function allCases(people: number): Case[] {
  return Array.from({ length: 2 ** people }, (_, bits) =>
    Array.from({ length: people }, (_, i) => ((bits >> i) & 1) === 1),
  );
}
