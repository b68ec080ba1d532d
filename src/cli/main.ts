#!/usr/bin/env node
// The command `tutti`. It knows the names of the verbs and loads the file of the one that is asked for:
// help and bad usage must not wait for providers, the journal or the rehearsal to load.

import { readFileSync } from "node:fs";
import { Command } from "commander";

/** What a verb is for, and the file that defines its flags and what it does. */
type Verb = [summary: string, load: () => Promise<{ define(command: Command): void }>];

const VERBS: Record<string, Verb> = {
  ask: ["answer a question with a team of models", () => import("./ask/ask.ts")],
  chat: ["talk with the team: questions, follow-ups, files", () => import("./chat/chat.ts")],
  serve: ["put the team behind an OpenAI- and Anthropic-compatible endpoint", () => import("./serve.ts")],
  pool: ["list the workers, check that they reply, or measure what they can", () => import("./pool/pool.ts")],
  bench: ["compare Conductors and baselines on a set of tasks", () => import("./bench/bench.ts")],
  record: [
    "ask every worker every task once, to compare for free afterwards",
    () => import("./record/record.ts"),
  ],
  train: ["let a Conductor learn whom to ask, by reinforcement", () => import("./train/train.ts")],
  rl: ["train a large Conductor on an engine of your own: rewards, datasets", () => import("./rl/rl.ts")],
  workflow: ["save, list and show workflows of your own", () => import("./workflow/workflow.ts")],
  runs: ["list, show, resume and delete runs", () => import("./runs/runs.ts")],
  config: ["show the config of this folder, and trust it", () => import("./config/config.ts")],
  doctor: ["say what is wrong here, and the command that mends it", () => import("./doctor/doctor.ts")],
  keys: ["create, list and revoke keys of the gateway", () => import("./keys/keys.ts")],
};

async function createProgram(words: readonly string[]): Promise<Command> {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const program = new Command("tutti")
    .description("An open Conductor: one question, a team of models, every decision in sight.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [verb]", "show the help of a verb")
    .enablePositionalOptions()
    .configureHelp({ styleTitle: (title) => `\u001b[1m${title}\u001b[22m` })
    // Errors are reported in one place, below, as a line or as JSON.
    .configureOutput({ writeErr: () => {} })
    .exitOverride()
    .hook("preAction", closeHome)
    .addHelpText("after", '\nExample:\n  $ tutti ask "What is 17 * 23?"');
  for (const [name, [summary, load]] of Object.entries(VERBS)) {
    const command = program.command(name).description(summary);
    if (words.includes(name)) (await load()).define(command);
  }
  return program;
}

/** Before any verb writes into it. */
async function closeHome(): Promise<void> {
  const home = await import("../config/home.ts");
  const done = home.closeHome(process.env);
  if (done !== undefined) process.stderr.write(`${done.replace(/\p{Cc}/gu, "")}\n`);
}

/** Output goes to whoever reads it; when the reader has gone, there is nothing left to do or to say. */
function endQuietlyWithoutReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
    throw error;
  });
  process.stderr.on("error", () => {});
}

/** Never fails itself: what it throws would be unexpected too, and be reported again, forever. */
async function report(error: unknown, isJson: boolean): Promise<void> {
  process.exitCode = 1;
  try {
    const { reportError } = await import("./report-error.ts");
    process.exitCode = reportError(error, isJson, process);
  } catch (problem) {
    const first = (value: unknown) =>
      String(value)
        .split("\n")[0]!
        .replace(/\p{Cc}/gu, "");
    process.stderr.write(`tutti: ${first(error)} (it cannot be told better: ${first(problem)})\n`);
  }
}

/** A verb is one word; whoever forgets it writes a sentence. */
function looksLikeQuestion(word: string): boolean {
  return !word.startsWith("-") && /\s|\?$/.test(word.trim());
}

async function main(argv: readonly string[]): Promise<void> {
  endQuietlyWithoutReader();
  const end = argv.indexOf("--");
  const isJson = (end < 0 ? argv : argv.slice(0, end)).includes("--json");
  const onUnexpected = (error: unknown) => report(error, isJson).then(() => process.exit());
  process.on("uncaughtException", onUnexpected).on("unhandledRejection", onUnexpected);
  try {
    // The verb is the first word, or the second after `help`.
    const program = await createProgram(argv.filter((word) => !word.startsWith("-")).slice(0, 2));
    const [first = ""] = argv;
    if (looksLikeQuestion(first)) {
      const { usageError } = await import("../base/errors.ts");
      const { toCommandLine } = await import("./options.ts");
      throw usageError(`there is no such verb. To ask this: ${toCommandLine(["ask", ...argv])}`);
    }
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    // Help and version end in commander by an "error" without a fault.
    if ((error as { exitCode?: unknown }).exitCode !== 0) await report(error, isJson);
  }
  // Sockets that are kept alive must not hold the process; what was written must be out before it ends.
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write("", done))),
  );
  process.exit();
}

await main(process.argv.slice(2));
