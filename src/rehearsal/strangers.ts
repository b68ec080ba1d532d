// Simulated workers that nobody has met: sampled around the characters of the seven players, so that a
// Conductor can train with teams it does not know, and be tested with yet others. The table of players is
// the simulated world; this only adds more workers to it, under the same rules.

import { usageError } from "../base/errors.ts";
import { createRandom, hashSeed, type Random } from "../base/random.ts";
import type { Price, Topic } from "../worker/types.ts";
import type { Player } from "./players.ts";
import { FAMILIES } from "./questions.ts";

type SkillRange = readonly [low: number, high: number];

interface Character {
  /** As the table of players says it. */
  says: string;
  usual: SkillRange;
  /** Two to four of these, fewer where there are fewer. */
  strengths: readonly Topic[];
  strong: SkillRange;
  /** Up to two topics in which it is clearly worse than usual. */
  weak?: SkillRange;
  /** What it has of planning and checking beyond what the topics say. */
  planning?: number;
  checking?: number;
  priceFactor?: number;
  delayFactor?: number;
}

const ALL_TOPICS: readonly Topic[] = [...new Set(FAMILIES.map(({ topic }) => topic))];
const STRONG: SkillRange = [0.9, 0.97];

const CHARACTERS: readonly Character[] = [
  {
    says: "a mathematician",
    usual: [0.73, 0.82],
    strengths: ["arithmetic", "algebra", "geometry", "science", "data"],
    strong: STRONG,
    delayFactor: 1.4,
  },
  {
    says: "writes and reads code",
    usual: [0.76, 0.83],
    strengths: ["code", "data", "language", "logic"],
    strong: STRONG,
  },
  {
    says: "plans well",
    usual: [0.78, 0.84],
    strengths: ["planning", "other", "language"],
    strong: STRONG,
    planning: 0.05,
  },
  {
    says: "finds the mistakes of others",
    usual: [0.78, 0.85],
    strengths: ["logic", "facts", "science"],
    strong: STRONG,
    checking: 0.08,
  },
  // As with the players of these two kinds, their best topics are little better than the rest.
  { says: "a generalist", usual: [0.82, 0.88], strengths: ALL_TOPICS, strong: [0.9, 0.93], priceFactor: 0.4 },
  {
    says: "quick, cheap and weak",
    usual: [0.7, 0.77],
    strengths: ALL_TOPICS,
    strong: [0.78, 0.86],
    priceFactor: 0.4,
    delayFactor: 0.4,
  },
  {
    says: "strong and expensive, with gaps",
    usual: [0.88, 0.93],
    strengths: ALL_TOPICS,
    strong: [0.94, 0.97],
    weak: [0.72, 0.78],
    priceFactor: 1.6,
  },
];

/** The first strangers of a seed are the same however many are wanted, so each can be found by its id. */
export function createStrangers(count: number, seed: number): Player[] {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw usageError(`Strangers need a seed that is a whole number from 0, not ${seed}`);
  return Array.from({ length: count }, (_, number) => createStranger(number, seed));
}

/** The stranger of this id, made again; undefined where it is no stranger's. */
export function findStranger(id: string): Player | undefined {
  const [, seed, number] = /^rehearsal\/stranger-(\d+)-(\d+)$/.exec(id) ?? [];
  return seed === undefined ? undefined : createStranger(Number(number), Number(seed));
}

function createStranger(number: number, seed: number): Player {
  const random = createRandom(hashSeed("stranger", seed, number));
  const character = random.pick(CHARACTERS);
  const skills = drawSkills(character, random);
  const skill = (topic: Topic) => skills[topic] ?? skills.usual;
  const mean = ALL_TOPICS.reduce((sum, topic) => sum + skill(topic), 0) / ALL_TOPICS.length;
  // Lines through the seven players: one who is good in planning problems plans well, and so with logic
  // and checking. The noise is about as large as it is among them.
  const planning = 0.66 + 1.8 * (skill("planning") - 0.82) + (character.planning ?? 0);
  const checking = 0.64 + 1.7 * (skill("logic") - 0.85) + (character.checking ?? 0);
  const pace = Math.exp(0.3 * random.normal()) * (character.delayFactor ?? 1);
  return {
    id: `rehearsal/stranger-${seed}-${number}`,
    character: character.says,
    skills,
    planning: toHundredths(clamp(planning + 0.05 * random.normal(), 0.35, 0.97)),
    checking: toHundredths(clamp(checking + 0.07 * random.normal(), 0.3, 0.96)),
    price: drawPrice(mean, character.priceFactor ?? 1, random),
    delay: {
      firstMs: Math.round(clamp((1800 * mean - 900) * pace, 100, 1500)),
      tokenMs: toHundredths(clamp((28 * mean - 14) * pace, 3, 20)),
    },
    style: { opening: openingOf(number), wordy: random.next() < 0.4 },
  };
}

function drawSkills(character: Character, random: Random): Player["skills"] {
  const { strengths, strong, weak } = character;
  const between = ([low, high]: SkillRange) => toHundredths(low + (high - low) * random.next());
  const skills: Player["skills"] = { usual: between(character.usual) };
  // The first strength is what the character is known for, and never missing.
  const [first, ...others] = strengths === ALL_TOPICS ? random.shuffle(strengths) : strengths;
  const chosen = [first!, ...random.shuffle(others).slice(0, random.integer(1, 3))];
  for (const topic of chosen) skills[topic] = between(strong);
  if (!weak) return skills;
  const rest = ALL_TOPICS.filter((topic) => skills[topic] === undefined);
  for (const topic of random.shuffle(rest).slice(0, random.integer(1, 2))) skills[topic] = between(weak);
  return skills;
}

/** Doubles about every four points of mean skill, and differs by as much between equals. */
function drawPrice(mean: number, factor: number, random: Random): Price {
  const wanted = factor * 1.2 * 2 ** ((mean - 0.8) / 0.04 + 0.8 * random.normal());
  const outputUsd = Number(clamp(wanted, 0.2, 15).toPrecision(2));
  const inputUsd = Math.max(0.05, Number((outputUsd / random.pick([4, 4, 5])).toPrecision(2)));
  return { inputUsd, outputUsd };
}

const BEGINNINGS = ["So", "Well", "Right", "Now", "First", "Indeed", "Very well", "Good", "Here", "Briefly"];
const TURNS =
  "to the point, piece by piece, from the top, in order, with care, on paper, line by line, without haste".split(
    ", ",
  );

/** A worker knows its own work by how it begins: no two of a seed are alike, and none begins another. */
function openingOf(number: number): string {
  const round = Math.floor(number / (BEGINNINGS.length * TURNS.length));
  const turn = TURNS[Math.floor(number / BEGINNINGS.length) % TURNS.length];
  return `${BEGINNINGS[number % BEGINNINGS.length]}, ${turn}${round > 0 ? ` (${round + 1})` : ""}:`;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

function toHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
