// From flags to the settings of a training, or to a sentence about what is wrong with them. The settings are
// kept in the training's folder, so that it can go on without being told again.

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { usageError } from "../../base/errors.ts";
import { findNative } from "../../conductor/native/shipped.ts";
import { collect, dollars, numberBetween, oneOf, wholeNumber } from "../options.ts";
import type { SpreadFlags } from "../spread.ts";
import {
  addTrinityFlags,
  TRINITY_FLAGS,
  type TrinityFlags,
  type TrinitySettings,
  toTrinitySettings,
  trinitySchema,
} from "./trinity-input.ts";
import { toWorldSettings, type WorldFlags, worldSchema } from "./world-input.ts";

const ITERATIONS = 300;
const QUESTIONS = 16;
const GROUP = 16;
/** Simulated teams that cost nothing would ask everybody for everything. What a vote earns on recordings is less than this. */
const REHEARSAL_COST = 0.02;
const DISTILLED = 100;
/** More threads than this wait for each other in a model so small. */
const MOST_THREADS = 8;
/** Of one attention head: the width of the model is made of them. */
const HEAD_WIDTH = 32;

const nativeSchema = z.object({
  /** What is trained; trainings of before TRINITY do not say. */
  what: z.literal("native").default("native"),
  world: worldSchema,
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
  /** Iterations of distillation. */
  distilled: z.number().default(0),
  /** Instructions that are proposed; trainings of before do not say. */
  proposals: z.number().default(0),
  /** The folder of the checkpoint whose weights it begins with. */
  from: z.string().optional(),
  /** Another file of instructions than the one that is shipped. */
  repertoire: z.string().optional(),
  words: z.enum(["free", "generic"]),
  width: z.number().optional(),
  layers: z.number().optional(),
  threads: z.number(),
});
export type NativeSettings = z.infer<typeof nativeSchema>;
export type TrainSettings = NativeSettings | TrinitySettings;

export const KINDS = ["native", "trinity"] as const;
export type TrainedKind = (typeof KINDS)[number];

export interface TrainFlags extends WorldFlags, TrinityFlags, SpreadFlags {
  yes?: boolean;
  out?: string;
  resume?: string;
  rounds?: "1" | "2";
  size?: number;
  group?: number;
  distill?: number | true;
  propose?: number;
  from?: string;
  repertoire?: string;
  words?: "free" | "generic";
  width?: number;
  layers?: number;
  threads?: number;
  json?: boolean;
}

export function addTrainFlags(command: Command): Command {
  command
    .option("--rehearsal", "train on simulated tasks and workers: no key, no cost (the default)")
    .option(
      "--recording <dir>",
      "train on recorded models; may be given several times, and with --rehearsal: then on both",
      collect,
    )
    .option("--live", "train with the live pool of the config, on the tasks of --tasks")
    .option("--tasks <file>", "tasks for the live pool (--live is implied): every reply costs, once")
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
    .option(
      "--share <x>",
      "with --rehearsal and --recording: the rehearsal's share of the training questions (0.5)",
      numberBetween("--share", 0.01, 0.99),
    )
    .option("--pool <name|ids>", "with --tasks: a pool of the config, or ids of workers")
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option(
      "--feedback",
      "with --tasks: profiles also take what the ratings in the journal say of the workers",
    )
    .option(
      "--allow-inside-grades",
      "with --recording or --tasks: also tasks whose check (unittest, pytest) the graded program itself could bend",
    )
    .option("--budget-usd <amount>", "with --tasks: the most it may cost in all", dollars("--budget-usd"))
    .option("--yes", "go on without asking whether the estimated cost is all right")
    .option(
      "--minutes <n>",
      "how long it may take, warm-up and test included",
      numberBetween("--minutes", 0.1, 100_000),
    )
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
    .option(
      "--cost <x>",
      `cost per call, where being right is worth 0.5 (${REHEARSAL_COST} with the rehearsal, else 0); trinity: worth 1 (0.01)`,
      numberBetween("--cost", 0, 1),
    )
    .option(
      "--distill [n]",
      `before reinforcement, so many iterations that imitate the best plans of a search (${DISTILLED} where no number is given); in the rehearsal`,
      wholeNumber("--distill", 1, 1_000_000),
    )
    .option(
      "--propose <n>",
      "before sizes are compared, look for so many better instructions (0): a model of the pool proposes each, in the rehearsal a rule; what earns more stays in the checkpoint",
      wholeNumber("--propose", 0, 10_000),
    )
    .option(
      "--from <checkpoint>",
      "begin with the weights of a trained Conductor: the folder of its checkpoint, or conductor for the one that is shipped",
    )
    .option("--repertoire <file>", "the instructions to choose from, instead of those that are shipped")
    .option(
      "--words <kind>",
      "free: what steps are told is learned; generic: all are told the same (free)",
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
  return addTrinityFlags(command);
}

export function toSettings(flags: TrainFlags, what: TrainedKind = "native"): TrainSettings {
  refuseForeign(flags, what);
  return what === "trinity" ? toTrinitySettings(flags) : toNativeSettings(flags);
}

/** Flags of one kind of Conductor say nothing to the other. */
const ONLY: Record<TrainedKind, readonly (keyof TrainFlags)[]> = {
  native: [
    "rounds",
    "size",
    "group",
    "distill",
    "propose",
    "from",
    "repertoire",
    "words",
    "width",
    "layers",
    "threads",
  ],
  trinity: TRINITY_FLAGS,
};

function refuseForeign(flags: TrainFlags, what: TrainedKind): void {
  const other = what === "native" ? "trinity" : "native";
  const foreign = ONLY[other].find((name) => flags[name] !== undefined);
  if (foreign !== undefined)
    throw usageError(`${toFlag(foreign, flags)} goes with tutti train ${other}, not with ${what}`);
}

/** As it was typed. */
function toFlag(name: keyof TrainFlags, flags: TrainFlags): string {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return flags[name] === false ? `--no-${words}` : `--${words}`;
}

export function toNativeSettings(flags: TrainFlags): NativeSettings {
  const { minutes, iterations, width, layers } = flags;
  if (minutes !== undefined && iterations !== undefined)
    throw usageError("--minutes and --iterations exclude each other: give one of them");
  if (width !== undefined && width % HEAD_WIDTH !== 0)
    throw usageError(`--width must be a multiple of ${HEAD_WIDTH}, not ${width}`);
  if (flags.words === "generic" && flags.repertoire !== undefined)
    throw usageError("--repertoire and --words generic exclude each other: generic has one sentence for all");
  const world = toWorldSettings(flags);
  const isRehearsal = world.kind === "rehearsal" || world.kind === "joined";
  if (flags.distill !== undefined && !isRehearsal)
    throw usageError("--distill goes with --rehearsal: only simulated questions are searched");
  refuseProposals(flags, world);
  refuseBesideFrom(flags);
  return {
    what: "native",
    world,
    minutes,
    iterations: minutes === undefined ? (iterations ?? ITERATIONS) : undefined,
    seed: flags.seed ?? 0,
    rounds: flags.rounds === "2" ? 2 : 1,
    size: flags.size,
    pools: flags.pools ?? "random",
    group: flags.group ?? GROUP,
    questions: flags.questions ?? QUESTIONS,
    costPerCall: flags.cost ?? (isRehearsal ? REHEARSAL_COST : 0),
    distilled: flags.distill === true ? DISTILLED : (flags.distill ?? 0),
    proposals: flags.propose ?? 0,
    from: flags.from === undefined ? undefined : findNative(flags.from),
    repertoire: flags.repertoire && resolve(flags.repertoire),
    words: flags.words ?? "free",
    width,
    layers,
    threads: flags.threads ?? Math.min(MOST_THREADS, availableParallelism()),
  };
}

/** What a checkpoint has settled. */
const SETTLED_BY_FROM = ["width", "layers", "repertoire", "words", "distill"] as const;

function refuseBesideFrom(flags: TrainFlags): void {
  const settled = SETTLED_BY_FROM.find((name) => flags[name] !== undefined);
  if (flags.from !== undefined && settled !== undefined)
    throw usageError(
      `--${settled} cannot be given with --from: a checkpoint goes on with its own size and its own instructions`,
    );
}

/** Where a reply stays what it was, whatever a worker is told, no instruction can earn more than another. */
function refuseProposals({ propose = 0, words }: TrainFlags, { kind }: NativeSettings["world"]): void {
  if (propose === 0) return;
  if (kind === "recording")
    throw usageError(
      "--propose cannot be used on recordings alone: a recorded reply stays the same whatever a worker is told, so instructions cannot compete. Add --rehearsal, where simulated questions decide, or use --tasks",
    );
  if (words === "generic")
    throw usageError("--propose looks for better instructions, and with --words generic there are none");
}

/** As they are kept: a training may go on from another folder than it began in. */
export function toSavedSettings<Settings extends TrainSettings>(settings: Settings): Settings {
  const { world } = settings;
  if (world.kind === "recording" || world.kind === "joined")
    return { ...settings, world: { ...world, folders: world.folders.map((folder) => resolve(folder)) } };
  if (world.kind !== "tasks") return settings;
  const { tasks, config } = world;
  const whole = (path: string) => (existsSync(path) ? resolve(path) : path);
  // A known set has a name that is no file.
  const paths = { tasks: whole(tasks), config: config && resolve(config) };
  return { ...settings, world: { ...world, ...paths } };
}

/** What may be said when a training goes on: everything else was settled when it began. */
const ON_RESUME: ReadonlySet<string> = new Set(["resume", "threads", "budgetUsd", "yes", "json", "config"]);

/** `what` absent: whatever was trained there. */
export function toResumedSettings(
  flags: TrainFlags,
  saved: unknown,
  folder: string,
  what?: TrainedKind,
): TrainSettings {
  const names = Object.keys(flags) as (keyof TrainFlags)[];
  const other = names.find((name) => !ON_RESUME.has(name));
  if (other !== undefined)
    throw usageError(
      `${toFlag(other, flags)} cannot be given with --resume: the training in ${folder} goes on with its own settings`,
    );
  const before = parseSettings(saved, folder);
  if (what !== undefined && what !== before.what)
    throw usageError(`${folder} holds a training of ${before.what}, not of ${what}`);
  refuseForeign(flags, before.what);
  const { budgetUsd, config } = flags;
  const world =
    before.world.kind === "tasks" && config !== undefined ? { ...before.world, config } : before.world;
  const settings: TrainSettings =
    before.what === "native"
      ? { ...before, world, threads: flags.threads ?? before.threads }
      : { ...before, world };
  if (budgetUsd === undefined) return settings;
  if (settings.world.kind !== "tasks")
    throw usageError("--budget-usd goes with --tasks: nothing else costs money");
  if (budgetUsd === "none")
    throw usageError("--budget-usd must be an amount in dollars: a training asks very often");
  return { ...settings, world: { ...settings.world, budgetUsd } };
}

function parseSettings(saved: unknown, folder: string): TrainSettings {
  const isTrinity = (saved as { what?: unknown } | null)?.what === "trinity";
  const parsed = (isTrinity ? trinitySchema : nativeSchema).safeParse(saved);
  if (parsed.success) return parsed.data;
  throw usageError(
    `${folder} was not made by tutti train, so its settings cannot be read: start a new training`,
  );
}
