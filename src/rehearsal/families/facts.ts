// What the two families of facts share: a table to look things up in. A fact is known or it is not;
// one who does not know it names another entry of the same table.

import type { Difficulty } from "../types.ts";
import { defineForm } from "./family.ts";

/** Key, value, and how well known it is. */
export type Fact = readonly [key: string, value: string, difficulty: Difficulty];

export function defineFactForm(
  table: readonly Fact[],
  options: { work: string; phrasings: readonly string[]; line: (key: string, value: string) => string },
): ReturnType<typeof defineForm> {
  const byKey = new Map(table.map((fact) => [fact[0].toLowerCase(), fact]));
  const values = [...new Set(table.map(([, value]) => value))];
  // Longest first, or "Guinea" would be found in "Papua New Guinea".
  const keys = [...byKey.keys()].sort((a, b) => b.length - a.length);
  return defineForm<{ key: string }>({
    difficulties: [1, 2, 3].filter((level) => table.some((fact) => fact[2] === level)) as Difficulty[],
    slots: { key: keys.join("|") },
    phrasings: options.phrasings,
    draw: (random, difficulty) => ({ key: random.pick(table.filter((fact) => fact[2] === difficulty))[0] }),
    write: ({ key }) => ({ key }),
    read: ({ key }) => ({ key: byKey.get(key!.toLowerCase())![0] }),
    difficultyOf: ({ key }) => byKey.get(key.toLowerCase())![2],
    solve({ key }, sheet) {
      const value = byKey.get(key.toLowerCase())![1];
      const others = values.filter((other) => other !== value);
      return sheet.choice(options.work, value, others, (shown) => options.line(key, shown));
    },
  });
}
