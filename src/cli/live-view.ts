// A run as it happens: events in, a terminal out. Progress goes to stderr, the answer alone to stdout.
// Three views share one face: a terminal that is drawn live, plain lines where nobody watches, and silence.

import type { Run } from "../perform/run.ts";
import { apply, fold, type RunState, start } from "../perform/state.ts";
import type { RunEvent } from "../store/types.ts";
import { AnswerPrinter } from "./answer-printer.ts";
import { exitCodeOf, isSimulated, stopReasonInWords, toFooter } from "./outcome.ts";
import { PlainProgress } from "./plain-progress.ts";
import type { Progress, ViewOptions } from "./progress.ts";
import { columnsOf, createStyle, isLive, type Style } from "./style.ts";
import { TerminalProgress } from "./terminal-progress.ts";
import { wrap } from "./text-width.ts";

export class LiveView {
  readonly #options: ViewOptions;
  readonly #style: Style;
  readonly #answer: AnswerPrinter;
  readonly #progress: Progress | undefined;
  readonly #nested = new Map<string, RunState>();
  #state: RunState | undefined;
  #hasNotice = false;

  constructor(options: ViewOptions) {
    const { stdout, stderr, env, isQuiet } = options;
    this.#options = options;
    this.#style = createStyle(stderr, env);
    this.#answer = new AnswerPrinter(stdout);
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
    this.#hasNotice = true;
    this.#progress?.notice(text);
  }

  pause(): void {
    this.#progress?.pause();
  }

  resume(): void {
    this.#progress?.resume();
  }

  /** The rest of the answer, then how it went. */
  end(run: Run): void {
    const { stderr } = this.#options;
    if (!this.#answer.hasBegun && this.#state) this.#progress?.beforeAnswer(this.#state);
    this.#answer.end(run.answer);
    if (this.#state) this.#progress?.afterAnswer(this.#state);
    const reason = stopReasonInWords(run);
    const columns = columnsOf(stderr) - 1;
    const isBad = exitCodeOf(run) === 1;
    if (reason !== "") {
      for (const line of wrap(reason, columns))
        stderr.write(`${(isBad ? this.#style.red : this.#style.yellow)(line)}\n`);
    }
    if (!this.#progress) return;
    for (const line of wrap(toFooter(run), columns)) stderr.write(`${this.#style.dim(line)}\n`);
    const more = run.stopReason === "cancelled" ? "runs resume" : "runs show";
    stderr.write(
      `${this.#style.dim(`${more === "runs show" ? "More" : "Go on"}: tutti ${more} ${run.id}`)}\n`,
    );
  }

  /** Whoever chose the rehearsal by name is told what it is, too. */
  #begin(event: Extract<RunEvent, { type: "run-start" }>): void {
    this.#state = start(event);
    if (isSimulated(event.pool) && !this.#hasNotice)
      this.notice("Rehearsal: simulated workers, simulated money.");
  }
}
