// The seven simulated workers: who they are, what they can, what they cost. This table and the
// constants of rules.ts define the simulated world. Skills are hidden from
// Conductors, who see prices and measured profiles only. A good planner also does well in planning
// problems, a good checker in logic: so what a profile shows tells something about what it does not.

import type { Price, Topic } from "../worker/types.ts";

export interface Player {
  id: string;
  /** What it is good for, for the readers of this table. */
  character: string;
  /** Probability to get one stage right, by topic; `usual` for topics not named. */
  skills: Partial<Record<Topic, number>> & { usual: number };
  planning: number;
  checking: number;
  price: Price;
  /** Before the first word, and for each token, in simulated milliseconds. */
  delay: { firstMs: number; tokenMs: number };
  style: {
    /** How its replies begin. It knows its own work by it. */
    opening: string;
    /** Says what it does beside doing it: more words, more cost. */
    wordy: boolean;
  };
}

export const PLAYERS: readonly Player[] = [
  {
    id: "rehearsal/violin",
    character: "strong and expensive, but weak in planning problems and with letters",
    skills: { usual: 0.93, facts: 0.98, science: 0.95, planning: 0.74, language: 0.76 },
    planning: 0.7,
    checking: 0.75,
    price: { inputUsd: 3, outputUsd: 15 },
    delay: { firstMs: 900, tokenMs: 18 },
    style: { opening: "Let me work through this carefully.", wordy: true },
  },
  {
    id: "rehearsal/viola",
    character: "a cheap generalist",
    skills: { usual: 0.86, facts: 0.88, other: 0.9 },
    planning: 0.65,
    checking: 0.55,
    price: { inputUsd: 0.15, outputUsd: 0.6 },
    delay: { firstMs: 350, tokenMs: 7 },
    style: { opening: "Here is how I see it.", wordy: false },
  },
  {
    id: "rehearsal/cello",
    character: "plans well",
    skills: { usual: 0.82, planning: 0.95, language: 0.88, other: 0.92 },
    planning: 0.96,
    checking: 0.55,
    price: { inputUsd: 0.5, outputUsd: 2 },
    delay: { firstMs: 500, tokenMs: 10 },
    style: { opening: "One thing after the other.", wordy: true },
  },
  {
    id: "rehearsal/clarinet",
    character: "writes and reads code",
    skills: { usual: 0.8, code: 0.97, data: 0.95, language: 0.94, logic: 0.88 },
    planning: 0.7,
    checking: 0.65,
    price: { inputUsd: 1, outputUsd: 4 },
    delay: { firstMs: 600, tokenMs: 9 },
    style: { opening: "Step by step:", wordy: false },
  },
  {
    id: "rehearsal/piano",
    character: "a mathematician",
    skills: { usual: 0.76, arithmetic: 0.97, algebra: 0.97, geometry: 0.97, science: 0.88, data: 0.88 },
    planning: 0.6,
    checking: 0.7,
    price: { inputUsd: 1.25, outputUsd: 5 },
    delay: { firstMs: 1400, tokenMs: 12 },
    style: { opening: "Working:", wordy: false },
  },
  {
    id: "rehearsal/oboe",
    character: "finds the mistakes of others",
    skills: { usual: 0.82, logic: 0.96, facts: 0.86 },
    planning: 0.6,
    checking: 0.94,
    price: { inputUsd: 0.8, outputUsd: 3.2 },
    delay: { firstMs: 700, tokenMs: 11 },
    style: { opening: "Looking closely:", wordy: true },
  },
  {
    id: "rehearsal/piccolo",
    character: "quick, cheap and weak",
    skills: { usual: 0.72, facts: 0.78, arithmetic: 0.82 },
    planning: 0.45,
    checking: 0.35,
    price: { inputUsd: 0.05, outputUsd: 0.2 },
    delay: { firstMs: 120, tokenMs: 3 },
    style: { opening: "Quick answer:", wordy: false },
  },
];

export function skillOf(player: Player, topic: Topic): number {
  return player.skills[topic] ?? player.skills.usual;
}
