// A run as it happens: events in, a terminal out. Progress goes to stderr, the answer alone to stdout.
// Three views share one face: a terminal that is drawn live, plain lines where nobody watches, and silence.

import type { Run } from "../perform/run.ts";
import { apply, fold, isOver, type RunState, start } from "../perform/state.ts";
import type { RunEvent } from "../store/types.ts";
import { AnswerPrinter } from "./answer-printer.ts";
import { LiveRegion } from "./live-region.ts";
import { exitCodeOf, isSimulated, stopReasonInWords, toFooter } from "./outcome.ts";
import { PlainProgress } from "./plain-progress.ts";
import { columnsOf, createStyle, type Environment, isLive, type Style } from "./style.ts";
import { type Scene, toPlanLines, toPlanningLines, toStepLines } from "./step-lines.ts";
import { wrap } from "./text-width.ts";

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export interface ViewOptions {
  stdout: Output;
  stderr: Output;
  env: Environment;
  isQuiet?: boolean;
  now?: () => number;
}

/** Shows one run. Progress is whatever is said before and beside the answer. */
export interface Progress {
  /** What happened before this process took the run over. */
  prime(state: RunState, nested: ReadonlyMap<string, RunState>): void;
  event(event: RunEvent, state: RunState, nested: ReadonlyMap<string, RunState>): void;
  /** The answer is about to be printed by somebody else. */
  beforeAnswer(state: RunState, event?: Extract<RunEvent, { type: "step-delta" }>): void;
  afterAnswer(state: RunState): void;
  /** Keeps still while a person is asked something. */
  pause(): void;
  resume(): void;
}

export class LiveView {
  readonly #options: ViewOptions;
  readonly #style: Style;
  readonly #answer: AnswerPrinter;
  readonly #progress: Progress | undefined;
  readonly #nested = new Map<string, RunState>();
  #state: RunState | undefined;

  constructor(options: ViewOptions) {
    const { stdout, stderr, env, isQuiet } = options;
    this.#options = options;
    this.#style = createStyle(stderr, env);
    this.#answer = new AnswerPrinter(stdout);
    if (!isQuiet) this.#progress = isLive(stderr, env) ? new TerminalProgress(options, this.#style) : new PlainProgress(stderr);
  }

  /** The journal of a run that is resumed, before its new events. */
  prime(events: readonly RunEvent[]): void {
    this.#state = fold(events);
    if (this.#state) this.#progress?.prime(this.#state, this.#nested);
  }

  event(event: RunEvent): void {
    if (event.type === "run-start") {
      if (this.#state) this.#nested.set(event.runId, start(event));
      else this.#state = start(event);
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
      for (const line of wrap(reason, columns)) stderr.write(`${(isBad ? this.#style.red : this.#style.yellow)(line)}\n`);
    }
    if (!this.#progress) return;
    for (const line of wrap(toFooter(run), columns)) stderr.write(`${this.#style.dim(line)}\n`);
    const more = run.stopReason === "cancelled" ? "runs resume" : "runs show";
    stderr.write(`${this.#style.dim(`${more === "runs show" ? "More" : "Go on"}: tutti ${more} ${run.id}`)}\n`);
  }
}

class TerminalProgress implements Progress {
  readonly #options: ViewOptions;
  readonly #style: Style;
  readonly #region: LiveRegion;
  #state: RunState | undefined;
  #nested: ReadonlyMap<string, RunState> = new Map();
  #plan = "";
  /** The round whose steps are shown, and how many of them are printed for good. */
  #round = 0;
  #printed = 0;
  #frame = 0;
  #isOver = false;
  #answering: Scene["answering"];

  constructor(options: ViewOptions, style: Style) {
    this.#options = options;
    this.#style = style;
    this.#region = new LiveRegion(options.stderr, () => this.#lines());
  }

  prime(state: RunState, nested: ReadonlyMap<string, RunState>): void {
    [this.#state, this.#nested] = [state, nested];
    this.#round = Math.max(0, state.rounds.length - 1);
    this.#region.start();
    this.#notice(state);
  }

  event(event: RunEvent, state: RunState, nested: ReadonlyMap<string, RunState>): void {
    [this.#state, this.#nested] = [state, nested];
    if (event.runId !== state.runId || this.#isOver) return;
    switch (event.type) {
      case "run-start":
        this.#region.start();
        this.#notice(state);
        break;
      case "plan-start":
        this.#plan = "";
        [this.#round, this.#printed] = [event.round, 0];
        if (event.attempt === 0) this.#heading(state, event.round);
        break;
      case "plan-delta":
        this.#plan += event.text;
        return;
      case "plan-error":
        this.#region.print([`  ${this.#style.yellow(`The plan failed: ${event.error.message}`)}`]);
        break;
      case "plan-end":
        this.#planEnd(event, state);
        break;
      case "step-delta":
        return;
      case "round-end":
      case "run-end":
        this.#printSteps(true);
        break;
    }
    this.#printSteps(false);
    this.#region.draw();
  }
