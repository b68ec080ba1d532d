// Which Conductor when: the one that was named; in the rehearsal the trained one that learned there; on a live
// pool a prompted one, planned by the strongest of the cheap workers. The trace says which one and why.

import { isTuttiError, usageError } from "../base/errors.ts";
import type { Card } from "../conductor/native/checkpoint.ts";
import { createPromptedConductor } from "../conductor/prompted.ts";
import type { Conductor } from "../conductor/types.ts";
import { type ResolvedPool, resolveModel } from "../config/pool.ts";
import { strongestFirst } from "../worker/strength.ts";
import type { Pool, PoolMember, Task } from "../worker/types.ts";

export interface Chosen {
  conductor: Conductor;
  reason: string;
}

export interface ChooseOptions {
  showNames: boolean;
  env: Record<string, string | undefined>;
  /** The question: whether a trained Conductor knows such questions is seen from it. */
  task?: Task;
}

type Kind = ResolvedPool["kind"];

export async function chooseConductor(
  wanted: string | Conductor | undefined,
  pool: Pool,
  kind: Kind,
  options: ChooseOptions,
): Promise<Chosen> {
  if (typeof wanted === "object") return { conductor: wanted, reason: "given in code" };
  if (wanted === "scripted-planner") return scripted("named");
  if (wanted === "native" || wanted?.startsWith("native:")) return chooseNamed(wanted, pool, kind);
  if (wanted === undefined && kind === "rehearsal") return chooseForRehearsal(pool);
  if (wanted !== undefined && wanted !== "prompted") {
    const member = pool.members.find(({ worker }) => worker.id === wanted && worker.kind === "model");
    const planner = member ?? (await resolvePlanner(wanted, pool, options.env));
    return { conductor: createPromptedConductor(planner, options), reason: "named" };
  }
  const trained = wanted === undefined ? await chooseForLive(pool, options.task) : undefined;
  if (typeof trained === "object") return trained;
  const planner = strongestCheap(pool);
  if (!planner)
    throw usageError("The pool has no model that could plan. Name one with --conductor provider/model.");
  const reason = `${planner.worker.id} is the strongest of the cheaper half of the pool`;
  return {
    conductor: createPromptedConductor(planner, options),
    reason: [...(wanted ? ["named"] : []), reason, ...(trained === undefined ? [] : [trained])].join("; "),
  };
}

// ---- The trained Conductor ----------------------------------------------------------------------------

/** "native" is the shipped one for such a pool; "native:NAME" a shipped one by its name, or one in a folder. */
async function chooseNamed(wanted: string, pool: Pool, kind: Kind): Promise<Chosen> {
  const [{ createNativeConductor }, { findNative }] = await Promise.all([
    import("../conductor/native/native.ts"),
    import("../conductor/native/shipped.ts"),
  ]);
  const conductor = createNativeConductor({
    checkpoint: findNative(wanted, kind === "rehearsal" ? "rehearsal" : "live"),
  });
  conductor.check(pool);
  await conductor.open();
  const missing = unmeasured(pool);
  const who = missing.length === 1 ? missing[0] : `${missing.length} models`;
  const hint = `; the profile of ${who} is missing, by which it would choose: tutti pool calibrate measures it`;
  // The trace names what was named, so that a resumed run finds it again.
  const id = wanted === "native" ? conductor.id : wanted;
  return { conductor: { ...conductor, id }, reason: `named${missing.length === 0 ? "" : hint}` };
}

async function chooseForRehearsal(pool: Pool): Promise<Chosen> {
  const { findShippedFor } = await import("../conductor/native/shipped.ts");
  const folder = findShippedFor("rehearsal");
  if (folder === undefined) return scripted(`${UNTRAINED}: none comes with this package`);
  try {
    const { createNativeConductor } = await import("../conductor/native/native.ts");
    const conductor = createNativeConductor({ checkpoint: folder });
    conductor.check(pool);
    await conductor.open();
    return { conductor, reason: "shipped weights, trained on the rehearsal, which is the pool" };
  } catch (error) {
    if (!isTuttiError(error)) throw error;
    return scripted(`${UNTRAINED}: ${error.message}`);
  }
}

const UNTRAINED = "the pool is the rehearsal, and its trained Conductor cannot be used";

async function scripted(reason: string): Promise<Chosen> {
  const { createScriptedPlanner } = await import("../rehearsal/scripted-planner.ts");
  return { conductor: createScriptedPlanner(), reason };
}

/**
 * The trained Conductor where it is known to be no worse; else why it is not, in few words; else nothing, where
 * it is no question, because the pool is not measured.
 */
async function chooseForLive(pool: Pool, task: Task | undefined): Promise<Chosen | string | undefined> {
  if (task === undefined || unmeasured(pool).length > 0) return undefined;
  const { findShippedFor } = await import("../conductor/native/shipped.ts");
  const folder = findShippedFor("live");
  if (folder === undefined) return undefined;
  const notDefault = (why: string) => `native is not the default here: ${why}`;
  try {
    const { loadCard } = await import("../conductor/native/checkpoint.ts");
    const card = loadCard(folder);
    if (!isNoWorseLive(card)) return notDefault("no bench has shown it to be no worse on a live pool");
    const { createNativeConductor } = await import("../conductor/native/native.ts");
    const conductor = createNativeConductor({ checkpoint: folder });
    conductor.check(pool);
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

function unmeasured({ members }: Pool): string[] {
  return members
    .filter(({ worker, profile }) => worker.kind === "model" && !profile)
    .map(({ worker }) => worker.id);
}

// ---- The prompted one ---------------------------------------------------------------------------------

async function resolvePlanner(
  wanted: string,
  pool: Pool,
  env: Record<string, string | undefined>,
): Promise<PoolMember> {
  if (wanted.includes("/")) return resolveModel(wanted, { env });
  const ids = pool.members.filter(({ worker }) => worker.kind === "model").map(({ worker }) => worker.id);
  throw usageError(
    `No Conductor "${wanted}" (there are: prompted, native, native:FOLDER, scripted-planner, ${ids.join(", ")}, or any provider/model).`,
  );
}

/** A plan is short and decides much: not the dearest model, and not the weakest. */
function strongestCheap({ members }: Pool): PoolMember | undefined {
  const order = strongestFirst(members.map(({ worker, profile }) => ({ kind: worker.kind, profile })));
  const priceOf = (number: number) => members[number]!.price?.outputUsd ?? Number.POSITIVE_INFINITY;
  const prices = order.map(priceOf).sort((a, b) => a - b);
  const median = prices[Math.floor((prices.length - 1) / 2)] ?? 0;
  const chosen = order.find((number) => priceOf(number) <= median);
  return chosen === undefined ? undefined : members[chosen];
}
