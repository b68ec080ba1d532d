// Which Conductor when: the one that was named; in the rehearsal the trained one that learned there; on a live
// pool a prompted one, planned by the strongest of the cheap workers. The trace says which one and why.

import { isTuttiError, usageError } from "../base/errors.ts";
import type { Card } from "../conductor/native/checkpoint.ts";
import type { Conductor } from "../conductor/types.ts";
import type { ConductorIdentity } from "../store/types.ts";
import { isModel } from "../worker/kinds.ts";
import { strongestMembers } from "../worker/strength.ts";
import type { Pool, PoolMember, Task } from "../worker/types.ts";
import { openNative, parseConductorName, type ResolveOptions, resolveConductor } from "./conductors.ts";

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
