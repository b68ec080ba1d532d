// What the two families of facts share: a table to look things up in. A fact is known or it is not;
// one who does not know it names another entry of the same table.

import type { Random } from "../../base/random.ts";
import { defineForm } from "../templates/family.ts";
import { oneOf } from "../templates/slots.ts";
import type { Difficulty } from "../types.ts";

/** `Country: Capital, …` by how well known they are. */
type Facts = Partial<Record<Difficulty, string>>;

export function defineFactForm(
  facts: Facts,
  options: { work: string; phrasings: readonly string[]; line: (key: string) => string },
): ReturnType<typeof defineForm> {
  const table = Object.entries(facts).flatMap(([difficulty, list]) =>
    list.split(/,\s+/).map((fact) => {
      const [key, value] = fact.split(": ") as [string, string];
      return { key, value, difficulty: Number(difficulty) as Difficulty };
    }),
  );
  const byKey = new Map(table.map((fact) => [fact.key, fact]));
  const values = [...new Set(table.map(({ value }) => value))];
  return defineForm({
    difficulties: Object.keys(facts).map(Number) as Difficulty[],
    slots: {
      key: {
        // Longest first, or "Guinea" would be found in "Papua New Guinea".
        ...oneOf([...byKey.keys()].sort((a, b) => b.length - a.length)),
        draw: (random: Random, wanted: Difficulty) =>
          random.pick(table.filter(({ difficulty }) => difficulty === wanted)).key,
      },
    },
    phrasings: options.phrasings,
    difficultyOf: ({ key }) => byKey.get(key)!.difficulty,
    solve({ key }, sheet) {
      const { value } = byKey.get(key)!;
      const others = values.filter((other) => other !== value);
      return sheet.choice(options.work, value, others, options.line(key));
    },
  });
}
