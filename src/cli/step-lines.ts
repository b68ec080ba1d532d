// The progress of a run as lines of a terminal: its plan, and a line for each step with what happened to it.
// Pure: the state of the run, the time and the width go in, lines come out.

import type { RoundState, RunState, StepState } from "../perform/state.ts";
import { toCount, toDelay, toMoney } from "./format.ts";
import { isSimulated } from "./outcome.ts";
import { sanitise, toOneLine } from "./sanitise.ts";
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
}

const SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const WIDEST_ID = 28;
const LEAST_SUBTASK = 12;
const MOST_PLAN_LINES = 6;

/** All lines of a step: its own, what went wrong, a glimpse of what it writes, and the run inside it. */
export function toStepLines(scene: Scene, round: number, step: number, indent = 2): string[] {
  const { state, nested, style, columns } = scene;
  const current = state.rounds[round]!.steps[step]!;
  const lines = [toStepLine(scene, round, step, indent)];
  const inner = indent + 5;
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

function toStepLine(scene: Scene, round: number, step: number, indent: number): string {
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
  const subtask = padEnd(cut(toOneLine(workflow!.steps[step]!.subtask), room(...shown)), room(...shown));
  const id = padEnd(cut(nameOf(state, current.worker), idWidth), idWidth);
  const isPending = current.status === "pending" && current.attempts === 0;
  const number = padStart(String(step + 1), String(steps.length).length);
  return [
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
}

function toMark(
  { status, attempts }: StepState,
  isAnswering: boolean,
  { state, style, frame }: Scene,
): string {
  if (isAnswering) return style.cyan("▸");
  if (status === "done") return style.green("✓");
  if (status === "failed") return style.red("✗");
  if (state.ended && attempts > 0) return style.yellow("■");
  if (status === "waiting") return style.yellow("◌");
  if (status === "running" || attempts > 0) return style.cyan(SPINNER[frame % SPINNER.length]!);
  return style.dim("○");
}

export function nameOf({ pool }: RunState, worker: number): string {
  return toOneLine(pool[worker]?.id ?? `worker ${worker}`);
}

/** "← 1,2" for the replies a step may see. */
function toSeen(state: RunState, round: number, step: number): string {
  const { access } = state.rounds[round]!.workflow!.steps[step]!;
  if (access !== "all")
    return access.length === 0 ? "" : `← ${access.map((position) => position + 1).join(",")}`;
  const before = round > 0 ? `round ${round}` : "";
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

// ---- Plans ------------------------------------------------------------------------------------

/** While a plan is being written: who writes, and the end of the text. */
export function toPlanningLines({ state, style, columns, frame }: Scene, text: string): string[] {
  const spinner = style.cyan(SPINNER[frame % SPINNER.length]!);
  const heading = `${toOneLine(state.settings.conductor)} is writing the plan`;
  const written = wrap(sanitise(text).trim(), columns - 5).slice(-MOST_PLAN_LINES);
  return [
    `  ${spinner} ${cut(heading, columns - 5)}`,
    ...written.filter((line) => line !== "").map((line) => style.dim(`    ${line}`)),
  ];
}

/** A plan that is there: whose it is, what it took, and why it is as it is. Its steps are shown as steps. */
export function toPlanLines({ state, style, columns }: Scene, round: RoundState): string[] {
  const { plan, workflow } = round;
  const who = toOneLine(state.settings.conductor);
  const cost = plan.totals.unpricedCalls > 0 ? undefined : plan.totals.costUsd;
  const figures = [
    ...(workflow ? [toCount(workflow.steps.length, "step")] : []),
    ...(plan.durationMs >= 1 ? [toDelay(plan.durationMs)] : []),
    ...(plan.totals.calls > 0 ? [toMoney(cost, isSimulated(state.pool))] : []),
  ];
  const heading = `by ${[who, ...figures].join(" · ")}`;
  const lines =
    plan.fallback === undefined
      ? [`  ${style.bold(workflow ? "Plan" : "Accepted")} ${style.dim(cut(heading, columns - 12))}`]
      : wrap(toFallBackWords(plan.fallback), columns - 3).map((line) => `  ${style.yellow(line)}`);
  const text = toReasoning(plan.text);
  const reasoning = text === "" ? [] : wrap(text, columns - 5);
  const kept = reasoning.slice(0, MOST_PLAN_LINES);
  if (reasoning.length > kept.length) kept.push("…");
  return [...lines, ...kept.map((line) => style.dim(`    ${line}`))];
}

export function toFallBackWords(reason: string): string {
  return `No plan: ${toOneLine(reason).replace(/\.$/, "")}. The strongest worker answers alone.`;
}

/** What a Conductor wrote before its three lists: those are shown as steps. */
export function toReasoning(plan: string): string {
  const lines = sanitise(plan)
    .replace(/<\/?think>/g, "")
    .split("\n");
  const end = lines.findIndex((line) =>
    /^\W*(model[ _]?ids?|subtasks?|access([ _]list)?)\W*[:=]|^\s*[[{]|^\s*```/i.test(line),
  );
  const before = (end < 0 ? lines : lines.slice(0, end)).map((line) => line.trimEnd());
  // Lines of one paragraph flow together; list items and indented lines stay apart.
  return before
    .join("\n")
    .replace(/(\S)\n(?=[^\s\-*•\d#])/g, "$1 ")
    .replace(/\n{2,}/g, "\n")
    .trim();
}
