// Events as earlier versions journaled them, made into today's shape. Stores call it where events come in, so nobody
// else knows the old shapes. What is up to date is given back as it is, without a copy.

import { redact, redactRegistered } from "../base/redact.ts";
import { isRehearsalId } from "../worker/kinds.ts";
import type { OutputSettings } from "../worker/types.ts";
import type { ConductorIdentity, PoolEntry, RunEvent } from "./types.ts";

type RunStart = Extract<RunEvent, { type: "run-start" }>;
type RunEnd = Extract<RunEvent, { type: "run-end" }>;

export function upgradeEvent(event: RunEvent): RunEvent {
  if (event.type === "run-end" && event.hasAnswer === undefined)
    return { ...(event as RunEnd), hasAnswer: (event as RunEnd).answer !== "" };
  if (event.type === "run-resume")
    return hasOldOutput(event.output) ? { ...event, output: upgradeOutput(event.output) } : event;
  if (event.type !== "run-start") return event;
  return upgradeTask(upgradeConductor(upgradePool(event)));
}

function upgradeConductor(event: RunStart): RunStart {
  const { settings, pool } = event;
  const conductor: unknown = settings.conductor;
  if (typeof conductor !== "string") return event;
  return { ...event, settings: { ...settings, conductor: fromOldName(conductor, pool) } };
}

/** In 0.1 a simulated worker was known by its name. */
function upgradePool(event: RunStart): RunStart {
  const isOld = ({ id, isSimulated }: PoolEntry) => isSimulated === undefined && isRehearsalId(id);
  if (!event.pool.some(isOld)) return event;
  return {
    ...event,
    pool: event.pool.map((entry) => (isOld(entry) ? { ...entry, isSimulated: true } : entry)),
  };
}

/** 0.1 called the limit of a reply as that of a run is called. */
interface OldOutput extends OutputSettings {
  maxTokens: number;
}

function upgradeTask(event: RunStart): RunStart {
  const { task } = event;
  return hasOldOutput(task.output)
    ? { ...event, task: { ...task, output: upgradeOutput(task.output) } }
    : event;
}

function hasOldOutput(output: OutputSettings | undefined): output is OldOutput {
  return output !== undefined && "maxTokens" in output;
}

function upgradeOutput({ maxTokens, ...output }: OldOutput): OutputSettings {
  return { maxOutputTokens: maxTokens, ...output };
}

/** 0.1 journaled the name: "prompted:openai/x", "native:rehearsal", "fast". */
function fromOldName(name: string, pool: readonly PoolEntry[]): ConductorIdentity {
  const [kind, rest] = splitOnce(name, ":");
  if (kind === "prompted" && rest) return { kind, planner: rest };
  if (kind === "native" && rest) return { kind, checkpoint: rest };
  switch (name) {
    case "scripted-planner":
      return { kind: "scripted" };
    case "fixed":
    case "fast":
    case "relay":
      return { kind: name };
    case "single":
      // The gateway gave such a run a pool of that worker alone.
      return pool.length === 1 ? { kind: "single", worker: pool[0]!.id } : { kind: "custom", id: name };
  }
  return { kind: "custom", id: name };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

// ---- What is kept --------------------------------------------------------------------------------

// What of an event is kept, the same in every store: no pieces of plans (the whole plan follows), no
// registered secret, and errors without anything that looks like a key. Questions and replies are
// otherwise the user's own and stay as they are.

/** Fields whose values are our own words or ids: a secret that happens to equal one must not break a run. */
export const OWN_WORDS: ReadonlySet<string> = new Set(
  "type runId role kind channel verdict reason stopReason finishReason dialect keyId".split(" "),
);

/** The event as it is journaled, or nothing. */
export function toKept(event: RunEvent): RunEvent | undefined {
  if (event.type === "plan-delta") return undefined;
  const kept = redactRegistered(upgradeEvent(event), OWN_WORDS);
  if (!("error" in kept) || !kept.error) return kept;
  return { ...kept, error: { ...kept.error, message: redact(kept.error.message) } } as RunEvent;
}
