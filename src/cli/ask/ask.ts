// `tutti ask`: one question, a team, an answer. Flags in, the library's `stream`, the live view out.

import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import type { AskOptions } from "../../tutti/ask-options.ts";
import type { Message } from "../../worker/types.ts";
import type { Workflow } from "../../workflow/types.ts";
import { collect, dollars, wholeNumber } from "../options.ts";
import type { CheckFlags } from "./read-checks.ts";

const MOST_ROUNDS = 10;
const PATIENCE_MS = 2_000;

interface AskFlags extends CheckFlags {
  json?: boolean;
  pool?: string;
  conductor?: string;
  rounds?: number;
  budgetUsd?: number | "none";
  maxCalls?: number;
  maxTokens?: number;
  deadlineMs?: number;
  seed?: number;
  file?: string[];
  plan?: boolean;
  workflow?: string;
  allowUnknownPrice?: boolean;
  config?: string;
  quiet?: boolean;
}

export function define(command: Command): void {
  command
    .argument("[question...]", "the question; piped text is taken as the question, or put after it")
    .option(
      "--file <path>",
      "put a text file or an image (png, jpg, webp, gif) into the question; repeatable",
      collect,
    )
    .option("--pool <name|ids>", '"rehearsal", a pool of the config, or ids of workers separated by commas')
    .option(
      "--conductor <name>",
      "who plans: prompted, native, native:FOLDER, trinity, verified-cascade, verified-cascade:JUDGE, scripted-planner, or the id of a worker",
    )
    .option(
      "--rounds <n>",
      `how many workflows at the most, 1 to ${MOST_ROUNDS}`,
      wholeNumber("--rounds", 1, MOST_ROUNDS),
    )
    .option("--budget-usd <amount|none>", "the most it may cost, in dollars", dollars("--budget-usd"))
    .option("--max-calls <n>", "the most calls of workers, retries included", wholeNumber("--max-calls", 1))
    .option("--max-tokens <n>", "the most tokens, in and out together", wholeNumber("--max-tokens", 1))
    .option("--deadline-ms <ms>", "the longest it may take, in milliseconds", wholeNumber("--deadline-ms", 1))
    .option("--seed <n>", "repeats the sampling of an earlier run", wholeNumber("--seed", 0, 2 ** 32 - 1))
    .option("--plan", "show each plan with its estimated cost and wait for yes, no or edit")
    .option("--workflow <file>", "perform this workflow (text or JSON) instead of asking a Conductor")
    .option("--schema <file>", "the answer must be JSON that fits this JSON schema")
    .option("--tests <file>", "tests (JSON) that a program in the answer must pass, for verified-cascade")
    .option("--allow-unknown-price", "ask workers of unknown price too, although there is a budget")
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option("--quiet", "only the answer, and what went wrong")
    .option("--json", "the whole run as JSON on standard output")
    .addHelpText(
      "after",
      `
Examples:
  $ tutti ask "What is 17 * 23?"
  $ tutti ask --plan --budget-usd 0.05 "Which of these is the bug?" --file app.ts
  $ tutti ask --conductor verified-cascade --schema city.json "Name a city and its country"
  $ git diff | tutti ask --quiet "Write a commit message"

The answer alone goes to standard output, progress to standard error. Write -- before a question that
begins with a dash. Ctrl-C stops with the best answer so far, a second one at once.`,
    )
    .action(ask);
}

async function ask(words: string[], flags: AskFlags): Promise<void> {
  const { plan: isReviewed = false, json: isJson = false, quiet = false } = flags;
  if (flags.workflow !== undefined && flags.conductor !== undefined) {
    throw usageError(
      "--workflow and --conductor exclude each other: a workflow that is given needs nobody to write it",
    );
  }
  const isPiped = !process.stdin.isTTY;
  if (isReviewed && isPiped && words.length === 0 && !flags.file) {
    throw usageError(
      "with --plan standard input answers yes or no, so the question must be given as an argument",
    );
  }
  const question = await readQuestion(words, flags, isPiped && !isReviewed);
  const checks = await (await import("./read-checks.ts")).readChecks(flags);
  const workflow = flags.workflow === undefined ? undefined : await readWorkflow(flags.workflow);

  const [{ openTutti }, { LiveView }, { performLive }] = await Promise.all([
    import("../open-tutti.ts"),
    import("../terminal/live-view.ts"),
    import("./perform-live.ts"),
  ]);
  const { stdout, stderr, env } = process;
  const view = new LiveView({ stdout, stderr, env, isQuiet: quiet || isJson });
  const tutti = await openTutti({
    file: flags.config,
    isQuiet: quiet,
    onNotice: (text) => view.notice(text),
  });
  try {
    process.exitCode = await performLive(view, { isJson, isReviewed }, (stage) => ({
      stream: tutti.stream(
        { messages: [question], ...checks },
        { ...toAskOptions(flags), workflow, ...stage },
      ),
    }));
  } finally {
    await tutti.close();
  }
}

/** A pipe that nobody closes would look like a hang, so after a while it is said what is waited for. */
async function readQuestion(
  words: string[],
  { file = [], quiet, json }: AskFlags,
  isPiped: boolean,
): Promise<Message> {
  const { readInput } = await import("./read-input.ts");
  if (!isPiped) return readInput({ words, files: file });
  const say = () =>
    process.stderr.write("Reading standard input to its end. Without any: tutti ask … < /dev/null\n");
  const patience = quiet || json ? undefined : setTimeout(say, PATIENCE_MS);
  try {
    return await readInput({ words, files: file, stdin: process.stdin });
  } finally {
    clearTimeout(patience);
  }
}

/** Whether its workers are in the pool is seen when the pool is there. */
async function readWorkflow(path: string): Promise<Workflow> {
  const [{ readTextFile }, { parseWorkflow }] = await Promise.all([
    import("./read-input.ts"),
    import("../../workflow/parse.ts"),
  ]);
  const parsed = parseWorkflow(await readTextFile(path), { workers: Number.MAX_SAFE_INTEGER });
  if (parsed.ok) return parsed.workflow;
  throw usageError(`${path} is not a workflow: ${parsed.error.message}`);
}

function toAskOptions(flags: AskFlags): AskOptions {
  const { pool, conductor, rounds, maxCalls, maxTokens, deadlineMs, seed, allowUnknownPrice } = flags;
  const budgetUsd = flags.budgetUsd === "none" ? null : flags.budgetUsd;
  return { pool, conductor, rounds, budgetUsd, maxCalls, maxTokens, deadlineMs, seed, allowUnknownPrice };
}
