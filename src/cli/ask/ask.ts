// `tutti ask`: one question, a team, an answer. Flags in, the library's `stream`, the live view out.

import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { QUALITIES, type Quality } from "../../base/quality-names.ts";
import type { AskOptions } from "../../tutti/ask-options.ts";
import { describeQualities } from "../../tutti/quality.ts";
import type { Message } from "../../worker/types.ts";
import { collect, dollars, oneOf, wholeNumber } from "../options.ts";
import type { CheckFlags } from "./read-checks.ts";

const MOST_ROUNDS = 10;
const PATIENCE_MS = 2_000;

interface AskFlags extends CheckFlags {
  json?: boolean;
  pool?: string;
  conductor?: string;
  quality?: Quality;
  rounds?: number;
  budgetUsd?: number | "none";
  maxCalls?: number;
  maxTokens?: number;
  deadlineMs?: number;
  seed?: number;
  file?: string[];
  plan?: boolean;
  workflow?: string;
  model?: string;
  system?: string;
  continue?: string | true;
  allowUnknownPrice?: boolean;
  config?: string;
  quiet?: boolean;
  verbose?: boolean;
}

export function define(command: Command): void {
  command
    .argument("[question...]", "the question; piped text is taken as the question, or put after it")
    .option(
      "--file <path|url>",
      "put a text, an image (png, jpg, webp, gif), a PDF or a web page into the question; repeatable",
      collect,
    )
    .option("--pool <name|ids>", '"rehearsal", a pool of the config, or ids of workers separated by commas')
    .option(
      "--conductor <name>",
      "who plans: prompted, native[:FOLDER], trinity[:FOLDER], verified-cascade[:JUDGE], scripted-planner, or the id of a worker",
    )
    .option(
      "--quality <name>",
      `how much the answer may take: ${QUALITIES.join(", ")} (see below)`,
      oneOf("--quality", QUALITIES),
    )
    .option("--model <id>", "ask this one worker and nobody else, by its id or its model's name")
    .option("--system <text|@file>", "how the answer should be: a system message, or the file that holds it")
    .option("--continue [run]", "go on with an earlier run, by default the last one")
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
    .option(
      "--workflow <file|name>",
      "perform this workflow, or one that was saved, instead of asking a Conductor",
    )
    .option("--schema <file>", "the answer must be JSON that fits this JSON schema")
    .option("--tests <file>", "tests (JSON) that a program in the answer must pass, for verified-cascade")
    .option("--allow-unknown-price", "ask workers of unknown price too, although there is a budget")
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option("--quiet", "only the answer, and what went wrong")
    .option("--verbose", "also what the trained Conductor weighed before it planned")
    .option("--json", "the whole run as JSON on standard output")
    .addHelpText(
      "after",
      `
Examples:
  $ tutti ask "What is 17 * 23?"
  $ tutti ask --plan --budget-usd 0.05 "Which of these is the bug?" --file app.ts
  $ tutti ask --conductor verified-cascade --schema city.json "Name a city and its country"
  $ git diff | tutti ask --quiet "Write a commit message"
  $ tutti ask --continue "And in French?"

Quality, with what it brought in the rehearsal (600 simulated questions; docs/experiments/conductor/quality.md):
${describeQualities()}
--rounds, --budget-usd and --conductor come before it.

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
  const before = toRunWord(flags.continue, words);
  const isPiped = !process.stdin.isTTY;
  if (isReviewed && isPiped && before.words.length === 0 && !flags.file) {
    throw usageError(
      "with --plan standard input answers yes or no, so the question must be given as an argument",
    );
  }
  const question = await readQuestion(before.words, flags, isPiped && !isReviewed);
  const workflow =
    flags.workflow === undefined
      ? undefined
      : await (await import("../workflow/find-workflow.ts")).findWorkflow(flags.workflow, flags.config);
  const checks = await (await import("./read-checks.ts")).readChecks(flags);

  const [{ openTutti }, { LiveView }, { performLive }] = await Promise.all([
    import("../open-tutti.ts"),
    import("../terminal/live-view.ts"),
    import("./perform-live.ts"),
  ]);
  const { stdout, stderr, env } = process;
  const isVerbose = flags.verbose === true;
  const view = new LiveView({ stdout, stderr, env, isQuiet: quiet || isJson, isVerbose });
  const tutti = await openTutti({
    file: flags.config,
    isQuiet: quiet,
    onNotice: (text) => view.notice(text),
  });
  try {
    const { findContinued, readSystem } = await import("./continued.ts");
    const options = {
      ...toAskOptions(flags),
      workflow,
      system: await readSystem(flags.system),
      continues: before.isWanted ? await findContinued(await tutti.store(), before.run) : undefined,
    };
    process.exitCode = await performLive(view, { isJson, isReviewed }, (stage) => ({
      stream: tutti.stream({ messages: [question], ...checks }, { ...options, ...stage }),
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

function toAskOptions(flags: AskFlags): AskOptions {
  const {
    quality,
    model,
    pool,
    conductor,
    rounds,
    maxCalls,
    maxTokens,
    deadlineMs,
    seed,
    allowUnknownPrice,
  } = flags;
  const budgetUsd = flags.budgetUsd === "none" ? null : flags.budgetUsd;
  return {
    ...{ quality, model, pool, conductor, rounds, budgetUsd },
    ...{ maxCalls, maxTokens, deadlineMs, seed, allowUnknownPrice },
  };
}

/** What follows `--continue` is a run where it looks like one, and else the first word of the question. */
export function toRunWord(
  value: string | true | undefined,
  words: string[],
): { isWanted: boolean; run?: string; words: string[] } {
  if (typeof value !== "string") return { isWanted: value === true, words };
  return /^r_\w*$/.test(value)
    ? { isWanted: true, run: value, words }
    : { isWanted: true, words: [value, ...words] };
}
