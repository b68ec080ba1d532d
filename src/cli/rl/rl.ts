// `tutti rl`: a real model is trained by an engine that exists; Tutti is its environment. `serve` gives rewards,
// `export` writes the datasets, `rehearse` shows all of it without a GPU.

import { isIPv6 } from "node:net";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { EXPORT_ENGINES, type ExportEngine } from "../../environment/export-rows.ts";
import type { TrainingEngine } from "../../environment/types.ts";
import { toHostName } from "../../http/same-site.ts";
import { checkRequired, collect, dollars, oneOf, unknownVerb, wholeNumber } from "../options.ts";
import { addSpreadFlag } from "../spread.ts";
import { addWorldFlags } from "./world.ts";

/** Beside the gateway's. */
export const RL_PORT = 7879;
/** 200 iterations of 4 questions with 64 rollouts, as in the paper. */
const PAPER_ROLLOUTS = 51_200;
const VERBS = ["serve", "export", "rehearse"];
const ENGINES: readonly TrainingEngine[] = ["openrlhf", "slime", "nemo-gym", "plain"];

export function define(command: Command): void {
  command
    .enablePositionalOptions()
    .allowExcessArguments()
    .addHelpText(
      "after",
      "\nExamples:\n  $ tutti rl rehearse\n  $ tutti rl export --engine openrlhf --out conductor-data\n  $ tutti rl serve\n\nThe whole way is in docs/rl.md.",
    )
    .action((_flags, { args }: Command) => {
      const [word] = args;
      throw word === undefined
        ? usageError(`tutti rl needs to know what: ${VERBS.join(", ")}`)
        : unknownVerb("rl", word, VERBS);
    });
  defineServe(command.command("serve"));
  defineExport(command.command("export"));
  defineRehearse(command.command("rehearse"));
}

function defineServe(command: Command): void {
  addSpreadFlag(addWorldFlags(command))
    .description("give rewards to OpenRLHF, slime, NeMo Gym, verl and TRL")
    .option("--port <n>", "where to listen; 0 is any free one", wholeNumber("--port", 0, 65_535), RL_PORT)
    .option(
      "--host <address>",
      "on which interface; one that others reach goes with --allow-host, for engines send no key",
      "127.0.0.1",
    )
    .option(
      "--allow-host <name>",
      "a name or address by which engines reach it; may be given more than once",
      collectHosts,
    )
    .option("--run <dir>", "the folder of what was performed and paid (by default in rl/ of TUTTI_HOME)")
    .option(
      "--budget-usd <amount|none>",
      "with --tasks: the most it may cost in all",
      dollars("--budget-usd"),
    )
    .option("--daily-budget-usd <amount|none>", "and in a day (UTC)", dollars("--daily-budget-usd"))
    .option("--spent-reward <x>", "what is answered when the money is spent", reward("--spent-reward"), 0)
    .option("--failure-reward <x>", "what is answered for other failures", reward("--failure-reward"), 0)
    .option("--concurrency <n>", "rollouts at the same time", wholeNumber("--concurrency", 1, 4_096), 64)
    .option(
      "--deadline <engine=s>",
      `answer this engine after so many seconds at the latest (${ENGINES.join(", ")})`,
      collect,
    )
    .option(
      "--patience-s <n>",
      "how long workers that are down are waited for",
      wholeNumber("--patience-s", 0, 86_400),
      90,
    )
    .option(
      "--rollouts <n>",
      "how many are planned, for the cost to go",
      wholeNumber("--rollouts", 1),
      PAPER_ROLLOUTS,
    )
    .option(
      "--log <level>",
      "what is logged as JSON lines on standard output: info, warn, error or off",
      oneOf("--log", ["info", "warn", "error", "off"] as const),
      "warn" as const,
    )
    .option("--json", "tell the address as JSON, on standard output")
    .addHelpText(
      "after",
      "\nExamples:\n  $ tutti rl serve\n  $ tutti rl serve --tasks mine.jsonl --budget-usd 500 --daily-budget-usd 100 --host 0.0.0.0 --allow-host 10.0.0.5\n  $ tutti rl serve --tasks mine.jsonl --budget-usd 500 --postgres  # with machines that run tutti work\n\nWhat was performed is kept in the run's folder: start it again with the same --run, and nothing is paid twice.",
    )
    .action(async (flags) =>
      (await import("./serve.ts")).serveRl({ ...flags, deadlinesMs: toDeadlines(flags.deadline) }),
    );
}

function defineExport(command: Command): void {
  addWorldFlags(command)
    .description("write train.jsonl, test.jsonl and a README with the command of an engine")
    .hook("preAction", checkRequired("--engine", "--out"))
    .option("--engine <name>", EXPORT_ENGINES.join(", "), oneOf<ExportEngine>("--engine", EXPORT_ENGINES))
    .option("--out <dir>", "a folder of its own")
    .option(
      "--train <n>",
      "so many training questions (960, or every training task once)",
      wholeNumber("--train", 1, 1_000_000),
    )
    .option(
      "--test <n>",
      "so many test questions (240, or every test task)",
      wholeNumber("--test", 0, 1_000_000),
    )
    .option(
      "--pools <kind>",
      "random: each question has a part of the pool, renumbered; fixed: always the whole pool, shuffled",
      oneOf("--pools", ["fixed", "random"] as const),
      "random" as const,
    )
    .option("--seed <n>", "of questions and pools", wholeNumber("--seed", 0, 2 ** 32 - 1), 0)
    .option("--second-round <dir>", "from a run of tutti rl serve: its teams' work, to be accepted or mended")
    .option("--url <url>", "of the server, as the engine reaches it", `http://127.0.0.1:${RL_PORT}`)
    .option("--model <name>", "what is trained", "Qwen/Qwen2.5-7B-Instruct")
    .option("--json", "what was written as JSON on standard output")
    .addHelpText(
      "after",
      "\nExamples:\n  $ tutti rl export --engine openrlhf --out conductor-data\n  $ tutti rl export --engine verl --tasks mine.jsonl --pool all --out data --url http://10.0.0.5:7879",
    )
    .action(async (flags) => (await import("./export.ts")).exportRl(flags));
}

function defineRehearse(command: Command): void {
  command
    .description(
      "see the protocol work without a GPU: a scripted policy trains against a server (a simulation)",
    )
    .option("--url <url>", "a server of tutti rl serve that runs; by default one is started for it")
    .option("--iterations <n>", "how many", wholeNumber("--iterations", 1, 1_000), 12)
    .option("--questions <n>", "questions of an iteration", wholeNumber("--questions", 1, 64), 4)
    .option("--group <n>", "rollouts of each question", wholeNumber("--group", 2, 256), 32)
    .option("--seed <n>", "of everything random", wholeNumber("--seed", 0, 2 ** 32 - 1), 1)
    .option("--json", "the iterations as JSON on standard output")
    .addHelpText("after", "\nExample:\n  $ tutti rl rehearse --iterations 20")
    .action(async (flags) => (await import("./rehearse.ts")).rehearseRl(flags));
}

/** As a client would write it into `Host`, with or without a port. */
function collectHosts(text: string, before: string[] = []): string[] {
  if (toHostName(text) !== undefined || isIPv6(text)) return [...before, text];
  throw usageError(
    `--allow-host must be a name or an address, like trainer.internal or 10.0.0.5, not "${text.slice(0, 100)}"`,
  );
}

/** Any number that JSON can hold: some teach a penalty. */
function reward(flag: string): (text: string) => number {
  return (text) => {
    const value = /^-?\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= -10 && value <= 10) return value;
    throw usageError(`${flag} must be a number from -10 to 10, not "${text}"`);
  };
}

function toDeadlines(given: readonly string[] = []): Partial<Record<TrainingEngine, number>> {
  const deadlines: Partial<Record<TrainingEngine, number>> = {};
  for (const text of given) {
    const [, name, seconds] = /^([a-z-]+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
    const engine = ENGINES.find((candidate) => candidate === name);
    if (!engine || !(Number(seconds) > 0))
      throw usageError(`--deadline must be like openrlhf=170, for ${ENGINES.join(", ")}, not "${text}"`);
    deadlines[engine] = Number(seconds) * 1000;
  }
  return deadlines;
}
