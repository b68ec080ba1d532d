// What a team is doing, in one short line for each thing that happens: it is streamed to the client instead of
// silence. Only events go in. What a model wrote (a subtask, an answer that is believed) is made harmless first, so that it cannot forge a
// line; what a provider wrote (an error's text) is not shown at all, only our own word for it.

import type { ErrorCode } from "../../base/error-codes.ts";
import { toPercent } from "../../base/format.ts";
import { toTaken } from "../../belief/reading.ts";
import type { Belief } from "../../belief/types.ts";
import type { Run, RunRound } from "../../perform/run.ts";
import type { PoolEntry, RunEvent, Spending } from "../../store/types.ts";
import { describeTurn } from "../../trajectory/describe.ts";
import type { TurnDecision } from "../../trajectory/types.ts";
import { isSimulated } from "../../worker/kinds.ts";

const LONGEST_LINE = 160;
const LONGEST_ANSWER = 40;

/** Codes that are no words yet. The others are read with their hyphens as spaces. */
const FAILURES = new Map<string, string>([
  ["rate-limited", "rate-limited"],
  ["auth", "its key was refused"],
  ["timeout", "it took too long"],
  ["stream-cut", "its reply broke off"],
  ["unreachable", "it cannot be reached"],
  ["provider-error", "its provider failed"],
  ["bad-request", "it did not accept the request"],
  ["aborted", "it was stopped"],
] satisfies [ErrorCode, string][]);

/** Hears every event of the run and its nested runs, in order. Undefined where there is nothing to say. */
type ProgressWriter = (event: RunEvent) => string | undefined;

type KnownRound = Pick<RunRound, "workflow" | "belief">;

/** What must be kept of a run to speak of its steps. */
interface KnownRun {
  pool: PoolEntry[];
  rounds: (KnownRound | undefined)[];
  /** Before there is a plan: it will be one worker without a team, so nothing is said of planning either. */
  isSingle?: boolean;
}

/** `before` is a run that goes on, as it was before the first event that will be heard. */
export function createProgress(before?: Pick<Run, "id" | "pool" | "rounds">): ProgressWriter {
  const teams = new Map<string, KnownRun>();
  /** The run that the client asked for: the first one that is heard of. */
  let rootId = before?.id;
  if (before) teams.set(before.id, { pool: before.pool, rounds: [...before.rounds] });

  return (event) => {
    rootId ??= event.runId;
    const team = listen(teams.get(event.runId), event);
    if (!team) return undefined;
    teams.set(event.runId, team);
    const turn = "turn" in event ? event.turn : undefined;
    if (turn && turn.kind !== "stay") return clean(toTurn(turn, team));
    if (team.rounds[0] ? isDirect(team.rounds[0]) : team.isSingle) return undefined;
    if (event.runId === rootId) return clean(toWords(team, event));
    return event.type === "step-start" ? clean(`· ${toStepStart(team, event)}`) : undefined;
  };
}

/** What happens to a tool loop beside its own turns: also where one worker alone is at it. */
function toTurn(turn: TurnDecision, { pool }: KnownRun): string {
  const words = describeTurn(turn, (worker) => nameOf(pool, worker));
  return words[0]!.toUpperCase() + words.slice(1);
}

/** Undefined while the beginning of the run has not been heard: there are no names to tell. */
function listen(team: KnownRun | undefined, event: RunEvent): KnownRun | undefined {
  if (event.type === "run-start") {
    const { pool, settings } = event;
    const { kind } = settings.conductor;
    return { pool, rounds: [], isSingle: pool.length === 1 || kind === "fast" || kind === "single" };
  }
  if (!team) return undefined;
  if (event.type === "plan-end" && event.decision.type === "workflow")
    team.rounds[event.round] = { workflow: event.decision.workflow, belief: event.belief };
  if (event.type === "plan-review" && event.workflow)
    team.rounds[event.round] = { ...team.rounds[event.round], workflow: event.workflow };
  return team;
}

/** One worker answers as if it had been asked without us. Who weighs answers may ask others after it. */
function isDirect({ workflow: { steps }, belief }: KnownRound): boolean {
  return steps.length === 1 && steps[0]!.subtask === "" && belief === undefined;
}

/** A round of one ask, decided on a belief. */
function isTurn(round: KnownRound | undefined): boolean {
  return round?.belief !== undefined && round.workflow.steps.length === 1;
}

function toWords(team: KnownRun, event: RunEvent): string | undefined {
  switch (event.type) {
    case "plan-start":
      if (event.attempt > 0) return "Planning again";
      // The turn itself is told when it is decided.
      if (isTurn(team.rounds[event.round - 1])) return undefined;
      return event.round === 0 ? "Planning" : `Round ${event.round + 1}: looking at the replies`;
    case "plan-end":
      return toPlan(team, event);
    case "step-start": {
      const isTold = isTurn(team.rounds[event.round]) && event.attempt === 0 && !event.instead;
      return isTold ? undefined : toStepStart(team, event);
    }
    case "step-end": {
      const money = toMoney(event.spending, team.pool);
      return [`${toStep(team, event)} done`, toSeconds(event.durationMs), money].filter(Boolean).join(" · ");
    }
    case "step-error": {
      const { code } = event.error;
      return `${toStep(team, event)} failed: ${FAILURES.get(code) ?? code.replaceAll("-", " ")}`;
    }
    case "step-wait":
      return `${isTurn(team.rounds[event.round]) ? "It" : `Step ${event.step + 1}`} waits ${toSeconds(event.until - event.at)} before it is asked again`;
    case "run-start":
    case "run-resume":
    case "plan-delta":
    case "plan-error":
    case "plan-review":
    case "step-delta":
    case "round-end":
    case "run-end":
    case "run-feedback":
      return undefined;
  }
}

function toPlan(
  { pool }: KnownRun,
  { round, decision, belief, fallback }: Extract<RunEvent, { type: "plan-end" }>,
): string | undefined {
  // The next line says that it is planned again.
  if (decision.type === "format-error") return undefined;
  if (decision.type === "accept") return `The team's answer is accepted${toSureness(belief)}`;
  const names = decision.workflow.steps.map(({ worker }) => nameOf(pool, worker));
  if (fallback !== undefined) return `No usable plan: asking ${names.join(", ")} alone`;
  if (belief) {
    const roles = decision.workflow.steps.map(({ worker }, step) => toTaken(belief, step, worker)?.role);
    const asked = names.map((name, step) => (roles[step] ? `${name} (${roles[step]})` : name));
    return `Turn ${round + 1}: asking ${asked.join(", ")}${toSureness(belief)}`;
  }
  return `Plan: ${names.length} ${names.length === 1 ? "step" : "steps"}: ${names.join(", ")}`;
}

/** Of the likeliest answer; empty before there is one. */
function toSureness(belief: Belief | undefined): string {
  const best = belief?.answers[0];
  if (!best) return "";
  const answer = clean(best.answer, LONGEST_ANSWER);
  return `, ${toPercent(best.probability)} sure of "${answer}"`;
}

function toStepStart(team: KnownRun, event: Extract<RunEvent, { type: "step-start" }>): string {
  const { pool, rounds } = team;
  const again = event.attempt > 0 ? " again" : "";
  const how = event.instead ? ` in place of ${nameOf(pool, event.instead.worker)}` : again;
  const subtask = rounds[event.round]?.workflow.steps[event.step]?.subtask ?? "";
  const asked = `${toStep(team, event)} · ${nameOf(pool, event.worker)}${how}`;
  return subtask === "" ? asked : `${asked} · ${subtask}`;
}

function toStep({ rounds }: KnownRun, { round, step }: { round: number; step: number }): string {
  if (isTurn(rounds[round])) return `Turn ${round + 1}`;
  const steps = rounds[round]?.workflow.steps.length;
  return steps === undefined ? `Step ${step + 1}` : `Step ${step + 1} of ${steps}`;
}

function nameOf(pool: readonly PoolEntry[], worker: number): string {
  return pool[worker]?.id ?? `worker ${worker}`;
}

function toSeconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
}

/** Empty where it cost nothing or nobody knows what it cost. */
function toMoney({ costUsd = 0, unpricedCalls = 0 }: Spending, pool: readonly PoolEntry[]): string {
  if (costUsd <= 0 || unpricedCalls > 0) return "";
  const dollars = costUsd < 0.0001 ? "<$0.0001" : `$${costUsd.toFixed(4)}`;
  return isSimulated(pool) ? `${dollars} simulated` : dollars;
}

/** One line without controls, line ends or invisible characters of any script, and not too long. */
function clean(line: string | undefined, longest = LONGEST_LINE): string | undefined {
  if (line === undefined) return undefined;
  // No need to clean a megabyte in order to show 160 characters of it.
  const text = line
    .slice(0, longest * 4)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
