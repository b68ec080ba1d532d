// A run as a trace that people can read: the question, each round drawn and told step by step, the answer,
// and what it all took. Runs inside a step are told where they happened, indented.

import {
  toClock,
  toCount,
  toDelay,
  toMoney,
  toRoundNumbers,
  toStepNumbers,
  toTokens,
  toWhen,
} from "../../base/format.ts";
import { toPlanMessages } from "../../perform/plan-messages.ts";
import { type RunRound, type RunStep, toRun } from "../../perform/run.ts";
import type { RunState } from "../../perform/state.ts";
import { toBrief } from "../../perform/visible.ts";
import { toConductorName } from "../../store/conductor-name.ts";
import { LIMIT_KINDS, LIMIT_NAMES } from "../../store/limits.ts";
import { countTurns, describeTurn, describeTurns } from "../../trajectory/describe.ts";
import { textOf, toMessages } from "../../worker/brief.ts";
import { isSimulated } from "../../worker/kinds.ts";
import type { Usage } from "../../worker/types.ts";
import { stopReasonInWords, toCalls, toCost, toPerformed } from "../ask/outcome.ts";
import { toAskedWords, toBelievedWords } from "../terminal/belief-lines.ts";
import { drawWorkflow } from "../terminal/draw-workflow.ts";
import { toAlone, toFallBackWords, toReasoning, weighs } from "../terminal/plan-lines.ts";
import { sanitise, toOneLine } from "../terminal/sanitise.ts";
import { toNotes } from "../terminal/step-lines.ts";
import type { Style } from "../terminal/style.ts";
import { padEnd, wrap } from "../terminal/text-width.ts";

export interface ShowOptions {
  style: Style;
  columns: number;
  now: number;
  /** The exact messages that each worker received. */
  withMessages: boolean;
  /** Also what the trained Conductor weighed before it planned. */
  isVerbose?: boolean;
  /** Runs that performed a step, by their id. */
  nested: ReadonlyMap<string, RunState>;
}

const MOST_QUESTION_LINES = 30;

export function toTrace(state: RunState, options: ShowOptions): string[] {
  const { style, columns } = options;
  const run = toRun(state, options.now);
  const text = (value: string) => wrap(sanitise(value).trim(), columns - 3).map((line) => `  ${line}`);
  const question = text(state.task.messages.map(textOf).join("\n\n"));
  const hidden = question.length - MOST_QUESTION_LINES;
  const reason = stopReasonInWords(run);
  return [
    ...toHeader(state, options),
    "",
    style.bold("Question"),
    ...question.slice(0, MOST_QUESTION_LINES),
    ...(hidden > 0 ? [style.dim(`  … ${toCount(hidden, "more line")}; --json has them all`)] : []),
    ...toRounds(state, options),
    "",
    style.bold("Answer"),
    ...(run.hasAnswer && !run.isStripped
      ? text(run.answer)
      : [style.dim(run.isStripped ? "  not kept" : "  none")]),
    ...(reason === "" ? [] : ["", ...wrap(reason, columns - 3).map((line) => `  ${style.yellow(line)}`)]),
  ];
}

function toHeader(state: RunState, { style, now, columns }: ShowOptions): string[] {
  const run = toRun(state, now);
  const { conductor, conductorReason, limits, rounds, seed } = state.settings;
  const limit = [
    ...LIMIT_NAMES.flatMap((name) => {
      const allowed = limits[name];
      return allowed === undefined ? [] : [LIMIT_KINDS[name].toText(allowed)];
    }),
    toCount(rounds, "round"),
  ];
  const rows = [
    ["when", `${toClock(run.startedAt)} (${toWhen(run.startedAt, now)})`],
    [
      "conductor",
      toOneLine(`${toAlone(conductor, state.pool) ?? toConductorName(conductor)} (${conductorReason})`),
    ],
    ["limits", `${limit.join(" · ")} · seed ${seed}`],
    ["used", [toPerformed(run), toCalls(run), toDelay(run.durationMs), toCost(run)].join(" · ")],
    ["tokens", `${toUsage(run.usage)}${toSaving(run.cacheSavedUsd)}`],
    ...(run.feedback ?? []).map(({ score, label, comment }) => [
      "rated",
      toOneLine([String(score), label, comment].filter(Boolean).join(" · ")),
    ]),
    ...(run.parent ? [["inside", `step ${run.parent.step + 1} of run ${run.parent.runId}`]] : []),
  ];
  const end = run.stopReason;
  const paintEnd = end === "done" ? style.green : end === undefined ? style.cyan : style.yellow;
  return [
    `${style.bold(`Run ${run.id}`)}  ${paintEnd(end ?? "not over")}`,
    ...rows.flatMap(([name, value]) =>
      wrap(value!, columns - 14).map((line, i) => `  ${style.dim(padEnd(i === 0 ? name! : "", 9))}  ${line}`),
    ),
  ];
}

function toRounds(state: RunState, options: ShowOptions): string[] {
  const { rounds } = toRun(state, options.now);
  return rounds.flatMap((round, number) => toRound(state, round, number, options));
}

function toRound(state: RunState, round: RunRound, number: number, options: ShowOptions): string[] {
  const { style, columns } = options;
  const { workflow, plan, belief, fallback, turn, review, planErrors, planMs, planCostUsd, steps } = round;
  const { settings, pool } = state;
  const heading = belief ? `Turn ${number + 1}` : settings.rounds > 1 ? `Round ${number + 1}` : "Plan";
  const simulated = isSimulated(pool);
  const metrics = [
    ...(planMs >= 1 ? [toDelay(planMs)] : []),
    ...(planCostUsd > 0 ? [toMoney(planCostUsd, simulated)] : []),
    ...(review ? [`${review} by you`] : []),
  ];
  const indented = (text: string, paint = (line: string) => line) =>
    wrap(text, columns - 3).map((line) => `  ${paint(line)}`);
  const nameOf = (worker: number) => toOneLine(pool[worker]?.id ?? `worker ${worker}`);
  const reasoning = weighs(settings, options.isVerbose) ? "" : toReasoning(plan);
  const alone = toAlone(settings.conductor, pool);
  const by = alone === undefined ? `by ${toConductorName(settings.conductor)}` : `none: ${alone}`;
  const lines = [
    "",
    `${style.bold(heading)} ${style.dim([toOneLine(by), ...metrics].join(" · "))}`,
    ...planErrors.flatMap(({ message }) => indented(`✗ A plan failed: ${toOneLine(message)}`, style.yellow)),
    ...(fallback === undefined ? [] : indented(toFallBackWords(fallback), style.yellow)),
    ...(turn ? indented(`turn      ${toOneLine(describeTurn(turn, nameOf))}`) : []),
    ...(reasoning === "" ? [] : indented(reasoning, style.dim)),
    ...(belief ? indented(`believed  ${toBelievedWords(belief)}`) : []),
    ...(options.withMessages ? toPromptLines(state, number, options) : []),
  ];
  if (steps.length === 0) return [...lines, ...indented("The answer before is accepted.")];
  const drawing = drawWorkflow(workflow, { nameOf, width: columns - 3, style });
  // One ask needs no drawing.
  if (belief && steps.length === 1)
    return [
      ...lines,
      ...indented(`asked     ${toAskedWords(state, state.rounds[number]!)}`),
      ...toStep(state, steps[0]!, options),
    ];
  return [
    ...lines,
    "",
    ...drawing.map((line) => `  ${line}`),
    ...steps.flatMap((step) => toStep(state, step, options)),
  ];
}

/** What a chat model that plans was sent for this round, whole. Nothing for Conductors that are not asked in words. */
function toPromptLines(state: RunState, number: number, { style, columns }: ShowOptions): string[] {
  return toPlanMessages(state, number).flatMap((message) =>
    wrap(sanitise(textOf(message)).trim(), columns - 16).map(
      (line, i) => `     ${style.dim(padEnd(i === 0 ? message.role : "", 8))}  ${line}`,
    ),
  );
}

function toStep(state: RunState, step: RunStep, options: ShowOptions): string[] {
  const { style, columns, withMessages, nested } = options;
  const {
    round,
    step: number,
    worker,
    workerId,
    insteadOf,
    subtask,
    reply,
    reasoning,
    usage,
    nestedRunId,
  } = step;
  const mark =
    { done: style.green("✓"), failed: style.red("✗"), running: style.cyan("▸") }[step.state as string] ??
    style.dim("○");
  const metrics = [
    ...(step.durationMs === undefined ? [] : [toDelay(step.durationMs)]),
    ...(step.firstTokenMs === undefined ? [] : [`first token ${toDelay(step.firstTokenMs)}`]),
    ...(step.calls === 0 ? [] : [toUsage(usage), toMoney(step.costUsd, isSimulated(state.pool))]),
    ...(step.finishReason === undefined || step.finishReason === "stop"
      ? []
      : [`ended by ${step.finishReason}`]),
  ];
  const field = (name: string, text: string, paint = (line: string) => line) =>
    wrap(sanitise(text).trim(), columns - 16).map(
      (line, i) => `     ${style.dim(padEnd(i === 0 ? name : "", 8))}  ${paint(line)}`,
    );
  const child = nestedRunId === undefined ? undefined : nested.get(nestedRunId);
  return [
    "",
    `${mark} ${style.bold(String(number + 1))}  ${style.worker(worker, toOneLine(workerId))}${insteadOf && insteadOf !== workerId ? style.dim(` instead of ${toOneLine(insteadOf)}`) : ""}`,
    ...(metrics.length > 0
      ? wrap(metrics.join(" · "), columns - 6).map((line) => `     ${style.dim(line)}`)
      : []),
    ...field("subtask", subtask),
    ...field("saw", toSeen(state, round, number)),
    ...describeTurns(
      step.decisions ?? [],
      (each) => toOneLine(state.pool[each]?.id ?? `worker ${each}`),
      step.decisions ? countTurns(toRun(state, options.now).steps, round) : 0,
    ).flatMap(({ turns, text }) => field("turn", `${turns}  ${text}`)),
    ...toNotes(state, round, number, options.now).flatMap((note) => field("trouble", note, style.yellow)),
    ...(reasoning ? field("thought", reasoning, style.dim) : []),
    ...(withMessages && step.startedAt !== undefined ? toMessageLines(state, round, number, field) : []),
    ...(child
      ? toRounds(child, { ...options, columns: columns - 5 }).map((line) =>
          line === "" ? "" : `     ${line}`,
        )
      : []),
    ...field("reply", reply || "none", reply ? undefined : style.dim),
  ];
}

function toSeen(state: RunState, round: number, step: number): string {
  const { visible } = toBrief(state, round, step);
  const here = visible.filter((seen) => seen.round === round).map((seen) => seen.step);
  const first = Math.min(round, ...visible.map((seen) => seen.round));
  const before = toRoundNumbers(first, round);
  const seen = [...(here.length > 0 ? [toStepNumbers(here)] : []), ...(before ? [before] : [])];
  return seen.length === 0 ? "the question only" : `the question, ${seen.join(", ")}`;
}

function toMessageLines(
  state: RunState,
  round: number,
  step: number,
  field: (name: string, text: string) => string[],
): string[] {
  return toMessages(toBrief(state, round, step)).flatMap((message) => field(message.role, textOf(message)));
}

/** What caches of providers changed in the bill. */
function toSaving(usd: number): string {
  // Sums of fractions may leave a trace of nothing.
  if (Math.abs(usd) < 1e-12) return "";
  return usd > 0 ? ` · caches saved ${toMoney(usd)}` : ` · caches took ${toMoney(-usd)} more`;
}

function toUsage({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: Usage): string {
  const cached = cachedInputTokens > 0 ? ` (${toTokens(cachedInputTokens)} cached)` : "";
  const thought = reasoningTokens > 0 ? ` (${toTokens(reasoningTokens)} reasoning)` : "";
  return `${toTokens(inputTokens)}${cached} → ${toTokens(outputTokens)}${thought} tokens`;
}
