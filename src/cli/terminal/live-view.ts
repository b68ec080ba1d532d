// A run as it happens: events in, a terminal out. Progress goes to stderr, the answer alone to stdout.
// Three views share one face: a terminal that is drawn live, plain lines where nobody watches, and silence.

import { endingOf } from "../../perform/endings.ts";
import type { Run } from "../../perform/run.ts";
import { apply, fold, type RunState, start } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import { isSimulated } from "../../worker/kinds.ts";
import { stopReasonInWords, toFooter } from "../ask/outcome.ts";
import { createMarkdownWriter, type MarkdownWriter } from "./markdown.ts";
import { PlainProgress } from "./plain-progress.ts";
import type { RunProgress, ViewOptions } from "./progress.ts";
import { createSanitiser } from "./sanitise.ts";
import { columnsOf, createStyle, isLive, type Style } from "./style.ts";
import { TerminalProgress } from "./terminal-progress.ts";
import { wrap } from "./text-width.ts";

const SIMULATED = "Rehearsal: simulated workers, simulated money.";

export class LiveView {
  readonly #options: ViewOptions;
  readonly #style: Style;
  readonly #answer: AnswerPrinter;
  readonly #progress: RunProgress | undefined;
  readonly #nested = new Map<string, RunState>();
  #state: RunState | undefined;
  #hasNotice = false;

  constructor(options: ViewOptions) {
    const { stdout, stderr, env, isQuiet } = options;
    this.#options = options;
    this.#style = createStyle(stderr, env);
    // Whoever pipes the answer on gets it as it was written.
    const isDrawn = isLive(stdout, env) && !env.NO_COLOR;
    const markdown = isDrawn
      ? createMarkdownWriter(createStyle(stdout, env), () => columnsOf(stdout))
      : undefined;
    this.#answer = new AnswerPrinter(stdout, markdown);
    if (!isQuiet)
      this.#progress = isLive(stderr, env)
        ? new TerminalProgress(options, this.#style)
        : new PlainProgress(stderr);
  }

  /** The journal of a run that is resumed, before its new events. */
  prime(events: readonly RunEvent[]): void {
    this.#state = fold(events);
    if (this.#state) this.#progress?.prime(this.#state, this.#nested);
  }

  event(event: RunEvent): void {
    if (event.type === "run-start") {
      if (this.#state) this.#nested.set(event.runId, start(event));
      else this.#begin(event);
    } else if (event.runId === this.#state?.runId) this.#state = apply(this.#state, event);
    else {
      const nested = this.#nested.get(event.runId);
      if (nested) this.#nested.set(event.runId, apply(nested, event));
    }
    if (!this.#state) return;
    const isAnswer = event.type === "step-delta" && event.answer && event.runId === this.#state.runId;
    if (isAnswer) {
      if (!this.#answer.hasBegun) this.#progress?.beforeAnswer(this.#state, event);
      this.#answer.push(event.text);
    } else this.#progress?.event(event, this.#state, this.#nested);
  }

  /** Something a person should know before it begins: which pool, and why. */
  notice(text: string): void {
    if (!this.#progress) return;
    this.#hasNotice = true;
    this.#progress.notice(text);
  }

  /** Whoever chose the rehearsal by name is told what it is, too, and so is whoever wants no progress. */
  tellSimulated(workers: readonly { isSimulated?: boolean }[]): void {
    if (!isSimulated(workers) || this.#hasNotice) return;
    if (this.#progress) this.notice(SIMULATED);
    else this.#options.stderr.write(`${SIMULATED}\n`);
  }

  pause(): void {
    this.#progress?.pause();
  }

  resume(): void {
    this.#progress?.resume();
  }

  /** The rest of the answer, then how it went. */
  end(run: Run): void {
    const { stderr, env } = this.#options;
    if (!this.#answer.hasBegun && this.#state) this.#progress?.beforeAnswer(this.#state);
    this.#answer.end(run.answer);
    if (this.#state) this.#progress?.afterAnswer(this.#state);
    // On a terminal all that is not the answer stands a little to the right.
    const indent = isLive(stderr, env) ? "  " : "";
    const say = (text: string, paint: (line: string) => string) => {
      for (const line of wrap(text, columnsOf(stderr) - 3)) stderr.write(`${indent}${paint(line)}\n`);
    };
    const reason = stopReasonInWords(run);
    if (reason !== "") say(reason, endingOf(run).exitCode === 1 ? this.#style.red : this.#style.yellow);
    if (!this.#progress) return;
    const more =
      run.stopReason === "cancelled"
        ? `Go on: tutti runs resume ${run.id}`
        : `More: tutti runs show ${run.id}`;
    for (const line of this.#options.toFooter?.(run) ?? [toFooter(run), more]) say(line, this.#style.dim);
  }

  #begin(event: Extract<RunEvent, { type: "run-start" }>): void {
    this.#state = start(event);
    this.tellSimulated(event.pool);
  }
}

// ---- The answer ----------------------------------------------------------------------------------

// The answer on standard output, as it is written or all at once: sanitised, and ended by a line feed.

export class AnswerPrinter {
  readonly #stream: { write(text: string): unknown };
  readonly #sanitiser = createSanitiser();
  readonly #markdown: MarkdownWriter | undefined;
  #received = "";
  #lastWritten = "";

  constructor(stream: { write(text: string): unknown }, markdown?: MarkdownWriter) {
    this.#stream = stream;
    this.#markdown = markdown;
  }

  get hasBegun(): boolean {
    return this.#received !== "";
  }

  push(text: string): void {
    this.#received += text;
    this.#write(this.#draw(this.#sanitiser.push(text)));
  }

  /** Writes what of the answer has not been written yet. Nothing at all for an empty answer. */
  end(answer: string): void {
    if (answer.startsWith(this.#received)) this.push(answer.slice(this.#received.length));
    else {
      // What was shown is not how the answer begins: better twice than not at all.
      this.#write("\n\n");
      this.push(answer);
    }
    this.#write(this.#draw(this.#sanitiser.end()));
    this.#write(this.#markdown?.end() ?? "");
    if (this.#lastWritten !== "" && this.#lastWritten !== "\n") this.#write("\n");
  }

  #draw(text: string): string {
    return this.#markdown?.push(text) ?? text;
  }

  #write(text: string): void {
    if (text === "") return;
    this.#lastWritten = text.at(-1)!;
    this.#stream.write(text);
  }
}
