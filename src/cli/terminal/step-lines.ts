// The steps of a run as lines of a terminal: a line for each, and what happened to it.
// Pure: the state of the run, the time and the width go in, lines come out.

import { toDelay, toMoney, toRoundNumbers } from "../../base/format.ts";
import type { RunState, StepState } from "../../perform/state.ts";
import { isSimulated } from "../../worker/kinds.ts";
import { firstRoundSeen } from "../../workflow/waves.ts";
import { toOneLine } from "./sanitise.ts";
import type { Style } from "./style.ts";
import { cut, cutStart, padEnd, padStart, widthOf, wrap } from "./text-width.ts";

export interface Scene {
  state: RunState;
  /** Runs that perform a step of this one, by their id. */
  nested: ReadonlyMap<string, RunState>;
  style: Style;
  columns: number;
  now: number;
  /** Counts up while something moves: which picture of the spinner is shown. */
  frame: number;
  /** The step whose reply is being printed as the answer. */
  answering?: { round: number; step: number };
  /** Also what a trained Conductor weighed before it planned. */
  isVerbose?: boolean;
}

const SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const WIDEST_ID = 28;
const LEAST_SUBTASK = 12;
/** Lines of what a worker is told. All of it is in `tutti runs show`. */
const MOST_LINES = 6;

/** All lines of a step: its own, what went wrong, a glimpse of what it writes, and the run inside it. */
export function toStepLines(scene: Scene, round: number, step: number, indent = 2): string[] {
  const { state, nested, style, columns } = scene;
  const current = state.rounds[round]!.steps[step]!;
  const inner = indent + 5;
  const own = toStepLine(scene, round, step, indent);
  const lines = [own.line, ...own.more.map((line) => " ".repeat(inner) + line)];
  for (const note of toNotes(state, round, step, scene.now)) {
    lines.push(" ".repeat(inner) + style.yellow(cut(note, columns - inner - 1)));
  }
  const child = current.nestedRunId === undefined ? undefined : nested.get(current.nestedRunId);
  if (child) {
    for (const [number, { steps }] of child.rounds.entries()) {
      for (const position of steps.keys()) {
        lines.push(...toStepLines({ ...scene, state: child, answering: undefined }, number, position, inner));
      }
    }
  } else if (current.status === "running" && current.partial !== "" && !scene.answering) {
    const glimpse = cutStart(toOneLine(current.partial.slice(-4 * columns)), columns - inner - 3);
    lines.push(`${" ".repeat(inner)}${style.dim(`│ ${glimpse}`)}`);
  }
  return lines;
}

/** A step that was told whole sentences has them below its line: what a worker was told is there to be read. */
function toStepLine(
  scene: Scene,
  round: number,
  step: number,
  indent: number,
): { line: string; more: string[] } {
  const { state, style, columns, answering } = scene;
  const { workflow, steps } = state.rounds[round]!;
  const current = steps[step]!;
  const isAnswering = answering?.round === round && answering.step === step;
  const idWidth = Math.min(WIDEST_ID, Math.max(...steps.map(({ worker }) => widthOf(nameOf(state, worker)))));
  const seenWidth = Math.max(...steps.map((_, position) => widthOf(toSeen(state, round, position))));
  const cells = {
    seen: seenWidth === 0 ? "" : `  ${padEnd(toSeen(state, round, step), seenWidth)}`,
    delay: padStart(isAnswering ? "writing" : toElapsed(current, scene.now), 9),
    cost: padStart(toStepCost(state, current), isSimulated(state.pool) ? 20 : 11),
  };
  const fixed = indent + 3 + String(steps.length).length + 1 + idWidth + 2;
  const room = (...used: (keyof typeof cells)[]) =>
    columns - 1 - fixed - used.reduce((sum, cell) => sum + widthOf(cells[cell]), 0);
  // On a narrow terminal the subtask comes first, then the delay, then what is seen, then the cost.
  const shown: (keyof typeof cells)[] =
    room("seen", "delay", "cost") >= LEAST_SUBTASK
      ? ["seen", "delay", "cost"]
      : room("seen", "delay") >= LEAST_SUBTASK
        ? ["seen", "delay"]
        : ["delay"];
  const told = toOneLine(workflow!.steps[step]!.subtask);
  const isLong = widthOf(told) > room(...shown);
  const subtask = padEnd(isLong ? "" : told, room(...shown));
  const below = isLong ? wrap(told, Math.max(LEAST_SUBTASK, columns - indent - 6)) : [];
  const more = below.length <= MOST_LINES ? below : [...below.slice(0, MOST_LINES - 1), "…"];
  const id = padEnd(cut(nameOf(state, current.worker), idWidth), idWidth);
  const isPending = current.status === "pending" && current.attempts === 0;
  const number = padStart(String(step + 1), String(steps.length).length);
  const line = [
    " ".repeat(indent),
    toMark(current, isAnswering, scene),
    " ",
    style.bold(number),
    "  ",
    isPending ? style.dim(id) : style.worker(current.worker, id),
    "  ",
    isPending ? style.dim(subtask) : subtask,
    style.dim(shown.map((cell) => cells[cell]).join("")),
  ]
    .join("")
    .trimEnd();
  return { line, more: more.map((text) => style.dim(text)) };
}

export function toSpinner({ style, frame }: Scene): string {
  return style.cyan(SPINNER[frame % SPINNER.length]!);
}

function toMark({ status, attempts }: StepState, isAnswering: boolean, scene: Scene): string {
  const { state, style } = scene;
  if (isAnswering) return style.cyan("▸");
  if (status === "done") return style.green("✓");
  if (status === "failed") return style.red("✗");
  if (state.ended && attempts > 0) return style.yellow("■");
  if (status === "waiting") return style.yellow("◌");
  if (status === "running" || attempts > 0) return toSpinner(scene);
  return style.dim("○");
}

export function nameOf({ pool }: RunState, worker: number): string {
  return toOneLine(pool[worker]?.id ?? `worker ${worker}`);
}

/** "← 1,2" for the replies a step may see. */
function toSeen(state: RunState, round: number, step: number): string {
  const { access } = state.rounds[round]!.workflow!.steps[step]!;
  if (typeof access !== "string")
    return access.length === 0 ? "" : `← ${access.map((position) => position + 1).join(",")}`;
  const before = toRoundNumbers(firstRoundSeen(access, round), round);
  const here = step === 0 ? "" : step === 1 ? "1" : "all";
  const seen = [here, before].filter(Boolean).join(", ");
  return seen === "" ? "" : `← ${seen}`;
}

function toElapsed({ startedAt, endedAt, status }: StepState, now: number): string {
  if (startedAt === undefined) return "";
  const isOver = status === "done" || status === "failed";
  return toDelay(Math.max(0, (isOver && endedAt !== undefined ? endedAt : now) - startedAt));
}

export function toStepCost({ pool }: RunState, { status, totals }: StepState): string {
  if (status !== "done" && status !== "failed" && totals.costUsd === 0) return "";
  if (totals.unpricedCalls > 0) return toMoney(undefined);
  return toMoney(totals.costUsd, isSimulated(pool));
}

/** Failures, retries and replacements in words, in the order they happened. */
export function toNotes(state: RunState, round: number, step: number, now: number): string[] {
  const { steps, workflow } = state.rounds[round]!;
  const { failures, attempts, status, worker, retryAt, instead } = steps[step]!;
  const named = workflow!.steps[step]!.worker;
  if (failures.length === 0 && instead && worker !== named) {
    return [
      `⇄ ${nameOf(state, worker)} is asked instead of ${nameOf(state, named)}: ${toOneLine(instead.reason)}`,
    ];
  }
  // What followed comes first: on a narrow terminal the reason is what gets cut.
  // A step that ended with the run needs no note: the end of the run has its own reason.
  const told = state.ended ? failures.filter(({ error }) => error.code !== "aborted") : failures;
  return told.map((failure, i) => {
    const who = nameOf(state, failure.worker);
    const why = toReason(failure.error.message);
    if (attempts > i + 1) {
      const next = failures[i + 1]?.worker ?? worker;
      if (next !== failure.worker) return `⇄ ${nameOf(state, next)} took over from ${who}: ${why}`;
      return `↻ ${who} was asked again: ${why}`;
    }
    if (status === "waiting" && retryAt !== undefined) {
      return `↻ ${who} is asked again in ${toDelay(Math.max(0, retryAt - now))}: ${why}`;
    }
    return status === "failed" ? `✗ ${who} failed and nobody took over: ${why}` : `✗ ${who} failed: ${why}`;
  });
}

/** Messages of workers begin with the name of the worker, which has been said already. */
function toReason(message: string): string {
  const text = toOneLine(message);
  const named = /^Worker "[^"]*"(:?) (.*)$/.exec(text);
  if (!named) return text;
  return named[1] === ":" ? named[2]! : `it ${named[2]}`;
}
