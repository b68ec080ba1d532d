// What the name of a model means: a team with its Conductor, rounds and budget, or one worker. Floating names
// follow the config; a pinned name holds the digest of a trained Conductor's weights, and means that one for ever.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import type { Quality } from "../../base/quality-names.ts";
import { didYouMean } from "../../base/suggest.ts";
import { digestOf } from "../../conductor/native/opened.ts";
import { findShippedNative, toCheckpointName } from "../../conductor/native/shipped.ts";
import { referenceOf } from "../../config/endpoint.ts";
import type { Environment } from "../../config/home.ts";
import { resolveModel } from "../../config/pool.ts";
import { isPoolMember, type ModelEntry, type TuttiConfig, toWorkerId } from "../../config/schema.ts";
import type { ConductorIdentity } from "../../store/types.ts";
import type { AskOptions } from "../../tutti/ask-options.ts";
import { parseConductorName } from "../../tutti/conductor-names.ts";
import { QUALITY_TRAITS, toBudgetUsd, toRounds } from "../../tutti/quality.ts";
import type { Tutti } from "../../tutti/tutti.ts";
import { isModel, modelsOf } from "../../worker/kinds.ts";
import type { Pool, PoolMember, Worker } from "../../worker/types.ts";
import { type GatewayKey, isAllowed, restrictPool } from "../access/keys.ts";
import { isNamedAnyhow, isPlainName } from "../access/model-names.ts";
import { badRequest } from "../http/object-reader.ts";
import type { Effort, ListedModel } from "../types.ts";
import { findAlias, findMeaning } from "./aliases.ts";
import { atMost, type RunPreferences } from "./preferences.ts";

export interface Team {
  kind: "team";
  /** The name that was asked for stands for this one. */
  alias?: string;
  /** Absent: the gateway's own, as configured. */
  conductor?: ConductorIdentity | "prompted";
  /** Ids of the workers that may be asked; absent: all of the gateway's pool. */
  selector?: string[];
  /** Absent: that of the config. */
  quality?: Quality;
  /** As the request asks for; absent: as many as the quality and the Conductor take. */
  rounds?: number;
  /** null: no limit. */
  budgetUsd: number | null;
}

export interface OneWorker {
  kind: "worker";
  /** The name that was asked for stands for this one. */
  alias?: string;
  member: PoolMember;
  /** Who answers in its place where it cannot. */
  fallbacks?: PoolMember[];
  /** What one request may take at the most: where the key has a budget, or the request names one. */
  budgetUsd?: number;
}

export interface ModelCatalog {
  list(key: GatewayKey | undefined): Promise<Omit<ListedModel, "createdAt">[]>;
  /** Throws "unknown-model" (404) with the nearest name, or "forbidden" (403). */
  resolve(
    name: string,
    key: GatewayKey | undefined,
    wanted: { effort?: Effort; preferences: RunPreferences },
  ): Promise<Team | OneWorker>;
}

/** Names that stand for a quality: they come before the effort that a client sends with everything. */
const NAMED_QUALITIES: Record<string, Quality> = { "tutti-fast": "economy", "tutti-ultra": "max" };

/** How hard a client asks its model to think, as quality. */
const EFFORTS: Record<Effort, Quality> = {
  none: "economy",
  minimal: "economy",
  low: "economy",
  medium: "balanced",
  high: "high",
  xhigh: "max",
  max: "max",
};
const MOST_ELSEWHERE = 1_000;

export function createModelCatalog(tutti: Tutti, config: TuttiConfig, env: Environment): ModelCatalog {
  function toTeam(
    name: string,
    conductor: Team["conductor"],
    selector: string[] | undefined,
    { effort, preferences }: { effort?: Effort; preferences: RunPreferences },
  ): Team {
    const named = Object.hasOwn(NAMED_QUALITIES, name) ? NAMED_QUALITIES[name] : undefined;
    const byEffort = effort && EFFORTS[effort];
    const quality = preferences.quality ?? named ?? byEffort;
    const usual = toBudgetUsd(config, quality ?? config.quality);
    const isSingle = quality !== undefined && QUALITY_TRAITS[quality].isSingle;
    return {
      kind: "team",
      // One worker is chosen without anybody who would read the question first; a pinned Conductor stays.
      conductor: isSingle && conductor === "prompted" ? undefined : conductor,
      selector,
      quality,
      // By number a client gets as many as by the highest quality, and no more; of one worker there is one round.
      rounds: named === "economy" ? 1 : atMost(preferences.rounds, toRounds(config, "max")),
      budgetUsd: atMost(preferences.budgetUsd, usual) ?? usual,
    };
  }

  /** Whom this key may ask, and among them whom the request wants. Undefined: all of the pool. */
  async function toSelector(
    key: GatewayKey | undefined,
    preferences: RunPreferences,
  ): Promise<string[] | undefined> {
    const { isConfigured, isAllowed } = await judgeOf(key);
    const odd = preferences.pool?.find(
      (name) => name.includes("/") && !isConfigured(name) && !isPlainName(name),
    );
    if (odd !== undefined)
      throw badRequest(`"${shorten(odd)}" is no name of a worker or a model.`, "tutti.pool");
    const resolved = await tutti.pool(preferences.pool).catch((error: unknown) => {
      throw isTuttiError(error) ? badRequest(error.message, "tutti.pool") : error;
    });
    const pool = restrictPool(key, resolved.pool, isAllowed);
    if (pool === resolved.pool) return preferences.pool;
    return pool.members.map(({ worker }) => worker.id);
  }

  const judges = new WeakMap<object, { pool: Pool; judge: Judge }>();
  /** Names are compared once for each key, and not for each request. */
  async function judgeOf(key: GatewayKey | undefined): Promise<Judge> {
    const { pool } = await tutti.pool();
    const known = judges.get(key ?? NOBODY);
    if (known?.pool === pool) return known.judge;
    const judge = createJudge(key, pool);
    judges.set(key ?? NOBODY, { pool, judge });
    return judge;
  }

  /** A key that may not ask everybody must not have its questions read by a Conductor it may not ask either. */
  async function plannerFor(key: GatewayKey | undefined): Promise<"prompted" | undefined> {
    const named = config.conductor === undefined ? undefined : parseConductorName(config.conductor);
    if (!key || named?.kind !== "prompted" || named.planner === undefined) return undefined;
    const { planner } = named;
    const { pool } = await tutti.pool();
    const member = pool.members.find(({ worker }) => worker.id === planner);
    const isFine = member ? isAllowedMember(key, member.worker) : isAllowed(key, planner);
    return isFine ? undefined : "prompted";
  }

  /** What there is under other names; "unknown-model" (404) where the name means nothing. */
  async function resolveAlias(
    name: string,
    key: GatewayKey | undefined,
    wanted: Parameters<ModelCatalog["resolve"]>[2],
  ): Promise<Team | OneWorker> {
    const { pool } = await tutti.pool();
    const ids = modelsOf(pool).map(({ worker }) => worker.id);
    const { names } = findMeaning(name, config.gateway.aliases, ids) ?? { names: [] };
    for (const [at, other] of names.entries()) {
      const isLast = at === names.length - 1;
      const found = await findNamed(other, key, wanted).catch((error: unknown) => {
        // A key that may not ask that very model may well ask what else the name means.
        if (isLast || !isTuttiError(error) || error.code !== "forbidden") throw error;
        return undefined;
      });
      if (found) return { ...found, alias: other };
    }
    const standsFor = findAlias(name, config.gateway.aliases);
    if (standsFor !== undefined)
      throw new TuttiError(
        "unknown-model",
        `"${shorten(name, 80)}" stands for "${standsFor}" in gateway.aliases, and there is no such model here, or no key for it.`,
        { param: "model" },
      );
    throw await unknownModel(name, async () => (await list(key)).map(({ id }) => id));
  }

  /** Undefined where nothing has this very name. */
  async function findNamed(
    name: string,
    key: GatewayKey | undefined,
    wanted: Parameters<ModelCatalog["resolve"]>[2],
  ): Promise<Team | OneWorker | undefined> {
    const selector = () => toSelector(key, wanted.preferences);
    if (name === "tutti" || Object.hasOwn(NAMED_QUALITIES, name))
      return toTeam(name, await plannerFor(key), await selector(), wanted);
    const pinned = name.startsWith("tutti-") ? pinnedNames().get(name) : undefined;
    if (pinned) return toTeam(name, pinned, await selector(), wanted);
    const { pool } = await tutti.pool();
    const member =
      pool.members.find(({ worker }) => worker.id === name && isModel(worker)) ?? (await findElsewhere(name));
    if (!member) return undefined;
    const usual = key?.budget ? (config.limits.usd ?? undefined) : undefined;
    const budgetUsd = atMost(wanted.preferences.budgetUsd, config.limits.usd) ?? usual;
    const { isAllowed } = await judgeOf(key);
    if (isAllowed(member.worker)) {
      const fallbacks = await fallbacksOf(member, isAllowed);
      return { kind: "worker", member, budgetUsd, fallbacks };
    }
    throw new TuttiError("forbidden", `The API key "${key?.name}" may not ask "${shorten(name, 80)}".`);
  }

  /** Those of the config that this key may ask. Undefined where there are none. */
  async function fallbacksOf(
    { worker: { id } }: PoolMember,
    isAllowed: Judge["isAllowed"],
  ): Promise<PoolMember[] | undefined> {
    const entry = config.workers?.find((each) => !isPoolMember(each) && toWorkerId(each) === id) as
      | ModelEntry
      | undefined;
    if (!entry?.fallbacks) return undefined;
    const { pool } = await tutti.pool();
    const found: PoolMember[] = [];
    for (const name of entry.fallbacks) {
      const member = pool.members.find(({ worker }) => worker.id === name) ?? (await findElsewhere(name));
      if (member && member.worker.id !== id && isAllowed(member.worker)) found.push(member);
    }
    return found.length > 0 ? found : undefined;
  }

  async function list(key: GatewayKey | undefined): Promise<Omit<ListedModel, "createdAt">[]> {
    const { pool } = await tutti.pool();
    const aliases = Object.keys(config.gateway.aliases).filter((name) => !name.endsWith("*"));
    const teams = ["tutti", ...Object.keys(NAMED_QUALITIES), ...pinnedNames().keys(), ...aliases];
    return [
      ...[...new Set(teams)].map((id) => ({ id, ownedBy: "tutti" })),
      ...modelsOf(pool)
        .filter(({ worker }) => isAllowedMember(key, worker))
        .map(({ worker: { id, isSimulated } }) => ({ id, ownedBy: id.split("/")[0]!, isSimulated })),
    ];
  }

  const elsewhere = new Map<string, PoolMember>();
  /** Any model of a provider whose key is there, in the pool or not. */
  async function findElsewhere(name: string): Promise<PoolMember | undefined> {
    const known = elsewhere.get(name);
    if (known || !name.includes("/") || !isPlainName(name)) return known;
    try {
      const member = await resolveModel(name, { env });
      if (elsewhere.size >= MOST_ELSEWHERE) elsewhere.clear();
      elsewhere.set(name, member);
      return member;
    } catch (error) {
      if (isTuttiError(error)) return undefined;
      throw error;
    }
  }

  return {
    list,
    resolve: async (name, key, wanted) =>
      (await findNamed(name, key, wanted)) ?? (await resolveAlias(name, key, wanted)),
  };
}

/** Who may be asked, and who conducts. */
export function toStage(destination: Team | OneWorker): Pick<AskOptions, "pool" | "conductor"> {
  if (destination.kind === "team") return { pool: destination.selector, conductor: destination.conductor };
  const { member, fallbacks = [] } = destination;
  return {
    pool: { members: [member, ...fallbacks] },
    conductor: { kind: "single", worker: member.worker.id },
  };
}

// ---- Whom a key may ask --------------------------------------------------------------------------

interface Judge {
  /** Of the gateway's own pool. */
  isConfigured(id: string): boolean;
  isAllowed(worker: Worker): boolean;
}

const NOBODY = {};

/**
 * The name of a worker of the config keeps its model back too, where that is asked for by its provider's name; other
 * workers of the config with the same model are others.
 */
function createJudge(key: GatewayKey | undefined, { members }: Pool): Judge {
  const ids = new Set(members.map(({ worker }) => worker.id));
  const keptBack = members
    .filter(({ worker }) => isNamedAnyhow(key?.without ?? [], worker.id))
    .flatMap(({ worker }) => referenceOf(worker) ?? []);
  const judge = (worker: Worker) =>
    isAllowedMember(key, worker) &&
    (ids.has(worker.id) || !isNamedAnyhow(keptBack, referenceOf(worker) ?? worker.id));
  const judged = new WeakMap<Worker, boolean>();
  return {
    isConfigured: (id) => ids.has(id),
    isAllowed(worker) {
      const known = judged.get(worker) ?? judge(worker);
      judged.set(worker, known);
      return known;
    },
  };
}

/**
 * Whether questions of this key may be sent to the embeddings of the config: they are a model like others, and nobody
 * reserves what they charge.
 */
export function mayEmbed(
  key: GatewayKey | undefined,
  { embeddings }: Pick<TuttiConfig, "embeddings">,
): boolean {
  return embeddings === undefined || (!key?.budget && isAllowed(key, embeddings.model));
}

/** By the model behind a worker, whatever name the config gave it. */
export function isAllowedMember(key: GatewayKey | undefined, worker: Worker): boolean {
  return isAllowed(key, worker.id, referenceOf(worker));
}

async function unknownModel(name: string, names: () => Promise<string[]>): Promise<TuttiError> {
  const known = await names();
  const hint =
    didYouMean(name, known) || ` There are: ${known.slice(0, 8).join(", ")}${known.length > 8 ? ", …" : "."}`;
  return new TuttiError("unknown-model", `There is no model "${shorten(name, 80)}" here.${hint}`, {
    param: "model",
  });
}

/** Of the trained Conductor that is shipped: its name with the digest of its weights. */
function pinnedNames(): Map<string, ConductorIdentity> {
  const folder = findShippedNative();
  if (folder === undefined) return new Map();
  const checkpoint = toCheckpointName(folder);
  const digest = digestOf(folder);
  return new Map([[`tutti-${checkpoint}-${digest}`, { kind: "native", checkpoint, digest }]]);
}
