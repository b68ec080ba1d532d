// Progress where nobody watches (a file, a pipe, a build log): a plain line when a step ends, nothing moves.

import { toDelay } from "../../base/format.ts";
import type { RunState } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import { toAskedWords, toBelievedWords } from "./belief-lines.ts";
import { toConductorWords, toFallBackWords } from "./plan-lines.ts";
import type { Output, RunProgress } from "./progress.ts";
import { toOneLine } from "./sanitise.ts";
import { nameOf, toNotes, toStepCost } from "./step-lines.ts";

export class PlainProgress implements RunProgress {
  readonly #stderr: Pick<Output, "write">;
  /** Lines that wait for the end of the answer: both streams may end in the same log. */
  #held: string[] | undefined;

  constructor(stderr: Pick<Output, "write">) {
    this.#stderr = stderr;
  }

  notice(text: string): void {
    this.#line(text);
  }

  prime(state: RunState): void {
    const steps = state.rounds.at(-1)?.steps ?? [];
    const done = steps.filter(({ status }) => status === "done").length;
    this.#line(`going on with run ${state.runId}: ${done} of ${steps.length} steps were done`);
  }

  event(event: RunEvent, state: RunState): void {
    if (event.runId !== state.runId) return;
    switch (event.type) {
      case "run-start":
        this.#line(toConductorWords(event.settings, event.pool));
        break;
      case "plan-start":
        // A turn is told when it is decided, with what it was decided on.
        if (event.round > 0 && event.attempt === 0 && !state.rounds[event.round - 1]?.plan.belief)
          this.#line(`round ${event.round + 1}`);
        break;
      case "plan-error":
        this.#line(`plan failed: ${event.error.message}`);
        break;
      case "plan-end":
        if (event.decision.type === "format-error")
          this.#line(`plan cannot be used: ${event.decision.error.message}`);
        else if (event.fallback) this.#line(toFallBackWords(event.fallback));
        else if (event.belief) this.#turn(event.round, state);
        break;
      case "step-start":
      case "step-end":
      case "step-error":
        this.#step(event, state);
        break;
    }
  }

  beforeAnswer(): void {
    this.#held = [];
  }

  afterAnswer(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of held) this.#line(line);
  }

  pause(): void {}
  resume(): void {}

  #turn(number: number, state: RunState): void {
    const round = state.rounds[number]!;
    const believed = toBelievedWords(round.plan.belief!);
    const asked = toAskedWords(state, round);
    this.#line(asked === "" ? `accepted: ${believed}` : `turn ${number + 1}: ${believed}; asks ${asked}`);
  }

  /** A failure is told when it is known what follows from it: the next ask, or nothing. */
  #step(event: Extract<RunEvent, { type: "step-start" | "step-end" | "step-error" }>, state: RunState): void {
    const { steps, plan } = state.rounds[event.round]!;
    const step = steps[event.step]!;
    const isTurn = plan.belief !== undefined && steps.length === 1;
    const name = isTurn ? `turn ${event.round + 1}` : `step ${event.step + 1} of ${steps.length}`;
    const isTold =
      event.type === "step-start" ? event.attempt > 0 || event.instead : step.status === "failed";
    const note = isTold ? toNotes(state, event.round, event.step, event.at).at(-1) : undefined;
    if (note) this.#line(`${name}: ${note.replace(/^\W+/, "")}`);
    if (event.type !== "step-end") return;
    const metrics = [toDelay(event.durationMs), toStepCost(state, step)].filter(Boolean).join(", ");
    this.#line(`${name}: ${nameOf(state, event.worker)} done, ${metrics}`);
  }

  #line(text: string): void {
    if (this.#held) this.#held.push(text);
    else this.#stderr.write(`${toOneLine(text)}\n`);
  }
}
