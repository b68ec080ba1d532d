// What can be done between questions: one table, which is also the help.

import { writeFileSync } from "node:fs";
import { usageError } from "../../base/errors.ts";
import { toCount } from "../../base/format.ts";
import { QUALITIES } from "../../base/quality-names.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Run } from "../../perform/run.ts";
import { parseConductorName } from "../../tutti/conductor-names.ts";
import { saidIn } from "../../tutti/conversation.ts";
import { textOf } from "../../worker/brief.ts";
import { toCalls, toCost } from "../ask/outcome.ts";
import { toPlanText } from "../ask/review-plan.ts";
import { dollars, oneOf } from "../options.ts";
import { sanitise, toOneLine } from "../terminal/sanitise.ts";
import { padEnd } from "../terminal/text-width.ts";
import type { ChatSession } from "./session.ts";

interface ChatCommand {
  /** What follows the name, for the help. */
  usage: string;
  help: string;
  /** "quit" ends the conversation. */
  run(session: ChatSession, argument: string): unknown;
}

const COMMANDS: Record<string, ChatCommand> = {
  help: { usage: "", help: "show this", run: showHelp },
  plan: {
    usage: "[on|off]",
    help: "the plan of the last answer; on: every plan waits for your yes",
    run: showPlan,
  },
  cost: { usage: "", help: "what the last answer and this session have cost", run: showCost },
  budget: { usage: "AMOUNT|none", help: "the most this session may cost, in dollars", run: setBudget },
  model: {
    usage: "[X]",
    help: "who answers: one worker, a Conductor (prompted, native, trinity), or team",
    run: setModel,
  },
  quality: {
    usage: "[NAME]",
    help: `how much each answer may take: ${QUALITIES.join(", ")}`,
    run: setQuality,
  },
  retry: { usage: "", help: "ask the last question again", run: (session) => session.retry() },
  file: {
    usage: "PATH|URL",
    help: "put a text, image, PDF or web page into the next question",
    run: addFile,
  },
  save: { usage: "FILE", help: "write the conversation to a file, as Markdown", run: save },
  quit: {
    usage: "",
    help: "leave (so does Ctrl-D); tutti chat --continue picks up again",
    run: () => "quit",
  },
};
const CONDUCTORS = ["prompted", "native", "trinity", "scripted-planner"];
const HELP_COLUMN = 22;

/** "/etc/hosts is broken" is a question. */
export function isCommand(line: string): boolean {
  return /^\/[a-z-]*(?:\s|$)/i.test(line.trim());
}

/** True: the conversation is over. */
export async function runCommand(session: ChatSession, line: string): Promise<boolean> {
  const [name = "", ...words] = line.slice(1).split(/\s+/);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const hint = didYouMean(name, Object.keys(COMMANDS)).replace(/"([^"]+)"/, '"/$1"');
    throw usageError(`there is no command "/${name}".${hint || " /help shows what there is."}`);
  }
  return (await command.run(session, words.join(" "))) === "quit";
}

function showHelp(session: ChatSession): void {
  const rows = Object.entries(COMMANDS).map(([name, { usage, help }]) => {
    const start = padEnd(`/${name} ${usage}`.trimEnd(), HELP_COLUMN);
    return `${session.style.bold(start)}${help}`;
  });
  session.say(...rows);
}

function showPlan(session: ChatSession, argument: string): void {
  if (argument === "on" || argument === "off") {
    session.isReviewed = argument === "on";
    session.say(
      session.isReviewed ? "Every plan waits for your yes from now on." : "Plans are performed at once.",
    );
    return;
  }
  if (argument !== "") throw usageError(`/plan takes on, off or nothing, not "${argument}"`);
  const run = session.lastRun;
  if (!run) throw usageError("there is no plan yet: ask something first");
  const who = `${toOneLine(run.settings.conductor)}: ${toOneLine(run.settings.conductorReason ?? "")}`;
  session.say(who);
  for (const [round, { workflow, steps }] of run.rounds.entries()) {
    if (steps.length === 0) continue;
    const nameOf = (worker: number) => toOneLine(run.pool[worker]?.id ?? `worker ${worker}`);
    const asked = workflow.steps.every(({ subtask }) => subtask === "");
    if (asked) session.say(`${nameOf(workflow.steps[0]!.worker)} was asked directly, without a plan.`);
    else
      for (const text of toPlanText(workflow, { nameOf, round }, session.style, session.columns - 2))
        session.say(text.replace(/^ {2}/, ""));
  }
}

function showCost(session: ChatSession): void {
  const run = session.lastRun;
  if (session.answers > 0 && run) session.say(`Last answer: ${toCost(run)} · ${toCalls(run)}`);
  const answers = toCount(session.answers, "answer");
  session.say(`Session:     ${session.toSessionCost()} · ${toCalls(session.spent())} · ${answers}`);
}

function setBudget(session: ChatSession, argument: string): void {
  const amount = dollars("/budget")(argument.replace(/^\$/, ""));
  session.budgetUsd = amount === "none" ? null : amount;
  session.say(`Session: ${session.toSessionCost()}`);
}

async function setModel(session: ChatSession, name: string): Promise<void> {
  const { pool } = session.choice;
  if (name === "") {
    const { pool: found } = await session.tutti.pool(pool as string | undefined);
    const { model, conductor } = session.choice;
    const ids = found.members.map(({ worker }) => toOneLine(worker.id)).join(", ");
    session.say(
      `Now: ${model ?? conductor ?? "team"}. Workers: ${ids}. Conductors: ${CONDUCTORS.join(", ")}.`,
    );
    return;
  }
  if (name === "team") session.choice = { pool };
  else if (parseConductorName(name).kind !== "prompted" || name === "prompted")
    session.choice = { pool, conductor: name };
  else {
    // Found now, so that a wrong name is said now.
    await session.tutti.pool([name]);
    session.choice = { model: name };
  }
  const { model, conductor } = session.choice;
  session.say(
    model !== undefined
      ? `${model} answers alone. /model team goes back.`
      : conductor !== undefined
        ? `${String(conductor)} conducts.`
        : "The team answers.",
  );
}

async function setQuality(session: ChatSession, name: string): Promise<void> {
  if (name !== "") session.quality = oneOf("/quality", QUALITIES)(name);
  const { describeQualities } = await import("../../tutti/quality.ts");
  session.say(`Quality: ${session.quality ?? (await session.configured()).quality}.`);
  if (name === "") session.say(...describeQualities().split("\n"));
}

async function addFile(session: ChatSession, path: string): Promise<void> {
  if (path === "") throw usageError("/file wants a path or an address: /file notes.txt");
  const { readInput } = await import("../ask/read-input.ts");
  // Read now, so that a wrong name is said now.
  await readInput({ words: ["?"], files: [path] });
  session.files.push(path);
  session.say(`${toOneLine(path)} goes with the next question.`);
}

function save(session: ChatSession, path: string): void {
  if (path === "") throw usageError("/save wants the name of a file: /save talk.md");
  const run = session.latest;
  if (!run) throw usageError("there is nothing to save yet: ask something first");
  try {
    writeFileSync(path, toMarkdown(run), { flag: "wx", mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usageError(
      code === "EEXIST"
        ? `${path} is there already: choose another name`
        : `cannot write ${path}: ${message}`,
    );
  }
  session.say(`Saved to ${toOneLine(path)}.`);
}

/** The conversation up to this run. */
function toMarkdown(run: Run): string {
  const parts = saidIn(run).map((message) => {
    const text = sanitise(textOf(message)).trim();
    if (message.role === "assistant") return text;
    const title = message.role === "system" ? "System" : "Question";
    return `## ${title}\n\n${text}\n`;
  });
  const simulated = run.isSimulated ? " · simulated" : "";
  return `# A conversation with Tutti\n\n${parts.join("\n\n").replaceAll("\n\n\n", "\n\n")}\n\n---\nrun ${run.id}${simulated}\n`;
}
