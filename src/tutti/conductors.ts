// The one place where an identity becomes a Conductor: for a new run, a resumed one, a model of the gateway, a
// contender of the bench. What a person writes (`--conductor native:FOLDER`) is parsed in conductor-names.ts.

import { isTuttiError, usageError } from "../base/errors.ts";
import { shorten } from "../base/format.ts";
import type { Quality } from "../base/quality-names.ts";
import { didYouMean } from "../base/suggest.ts";
import { createFixedConductor } from "../conductor/fixed.ts";
import type { NativeConductor } from "../conductor/native/native.ts";
import { createPromptedConductor } from "../conductor/prompted.ts";
import { createSingleConductor } from "../conductor/single.ts";
import type { Conductor } from "../conductor/types.ts";
import { type Environment, toTuttiHome } from "../config/home.ts";
import type { ResolvedPool } from "../config/pool.ts";
import type { ConductorIdentity, RunSettings } from "../store/types.ts";
import { isModel, modelsOf, nests, verifies } from "../worker/kinds.ts";
import { usualUsd } from "../worker/price.ts";
import type { Pool, PoolMember, Task } from "../worker/types.ts";
import type { Workflow } from "../workflow/types.ts";
import { parseConductorName, type TrinityPrice } from "./conductor-names.ts";
import { isPlainQuestion } from "./plain-question.ts";
import { findPlanner, type RankOptions, rankPlanners, toPlannerReason } from "./planners.ts";
import { QUALITY_TRAITS } from "./quality.ts";
import { chooseForSide } from "./side-requests.ts";

export type PoolKind = ResolvedPool["kind"];

export interface ResolveOptions {
  kind: PoolKind;
  showNames: boolean;
  env: Environment;
  /** The Conductor is named in the config and not for this question: an error says so. */
  isConfigured?: boolean;
  /** Of a resumed run: what its first round performed. */
  workflow?: Workflow;
  onNotice?: (text: string) => void;
  /** False of a worker that failed lately: others plan before it. */
  isAvailable?: (id: string) => boolean;
  /** Scales what trained Conductors take a call to cost; "max" has the strongest model plan. */
  quality?: Quality;
}

function toRank({
  isAvailable,
  quality = "balanced",
}: Pick<ResolveOptions, "isAvailable" | "quality">): RankOptions {
  return { isAvailable, isByStrengthAlone: QUALITY_TRAITS[quality].isPlannedByStrongest };
}

export async function resolveConductor(
  identity: ConductorIdentity,
  pool: Pool,
  options: ResolveOptions,
): Promise<Conductor> {
  switch (identity.kind) {
    case "prompted":
      return createPromptedConductor(
        await findPlanner(identity.planner, pool, options),
        options,
        rankPlanners(pool, toRank(options)),
      );
    case "native": {
      const conductor = await openNative(identity.checkpoint, pool, options);
      const { digest } = conductor.identity as Extract<ConductorIdentity, { kind: "native" }>;
      noticeChange("native", identity, digest, options.onNotice);
      return conductor;
    }
    case "trinity": {
      const conductor = await openTrinityFor(identity, options.kind, pool);
      const { digest } = conductor.identity as Extract<ConductorIdentity, { kind: "trinity" }>;
      noticeChange("trinity", identity, digest, options.onNotice);
      return conductor;
    }
    case "verified-cascade":
      return openVerifiedCascade(identity.judge, pool);
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

function noticeChange(
  kind: string,
  { checkpoint, digest }: { checkpoint: string; digest?: string },
  now: string | undefined,
  onNotice: ResolveOptions["onNotice"],
): void {
  if (digest === undefined || digest === now) return;
  onNotice?.(
    `The weights of ${kind}:${checkpoint} have changed since this run began (${digest}, now ${now}): it goes on with the new ones.`,
  );
}

/** The judge must be one of the pool: its calls are the run's own. */
async function openVerifiedCascade(judge: string | undefined, pool: Pool): Promise<Conductor> {
  const { createVerifiedCascade } = await import("../conductor/verified-cascade.ts");
  const ids = modelsOf(pool).map(({ worker }) => worker.id);
  if (judge !== undefined && !ids.includes(judge))
    throw usageError(
      `No worker "${shorten(judge)}" in the pool that could judge (there are: ${ids.join(", ")}).${didYouMean(judge, ids)}`,
    );
  return createVerifiedCascade({ kind: "verified-cascade", judge });
}

async function openTrinityFor(
  { checkpoint, costPerCall, costPerUsd }: { checkpoint?: string } & TrinityPrice,
  kind: PoolKind,
  pool: Pool,
  quality: Quality = "balanced",
): Promise<Conductor> {
  const { findTrinity, openTrinity } = await import("../conductor/trinity/open.ts");
  const folder = findTrinity(checkpoint, kind === "rehearsal" ? "rehearsal" : "live");
  // Dollars take the place of calls: both together would pay twice.
  if (costPerUsd !== undefined) {
    requirePrices(pool);
    return openTrinity(folder, { costPerCall: 0, costPerUsd });
  }
  const scale = QUALITY_TRAITS[quality].costPerCall;
  if (costPerCall !== undefined || scale === 1) return openTrinity(folder, { costPerCall });
  return openTrinity(folder, { costPerCall: scale * openTrinity(folder).card.costPerCall });
}

/** A worker of unknown price would pass for one that is free. */
function requirePrices(pool: Pool): void {
  const unknown = modelsOf(pool).filter((member) => usualUsd(member, 0) === undefined);
  if (unknown.length === 0) return;
  throw usageError(
    `What ${unknown.map(({ worker }) => worker.id).join(", ")} costs is not known, so dollars cannot be weighed: give a price in the config, leave it out with --pool, or set the cost of a call instead (trinity@0.02)`,
  );
}

/** By its shipped name or folder; undefined: the one that is shipped. */
async function openNative(
  checkpoint: string | undefined,
  pool: Pool,
  { quality = "balanced" }: Pick<ResolveOptions, "quality">,
): Promise<NativeConductor> {
  const [{ createNativeConductor }, { findNative }] = await Promise.all([
    import("../conductor/native/native.ts"),
    import("../conductor/native/shipped.ts"),
  ]);
  const folder = findNative(checkpoint);
  const { isSingle, costPerCall } = QUALITY_TRAITS[quality];
  const size = isSingle ? 1 : undefined;
  const conductor = createNativeConductor({ checkpoint: folder, size, costScale: costPerCall });
  conductor.check(pool);
  return conductor;
}

// ---- Which one when ------------------------------------------------------------------------------

// Which Conductor when: the one that was named; in the rehearsal the trained one that learned there; on a live
// pool a prompted one, planned by the strongest of the cheap workers. The trace says which one and why.

export interface Chosen {
  conductor: Conductor;
  reason: string;
  /** Members that it needs and the pool does not have: a verifier. */
  brings?: PoolMember[];
  /** The request is no work of its own. */
  side?: RunSettings["side"];
}

export interface ChooseOptions
  extends Pick<ResolveOptions, "kind" | "showNames" | "env" | "isConfigured" | "isAvailable" | "quality"> {
  /** The question: whether a trained Conductor knows such questions, or one model is plainly enough, is seen from it. */
  task?: Task;
  /** More than one: somebody wants plans to be corrected, so somebody must plan. */
  rounds?: number;
}

/** `wanted`: as a person names it, as it is journaled, one's own, or undefined for what suits the pool. */
export async function chooseConductor(
  wanted: string | ConductorIdentity | Conductor | undefined,
  pool: Pool,
  options: ChooseOptions,
): Promise<Chosen> {
  const resolve = (identity: ConductorIdentity) => resolveConductor(identity, pool, options);
  const side = options.isConfigured ? chooseForSide(pool, options) : undefined;
  if (side) return side;
  if (wanted === undefined && QUALITY_TRAITS[options.quality ?? "balanced"].isSingle)
    return chooseEconomy(pool, options);
  if (wanted === undefined)
    return options.kind === "rehearsal"
      ? chooseForRehearsal(pool, options, resolve)
      : chooseForLive(pool, options);
  if (typeof wanted === "object")
    return "compose" in wanted
      ? { conductor: wanted, reason: "given in code" }
      : { conductor: await resolve(wanted), reason: "named" };
  const named = parseConductorName(wanted);
  switch (named.kind) {
    case "scripted":
      return { conductor: await resolve(named), reason: "named" };
    case "native": {
      const conductor = await openNative(named.checkpoint, pool, options);
      return { conductor, reason: `named${toProfileHint(pool)}` };
    }
    case "trinity": {
      const conductor = await openTrinityFor(named, options.kind, pool, options.quality);
      return { conductor, reason: `named${toProfileHint(pool)}` };
    }
    case "verified-cascade": {
      const conductor = await openVerifiedCascade(named.judge, pool);
      if (named.judge !== undefined) return { conductor, reason: "named" };
      const [{ createVerifierMember }, { findVerifier }] = await Promise.all([
        import("../task/verify/verifier-worker.ts"),
        import("../task/verify/verifiers.ts"),
      ]);
      if (options.task && !findVerifier(options.task))
        throw usageError(
          "verified-cascade has nothing to verify a reply with: give a JSON schema (--schema FILE) or tests (--tests FILE), or name a model that judges (verified-cascade:WORKER)",
        );
      const hasOne = pool.members.some(({ worker }) => verifies(worker));
      return { conductor, reason: "named", brings: hasOne ? [] : [createVerifierMember()] };
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
  options: ChooseOptions,
  resolve: (identity: ConductorIdentity) => Promise<Conductor>,
): Promise<Chosen> {
  const scripted = async (why: string) => ({
    conductor: await resolve({ kind: "scripted" }),
    reason: `the pool is the rehearsal, and its trained Conductor cannot be used: ${why}`,
  });
  const { findShippedNative } = await import("../conductor/native/shipped.ts");
  if (findShippedNative() === undefined) return scripted("none comes with this package");
  try {
    const conductor = await openNative(undefined, pool, options);
    return {
      conductor,
      reason: "shipped weights, trained in the rehearsal, which is the pool, and on recordings",
    };
  } catch (error) {
    if (!isTuttiError(error)) throw error;
    return scripted(error.message);
  }
}

async function chooseForLive(pool: Pool, options: ChooseOptions): Promise<Chosen> {
  const trained = await chooseTrained(pool, options);
  if (typeof trained === "object") return trained;
  return chooseSingle(pool, options) ?? choosePrompted(pool, options, [], trained);
}

/** No planning call where there is nobody to choose among, or where one model is plainly enough. */
function chooseSingle(pool: Pool, options: ChooseOptions): Chosen | undefined {
  const { task, rounds = 1 } = options;
  const [best] = rankPlanners(pool, toRank(options));
  if (!best || rounds > 1 || pool.members.some(({ worker }) => nests(worker))) return undefined;
  const conductor = createSingleConductor(best.worker.id);
  if (modelsOf(pool).length === 1)
    return { conductor, reason: "the pool has one model, so there is nothing to plan" };
  if (!task || !isPlainQuestion(task)) return undefined;
  return {
    conductor,
    reason: `one model is plainly enough for this question; ${toPlannerReason(best, pool, toRank(options))}`,
  };
}

/** Economy: one worker of the cheaper half, and nobody plans. */
function chooseEconomy(pool: Pool, options: ChooseOptions): Chosen {
  const rank = { ...toRank(options), answers: true };
  const [best] = rankPlanners(pool, rank);
  if (!best) throw usageError("The pool has no model that could answer.");
  const reason = `economy: one worker and no planning; ${toPlannerReason(best, pool, rank)}`;
  return { conductor: createSingleConductor(best.worker.id), reason };
}

/** A question below this similarity to all measured ones is new: nothing that was shown on others holds for it. */
const KNOWN = 0.15;

/**
 * A trained Conductor that a bench on this very pool has shown to be no worse, for questions like those that were measured;
 * of two the one that gained more. Else why there is none, in few words; else nothing, where it is no question: somebody
 * is not measured, or the request is none that it can be given.
 */
async function chooseTrained(pool: Pool, options: ChooseOptions): Promise<Chosen | string | undefined> {
  const { task, kind, env, quality } = options;
  // A tool of the client is called by one who knows the conversation, not by voices that are compared.
  if (task === undefined || task.output?.tools?.length || unmeasured(pool).length > 0) return undefined;
  const [{ SHIPPED_KINDS, digestOfShipped }, { findShown }] = await Promise.all([
    import("../conductor/shipped-digests.ts"),
    import("../config/verdicts.ts"),
  ]);
  const digests = SHIPPED_KINDS.flatMap((each) => digestOfShipped(each) ?? []);
  if (digests.length === 0) return undefined;
  const models = modelsOf(pool);
  const ids = models.map(({ worker }) => worker.id);
  const shown = findShown(toTuttiHome(env), ids, digests);
  const notDefault = (why: string) => `no trained Conductor is the default here: ${why}`;
  if (shown.length === 0) return notDefault("no bench has shown one to be no worse on this pool");
  const known = Math.max(0, ...models.map(({ profile }) => profile?.known ?? 0));
  if (known < KNOWN) return notDefault("the question is unlike those that were measured");
  let problem = "";
  for (const { conductor: trained, against, tasks, date } of shown) {
    try {
      const conductor =
        trained === "native"
          ? await openNative(undefined, pool, options)
          : await openTrinityFor({}, kind, pool, quality);
      return {
        conductor,
        reason: `a bench of ${date} showed it no worse than ${against} on this pool (${tasks} tasks), and the question is like those that were measured`,
      };
    } catch (error) {
      if (!isTuttiError(error)) throw error;
      problem = error.message;
    }
  }
  return notDefault(problem);
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
  const [planner] = rankPlanners(pool, toRank(options));
  if (planner === undefined)
    throw usageError("The pool has no model that could plan. Name one with --conductor provider/model.");
  const identity = { kind: "prompted" as const, planner: planner.worker.id };
  const conductor = await resolveConductor(identity, pool, options);
  const reason = toPlannerReason(planner, pool, toRank(options));
  return { conductor, reason: [...before, reason, ...(after === undefined ? [] : [after])].join("; ") };
}
