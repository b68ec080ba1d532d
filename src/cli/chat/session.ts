// A conversation: its turns, what it has cost, who answers, and what is attached to the next question. The commands
// between questions (commands.ts) act on it.

import { type TuttiError, usageError } from "../../base/errors.ts";
import { toCount, toMoney } from "../../base/format.ts";
import type { Quality } from "../../base/quality-names.ts";
import type { Environment } from "../../config/home.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import { endingOf } from "../../perform/endings.ts";
import type { Run } from "../../perform/run.ts";
import type { AskOptions } from "../../tutti/ask-options.ts";
import { saidIn } from "../../tutti/conversation.ts";
import type { Tutti } from "../../tutti/tutti.ts";
import { textOf } from "../../worker/brief.ts";
import { isSimulated } from "../../worker/kinds.ts";
import type { Message } from "../../worker/types.ts";
import { toCalls, toCost } from "../ask/outcome.ts";
import { performShown } from "../ask/perform-live.ts";
import { readInput } from "../ask/read-input.ts";
import { LiveView } from "../terminal/live-view.ts";
import type { Output } from "../terminal/progress.ts";
import { sanitise, toJson, toOneLine } from "../terminal/sanitise.ts";
import { columnsOf, createStyle, type Style } from "../terminal/style.ts";
import { cut, wrap } from "../terminal/text-width.ts";
import type { ChatInput } from "./input.ts";

/** Who answers: one worker, or a team by a pool and a Conductor, each as the config has it where nothing is said. */
export type ChatChoice = Pick<AskOptions, "model" | "pool" | "conductor">;

export interface ChatSettings {
  choice: ChatChoice;
  system?: string;
  /** As the config has it where nothing is said. */
  quality?: Quality;
  allowUnknownPrice?: boolean;
  /** For the whole session; null: no limit. */
  budgetUsd: number | null;
  /** Of --config. */
  config?: string;
  isQuiet: boolean;
  isJson: boolean;
}

export interface ChatStreams {
  stdout: Output;
  stderr: Output;
  env: Environment;
}

const LONGEST_RECALL = 400;
/** With --json the run is written when it is over, and its answer not before. */
const NOWHERE: Output = { write: () => true };

export class ChatSession {
  readonly tutti: Tutti;
  readonly style: Style;
  choice: ChatChoice;
  quality: Quality | undefined;
  budgetUsd: number | null;
  /** Each plan waits for yes, no or an edit. */
  isReviewed = false;
  /** Paths and addresses for the next question. */
  files: string[] = [];
  /** The last run with an answer: the next question goes on from there. */
  latest: Run | undefined;
  /** A question got no answer. */
  hasFailed = false;
  readonly #streams: ChatStreams;
  readonly #input: ChatInput;
  readonly #settings: ChatSettings;
  /** All runs of this session, those that were repeated or failed too: they were paid. */
  readonly #runs: Run[] = [];
  #notices: string[] = [];
  /** Of the answer that is being written. */
  #view: LiveView | undefined;
  /** The last question, and what it went on from. */
  #asked: { question: Message; before: Run | undefined } | undefined;

  constructor(tutti: Tutti, streams: ChatStreams, input: ChatInput, settings: ChatSettings) {
    this.tutti = tutti;
    this.#streams = streams;
    this.#input = input;
    this.#settings = settings;
    this.choice = settings.choice;
    this.quality = settings.quality;
    this.budgetUsd = settings.budgetUsd;
    this.style = createStyle(streams.stderr, streams.env);
  }

  get columns(): number {
    return columnsOf(this.#streams.stderr);
  }

  notice(text: string): void {
    if (this.#view) this.#view.notice(text);
    else this.#notices.push(text);
  }

  /** Lines beside the conversation. */
  say(...lines: string[]): void {
    const indent = this.#input.isTerminal ? "  " : "";
    const isWrapped = (line: string) => this.#input.isTerminal && !line.includes("\u001b");
    const shown = lines.flatMap((line) => (isWrapped(line) ? wrap(line, this.columns - 3) : [line]));
    for (const line of shown) this.#streams.stderr.write(`${indent}${line}\n`);
  }

  fail(error: TuttiError): void {
    this.hasFailed = true;
    const text = sanitise(error.message).replace(/\s*\n\s*/g, " ");
    const lines = this.#input.isTerminal ? wrap(text, this.columns - 3) : [text];
    this.say(...lines.map((line) => this.style.red(line)));
  }

  async pickUp(runId: string): Promise<void> {
    const run = (await this.tutti.load(runId))!;
    const said = saidIn(run);
    this.latest = run;
    const questions = said.filter(({ role }) => role === "user");
    for (const question of questions) this.#input.remember(textOf(question));
    if (this.#settings.isQuiet) return;
    const recall = (text: string) => cut(toOneLine(text), Math.min(LONGEST_RECALL, this.columns - 4));
    this.say(
      this.style.dim(`Going on after ${toCount(questions.length, "question")}, run ${run.id}. The last one:`),
      this.style.dim(`› ${recall(textOf(questions.at(-1)!))}`),
      this.style.dim(`  ${recall(run.answer)}`),
    );
  }

  async greet(): Promise<void> {
    if (this.#settings.isQuiet || !this.#input.isTerminal) return;
    const budget =
      this.budgetUsd === null
        ? "no limit on what it costs"
        : `at most ${toMoney(this.budgetUsd)} in this session`;
    this.say(this.style.dim(`${await this.#describe()} · ${budget} · /help`), "");
  }

  async #describe(): Promise<string> {
    const { model, pool, conductor } = this.choice;
    if (model !== undefined) return `One model: ${toOneLine(model)}`;
    const { pool: found } = await this.tutti.pool(pool as string | undefined);
    const models = found.members.filter(({ worker }) => worker.kind === "model").length;
    const isRehearsal = isSimulated(found.members.map(({ worker }) => worker));
    const who = isRehearsal ? "the rehearsal (simulated workers)" : toCount(models, "model");
    return `A team: ${who}${conductor === undefined ? "" : `, conducted by ${toOneLine(String(conductor))}`}`;
  }

  async ask(text: string): Promise<void> {
    const question = await readInput({ words: [text], files: this.files });
    this.files = [];
    await this.#perform(question, this.latest);
  }

  async retry(): Promise<void> {
    if (!this.#asked) throw usageError("there is no question to ask again yet");
    const { question, before } = this.#asked;
    this.say(this.style.dim(`› ${cut(toOneLine(textOf(question)), this.columns - 6)}`));
    await this.#perform(question, before);
  }

  async #perform(question: Message, before: Run | undefined): Promise<void> {
    this.#asked = { question, before };
    const { isQuiet, isJson, system, allowUnknownPrice } = this.#settings;
    const budgetUsd = await this.#nextBudget();
    const { stdout } = this.#streams;
    const streams = { ...this.#streams, stdout: isJson ? NOWHERE : stdout };
    const view = new LiveView({ ...streams, isQuiet, toFooter: (run) => [this.#toFooter(run)] });
    this.#view = view;
    for (const text of this.#notices.splice(0)) view.notice(text);
    const { choice, quality } = this;
    const options = { ...choice, quality, system, allowUnknownPrice, budgetUsd, continues: before?.id };
    const live = {
      isJson: false,
      isReviewed: this.isReviewed,
      nextLine: this.#input.nextLine,
      lend: this.#input.lend,
    };
    try {
      const run = await performShown(view, live, (stage) => ({
        stream: this.tutti.stream([question], { ...options, ...stage }),
      }));
      this.#keep(run);
      if (isJson) stdout.write(`${toJson(run, 0)}\n`);
    } finally {
      this.#view = undefined;
    }
    if (this.#input.isTerminal) this.#streams.stderr.write("\n");
  }

  #keep(run: Run): void {
    this.#runs.push(run);
    if (endingOf(run).exitCode === 1) this.hasFailed = true;
    if (run.answer.trim() !== "") this.latest = run;
  }

  /** What is left of the session's budget, as far as the limit of one question goes. */
  async #nextBudget(): Promise<number | undefined> {
    if (this.budgetUsd === null) return undefined;
    const left = this.budgetUsd - this.spent().costUsd;
    if (left <= 0)
      throw usageError(
        `the budget of this session, ${toMoney(this.budgetUsd)}, is spent: /budget AMOUNT sets another one`,
      );
    const { toBudgetUsd } = await import("../../tutti/quality.ts");
    const config = await this.configured();
    return Math.min(left, toBudgetUsd(config, this.quality ?? config.quality) ?? left);
  }

  /** As it is now: it may be edited while the conversation lasts. */
  async configured(): Promise<TuttiConfig> {
    const { openConfig } = await import("../open-config.ts");
    return (await openConfig({ file: this.#settings.config })).config;
  }

  /** Of all runs of this session. */
  spent(): Pick<Run, "costUsd" | "estimatedUsd" | "unpricedCalls" | "pool" | "calls" | "conductorCalls"> {
    const sum = (field: "costUsd" | "estimatedUsd" | "unpricedCalls" | "calls" | "conductorCalls") =>
      this.#runs.reduce((total, run) => total + run[field], 0);
    return {
      costUsd: sum("costUsd"),
      estimatedUsd: sum("estimatedUsd"),
      unpricedCalls: sum("unpricedCalls"),
      calls: sum("calls"),
      conductorCalls: sum("conductorCalls"),
      pool: this.#runs.flatMap(({ pool }) => pool),
    };
  }

  get answers(): number {
    return this.#runs.length;
  }

  /** The last run, also one without an answer. */
  get lastRun(): Run | undefined {
    return this.#runs.at(-1) ?? this.latest;
  }

  toSessionCost(): string {
    const limit = this.budgetUsd === null ? "" : ` of ${toMoney(this.budgetUsd)}`;
    return `${toCost(this.spent())}${limit}`;
  }

  #toFooter(run: Run): string {
    // It is one of them, though it is added when it is over.
    this.#runs.push(run);
    const session = this.toSessionCost();
    this.#runs.pop();
    return `${toCalls(run)} · ${toCost(run)} · session ${session} · run ${run.id}`;
  }
}
