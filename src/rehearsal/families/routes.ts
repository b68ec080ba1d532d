// The shortest way through a small network of roads, found by Dijkstra's algorithm: town after town is
// settled, nearest first, and each of these stages can go wrong.

import type { Random } from "../../base/random.ts";
import { defineFamily, defineForm } from "../templates/family.ts";
import { listOf, type Slot, word } from "../templates/slots.ts";
import type { Difficulty, Worksheet } from "../types.ts";

interface Road {
  from: string;
  to: string;
  km: number;
}
const TOWNS = ["Arden", "Brook", "Colby", "Dover", "Elgin", "Flint", "Grove"];
const SIZE: Record<Difficulty, number> = { 1: 3, 2: 5, 3: 7 };
const ROAD: Slot<Road> = {
  pattern: "[a-z]+ ?[-–] ?[a-z]+ \\d{1,5}",
  read(text) {
    const [, from, to, km] = /^(\w+) ?[-–] ?(\w+) (\d+)$/.exec(text)!;
    return { from: from!, to: to!, km: Number(km) };
  },
  write: ({ from, to, km }) => `${from}-${to} ${km}`,
};

export const routes = defineFamily({
  id: "routes",
  topic: "planning",
  work: "find the shortest route through the roads, nearest town first",
  terms: "route, routes, road, roads, shortest, graph, town, towns, nearest",
  forms: [
    defineForm({
      slots: { roads: listOf(ROAD, [2, 25], ", "), start: word(), goal: word() },
      phrasings: [
        "Roads with their lengths in km: {roads}. How long is the shortest route from {start} to {goal}, in km?",
        "These roads run both ways (km): {roads}. What is the length in km of the shortest way from {start} to {goal}?",
        "A map has the roads {roads} (lengths in km). How many km must one drive at least from {start} to {goal}?",
      ],
      draw: drawMap,
      accepts({ roads, start, goal }) {
        const towns = townsOf(roads);
        return towns.includes(start) && towns.includes(goal) && start !== goal;
      },
      difficultyOf: ({ roads }) => {
        const towns = townsOf(roads).length;
        return towns <= 3 ? 1 : towns <= 5 ? 2 : 3;
      },
      solve: ({ roads, start, goal }, sheet) => shortest(roads, start, goal, sheet),
    }),
  ],
});

function shortest(roads: Road[], start: string, goal: string, sheet: Worksheet): string | undefined {
  const open = new Map([[start, 0]]);
  const settled = new Set<string>();
  while (open.size > 0) {
    const [town, distance] = [...open].reduce((best, next) => (next[1] < best[1] ? next : best));
    open.delete(town);
    settled.add(town);
    // The start is where one stands: nothing to work out.
    const work = "settle the nearest town that is still open";
    const known = town === start ? 0 : sheet.number(work, distance, `${town}: # km`);
    if (town === goal) return String(known);
    for (const { from, to, km } of roads) {
      const other = from === town ? to : to === town ? from : undefined;
      if (other === undefined || settled.has(other)) continue;
      open.set(other, Math.min(open.get(other) ?? Number.POSITIVE_INFINITY, known + km));
    }
  }
  return undefined;
}

function drawMap(random: Random, difficulty: Difficulty): { roads: Road[]; start: string; goal: string } {
  const towns = random.shuffle(TOWNS).slice(0, SIZE[difficulty]);
  const roads: Road[] = [];
  // A chain keeps the map connected; the shortcuts make the choice.
  for (let i = 1; i < towns.length; i++)
    roads.push({ from: towns[i - 1]!, to: towns[i]!, km: random.integer(2, 9) });
  for (let i = 2; i < towns.length; i++) {
    const from = random.integer(Math.max(0, i - 3), i - 2);
    roads.push({ from: towns[from]!, to: towns[i]!, km: random.integer(5, 9 + 4 * (i - from)) });
  }
  return { roads: random.shuffle(roads), start: towns[0]!, goal: towns.at(-1)! };
}

function townsOf(roads: Road[]): string[] {
  return [...new Set(roads.flatMap(({ from, to }) => [from, to]))];
}
