// From flags to the settings of a training of TRINITY, or to a sentence about what is wrong with them. What it shares with
// the native Conductor (world, seed, questions, cost) has the same flags.

import type { Command } from "commander";
import { z } from "zod";
import { usageError } from "../../base/errors.ts";
import { numberBetween, oneOf, wholeNumber } from "../options.ts";
import { toWorldSettings, type WorldFlags, worldSchema } from "./world-input.ts";

// Said again here: help must not wait for what learns to load.
const ALGORITHMS = ["evolution", "random-search", "reinforce", "supervised"] as const;

/** As published. */
const TURNS = 5;
const ITERATIONS = 60;
const QUESTIONS = 16;
const REPLICATIONS = 1;
const SIGMA = 0.3;
const COST_PER_CALL = 0.01;

export const trinitySchema = z.object({
  what: z.literal("trinity"),
  world: worldSchema,
  minutes: z.number().optional(),
  iterations: z.number().optional(),
  seed: z.number(),
  pools: z.enum(["fixed", "random"]),
  questions: z.number(),
  /** Where a right answer is worth 1. */
  costPerCall: z.number(),
  algorithm: z.enum(ALGORITHMS),
  hasRoles: z.boolean(),
  turns: z.number(),
  /** Absent: 4 + 3 ln n. */
  population: z.number().optional(),
  replications: z.number(),
  sigma: z.number(),
  diversityBonus: z.number(),
  turnBonus: z.number(),
});
export type TrinitySettings = z.infer<typeof trinitySchema>;

export interface TrinityFlags {
  minutes?: number;
  iterations?: number;
  seed?: number;
  pools?: "fixed" | "random";
  questions?: number;
  cost?: number;
  algorithm?: (typeof ALGORITHMS)[number];
  roles?: boolean;
  turns?: number;
  population?: number;
  replications?: number;
  sigma?: number;
  diversityBonus?: number;
  turnBonus?: number;
}

/** Those that say something of TRINITY alone. */
export const TRINITY_FLAGS = [
  ...["algorithm", "roles", "turns", "population", "replications", "sigma"],
  ...["diversityBonus", "turnBonus"],
] as readonly (keyof TrinityFlags)[];

export function addTrinityFlags(command: Command): Command {
  return command
    .option(
      "--algorithm <name>",
      `trinity: ${ALGORITHMS.slice(0, -1).join(", ")} or ${ALGORITHMS.at(-1)} (${ALGORITHMS[0]})`,
      oneOf("--algorithm", ALGORITHMS),
    )
    .option("--roles", "trinity: ask for plans, answers and verdicts (the default, except with --recording)")
    .option("--no-roles", "trinity: everybody is asked for an answer, alone")
    .option("--turns <n>", `trinity: replies at the most (${TURNS})`, wholeNumber("--turns", 1, 20))
    .option(
      "--population <n>",
      "trinity: candidates of a generation (4 + 3 ln n of n weights)",
      wholeNumber("--population", 4, 1024),
    )
    .option(
      "--replications <n>",
      `trinity: runs of each question with other seeds, for each candidate (${REPLICATIONS})`,
      wholeNumber("--replications", 1, 256),
    )
    .option(
      "--sigma <x>",
      `trinity: the first step size, in scales of the weights (${SIGMA})`,
      numberBetween("--sigma", 0.0001, 100),
    )
    .option(
      "--diversity-bonus <x>",
      "trinity: added for asking different workers; an ablation, published as 0.15 (0)",
      numberBetween("--diversity-bonus", 0, 1),
    )
    .option(
      "--turn-bonus <x>",
      "trinity: added for using all turns; an ablation, published as 0.1 (0)",
      numberBetween("--turn-bonus", 0, 1),
    );
}

export function toTrinitySettings(flags: TrinityFlags & WorldFlags): TrinitySettings {
  const { minutes, iterations, population } = flags;
  if (minutes !== undefined && iterations !== undefined)
    throw usageError("--minutes and --iterations exclude each other: give one of them");
  const world = toWorldSettings(flags);
  if (world.kind === "joined")
    throw usageError(
      "--rehearsal and --recording exclude each other for TRINITY: simulated workers take roles, and recorded ones cannot",
    );
  const isRecorded = world.kind === "recording";
  if (flags.roles && isRecorded)
    throw usageError(
      "--roles goes with --rehearsal or --tasks: a recording holds answers, no plans and no verdicts",
    );
  return {
    ...{ what: "trinity", world, minutes, population },
    iterations: minutes === undefined ? (iterations ?? ITERATIONS) : undefined,
    seed: flags.seed ?? 0,
    pools: flags.pools ?? "random",
    questions: flags.questions ?? QUESTIONS,
    costPerCall: flags.cost ?? COST_PER_CALL,
    algorithm: flags.algorithm ?? "evolution",
    hasRoles: flags.roles ?? !isRecorded,
    turns: flags.turns ?? TURNS,
    replications: flags.replications ?? REPLICATIONS,
    sigma: flags.sigma ?? SIGMA,
    diversityBonus: flags.diversityBonus ?? 0,
    turnBonus: flags.turnBonus ?? 0,
  };
}
