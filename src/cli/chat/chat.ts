// `tutti chat`: question after question in one conversation. Each turn is a run of the journal that continues the one
// before, so a conversation outlives the terminal. On a terminal lines are edited; piped lines are asked one by one.

import type { Command } from "commander";
import { isTuttiError } from "../../base/errors.ts";
import { QUALITIES, type Quality } from "../../base/quality-names.ts";
import { dollars, oneOf } from "../options.ts";
import type { ChatSession } from "./session.ts";

const SESSION_USD = 5;

interface ChatFlags {
  continue?: string | true;
  pool?: string;
  conductor?: string;
  model?: string;
  system?: string;
  quality?: Quality;
  budgetUsd?: number | "none";
  allowUnknownPrice?: boolean;
  config?: string;
  quiet?: boolean;
  json?: boolean;
}

export function define(command: Command): void {
  command
    .option("--continue [run]", "pick up a conversation by one of its runs, by default the last one")
    .option("--model <id>", "talk with this one worker and nobody else")
    .option("--pool <name|ids>", '"rehearsal", a pool of the config, or ids of workers separated by commas')
    .option("--conductor <name>", "who plans: prompted, native, trinity, or the id of a worker")
    .option(
      "--quality <name>",
      `how much each answer may take: ${QUALITIES.join(", ")}`,
      oneOf("--quality", QUALITIES),
    )
    .option("--system <text|@file>", "how the answers should be: a system message, or the file that holds it")
    .option(
      "--budget-usd <amount|none>",
      `the most this session may cost, in dollars (default: ${SESSION_USD})`,
      dollars("--budget-usd"),
    )
    .option("--allow-unknown-price", "ask workers of unknown price too, although there is a budget")
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option("--quiet", "only the answers, and what went wrong")
    .option("--json", "each answer's run as one line of JSON on standard output")
    .addHelpText(
      "after",
      `
Examples:
  $ tutti chat
  $ tutti chat --model gpt-5 --system "Answer in one sentence."
  $ tutti chat --quality high --budget-usd 2
  $ printf 'What is 17 * 23?\\nWhat is 6 * 7?\\n' | tutti chat --quiet

Type /help for what can be done between questions. A backslash at the end of a line goes on in the next one.
Ctrl-C stops an answer and keeps what has arrived; twice, or Ctrl-D, leaves.`,
    )
    .action(chat);
}

async function chat(flags: ChatFlags): Promise<void> {
  const [{ openTutti }, { ChatSession }, { openInput }, { findContinued, readSystem }] = await Promise.all([
    import("../open-tutti.ts"),
    import("./session.ts"),
    import("./input.ts"),
    import("../ask/continued.ts"),
  ]);
  const { stdin, stdout, stderr, env } = process;
  const { quiet = false, json: isJson = false, budgetUsd = SESSION_USD } = flags;
  const system = await readSystem(flags.system);
  const notices: string[] = [];
  const tutti = await openTutti({
    file: flags.config,
    isQuiet: quiet,
    onNotice: (text) => (session ? session.notice(text) : notices.push(text)),
  });
  const input = openInput({ stdin, stderr, env });
  let session: ChatSession | undefined;
  try {
    const { pool, conductor, model, allowUnknownPrice } = flags;
    session = new ChatSession(tutti, { stdout, stderr, env }, input, {
      choice: { pool, conductor, model },
      system,
      quality: flags.quality,
      allowUnknownPrice,
      config: flags.config,
      budgetUsd: budgetUsd === "none" ? null : budgetUsd,
      isQuiet: quiet || isJson,
      isJson,
    });
    for (const text of notices) session.notice(text);
    if (flags.continue !== undefined) {
      const text = flags.continue === true ? undefined : flags.continue;
      await session.pickUp(await findContinued(await tutti.store(), text));
    }
    await session.greet();
    await talk(session, input.next);
    process.exitCode = session.hasFailed ? 1 : 0;
  } finally {
    input.close();
    await tutti.close();
  }
}

/** What goes wrong with one question is said, and the next one may be asked. */
async function talk(session: ChatSession, next: () => Promise<string | undefined>): Promise<void> {
  const { isCommand, runCommand } = await import("./commands.ts");
  for (let line = await next(); line !== undefined; line = await next()) {
    if (line.trim() === "") continue;
    try {
      if (!isCommand(line)) await session.ask(line);
      else if (await runCommand(session, line.trim())) return;
    } catch (error) {
      if (!isTuttiError(error)) throw error;
      session.fail(error);
    }
  }
}
