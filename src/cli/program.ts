// The tree of verbs: the names of all, and the definitions of those that are asked for. Apart from the process that runs it,
// so that tests can walk over every verb and flag.

import { readFileSync } from "node:fs";
import { Command } from "commander";

/** What a verb is for, and the file that defines its flags and what it does. */
type Verb = [summary: string, load: () => Promise<{ define(command: Command): void }>];

const VERBS: Record<string, Verb> = {
  ask: ["answer a question with a team of models", () => import("./ask/ask.ts")],
  chat: ["talk with the team: questions, follow-ups, files", () => import("./chat/chat.ts")],
  init: ["find keys and local servers, check them, and write a config", () => import("./init/init.ts")],
  serve: ["put the team behind an OpenAI- and Anthropic-compatible endpoint", () => import("./serve.ts")],
  pool: [
    "list the workers, check that they reply, or measure what they can do",
    () => import("./pool/pool.ts"),
  ],
  bench: ["compare Conductors and baselines on a set of tasks", () => import("./bench/bench.ts")],
  record: [
    "ask every worker every task once, to compare for free afterwards",
    () => import("./record/record.ts"),
  ],
  train: ["let a Conductor learn whom to ask, by reinforcement", () => import("./train/train.ts")],
  rl: ["train a large Conductor on an engine of your own: rewards, datasets", () => import("./rl/rl.ts")],
  work: ["take calls of benches and trainings on other machines", () => import("./work/work.ts")],
  workflow: ["save, list and show workflows of your own", () => import("./workflow/workflow.ts")],
  runs: ["list, show, resume and delete runs", () => import("./runs/runs.ts")],
  config: ["show the config of this folder, and trust it", () => import("./config/config.ts")],
  doctor: ["say what is wrong here, and the command that mends it", () => import("./doctor/doctor.ts")],
  keys: ["create, list and revoke keys of the gateway", () => import("./keys/keys.ts")],
  completion: [
    "print what completes verbs and flags in your shell",
    () => import("./completion/completion.ts"),
  ],
};

/** `words`: the verb is among the first two. */
export async function createProgram(words: readonly string[]): Promise<Command> {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const program = new Command("tutti")
    .description("An open Conductor: one question, a team of models, every decision in sight.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [verb]", "show the help of a verb")
    .enablePositionalOptions()
    .configureHelp({ styleTitle: (title) => `\u001b[1m${title}\u001b[22m` })
    // Errors are reported in one place, by the process, as a line or as JSON.
    .configureOutput({ writeErr: () => {} })
    .exitOverride()
    .hook("preAction", closeHome)
    .addHelpText("after", '\nExample:\n  $ tutti ask "What is 17 * 23?"');
  for (const [name, [summary, load]] of Object.entries(VERBS)) {
    const command = program.command(name).description(summary);
    // Completion is made of all of them.
    if (words.includes(name) || words[0] === "completion") (await load()).define(command);
  }
  return program;
}

/** Before any verb writes into it. */
async function closeHome(): Promise<void> {
  const home = await import("../config/home.ts");
  const done = home.closeHome(process.env);
  if (done !== undefined) process.stderr.write(`${done.replace(/\p{Cc}/gu, "")}\n`);
}
