// From flags to the settings of a training, or to a sentence about what is wrong with them. The settings are
// kept in the training's folder, so that it can go on without being told again.

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { usageError } from "../../base/errors.ts";
import { collect, dollars, numberBetween, oneOf, wholeNumber } from "../options.ts";

const ITERATIONS = 300;
const QUESTIONS = 16;
const GROUP = 16;
/** More threads than this wait for each other in a model so small. */
const MOST_THREADS = 8;
/** Of one attention head: the width of the model is made of them. */
const HEAD_WIDTH = 32;

const settingsSchema = z.object({
  world: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("rehearsal") }),
    z.object({
      kind: z.literal("recording"),
      folders: z.array(z.string()),
      sets: z.array(z.string()),
      splitBy: z.enum(["prompt", "family"]).default("prompt"),
    }),
    z.object({
      kind: z.literal("tasks"),
      tasks: z.string(),
      set: z.string().optional(),
      pool: z.string().optional(),
      config: z.string().optional(),
      budgetUsd: z.number(),
    }),
  ]),
  minutes: z.number().optional(),
  /** Of reinforcement: the warm-up comes on top. */
  iterations: z.number().optional(),
  seed: z.number(),
  rounds: z.union([z.literal(1), z.literal(2)]),
  size: z.number().optional(),
  pools: z.enum(["fixed", "random"]),
  group: z.number(),
  questions: z.number(),
  costPerCall: z.number(),
  supervised: z.boolean(),
  words: z.enum(["free", "generic"]),
  width: z.number().optional(),
  layers: z.number().optional(),
  threads: z.number(),
});
export type TrainSettings = z.infer<typeof settingsSchema>;

export interface TrainFlags {
  rehearsal?: boolean;
  recording?: string[];
  tasks?: string;
  set?: string[];
  splitBy?: "prompt" | "family";
  pool?: string;
  config?: string;
  budgetUsd?: number | "none";
  yes?: boolean;
  minutes?: number;
  iterations?: number;
  seed?: number;
  out?: string;
  resume?: string;
  rounds?: "1" | "2";
  size?: number;
  pools?: "fixed" | "random";
  group?: number;
  questions?: number;
  cost?: number;
  supervised?: boolean;
  words?: "free" | "generic";
  width?: number;
  layers?: number;
  threads?: number;
  json?: boolean;
}

export function addTrainFlags(command: Command): Command {
  return command
    .option("--rehearsal", "train on simulated tasks and workers: no key, no cost (the default)")
    .option("--recording <folder>", "train on recorded models; may be given several times", collect)
    .option("--tasks <file>", "train with the live pool of the config: every reply costs, once")
    .option(
      "--set <name>",
      "the set of each recording, in their order, or several sets of one; the set of --tasks",
      collect,
    )
    .option(
      "--split-by <what>",
      "with --recording: prompt, or family to keep whole subtasks for the test (prompt)",
      oneOf("--split-by", ["prompt", "family"] as const),
    )
    .option("--pool <name|ids>", "with --tasks: a pool of the config, or ids of workers")
    .option("--config <file>", "with --tasks: the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option(
      "--budget, --budget-usd <amount>",
      "with --tasks: the most it may cost in all",
      dollars("--budget"),
    )
    .option("--yes", "go on without asking whether the estimated cost is all right")
    .option("--minutes <n>", "train for about so long", numberBetween("--minutes", 0.1, 100_000))
    .option(
      "--iterations <n>",
      `so many iterations after the warm-up (${ITERATIONS} unless --minutes is given)`,
      wholeNumber("--iterations", 1, 1_000_000),
    )
    .option("--seed <n>", "of all randomness (0)", wholeNumber("--seed", 0, 2 ** 32 - 1))
    .option("--out <dir>", "the folder of the training (by default in trainings/ of TUTTI_HOME)")
    .option("--resume <dir>", "go on with a training that was stopped, with its own settings")
    .option(
      "--rounds <n>",
      "1, or 2 to learn corrective rounds too (1)",
      oneOf("--rounds", ["1", "2"] as const),
    )
    .option(
      "--size <n>",
      "all teams have so many steps (by default the Conductor learns to decide)",
      wholeNumber("--size", 1, 5),
    )
    .option(
      "--pools <kind>",
      "fixed: always the whole pool; random: also parts of it, and strangers in the rehearsal (random)",
      oneOf("--pools", ["fixed", "random"] as const),
    )
    .option("--group <n>", `rollouts of each question (${GROUP})`, wholeNumber("--group", 2, 256))
    .option(
      "--questions <n>",
      `questions of an iteration (${QUESTIONS})`,
      wholeNumber("--questions", 1, 1024),
    )
    .option("--cost <x>", "cost per call, where being right is worth 0.5 (0)", numberBetween("--cost", 0, 1))
    .option("--supervised", "a supervised stage before reinforcement")
    .option(
      "--words <kind>",
      "free: subtasks are learned; generic: all steps are told the same (free)",
      oneOf("--words", ["free", "generic"] as const),
    )
    .option(
      "--width <n>",
      `width of the model, a multiple of ${HEAD_WIDTH}`,
      wholeNumber("--width", HEAD_WIDTH, 1024),
    )
    .option("--layers <n>", "layers of the model", wholeNumber("--layers", 1, 24))
    .option("--threads <n>", "how many threads compute", wholeNumber("--threads", 1, 256))
    .option("--json", "the outcome as JSON on standard output");
}

export function toSettings(flags: TrainFlags): TrainSettings {
  const { minutes, iterations, width, layers } = flags;
  if (minutes !== undefined && iterations !== undefined)
    throw usageError("--minutes and --iterations exclude each other: give one of them");
  if (width !== undefined && width % HEAD_WIDTH !== 0)
    throw usageError(`--width must be a multiple of ${HEAD_WIDTH}, not ${width}`);
  return {
    world: toWorldSettings(flags),
    minutes,
    iterations: minutes === undefined ? (iterations ?? ITERATIONS) : undefined,
    seed: flags.seed ?? 0,
    rounds: flags.rounds === "2" ? 2 : 1,
    size: flags.size,
    pools: flags.pools ?? "random",
    group: flags.group ?? GROUP,
    questions: flags.questions ?? QUESTIONS,
    costPerCall: flags.cost ?? 0,
    supervised: flags.supervised ?? false,
    words: flags.words ?? "free",
    width,
    layers,
    threads: flags.threads ?? Math.min(MOST_THREADS, availableParallelism()),
  };
}

function toWorldSettings(flags: TrainFlags): TrainSettings["world"] {
  const { rehearsal, recording, tasks, set: sets = [], splitBy, pool, config, budgetUsd } = flags;
  const given = [rehearsal && "--rehearsal", recording && "--recording", tasks !== undefined && "--tasks"];
  const worlds = given.filter((flag) => typeof flag === "string");
  if (worlds.length > 1) throw usageError(`${worlds.join(" and ")} exclude each other`);
  if (tasks === undefined) {
    const lonely = [pool !== undefined && "--pool", config !== undefined && "--config"].find(Boolean);
    if (lonely) throw usageError(`${lonely} goes with --tasks: only there a live pool is asked`);
    if (budgetUsd !== undefined) throw usageError("--budget goes with --tasks: nothing else costs money");
  }
  if (splitBy !== undefined && !recording)
    throw usageError("--split-by goes with --recording: other worlds are split by prompt");
  if (recording) return { kind: "recording", ...pairSets(recording, sets), splitBy: splitBy ?? "prompt" };
  if (tasks !== undefined) {
    if (sets.length > 1) throw usageError(`--tasks takes one --set, not ${sets.length}`);
    if (budgetUsd === undefined)
      throw usageError(
        "--tasks asks a live pool, which costs: say how much it may, with --budget 5 for example",
      );
    if (budgetUsd === "none")
      throw usageError("--budget must be an amount in dollars: a training asks very often");
    return { kind: "tasks", tasks, budgetUsd, set: sets[0], pool, config };
  }
  if (sets.length > 0) throw usageError("--set goes with --recording or --tasks: the rehearsal has no sets");
  return { kind: "rehearsal" };
}

/** One set for each recording, or several of one; none means all that a recording holds. */
function pairSets(folders: string[], sets: string[]): { folders: string[]; sets: string[] } {
  const isPaired = sets.length === 0 || sets.length === folders.length || folders.length === 1;
  if (!isPaired)
    throw usageError(
      `--recording is given ${folders.length} times and --set ${sets.length} times: give one set for each recording, in the same order`,
    );
  return { folders: sets.length > folders.length ? sets.map(() => folders[0]!) : folders, sets };
}

/** As they are kept: a training may go on from another folder than it began in. */
export function toSavedSettings(settings: TrainSettings): TrainSettings {
  const { world } = settings;
  if (world.kind === "recording")
    return { ...settings, world: { ...world, folders: world.folders.map((folder) => resolve(folder)) } };
  if (world.kind !== "tasks") return settings;
  const { tasks, config } = world;
  const whole = (path: string) => (existsSync(path) ? resolve(path) : path);
  // A known set has a name that is no file.
  const paths = { tasks: whole(tasks), config: config && resolve(config) };
  return { ...settings, world: { ...world, ...paths } };
}

/** What may be said when a training goes on: everything else was settled when it began. */
const ON_RESUME = new Set(["resume", "threads", "budgetUsd", "yes", "json"]);

export function toResumedSettings(flags: TrainFlags, saved: unknown, folder: string): TrainSettings {
  const other = Object.keys(flags).find((name) => !ON_RESUME.has(name));
  if (other !== undefined)
    throw usageError(
      `--${other} cannot be given with --resume: the training in ${folder} goes on with its own settings`,
    );
  const parsed = settingsSchema.safeParse(saved);
  if (!parsed.success)
    throw usageError(
      `${folder} was not made by tutti train, so its settings cannot be read: start a new training`,
    );
  const settings = { ...parsed.data, threads: flags.threads ?? parsed.data.threads };
  const { budgetUsd } = flags;
  if (budgetUsd === undefined) return settings;
  if (settings.world.kind !== "tasks")
    throw usageError("--budget goes with --tasks: nothing else costs money");
  if (budgetUsd === "none")
    throw usageError("--budget must be an amount in dollars: a training asks very often");
  return { ...settings, world: { ...settings.world, budgetUsd } };
}
