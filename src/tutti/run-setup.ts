// What a run is started with: ids, settings out of config and options, the pool as it is journaled.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { TuttiError, usageError } from "../base/errors.ts";
import { shorten } from "../base/format.ts";
import type { Quality } from "../base/quality-names.ts";
import { didYouMean } from "../base/suggest.ts";
import { createLiveQuestions } from "../calibration/embedding/live-questions.ts";
import { createFixedConductor } from "../conductor/fixed.ts";
import { checkTeam } from "../conductor/text.ts";
import type { Conductor } from "../conductor/types.ts";
import { toEncoder } from "../config/encoder.ts";
import { referenceOf, splitRef } from "../config/endpoint.ts";
import type { Environment } from "../config/home.ts";
import { type ResolvedPool, type ResolvePoolOptions, resolvePool } from "../config/pool.ts";
import type { TuttiConfig } from "../config/schema.ts";
import { toNamedWorkflow } from "../config/workflow-text.ts";
import type { ResumeTurn } from "../perform/pick-up.ts";
import { type EnterProvider, enterAll, type Slots } from "../perform/provider-slots.ts";
import { isInToolLoop, type RunState } from "../perform/state.ts";
import { LIMIT_KINDS, LIMIT_NAMES, type LimitOption, type Limits } from "../store/limits.ts";
import type { Owner, PoolEntry, RunSettings } from "../store/types.ts";
import type { TrajectorySettings } from "../trajectory/types.ts";
import { isModel, nests } from "../worker/kinds.ts";
import type { Pool, PoolMember, Task, Worker } from "../worker/types.ts";
import { MAX_STEPS, type Step, type Workflow } from "../workflow/types.ts";
import { validateWorkflow } from "../workflow/validate.ts";
import type { AskOptions, ResumeOptions } from "./ask-options.ts";
import { checkNumbers } from "./check-input.ts";
import { checkQuality, QUALITY_TRAITS, toBudgetUsd, toRounds } from "./quality.ts";

let host: string | undefined;

/** One per performance, not per process: two resumes of one run here must not both win it. */
export function createOwner(): Owner {
  host ??= hostname();
  return { id: randomUUID(), pid: process.pid, host };
}

/** Sorts by time, is not guessed, and is not given twice to the thousands of runs of one second; its beginning is enough to type. */
export function createRunId(): string {
  // Node draws these from a pool of random bytes: a draw of its own for every run is slow.
  const random = randomUUID();
  return `r_${Date.now().toString(36)}${random.slice(0, 8)}${random.slice(9, 13)}`;
}

export function toSettings(
  config: TuttiConfig,
  options: AskOptions,
  isStreaming: boolean,
): Omit<RunSettings, "conductor" | "conductorReason"> {
  checkNumbers(options);
  const { quality = config.quality, budgetUsd } = options;
  checkQuality(quality);
  return {
    quality,
    teamSize: QUALITY_TRAITS[quality].teamSize,
    rounds: options.rounds ?? toRounds(config, quality),
    maxSteps: MAX_STEPS,
    limits: toLimits(config, {
      ...options,
      budgetUsd: budgetUsd === undefined ? toBudgetUsd(config, quality) : budgetUsd,
    }),
    seed: options.seed ?? Number.parseInt(randomUUID().slice(0, 8), 16),
    maxOutputTokens: config.maxOutputTokens,
    retries: config.retries,
    timeouts: config.timeouts,
    maxDepth: config.maxDepth,
    streaming: isStreaming,
    review: options.review !== undefined,
    allowUnknownPrice: options.allowUnknownPrice ?? config.allowUnknownPrice,
    showNames: config.showNames,
  };
}

/** What one task may be worth where nothing limits its dollars. */
const USUAL_WORTH_USD = 1;

/** How the turns of this run are decided, where tools of the client may be called and there are several to choose among. */
export function toTrajectory(
  { trajectory }: Pick<TuttiConfig, "trajectory">,
  task: Task,
  members: readonly PoolMember[],
  { limits, conductor, quality }: { limits: Limits; conductor: Conductor; quality: Quality },
): TrajectorySettings | undefined {
  const { moreRounds } = QUALITY_TRAITS[quality];
  const usual = moreRounds > 0 ? ("worth-it" as const) : ("measured" as const);
  const { route, verify = usual, worthUsd = limits.usd ?? USUAL_WORTH_USD } = trajectory;
  if (!route || !task.output?.tools?.length || members.filter(({ worker }) => isModel(worker)).length < 2)
    return undefined;
  // Who trained on whole questions has no plan for the middle of a conversation.
  const canAsk = ["prompted", "scripted", "custom"].includes(conductor.identity.kind);
  return { worthUsd, verify, switches: true, canAsk };
}

function toLimits({ limits }: TuttiConfig, options: Pick<AskOptions, LimitOption>): Limits {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const asked = options[LIMIT_KINDS[name].option];
      const allowed = asked === undefined ? limits[name] : asked;
      return allowed === null ? [] : [[name, allowed]];
    }),
  );
}

/** A run that was cut off goes on within its own limits, or within a new budget beside what it has spent. */
export function toResumeTurn(
  state: RunState,
  options: ResumeOptions,
  config: TuttiConfig,
): ResumeTurn | undefined {
  if (options.toolResults) return toToolTurn(state, options, config);
  if (options.again) return toRepeatedTurn(state, options, config);
  const { budgetUsd } = options;
  if (budgetUsd === undefined) return undefined;
  checkNumbers(options);
  const { usd: _, ...others } = state.settings.limits;
  const spentUsd = state.spent.usd - state.spentBefore.usd;
  return { limits: { ...others, ...(budgetUsd !== null && { usd: spentUsd + budgetUsd }) } };
}

/** The turn that goes on after tools of the client: one result for each call, and nothing else. */
function toToolTurn(
  state: RunState,
  { toolResults = [], said, messages, exchanges, reply, output, ...options }: ResumeOptions,
  config: TuttiConfig,
): ResumeTurn {
  const { runId, ended, rounds } = state;
  const calls =
    ended?.stopReason === "tool-calls" ? rounds.at(-1)?.steps.at(-1)?.reply?.toolCalls : undefined;
  if (!calls) throw new TuttiError("run-over", `Run ${runId} waits for no tool`);
  const missing = calls.filter(({ id }) => !toolResults.some(({ toolCallId }) => toolCallId === id));
  if (missing.length > 0 || toolResults.length !== calls.length) {
    const wanted = calls.map(({ id, name }) => `${name} (${id})`).join(", ");
    throw usageError(`Run ${runId} waits for one result of each of ${wanted}: ${toolResults.length} came.`);
  }
  checkNumbers(options);
  const { streamsAnswer: streaming = true } = options;
  const limits = toLimits(config, options);
  return { toolResults, said: said || undefined, messages, exchanges, reply, streaming, limits, output };
}

/** The last turn once more, after it has failed: whoever asked comes back with the same results. */
function toRepeatedTurn(
  { runId, rounds, ended }: RunState,
  { messages, exchanges, output, ...options }: ResumeOptions,
  config: TuttiConfig,
): ResumeTurn {
  const step = rounds.at(-1)?.steps.at(-1);
  if (!ended || !step || !isInToolLoop(step))
    throw new TuttiError("run-over", `Run ${runId} has no turn after tools that could be asked for again`);
  checkNumbers(options);
  const { streamsAnswer: streaming = true } = options;
  return { again: true, messages, exchanges, streaming, limits: toLimits(config, options), output };
}

/** Its workers by their numbers in this pool. */
export function toNumbered(
  wanted: AskOptions["workflow"],
  { workflows }: TuttiConfig,
  { members }: Pool,
): Workflow | undefined {
  if (wanted === undefined) return undefined;
  if (typeof wanted === "string" && !Object.hasOwn(workflows, wanted)) {
    const names = Object.keys(workflows);
    const there = names.length === 0 ? "there is none" : `there are: ${names.join(", ")}`;
    throw usageError(
      `No workflow "${shorten(wanted)}" in the config (${there}).${didYouMean(wanted, names)}`,
    );
  }
  const named = typeof wanted === "string" ? toNamedWorkflow(workflows[wanted]!) : wanted;
  if (!Array.isArray(named?.steps)) return named as Workflow;
  const ids = members.map(({ worker }) => worker.id);
  return {
    ...named,
    steps: named.steps.map((step) =>
      typeof step?.worker === "string" ? { ...step, worker: findWorker(step.worker, ids) } : (step as Step),
    ),
  };
}

function findWorker(name: string, ids: readonly string[]): number {
  const exact = ids.indexOf(name);
  if (exact >= 0) return exact;
  const found = ids.filter((id) => id.slice(id.indexOf("/") + 1) === name);
  if (found.length === 1) return ids.indexOf(found[0]!);
  if (found.length > 1)
    throw usageError(
      `The worker "${name}" is ambiguous (there are: ${found.join(", ")}): write the whole id.`,
    );
  throw usageError(
    `The workflow names the worker "${shorten(name)}", which is not in the pool (there are: ${ids.join(", ")}).${didYouMean(name, ids)}`,
  );
}

export function toFixed(workflow: Workflow, pool: Pool): Conductor {
  const error =
    validateWorkflow(workflow, { workers: pool.members.length, maxSteps: Number.POSITIVE_INFINITY }) ??
    checkTeam(workflow, pool);
  if (error) throw usageError(`This workflow cannot be performed: ${error.message}`);
  return createFixedConductor(workflow);
}

/** Whose turn it is, where the config limits calls of providers or keys. */
export function createEnterProvider(
  { queue: { perProvider, perKey } }: Pick<TuttiConfig, "queue">,
  slots: Slots,
): EnterProvider {
  return (worker, signal, keyId) => {
    const { provider } = splitRef(referenceOf(worker) ?? worker.id);
    const most = Object.hasOwn(perProvider, provider) ? perProvider[provider] : undefined;
    // The key's first: what waits for it must not keep others from the provider.
    const lines = [
      ...(perKey === undefined || keyId === undefined ? [] : [{ name: `calls of ${keyId}`, most: perKey }]),
      ...(most === undefined ? [] : [{ name: `provider ${provider}`, most }]),
    ];
    return lines.length === 0 ? undefined : enterAll(slots, lines, signal);
  };
}

export function withoutSelf({ members }: Pool): Pool {
  return { members: members.filter(({ worker }) => !nests(worker)) };
}

export function goneWorker({ id, kind, isSimulated }: PoolEntry): Worker {
  return {
    id,
    kind,
    isSimulated,
    // biome-ignore lint/correctness/useYield: it fails before there is anything to yield.
    async *ask() {
      throw new TuttiError("unknown-worker", `${id} is not available any more`);
    },
  };
}

// ---- The pool ------------------------------------------------------------------------------------

// Which workers a run may ask: those of the config, those a caller names, or a pool of the caller's own; under a dollar
// budget without those whose price nobody knows.

/** Looking for workers means probing local ports and reading model lists: once a minute is enough. */
const POOL_MS = 60_000;
/** Clients of a gateway choose their own: any order of any workers is another one. */
const MOST_POOLS = 256;

type FoundPool = Pick<ResolvedPool, "pool" | "kind" | "poolFor" | "embed">;

export interface PoolFinder {
  /** How many are known at the moment. */
  readonly size: number;
  /** All, or those that a selector names. */
  find(selector?: string | string[]): Promise<ResolvedPool>;
  /** `isPriced`: workers of unknown price are left out, and it is said. */
  toPool(wanted: string | string[] | Pool | undefined, isPriced: boolean): Promise<FoundPool>;
}

export function createPoolFinder(
  config: TuttiConfig,
  env: Environment,
  notice: (text: string | undefined) => void,
  { ratings, calibrations }: Pick<ResolvePoolOptions, "ratings" | "calibrations"> = {},
): PoolFinder {
  const resolved = new Map<string, { at: number; found: Promise<ResolvedPool> }>();
  // One for all pools: a question is embedded once.
  const encoding = toEncoder(config, env);
  const questions = encoding?.ok ? createLiveQuestions(encoding.encoder, { notice }) : undefined;

  function find(selector?: string | string[]): Promise<ResolvedPool> {
    const key = JSON.stringify(selector ?? null);
    const known = resolved.get(key);
    if (known && Date.now() - known.at < POOL_MS) return known.found;
    const found = resolvePool(config, { env, selector, questions, ratings, calibrations });
    resolved.delete(key);
    if (resolved.size >= MOST_POOLS) resolved.delete(resolved.keys().next().value!);
    resolved.set(key, { at: Date.now(), found });
    found.catch(() => resolved.delete(key));
    return found;
  }

  async function findWanted(wanted: string | string[] | Pool | undefined): Promise<FoundPool> {
    if (typeof wanted === "object" && !Array.isArray(wanted)) return { pool: wanted, kind: "config" };
    const found = await find(wanted);
    for (const text of [found.notice, ...found.warnings]) notice(text);
    if (encoding?.ok === false) notice(encoding.problem);
    return found;
  }

  return {
    get size() {
      return resolved.size;
    },
    find,
    async toPool(wanted, isPriced) {
      const found = await findWanted(wanted);
      const unknown = isPriced ? unpricedIn(found.pool.members) : [];
      if (unknown.length === 0) return found;
      const members = found.pool.members.filter((member) => !unknown.includes(member));
      if (!members.some(({ worker }) => isModel(worker))) throw usageError(unknownPrice(unknown));
      notice(`${unknownPrice(unknown)} Left out for now.`);
      return { ...found, pool: { members } };
    },
  };
}

export function unpricedIn(members: PoolMember[]): PoolMember[] {
  return members.filter(({ worker, price }) => isModel(worker) && price === undefined);
}

export function unknownPrice(members: PoolMember[]): string {
  const ids = [...new Set(members.map(({ worker }) => worker.id))].join(", ");
  const remedy = "Give it a price in the config, allow unknown prices, or ask without a dollar budget.";
  return `The price of ${ids} is unknown, so a dollar budget cannot be kept. ${remedy}`;
}
