// What the name of a model means: a team with its Conductor, rounds and budget, or one worker. Floating names
// follow the config; a pinned name holds the digest of a trained Conductor's weights, and means that one for ever.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { didYouMean } from "../../base/suggest.ts";
import { digestOf } from "../../conductor/native/opened.ts";
import { findShippedFor, toCheckpointName } from "../../conductor/native/shipped.ts";
import { relayTargetOf } from "../../config/endpoint.ts";
import type { Environment } from "../../config/home.ts";
import { type ResolvedPool, resolveModel } from "../../config/pool.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import type { ConductorIdentity } from "../../store/types.ts";
import type { AskOptions } from "../../tutti/ask-options.ts";
import { parseConductorName } from "../../tutti/conductors.ts";
import type { Tutti } from "../../tutti/tutti.ts";
import { isModel, modelsOf } from "../../worker/kinds.ts";
import type { PoolMember } from "../../worker/types.ts";
import type { Workflow } from "../../workflow/types.ts";
import { type GatewayKey, isAllowed, restrictPool } from "../access/keys.ts";
import type { ObjectReader } from "../http/object-reader.ts";
import type { Effort, ListedModel } from "../types.ts";

export interface Team {
  kind: "team";
  /** Absent: the gateway's own, as configured. */
  conductor?: ConductorIdentity | "prompted";
  /** Ids of the workers that may be asked; absent: all of the gateway's pool. */
  selector?: string[];
  rounds: number;
  /** null: no limit. */
  budgetUsd: number | null;
}

export interface OneWorker {
  kind: "worker";
  member: PoolMember;
  /** Where the key has a budget: what one request may take of it. */
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

const ULTRA_ROUNDS = 3;
const ULTRA_BUDGET = 4;

/** How hard to try: rounds added, and how many times the budget. */
const EFFORTS: Record<Effort, { rounds: number; budget: number }> = {
  none: { rounds: -9, budget: 0.25 },
  minimal: { rounds: -9, budget: 0.25 },
  low: { rounds: -9, budget: 0.5 },
  medium: { rounds: 0, budget: 1 },
  high: { rounds: 1, budget: 2 },
  xhigh: { rounds: 2, budget: 4 },
  max: { rounds: 2, budget: 4 },
};
const MOST_ROUNDS = 10;
const MOST_ELSEWHERE = 1_000;

export function createModelCatalog(tutti: Tutti, config: TuttiConfig, env: Environment): ModelCatalog {
  function toTeam(
    name: string,
    conductor: Team["conductor"],
    selector: string[] | undefined,
    { effort, preferences }: { effort?: Effort; preferences: RunPreferences },
  ): Team {
    const isUltra = name === "tutti-ultra";
    const base = isUltra ? Math.max(ULTRA_ROUNDS, config.rounds) : config.rounds;
    const by = EFFORTS[effort ?? "medium"];
    const rounds = preferences.rounds ?? Math.min(MOST_ROUNDS, Math.max(1, base + by.rounds));
    const usual =
      config.limits.usd === null ? null : config.limits.usd * by.budget * (isUltra ? ULTRA_BUDGET : 1);
    // A client may ask for less than the gateway allows, never for more.
    const budgetUsd =
      preferences.budgetUsd === undefined ? usual : Math.min(preferences.budgetUsd, usual ?? Infinity);
    return {
      kind: "team",
      conductor,
      selector,
      rounds: name === "tutti-fast" ? 1 : rounds,
      budgetUsd,
    };
  }

  /** Whom this key may ask, and among them whom the request wants. Undefined: all of the pool. */
  async function toSelector(
    key: GatewayKey | undefined,
    preferences: RunPreferences,
  ): Promise<string[] | undefined> {
    const resolved = await tutti.pool(preferences.pool).catch((error: unknown) => {
      throw isTuttiError(error)
        ? new TuttiError("bad-request", error.message, { param: "tutti.pool" })
        : error;
    });
    const pool = restrictPool(key, resolved.pool, providersOf(resolved));
    if (pool === resolved.pool) return preferences.pool;
    return pool.members.map(({ worker }) => worker.id);
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

  async function list(key: GatewayKey | undefined): Promise<Omit<ListedModel, "createdAt">[]> {
    const { pool } = await tutti.pool();
    const teams = ["tutti", "tutti-fast", "tutti-ultra", ...(await pinnedNames(tutti)).keys()];
    return [
      ...teams.map((id) => ({ id, ownedBy: "tutti" })),
      ...modelsOf(pool)
        .filter(({ worker }) => isAllowedMember(key, worker))
        .map(({ worker: { id, isSimulated } }) => ({ id, ownedBy: id.split("/")[0]!, isSimulated })),
    ];
  }

  const elsewhere = new Map<string, PoolMember>();
  /** Any model of a provider whose key is there, in the pool or not. */
  async function findElsewhere(name: string): Promise<PoolMember | undefined> {
    const known = elsewhere.get(name);
    if (known || !name.includes("/")) return known;
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
    async resolve(name, key, wanted) {
      const selector = () => toSelector(key, wanted.preferences);
      if (name === "tutti-fast") return toTeam(name, { kind: "fast" }, await selector(), wanted);
      if (name === "tutti" || name === "tutti-ultra")
        return toTeam(name, await plannerFor(key), await selector(), wanted);
      const pinned = name.startsWith("tutti-") ? (await pinnedNames(tutti)).get(name) : undefined;
      if (pinned) return toTeam(name, pinned, await selector(), wanted);
      const { pool } = await tutti.pool();
      const member =
        pool.members.find(({ worker }) => worker.id === name && isModel(worker)) ??
        (await findElsewhere(name));
      if (!member) throw await unknownModel(name, async () => (await list(key)).map(({ id }) => id));
      const budgetUsd = key?.budget
        ? (wanted.preferences.budgetUsd ?? config.limits.usd ?? undefined)
        : undefined;
      if (isAllowedMember(key, member.worker)) return { kind: "worker", member, budgetUsd };
      throw new TuttiError("forbidden", `The API key "${key?.name}" may not ask "${name}".`);
    },
  };
}

/** Who may be asked, and who conducts. */
export function toStage(destination: Team | OneWorker): Pick<AskOptions, "pool" | "conductor"> {
  if (destination.kind === "team") return { pool: destination.selector, conductor: destination.conductor };
  const { member } = destination;
  return { pool: { members: [member] }, conductor: { kind: "single", worker: member.worker.id } };
}

/** By the provider behind a worker, whatever name the config gave it. */
export function isAllowedMember(key: GatewayKey | undefined, worker: PoolMember["worker"]): boolean {
  return isAllowed(key, worker.id, relayTargetOf(worker)?.provider);
}

function providersOf({ pool }: ResolvedPool): Map<string, string> {
  return new Map(
    pool.members.flatMap(({ worker }) => {
      const provider = relayTargetOf(worker)?.provider;
      return provider === undefined ? [] : [[worker.id, provider]];
    }),
  );
}

async function unknownModel(name: string, names: () => Promise<string[]>): Promise<TuttiError> {
  const known = await names();
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  const hint =
    didYouMean(name, known) || ` There are: ${known.slice(0, 8).join(", ")}${known.length > 8 ? ", …" : "."}`;
  return new TuttiError("unknown-model", `There is no model "${shown}" here.${hint}`, {
    param: "model",
  });
}

/** Of the trained Conductor that is for such a pool: its name with the digest of its weights. */
async function pinnedNames(tutti: Tutti): Promise<Map<string, ConductorIdentity>> {
  const { kind } = await tutti.pool();
  const folder = findShippedFor(kind === "rehearsal" ? "rehearsal" : "live");
  if (folder === undefined) return new Map();
  const checkpoint = toCheckpointName(folder);
  const digest = digestOf(folder);
  return new Map([[`tutti-${checkpoint}-${digest}`, { kind: "native", checkpoint, digest }]]);
}

// ---- Preferences ---------------------------------------------------------------------------------

// What a request may say of the run itself, beside the dialect's own fields: the object `tutti` in its body.
// Nothing here names a file or a Conductor: a client chooses among what the gateway offers, and no more.

/** More than a Conductor may write, for votes of many; not so many that performing them is an attack. */
const MOST_STEPS = 32;

export interface RunPreferences {
  /** The name of a pool in the config, or ids of workers. */
  pool?: string[];
  rounds?: number;
  budgetUsd?: number;
  deadlineMs?: number;
  maxCalls?: number;
  /** Performed instead of what a Conductor would write. Checked by the performer. */
  workflow?: Workflow;
}

export function readPreferences(body: ObjectReader): RunPreferences {
  const tutti = body.optionalObject("tutti");
  if (!tutti) return {};
  return {
    pool: readPool(tutti),
    rounds: tutti.number("rounds", { min: 1, max: 10, isWhole: true }),
    budgetUsd: tutti.number("budget_usd", { min: 0 }),
    deadlineMs: tutti.number("deadline_ms", { min: 1 }),
    maxCalls: tutti.number("max_calls", { min: 1, isWhole: true }),
    workflow: readWorkflow(tutti),
  };
}

function readWorkflow(tutti: ObjectReader): Workflow | undefined {
  const workflow = tutti.optionalObject("workflow")?.fields as Workflow | undefined;
  const count = Array.isArray(workflow?.steps) ? workflow.steps.length : 0;
  if (count <= MOST_STEPS) return workflow;
  throw tutti.bad("workflow", `has ${count} steps; ${MOST_STEPS} are allowed.`);
}

function readPool(tutti: ObjectReader): string[] | undefined {
  const value = tutti.value("pool");
  if (value === undefined) return undefined;
  const names: unknown = typeof value === "string" ? value.split(",") : value;
  const isName = (name: unknown): name is string => typeof name === "string" && name.trim() !== "";
  if (Array.isArray(names) && names.length > 0 && names.every(isName))
    return names.map((name) => name.trim());
  throw tutti.wrong("pool", "the name of a pool, or a list of workers");
}
