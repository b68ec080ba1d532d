// Progress on a terminal: the plan as it is written, then a line for each step that lives until it is over.
// Lines are printed for good as soon as nothing can change them; only the rest is drawn again.

import { isOver, type RunState } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import { toTurnLines } from "./belief-lines.ts";
import { LiveRegion } from "./live-region.ts";
import { toPlanLines, toPlanningLines } from "./plan-lines.ts";
import type { RunProgress, ViewOptions } from "./progress.ts";
import { sanitise, toOneLine } from "./sanitise.ts";
import { type Scene, toStepLines } from "./step-lines.ts";
import { columnsOf, type Style } from "./style.ts";
import { cut, wrap } from "./text-width.ts";

export class TerminalProgress implements RunProgress {
  readonly #options: ViewOptions;
  readonly #style: Style;
  readonly #region: LiveRegion;
  #state: RunState | undefined;
  #nested: ReadonlyMap<string, RunState> = new Map();
  #plan = "";
  /** The round whose steps are shown, and how many of them are printed for good. */
  #round = 0;
  #printed = 0;
  /** The heading of a round is printed with its plan: only then is it known whether it is a turn. */
  #isHeaded = true;
  #frame = 0;
  #answering: Scene["answering"];

  constructor(options: ViewOptions, style: Style) {
    this.#options = options;
    this.#style = style;
    this.#region = new LiveRegion(options.stderr, () => this.#lines());
  }

  notice(text: string): void {
    const lines = wrap(sanitise(text), this.#columns() - 3).map((line) => `  ${this.#style.yellow(line)}`);
    this.#print(...lines, "");
  }

  prime(state: RunState, nested: ReadonlyMap<string, RunState>): void {
    [this.#state, this.#nested] = [state, nested];
    this.#round = Math.max(0, state.rounds.length - 1);
    this.#region.start();
  }

  event(event: RunEvent, state: RunState, nested: ReadonlyMap<string, RunState>): void {
    [this.#state, this.#nested] = [state, nested];
    // Below the beginning of an answer nothing may be printed until it has ended.
    if (event.runId !== state.runId || this.#answering) return;
    switch (event.type) {
      case "run-start":
        this.#region.start();
        break;
      case "plan-start":
        this.#plan = "";
        [this.#round, this.#printed] = [event.round, 0];
        if (event.attempt === 0) this.#isHeaded = false;
        break;
      case "plan-delta":
        this.#plan += event.text;
        return;
      case "plan-error":
        this.#print(...this.#heading(), this.#warning(`The plan failed: ${event.error.message}`));
        break;
      case "plan-end":
        [this.#plan, this.#round] = ["", event.round];
        if (event.decision.type === "format-error") {
          const problem = `The plan cannot be used: ${event.decision.error.message}`;
          this.#print(...this.#heading(), this.#warning(problem));
        } else if (event.belief) {
          this.#isHeaded = true;
          this.#print(...(event.round > 0 ? [""] : []), ...toTurnLines(this.#scene(), event.round));
        } else {
          const gap = event.decision.type === "workflow" ? [""] : [];
          this.#print(...this.#heading(), ...toPlanLines(this.#scene(), state.rounds[event.round]!), ...gap);
        }
        break;
      case "plan-review":
        if (event.verdict === "edited") this.#print(this.#style.dim("  Performed as edited."), "");
        break;
      case "step-delta":
        return;
    }
    this.#printFinished();
    this.#region.draw();
  }

  beforeAnswer(state: RunState, event?: Extract<RunEvent, { type: "step-delta" }>): void {
    this.#state = state;
    // An answer that goes to a file does not disturb: the steps live on until it has ended.
    if (!this.#options.stdout.isTTY) return;
    if (event) this.#answering = { round: event.round, step: event.step };
    this.#finish();
    this.#options.stderr.write("\n");
  }

  afterAnswer(state: RunState): void {
    const { stderr, stdout } = this.#options;
    this.#state = state;
    if (!stdout.isTTY) this.#finish();
    if (state.ended?.hasAnswer) stderr.write("\n");
    if (!this.#answering) return;
    const { round, step } = this.#answering;
    this.#answering = undefined;
    for (const line of toStepLines(this.#scene(), round, step)) stderr.write(`${line}\n`);
  }

  /** All that may still change is printed as it is now. */
  #finish(): void {
    this.#printFinished();
    const rest = this.#lines();
    this.#region.stop();
    for (const line of rest) this.#options.stderr.write(`${line}\n`);
  }

  pause(): void {
    this.#region.stop();
  }

  resume(): void {
    this.#region.start();
  }

  /** What is still to be printed above the plan. */
  #heading(): string[] {
    if (this.#isHeaded) return [];
    this.#isHeaded = true;
    return this.#headingLines();
  }

  #headingLines(): string[] {
    const round = this.#round;
    const { rounds, settings } = this.#state!;
    // In turns there is nothing to plan for long, and the turn has a heading of its own.
    if ((settings.rounds === 1 && round === 0) || rounds[round - 1]?.plan.belief) return [];
    return [...(round > 0 ? [""] : []), `  ${this.#style.bold(`Round ${round + 1}`)}`];
  }

  #warning(text: string): string {
    return `  ${this.#style.yellow(cut(toOneLine(text), this.#columns() - 3))}`;
  }

  /** Steps in order, as far as they are over. */
  #printFinished(): void {
    const steps = this.#state!.rounds[this.#round]?.steps ?? [];
    while (this.#printed < steps.length && isOver(steps[this.#printed]!)) {
      const lines = toStepLines(this.#scene(), this.#round, this.#printed);
      this.#printed++;
      this.#print(...lines);
    }
  }

  #print(...lines: string[]): void {
    this.#region.print(lines);
  }

  /** What may still change. */
  #lines(): string[] {
    const state = this.#state;
    if (!state) return [];
    this.#frame++;
    const round = state.rounds[this.#round];
    if (round?.plan.status === "composing") {
      const heading = this.#isHeaded ? [] : this.#headingLines();
      return [...heading, ...toPlanningLines(this.#scene(), this.#plan)];
    }
    const steps = round?.steps ?? [];
    // A plan that was never begun has been shown to whoever stopped it.
    if (state.ended && steps.every(({ attempts }) => attempts === 0)) return [];
    return steps.flatMap((_, step) =>
      step < this.#printed ? [] : toStepLines(this.#scene(), this.#round, step),
    );
  }

  #columns(): number {
    return columnsOf(this.#options.stderr);
  }

  #scene(): Scene {
    return {
      state: this.#state!,
      nested: this.#nested,
      style: this.#style,
      columns: this.#columns(),
      now: this.#options.now?.() ?? Date.now(),
      frame: this.#frame,
      answering: this.#answering,
      isVerbose: this.#options.isVerbose,
    };
  }
}
