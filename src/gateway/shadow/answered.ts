// Requests that were answered, as the shadow desk sees them: of a run, or passed through.

import type { Run } from "../../perform/run.ts";
import type { Origin } from "../../store/types.ts";
import type { Task } from "../../worker/types.ts";
import type { GatewayKey } from "../access/keys.ts";
import type { RunPreferences } from "../runs/preferences.ts";

/** A request that was answered whole, at its first turn, and that is not to be kept from anybody. */
export interface Answered {
  runId: string;
  origin: Origin;
  /** Read only where it is drawn. */
  toTask(): Pick<Task, "messages" | "output">;
  seed: number;
  /** False: the journal has no content of it, so it keeps none of its shadow. */
  isKept: boolean;
  key: GatewayKey | undefined;
}

/** Undefined for those that are not asked again. */
export function toAnswered(
  run: Run,
  key: GatewayKey | undefined,
  { pool, workflow }: RunPreferences,
): Answered | undefined {
  const { id, origin, task, settings, stopReason, hasAnswer, continues, isStripped } = run;
  const isWhole = stopReason === "done" && hasAnswer && continues === undefined;
  if (!isWhole || !origin || origin.isPrivate || origin.isBackground || isStripped) return undefined;
  // Who names the models that may read a question has left out all others.
  if (pool !== undefined || workflow !== undefined) return undefined;
  return { runId: id, origin, toTask: () => task, seed: settings.seed, isKept: true, key };
}
