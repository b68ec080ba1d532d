// From a config and an environment to the pool of a question: the workers of the config; else what the
// environment offers; else the rehearsal pool, said in one clear line. Nobody is left out in silence, and where anything is
// configured the rehearsal never takes its place.

import { TuttiError, usageError } from "../base/errors.ts";
import { shorten } from "../base/format.ts";
import { didYouMean } from "../base/suggest.ts";
import type { LiveQuestions } from "../calibration/embedding/live-questions.ts";
import type { LiveRatings } from "../calibration/ratings/live-ratings.ts";
import type { CalibrationShelf } from "../calibration/shelf.ts";
import { createHelper, type HelperId, isHelperId, modelsOf } from "../worker/kinds.ts";
import { priceOf } from "../worker/price.ts";
import { createModelWorker } from "../worker/provider.ts";
import type { Pool, PoolMember } from "../worker/types.ts";
import { attachCalibrations, type Embed, type PoolFor } from "./calibrated.ts";
import { openCalibrations } from "./calibrations.ts";
import { PROVIDERS } from "./default-models.ts";
import { createDeployedMember, type Deployment } from "./deployments.ts";
import { type DiscoverOptions, discover, NOT_CHAT, toNames, type WorkerReadiness } from "./discover.ts";
import { findProviderInfo, rememberReference, splitRef, toEndpoint, toMember } from "./endpoint.ts";
import type { Environment } from "./home.ts";
import { isChatModel } from "./model-list.ts";
import { isPoolMember, type ModelEntry, type TuttiConfig, toWorkerId } from "./schema.ts";

export interface ResolvePoolOptions extends DiscoverOptions {
  /** "rehearsal", the name of a pool in the config, ids of workers or "provider/model"; commas may part them. */
  selector?: string | string[];
  /** Where embeddings are configured and wanted for questions. */
  questions?: LiveQuestions;
  /** Where the config wants to learn from them. */
  ratings?: LiveRatings;
  /** Of whoever looks more than once; by default opened for this one. */
  calibrations?: CalibrationShelf;
}

type WorkerSource = "config" | "environment" | "rehearsal";

export interface ResolvedPool {
  pool: Pool;
  /** With what ratings say, for whoever lists it. Absent where nothing is learned from them. */
  rated?: Pool;
  kind: WorkerSource | "mixed";
  /** Fills in the profiles for one question, where workers of the pool were measured task by task. */
  poolFor?: PoolFor;
  /** The vector that `poolFor` takes, where embeddings are configured. */
  embed?: Embed;
  /** What a person must know before the first answer: that the workers are simulated. */
  notice?: string;
  /** Who was left out, and why. */
  warnings: string[];
  workers: WorkerState[];
}

interface WorkerState {
  id: string;
  state: WorkerReadiness;
  detail?: string;
}

interface Candidate extends WorkerState {
  kind: WorkerSource;
  /** Absent where it cannot be asked. */
  member?: PoolMember;
}

const KEY_NAMES = PROVIDERS.slice(0, 3).map(({ keys }) => keys[0]);
const NOTHING_FOUND =
  "No provider key or local server found: using the rehearsal pool (simulated workers). " +
  `Set ${KEY_NAMES.join(", ")}, … or add workers to tutti.config.yaml.`;

export async function resolvePool(config: TuttiConfig, options: ResolvePoolOptions): Promise<ResolvedPool> {
  const wishes = toNames(options.selector).flatMap((name) => toWishes(name, config));
  const names = wishes.map(({ name }) => name);
  const isRehearsal = names.length > 0 && names.every((name) => name === "rehearsal");
  const { candidates, notice } = isRehearsal
    ? { candidates: await rehearse(options.env) }
    : await findCandidates(config, options);
  const wanted =
    names.length === 0 || isRehearsal
      ? candidates
      : await select(wishes, candidates, options, Object.keys(config.pools));

  const chosen = wanted.filter((candidate) => candidate.member !== undefined);
  const leftOut = wanted.filter(({ member }) => member === undefined);
  if (chosen.length === 0) {
    const reasons = new Set(leftOut.map(({ id, detail }) => `${id}: ${detail}`));
    throw new TuttiError("no-worker", `No worker can be asked. ${[...reasons].join(". ")}`);
  }
  const members = withHelpers(
    chosen.map(({ member }) => member!),
    config,
    names,
  );
  const kinds = new Set(chosen.map(({ kind }) => kind));
  const calibrations = options.calibrations ?? openCalibrations(config.store, options.env);
  const { pool, rated, poolFor, embed, problems } = await attachCalibrations(
    { members },
    {
      calibrations,
      isConfigured: (id) =>
        chosen.some((each) => each.id === id && each.kind === "config" && each.member?.profile),
      hasRehearsal: kinds.has("rehearsal"),
      questions: options.questions,
      ratings: options.ratings,
    },
  );
  if (!options.calibrations) await calibrations.close();
  return {
    pool,
    rated,
    poolFor,
    embed,
    kind: kinds.size > 1 ? "mixed" : chosen[0]!.kind,
    notice: kinds.has("rehearsal") ? notice : undefined,
    warnings: [...toWarnings(leftOut), ...problems],
    workers: wanted.map(({ id, state, detail }) => ({ id, state, detail })),
  };
}

/** One line for all that are left out for one reason. That a model is there already is no news: `tutti pool` shows it. */
function toWarnings(leftOut: Candidate[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { id, state, detail = "" } of leftOut)
    if (state !== "same-model") byReason.set(detail, [...(byReason.get(detail) ?? []), id]);
  return [...byReason].map(([detail, ids]) => {
    const more = ids.length > 3 ? [`${ids.length - 3} more`] : [];
    const names = [...ids.slice(0, 3), ...more].join(", ");
    return `${names} ${ids.length === 1 ? "is" : "are"} left out: ${detail}`;
  });
}

/** Any model by its name, "provider/model": for planning with it or passing a request through. */
export async function resolveModel(
  ref: string,
  { env, fetch }: { env: Environment; fetch?: typeof globalThis.fetch },
): Promise<PoolMember> {
  if (!/^[^/\s]+\/\S+$/.test(ref))
    throw usageError(`"${ref}" must be "provider/model", such as "openai/gpt-6-sol"`);
  const { provider, model } = splitRef(ref);
  const result = toEndpoint(provider, env);
  if (!result.ok) throw usageError(`${ref}: ${missing(result.missingKeys)}`);
  return toMember(result.endpoint, model, { id: ref }, fetch);
}

// ---- Where workers come from --------------------------------------------------------------------

async function findCandidates(
  config: TuttiConfig,
  options: ResolvePoolOptions,
): Promise<{ candidates: Candidate[]; notice?: string }> {
  if (config.workers?.length) {
    return { candidates: await Promise.all(config.workers.map((entry) => fromEntry(entry, options))) };
  }
  const found = (await discover(options)).map((item): Candidate => ({ ...item, kind: "environment" }));
  if (found.length > 0) return { candidates: found };
  return { candidates: await rehearse(options.env), notice: NOTHING_FOUND };
}

async function fromEntry(
  entry: PoolMember | ModelEntry,
  { env, fetch }: ResolvePoolOptions,
): Promise<Candidate> {
  const id = toWorkerId(entry);
  const ready = (member: PoolMember): Candidate => ({ id, kind: "config", state: "ready", member });
  if (isPoolMember(entry)) return ready(entry);
  const { model, ...settings } = entry;
  if (typeof model !== "string") {
    const provider = model.provider.split(".")[0] ?? "";
    const { price, profile, maxOutputTokens, temperature, takesImages, thinking, options } = settings;
    const providerOptions = options && { [provider]: options };
    const worker = createModelWorker(id, model, {
      ...{ temperature, providerOptions, takesImages, thinking },
    });
    rememberReference(worker, provider, model.modelId);
    return ready({
      worker,
      price: price ?? (await priceOf(provider, model.modelId)),
      profile,
      maxOutputTokens,
      takesImages,
      source: "config",
    });
  }
  const ref = splitRef(model);
  if (!isChatModel(ref.model)) return { id, kind: "config", state: "not-chat", detail: NOT_CHAT };
  const { deployments } = settings;
  if (deployments) {
    const places: Deployment[] = [];
    for (const { weight, ...place } of deployments) {
      const there = toEndpoint(ref.provider, env, { ...settings, ...place });
      if (!there.ok) return { id, kind: "config", state: "missing-key", detail: missing(there.missingKeys) };
      const source = there.endpoint.source ?? "config";
      places.push({
        weight,
        member: await toMember(there.endpoint, ref.model, { ...settings, id, source }, fetch),
      });
    }
    return ready(createDeployedMember(id, places));
  }
  const result = toEndpoint(ref.provider, env, settings);
  if (!result.ok) return { id, kind: "config", state: "missing-key", detail: missing(result.missingKeys) };
  const source = result.endpoint.source ?? "config";
  return ready(await toMember(result.endpoint, ref.model, { ...settings, id, source }, fetch));
}

async function rehearse(env: Environment): Promise<Candidate[]> {
  const scale = env.TUTTI_REHEARSAL_DELAY;
  const delayScale = scale ? Number(scale) : undefined;
  if (delayScale !== undefined && !(delayScale >= 0)) {
    throw usageError(`TUTTI_REHEARSAL_DELAY must be a number from 0, but is "${scale}"`);
  }
  const { createRehearsalPool } = await import("../rehearsal/pool.ts");
  const { members } = createRehearsalPool({ delayScale });
  return members.map((member) => ({ id: member.worker.id, kind: "rehearsal", state: "ready", member }));
}

function missing(keys: string[]): string {
  return `its key is missing: set ${keys.join(" or ")}`;
}

// ---- Choosing -----------------------------------------------------------------------------------

interface Wish {
  name: string;
  /** Named itself and not through a pool: then it must be there. */
  isDirect: boolean;
}

function toWishes(name: string, config: TuttiConfig): Wish[] {
  const ids = Object.hasOwn(config.pools, name) ? config.pools[name] : undefined;
  return ids ? ids.map((id) => ({ name: id, isDirect: false })) : [{ name, isDirect: true }];
}

async function select(
  wishes: Wish[],
  candidates: Candidate[],
  options: ResolvePoolOptions,
  pools: string[],
): Promise<Candidate[]> {
  const chosen: Candidate[] = [];
  for (const { name, isDirect } of wishes) {
    const found = candidates.find(({ id }) => id === name) ?? findAlias(name, candidates);
    if (chosen.some(({ id }) => id === (found?.id ?? name))) continue;
    // Left out of the default pool only: whoever names it gets it.
    const isElsewhere = found?.state === "same-model" || found?.state === "over-limit";
    if (found && !isElsewhere && !found.member && isDirect) throw usageError(`${name}: ${found.detail}`);
    if (found && !isElsewhere) chosen.push(found);
    else if (name === "rehearsal") chosen.push(...(await rehearse(options.env)));
    else if (isHelperId(name)) continue;
    else if (name.includes("/") && findProviderInfo(splitRef(name).provider)) {
      if (!isChatModel(name)) throw usageError(`${name}: ${NOT_CHAT}`);
      const member = await resolveModel(name, options);
      chosen.push({ id: name, kind: "environment", state: "unchecked", detail: "named directly", member });
    } else {
      const known = candidates.filter(({ member }) => member).map(({ id }) => id);
      // People leave the provider out, so the nearest may be a name without it.
      const names = name.includes("/") ? known : [...known, ...known.map((id) => splitRef(id).model)];
      throw usageError(
        `No worker "${shorten(name)}" (there are: ${known.join(", ")}).${didYouMean(name, [...pools, ...names, "rehearsal"])}`,
      );
    }
  }
  return chosen;
}

/** A model by its own name, without the provider, where only one worker has it: "gpt-5" for "openai/gpt-5". */
function findAlias(name: string, candidates: Candidate[]): Candidate | undefined {
  const found = candidates.filter(({ id, member }) => member && id.slice(id.indexOf("/") + 1) === name);
  if (found.length > 1)
    throw usageError(`"${name}" is ambiguous (there are: ${found.map(({ id }) => id).join(", ")}).`);
  return found[0];
}

/** The vote and the Conductor itself come last, so that the numbers of the models do not depend on them. */
function withHelpers(models: PoolMember[], config: TuttiConfig, names: string[]): PoolMember[] {
  const members = [...models];
  const add = (id: HelperId) => {
    if (!members.some(({ worker }) => worker.id === id)) members.push(createHelper(id));
  };
  // Those that are named keep the order in which they are named.
  for (const name of names.filter(isHelperId)) add(name);
  if (config.consensus && modelsOf({ members }).length >= 2) add("consensus");
  if (config.self) add("self");
  return members;
}
