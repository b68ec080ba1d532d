// The plan of a round as lines of a terminal: while it is written, and when it is there. Pure.

import { toCount, toDelay, toMoney } from "../../base/format.ts";
import type { RoundState, RunState } from "../../perform/state.ts";
import { toConductorName } from "../../store/conductor-name.ts";
import type { RunSettings } from "../../store/types.ts";
import { isModel, isSimulated } from "../../worker/kinds.ts";
import { sanitise, toOneLine } from "./sanitise.ts";
import { type Scene, toSpinner } from "./step-lines.ts";
import { cut, widthOf, wrap } from "./text-width.ts";

const MOST_PLAN_LINES = 6;

/** While a plan is being written: who writes, and the end of the text. */
export function toPlanningLines(scene: Scene, text: string): string[] {
  const { state, style, columns } = scene;
  const heading = `${toOneLine(toConductorName(state.settings.conductor))} is writing the plan`;
  const shown = weighs(state.settings, scene.isVerbose) ? text.replace(/^Worth here.*(\n|$)/, "") : text;
  const written = wrap(sanitise(shown).trim(), columns - 5).slice(-MOST_PLAN_LINES);
  return [
    `  ${toSpinner(scene)} ${cut(heading, columns - 5)}`,
    ...written.filter((line) => line !== "").map((line) => style.dim(`    ${line}`)),
  ];
}

/** Who plans, and why this Conductor and no other. */
export function toConductorWords(
  { conductor, conductorReason }: RunSettings,
  pool: RunState["pool"],
): string {
  const alone = toAlone(conductor, pool);
  return toOneLine(`${alone ?? `Conductor: ${toConductorName(conductor)}`} (${conductorReason})`);
}

/** "openai/x answers alone": nobody plans, so naming a Conductor would tell nothing. */
export function toAlone(conductor: RunSettings["conductor"], pool: RunState["pool"]): string | undefined {
  if (conductor.kind !== "single" && conductor.kind !== "fast") return undefined;
  const models = pool.filter(isModel);
  const named =
    conductor.kind === "single" ? conductor.worker : models.length === 1 ? models[0]!.id : undefined;
  return `${named ?? "the strongest worker"} answers alone`;
}

/** A plan that is there: whose it is, what it took, and why it is as it is. Its steps are shown as steps. */
export function toPlanLines(scene: Scene, round: RoundState): string[] {
  const { state, style, columns } = scene;
  const { plan, workflow } = round;
  const who = toOneLine(toConductorName(state.settings.conductor));
  const cost = plan.totals.unpricedCalls > 0 ? undefined : plan.totals.costUsd;
  const metrics = [
    workflow && toCount(workflow.steps.length, "step"),
    plan.durationMs >= 1 && toDelay(plan.durationMs),
    plan.totals.calls > 0 && toMoney(cost, isSimulated(state.pool)),
  ].filter(Boolean);
  const alone = toAlone(state.settings.conductor, state.pool);
  const title = alone === undefined ? `${style.bold(workflow ? "Plan" : "Accepted")} ` : "";
  const heading = alone === undefined ? `by ${[who, ...metrics].join(" · ")}` : toOneLine(alone);
  // Why this Conductor is said once: beside its name where there is room, else below.
  const why = round === state.rounds[0] ? `(${toOneLine(state.settings.conductorReason)})` : "";
  const isBeside = why !== "" && widthOf(`${heading} ${why}`) <= columns - 12;
  const said = isBeside ? `${heading} ${why}` : cut(heading, columns - 12);
  const lines =
    plan.fallback === undefined
      ? [
          `  ${title}${style.dim(said)}`,
          ...(isBeside || why === "" ? [] : [`  ${style.dim(cut(why, columns - 3))}`]),
        ]
      : wrap(toFallBackWords(plan.fallback), columns - 3).map((line) => `  ${style.yellow(line)}`);
  const text = weighs(state.settings, scene.isVerbose) ? "" : toReasoning(plan.text);
  const reasoning = text === "" ? [] : wrap(text, columns - 5);
  const kept = reasoning.slice(0, MOST_PLAN_LINES);
  if (reasoning.length > kept.length) kept.push("…");
  return [...lines, ...kept.map((line) => style.dim(`    ${line}`))];
}

/** Our trained Conductor writes numbers before its lists, not reasons: they are for those who want to see more. */
export function weighs({ conductor }: RunSettings, isVerbose = false): boolean {
  return conductor.kind === "native" && !isVerbose;
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
