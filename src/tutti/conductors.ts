// The one place where an identity becomes a Conductor: for a new run, a resumed one, a model of the gateway, a
// contender of the bench. What a person writes (`--conductor native:FOLDER`) is parsed here too, once.

import { isTuttiError, usageError } from "../base/errors.ts";
import { createFixedConductor } from "../conductor/fixed.ts";
import type { Card } from "../conductor/native/checkpoint.ts";
import type { NativeConductor } from "../conductor/native/native.ts";
import { createPromptedConductor } from "../conductor/prompted.ts";
import { createSingleConductor } from "../conductor/single.ts";
import type { Conductor } from "../conductor/types.ts";
import type { Environment } from "../config/home.ts";
import { type ResolvedPool, resolveModel } from "../config/pool.ts";
import type { ConductorIdentity } from "../store/types.ts";
import { isModel, modelsOf, strongestMembers } from "../worker/kinds.ts";
import type { Pool, PoolMember, Task } from "../worker/types.ts";
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
async function openNative(
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

// ---- Which one when ------------------------------------------------------------------------------

// Which Conductor when: the one that was named; in the rehearsal the trained one that learned there; on a live
// pool a prompted one, planned by the strongest of the cheap workers. The trace says which one and why.

export interface Chosen {
  conductor: Conductor;
  reason: string;
}

export interface ChooseOptions extends Pick<ResolveOptions, "kind" | "showNames" | "env"> {
  /** The question: whether a trained Conductor knows such questions is seen from it. */
  task?: Task;
}

/** `wanted`: as a person names it, as it is journaled, one's own, or undefined for what suits the pool. */
export async function chooseConductor(
  wanted: string | ConductorIdentity | Conductor | undefined,
  pool: Pool,
  options: ChooseOptions,
): Promise<Chosen> {
  const resolve = (identity: ConductorIdentity) => resolveConductor(identity, pool, options);
  if (wanted === undefined)
    return options.kind === "rehearsal" ? chooseForRehearsal(pool, resolve) : chooseForLive(pool, options);
  if (typeof wanted === "object")
    return "compose" in wanted
      ? { conductor: wanted, reason: "given in code" }
      : { conductor: await resolve(wanted), reason: "named" };
  const named = parseConductorName(wanted);
  switch (named.kind) {
    case "scripted":
      return { conductor: await resolve(named), reason: "named" };
    case "native": {
      const conductor = await openNative(named.checkpoint, pool, options.kind);
      return { conductor, reason: `named${toProfileHint(pool)}` };
    }
    case "prompted": {
      const { planner } = named;
      if (planner === undefined) return choosePrompted(pool, options, ["named"]);
      return { conductor: await resolve({ kind: "prompted", planner }), reason: "named" };
    }
  }
}

// ---- The trained Conductor ----------------------------------------------------------------------------

async function chooseForRehearsal(
  pool: Pool,
  resolve: (identity: ConductorIdentity) => Promise<Conductor>,
): Promise<Chosen> {
  const scripted = async (why: string) => ({
    conductor: await resolve({ kind: "scripted" }),
    reason: `the pool is the rehearsal, and its trained Conductor cannot be used: ${why}`,
  });
  const { findShippedFor } = await import("../conductor/native/shipped.ts");
  if (findShippedFor("rehearsal") === undefined) return scripted("none comes with this package");
  try {
    const conductor = await openNative(undefined, pool, "rehearsal");
    return { conductor, reason: "shipped weights, trained on the rehearsal, which is the pool" };
  } catch (error) {
    if (!isTuttiError(error)) throw error;
    return scripted(error.message);
  }
}

async function chooseForLive(pool: Pool, options: ChooseOptions): Promise<Chosen> {
  const trained = await chooseTrained(pool, options);
  if (typeof trained === "object") return trained;
  return choosePrompted(pool, options, [], trained);
}

/**
 * The trained Conductor where it is known to be no worse; else why it is not, in few words; else nothing, where
 * it is no question, because the pool is not measured.
 */
async function chooseTrained(
  pool: Pool,
  { task, kind }: ChooseOptions,
): Promise<Chosen | string | undefined> {
  if (task === undefined || unmeasured(pool).length > 0) return undefined;
  const { findShippedFor } = await import("../conductor/native/shipped.ts");
  const folder = findShippedFor("live");
  if (folder === undefined) return undefined;
  const notDefault = (why: string) => `native is not the default here: ${why}`;
  try {
    const { loadCard } = await import("../conductor/native/checkpoint.ts");
    const card = loadCard(folder);
    if (!isNoWorseLive(card)) return notDefault("no bench has shown it to be no worse on a live pool");
    const conductor = await openNative(undefined, pool, kind);
    const nll = await conductor.negativeLogLikelihood({ task, pool });
    if (!(card.nll && nll <= card.nll.threshold))
      return notDefault("the question is unlike those it was trained on");
    const reason = "every model is measured, and the question is like those it was trained on";
    return { conductor, reason };
  } catch (error) {
    if (!isTuttiError(error)) throw error;
    return notDefault(error.message);
  }
}

function isNoWorseLive({ about }: Card): boolean {
  const { noWorseOn } = about;
  return Array.isArray(noWorseOn) && noWorseOn.includes("live");
}

function toProfileHint(pool: Pool): string {
  const missing = unmeasured(pool);
  if (missing.length === 0) return "";
  const who = missing.length === 1 ? missing[0] : `${missing.length} models`;
  return `; the profile of ${who} is missing, by which it would choose: tutti pool calibrate measures it`;
}

function unmeasured({ members }: Pool): string[] {
  return members.filter(({ worker, profile }) => isModel(worker) && !profile).map(({ worker }) => worker.id);
}

// ---- The prompted one ---------------------------------------------------------------------------------

async function choosePrompted(
  pool: Pool,
  options: ChooseOptions,
  before: string[],
  after?: string,
): Promise<Chosen> {
  const planner = strongestCheap(pool)?.worker.id;
  if (planner === undefined)
    throw usageError("The pool has no model that could plan. Name one with --conductor provider/model.");
  const conductor = await resolveConductor({ kind: "prompted", planner }, pool, options);
  const reason = `${planner} is the strongest of the cheaper half of the pool`;
  return { conductor, reason: [...before, reason, ...(after === undefined ? [] : [after])].join("; ") };
}

/** A plan is short and decides much: not the most expensive model, and not the weakest. */
function strongestCheap({ members }: Pool): PoolMember | undefined {
  const order = strongestMembers(members);
  const priceOf = (number: number) => members[number]!.price?.outputUsd ?? Number.POSITIVE_INFINITY;
  const prices = order.map(priceOf).sort((a, b) => a - b);
  const median = prices[Math.floor((prices.length - 1) / 2)] ?? 0;
  const chosen = order.find((number) => priceOf(number) <= median);
  return chosen === undefined ? undefined : members[chosen];
}
