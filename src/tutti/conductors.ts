// The one place where an identity becomes a Conductor: for a new run, a resumed one, a model of the gateway, a
// contender of the bench. What a person writes (`--conductor native:FOLDER`) is parsed here too, once.

import { usageError } from "../base/errors.ts";
import { createFixedConductor } from "../conductor/fixed.ts";
import type { NativeConductor } from "../conductor/native/native.ts";
import { createPromptedConductor } from "../conductor/prompted.ts";
import { createSingleConductor } from "../conductor/single.ts";
import type { Conductor } from "../conductor/types.ts";
import type { Environment } from "../config/home.ts";
import { type ResolvedPool, resolveModel } from "../config/pool.ts";
import type { ConductorIdentity } from "../store/types.ts";
import { modelsOf } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";
import type { Workflow } from "../workflow/types.ts";

export type PoolKind = ResolvedPool["kind"];

export interface ResolveOptions {
  kind: PoolKind;
  showNames: boolean;
  env: Environment;
  /** Of a resumed run: what its first round performed. */
  workflow?: Workflow;
  onNotice?: (text: string) => void;
}

export async function resolveConductor(
  identity: ConductorIdentity,
  pool: Pool,
  options: ResolveOptions,
): Promise<Conductor> {
  switch (identity.kind) {
    case "prompted":
      return createPromptedConductor(await findPlanner(identity.planner, pool, options.env), options);
    case "native": {
      const conductor = await openNative(identity.checkpoint, pool, options.kind);
      const { digest } = conductor.identity as Extract<ConductorIdentity, { kind: "native" }>;
      if (identity.digest !== undefined && identity.digest !== digest)
        options.onNotice?.(
          `The weights of native:${identity.checkpoint} have changed since this run began (${identity.digest}, now ${digest}): it goes on with the new ones.`,
        );
      return conductor;
    }
    case "scripted": {
      const { createScriptedPlanner } = await import("../rehearsal/scripted-planner.ts");
      return createScriptedPlanner();
    }
    case "fixed":
      if (options.workflow) return createFixedConductor(options.workflow);
      throw usageError("The workflow that was given is not in the journal, it ended too early: ask again.");
    case "single":
      return createSingleConductor(identity.worker);
    case "fast":
      return createSingleConductor();
    case "relay":
      throw usageError("A request that was passed through cannot go on: send it again.");
    case "custom":
      throw usageError(
        `The Conductor "${identity.id}" was given in code and cannot be found again: give it as the option "conductor".`,
      );
  }
}

/** What a person may name; who plans and which weights are chosen where they are left out. */
export type NamedConductor =
  | { kind: "prompted"; planner?: string }
  | { kind: "native"; checkpoint?: string }
  | { kind: "scripted" };

/** "prompted", "native", "native:FOLDER", "scripted-planner", or the id of a model to plan with. */
export function parseConductorName(text: string): NamedConductor {
  if (text === "prompted" || text === "native") return { kind: text };
  if (text === "scripted-planner") return { kind: "scripted" };
  if (text.startsWith("native:"))
    return { kind: "native", checkpoint: text.slice("native:".length) || undefined };
  return { kind: "prompted", planner: text };
}

/** By its shipped name or folder; undefined: the shipped one for such a pool. Its engine is open. */
export async function openNative(
  checkpoint: string | undefined,
  pool: Pool,
  kind: PoolKind,
): Promise<NativeConductor> {
  const [{ createNativeConductor }, { findNative }] = await Promise.all([
    import("../conductor/native/native.ts"),
    import("../conductor/native/shipped.ts"),
  ]);
  const folder = findNative(checkpoint, kind === "rehearsal" ? "rehearsal" : "live");
  const conductor = createNativeConductor({ checkpoint: folder });
  conductor.check(pool);
  await conductor.open();
  return conductor;
}

async function findPlanner(id: string, { members }: Pool, env: Environment): Promise<PoolMember> {
  const models = modelsOf({ members });
  const found = models.find(({ worker }) => worker.id === id);
  if (found) return found;
  if (id.includes("/")) return resolveModel(id, { env });
  const ids = models.map(({ worker }) => worker.id).join(", ");
  throw usageError(
    `No Conductor "${id}" (there are: prompted, native, native:FOLDER, scripted-planner, ${ids}, or any provider/model).`,
  );
}
