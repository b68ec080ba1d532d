// From flags to what is measured: the set (a recording, tasks with a pool, the rehearsal), who conducts,
// and where the rows go.

import { resolve } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { shorten, toSeries } from "../../base/format.ts";
import { hashAll } from "../../base/random.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Baseline } from "../../baseline/types.ts";
import type { MatchedFit } from "../../bench/fit-source.ts";
import type { BenchIdentity } from "../../bench/folder.ts";
import { parsePricePoint, toPricePoint } from "../../bench/price-point.ts";
import type { ResolvedPool } from "../../config/pool.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import type { RecordedCosts } from "../../recording/costs.ts";
import type { LiarKind } from "../../rehearsal/liars.ts";
import { isModel, modelsOf } from "../../worker/kinds.ts";
import type { PoolMember } from "../../worker/types.ts";
import type { RehearsalSetOptions } from "../../world/sets.ts";
import type { SplitBy } from "../../world/split.ts";
import type { WorldSet } from "../../world/types.ts";
import { collect, dollars, oneOf, wholeNumber } from "../options.ts";
import { type PreparedQueue, refuseSpread } from "../spread.ts";
import { toVerified } from "./verified.ts";

/** Protects from accidents on a live pool; "none" takes it away. */
const LIVE_BUDGET_USD = 5;
const LIVE_CONCURRENCY = 8;
const REHEARSAL_TASKS = 600;
/** As many as anything here asks; on a live pool more samples would be more money. */
const FREE_SAMPLES = 15;
const PLANNERS = ["prompted", "scripted-planner"];
const LIAR_KINDS = ["always", "random", "topic", "crafted", "colluding"] as const satisfies LiarKind[];

export interface InputFlags {
  recording?: string;
  tasks?: string;
  rehearsal?: boolean;
  set?: string[];
  pool?: string;
  workers?: string;
  limit?: number;
  seed: number;
  splitBy: SplitBy;
  splitSeed: number;
  budgetUsd?: number | "none";
  concurrency?: number;
  config?: string;
  /** Of `tutti bench` alone. */
  postgres?: string | true;
  json?: boolean;
  liars?: number;
  liarKind?: LiarKind;
  /** Of `tutti bench` alone: how often the simulated verifier of a recording errs. */
  verifierError?: number;
  /** Of `tutti bench` alone; see `addFitFlags`. */
  fit?: string;
  fitSet?: string;
  fitTasks?: number;
}

export function addInputFlags(command: Command): Command {
  return command
    .option("--recording <dir>", "replay recorded models: a folder with tasks.jsonl and outcomes.jsonl")
    .option("--tasks <file>", "ask the pool these tasks: a .jsonl, .csv or .parquet file, or a published set")
    .option("--rehearsal", "simulated tasks and workers: no key, no cost")
    .option(
      "--set <name>",
      "which set of the recording or the file; of a recording several may be given, by default all",
      collect,
    )
    .option("--pool <name|ids>", 'with --tasks: "rehearsal", a pool of the config, or ids of workers')
    .option("--workers <ids>", "with --recording: only these workers, separated by commas")
    .option("--limit <n>", "use so many tasks of the set, sampled", wholeNumber("--limit", 1))
    .option("--seed <n>", "of everything random", wholeNumber("--seed", 0, 2 ** 32 - 1), 0)
    .option(
      "--split-by <what>",
      "keep tasks together by prompt, or by family",
      oneOf("--split-by", ["prompt", "family"] as const),
      "prompt" as const,
    )
    .option("--split-seed <n>", "another split", wholeNumber("--split-seed", 0, 2 ** 32 - 1), 0)
    .option(
      "--budget-usd <amount|none>",
      `the most it may cost in all; ${LIVE_BUDGET_USD} dollars on a live pool unless said otherwise`,
      dollars("--budget-usd"),
    )
    .option("--concurrency <n>", "how many runs at the same time", wholeNumber("--concurrency", 1, 256))
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option("--json", "as JSON on standard output");
}

/** Only where a test follows what was measured: workers that are honest until then. */
export function addLiarFlags(command: Command): Command {
  return command
    .option(
      "--liars <n>",
      "with --rehearsal: so many workers lie on the test tasks, after they were measured honest",
      wholeNumber("--liars", 1),
    )
    .option(
      "--liar-kind <kind>",
      "with --liars: always, random (on half of the questions), topic (where they are best), crafted (with text aimed at the Conductor) or colluding (the same wrong answer); by default always",
      oneOf("--liar-kind", LIAR_KINDS),
    );
}

/** What was asked for of the liars; undefined where nobody lies. */
function readLiars({ liars, liarKind, rehearsal }: InputFlags): RehearsalSetOptions["liars"] {
  if (liars === undefined && liarKind !== undefined) throw usageError("--liar-kind goes with --liars");
  if (liars === undefined) return undefined;
  if (!rehearsal)
    throw usageError("--liars goes with --rehearsal: only simulated workers can be made to lie");
  return { count: liars, kind: liarKind ?? "always" };
}

/** What is fitted on, where it is not the train split of what is tested. */
export function addFitFlags(command: Command): Command {
  return command
    .option(
      "--fit <dir>",
      "fit on all tasks of this recording, and test all tasks of --recording that are not in it",
    )
    .option("--fit-set <name>", "only this set of the recording that --fit names")
    .option(
      "--fit-tasks <n>",
      "fit on so many training tasks only, sampled by --seed",
      wholeNumber("--fit-tasks", 1),
    );
}

export interface BenchInput {
  set: WorldSet;
  /** Another recording to fit on; the set has the workers of both. */
  fit?: MatchedFit;
  concurrency: number;
  budgetUsd?: number;
  /** What is free to ask may be asked more often. */
  samples: number;
  notices: string[];
  /** Of a pool that can be asked: how planners are chosen for it. */
  resolved?: Pick<ResolvedPool, "kind"> & Pick<TuttiConfig, "conductor" | "showNames">;
  /** With `--postgres`. */
  queue?: PreparedQueue;
}

/** Where one set is measured and no more. */
export async function openInput(flags: InputFlags): Promise<BenchInput> {
  const inputs = await openInputs(flags);
  if (inputs.length === 1) return inputs[0]!;
  const names = inputs.map(({ set }) => set.id);
  throw usageError(`${flags.recording} holds several sets (${names.join(", ")}): name one with --set`);
}

/** One for each set that is measured. */
export async function openInputs(flags: InputFlags): Promise<BenchInput[]> {
  const { recording, tasks, rehearsal, set, workers, limit, seed } = flags;
  const given = [recording && "--recording", tasks && "--tasks", rehearsal && "--rehearsal"].filter(Boolean);
  if (given.length > 1) throw usageError(`${given.join(" and ")} exclude each other`);
  if (given.length === 0)
    throw usageError("there is nothing to measure: give --recording DIR, --tasks FILE or --rehearsal");
  if (workers !== undefined && recording === undefined)
    throw usageError("--workers goes with --recording; a pool is named with --pool");
  if (flags.pool !== undefined && tasks === undefined) throw usageError("--pool goes with --tasks");
  if (tasks === undefined)
    refuseSpread(flags, "--tasks: a recording and the rehearsal are replayed here, and nobody is asked");
  const liars = readLiars(flags);
  checkFit(flags);
  const free = { concurrency: flags.concurrency ?? 1, samples: FREE_SAMPLES, notices: [] };
  if (recording !== undefined) {
    const { openRecordedSets } = await import("../../world/recorded-sets.ts");
    const source = { folder: recording, workers: workers === undefined ? undefined : splitIds(workers) };
    const opened = await openRecordedSets(
      set ? [...new Set(set)].map((set) => ({ ...source, set })) : [source],
    );
    if (flags.fit === undefined) return opened.map((set) => ({ ...free, set }));
    const { matchWorkers, openFitSource } = await import("../../bench/fit-source.ts");
    const fit = await openFitSource(flags.fit, flags.fitSet);
    return opened.map((set) => ({ ...free, ...matchWorkers(set, fit) }));
  }
  if (rehearsal) {
    const { createRehearsalSet } = await import("../../world/sets.ts");
    const set = createRehearsalSet({ count: limit ?? REHEARSAL_TASKS, seed, liars });
    return [{ ...free, set, resolved: { kind: "rehearsal", showNames: false } }];
  }
  return [await openLive(flags, tasks!)];
}

function checkFit({ recording, fit, fitSet, fitTasks }: InputFlags): void {
  if (fitSet !== undefined && fit === undefined)
    throw usageError("--fit-set names a set of the recording to fit on: give --fit DIR too");
  if (recording !== undefined) return;
  const given = fit !== undefined ? "--fit" : fitTasks !== undefined ? "--fit-tasks" : undefined;
  if (given)
    throw usageError(`${given} goes with --recording: only what is recorded can be fitted for nothing`);
}

async function openLive(flags: InputFlags, tasks: string): Promise<BenchInput> {
  const { set: sets = [], pool: selector, config: file, concurrency = LIVE_CONCURRENCY } = flags;
  if (sets.length > 1)
    throw usageError(`--tasks measures one set at a time, not ${sets.join(" and ")}: give --set once`);
  const [{ openLiveTasks }, { createLiveSet }] = await Promise.all([
    import("../tasks/live-tasks.ts"),
    import("../../world/sets.ts"),
  ]);
  const { postgres } = flags;
  const live = await openLiveTasks({ tasks, set: sets[0], pool: selector, config: file, postgres });
  const { pool, judge, kind, config, notices, queue } = live;
  const isRehearsal = kind === "rehearsal";
  const usd = flags.budgetUsd ?? (isRehearsal ? "none" : LIVE_BUDGET_USD);
  if (usd !== "none") checkPrices(pool.members);
  if (judge)
    notices.push(`${judge.worker.id} judges the answers that nothing can verify, its own among them.`);
  if (usd !== "none" && flags.budgetUsd === undefined)
    notices.push(`It may cost ${usd} dollars in all; --budget-usd sets another limit.`);
  return {
    set: createLiveSet(live.set, pool, live.grader),
    concurrency,
    samples: isRehearsal ? FREE_SAMPLES : 1,
    budgetUsd: usd === "none" ? undefined : usd,
    notices,
    queue,
    resolved: { kind, conductor: config.conductor, showNames: config.showNames },
  };
}

/** "a, b" → ["a", "b"] */
export function splitIds(text: string): string[] {
  return text
    .split(",")
    .map((id) => id.trim())
    .filter(Boolean);
}

function checkPrices(members: readonly PoolMember[]): void {
  const unknown = members
    .filter(({ worker, price }) => isModel(worker) && !price)
    .map(({ worker }) => worker.id);
  if (unknown.length === 0) return;
  throw usageError(
    `The price of ${unknown.join(", ")} is unknown, so a budget cannot be kept. Give it a price in the config, leave it out with --pool, or take the budget away with --budget-usd none`,
  );
}

/**
 * Ids of baselines, `single:<worker>`, `singles` for all of these, `oracle`, `native` for the trained one, and on
 * a pool that can be asked also planners.
 */
export async function chooseContenders(
  wanted: string,
  { set, resolved }: BenchInput,
  { verifierError = 0, seed = 0 }: Partial<Pick<InputFlags, "verifierError" | "seed">> = {},
): Promise<{ contenders: Baseline[]; withOracle: boolean }> {
  const [{ BASELINES, findBaseline }, { cannotCompare }, { findShippedNative }, { findTrinityFor }] =
    await Promise.all([
      import("../../baseline/all.ts"),
      import("../../bench/bench.ts"),
      import("../../conductor/native/shipped.ts"),
      import("../../conductor/trinity/open.ts"),
    ]);
  const known = [...BASELINES.map(({ id }) => id), "oracle"];
  const ids = splitIds(wanted);
  if (ids.length === 0) throw usageError("--conductor needs a name, or several separated by commas");
  const standard = [
    ...(resolved ? [resolved.kind === "rehearsal" ? "scripted-planner" : "prompted"] : []),
    // Live it would be measured beside what is paid for: there it must be named.
    ...(set.kind !== "tasks" && findShippedNative() ? ["native"] : []),
    ...(set.kind !== "tasks" && findTrinityFor(set.kind) ? ["trinity"] : []),
  ];
  const models = modelsOf(set.pool);
  const singles = models.map(({ worker }) => `single:${worker.id}`);
  const groups = new Map([
    ["all", [...known, ...standard]],
    ["singles", singles],
  ]);
  const all = ids.flatMap((id) => groups.get(id) ?? [id]);
  const contenders: Baseline[] = [];
  const toContender = async (id: string): Promise<Baseline> => {
    const priced = parsePricePoint(id);
    if (priced) return toPricePoint(id, await toContender(priced.name), priced.point);
    if (known.includes(id) || id.startsWith("single:")) return findBaseline(id);
    if (id === "native" || id.startsWith("native:")) return toNative(id, set);
    if (/^(trinity|look-ahead)([:@]|$)/.test(id)) return toTurns(id, set);
    if (/^verified-cascade(@|$)/.test(id)) return toVerified(id, set, verifierError, seed);
    if (PLANNERS.includes(id) || id.includes("/")) return toPlanner(id, set, resolved);
    const names = [
      ...known,
      "all",
      "singles",
      "single:<worker>",
      "native",
      "native:FOLDER",
      "trinity",
      "trinity:FOLDER",
      "trinity@COST",
      "look-ahead",
      "verified-cascade",
      "verified-cascade@ERROR",
      "NAME@COST/usd",
      "NAME@match-best",
      "NAME@max:DOLLARSusd",
      ...(resolved ? [...PLANNERS, "provider/model"] : []),
    ];
    throw usageError(
      `No Conductor "${shorten(id)}" (there are: ${names.join(", ")}).${didYouMean(id, names)}`,
    );
  };
  for (const id of new Set(all)) if (id !== "oracle") contenders.push(await toContender(id));
  for (const { id } of contenders) if (set.costs && ids.includes(id)) requireDollars(id, set.costs);
  for (const { id, comparesReplies } of contenders)
    if (comparesReplies && set.withoutReplies && ids.includes(id))
      throw usageError(`${id} cannot be measured on "${set.id}": ${cannotCompare(set)}`);
  return { contenders, withOracle: all.includes("oracle") };
}

/** A price in dollars means nothing where nobody knows what an ask costs: known before anything is measured. */
function requireDollars(id: string, { source, unknown }: RecordedCosts): void {
  if (!parsePricePoint(id) || (source !== "unknown" && unknown.length === 0)) return;
  throw usageError(
    `${id} weighs dollars, and what an ask of ${toSeries(unknown.slice(0, 5))} costs is not known: give list prices in prices.json, or leave them out with --workers`,
  );
}

async function toNative(id: string, set: WorldSet): Promise<Baseline> {
  const [{ createNativeContender }, { findNative }, { parseConductorName }] = await Promise.all([
    import("../../bench/native.ts"),
    import("../../conductor/native/shipped.ts"),
    import("../../tutti/conductor-names.ts"),
  ]);
  const named = parseConductorName(id);
  const checkpoint = named.kind === "native" ? named.checkpoint : undefined;
  const folder = findNative(checkpoint);
  return createNativeContender({ id, folder, set });
}

/** Those that decide in turns: trained, or looking ahead only. Both take the cost of a call after "@". */
async function toTurns(id: string, set: WorldSet): Promise<Baseline> {
  const [{ createTrinityContender, createLookAhead }, { findTrinity }, { parseConductorName }] =
    await Promise.all([
      import("../../bench/trinity.ts"),
      import("../../conductor/trinity/open.ts"),
      import("../../tutti/conductor-names.ts"),
    ]);
  const named = parseConductorName(id.replace(/^look-ahead/, "trinity"));
  if (named.kind !== "trinity") throw usageError(`"${shorten(id)}" is no Conductor: trinity:FOLDER@COST`);
  const { checkpoint, costPerCall } = named;
  if (id.startsWith("look-ahead")) {
    if (checkpoint !== undefined)
      throw usageError("look-ahead has no weights: use look-ahead or look-ahead@COST");
    return createLookAhead(id, costPerCall);
  }
  const folder = findTrinity(checkpoint, set.kind === "tasks" ? "live" : set.kind);
  return createTrinityContender({ id, folder, costPerCall, set });
}

/** A Conductor that plans in words is measured like a baseline that learns nothing. */
async function toPlanner(
  id: string,
  { kind, pool }: WorldSet,
  resolved: BenchInput["resolved"],
): Promise<Baseline> {
  if (!resolved)
    throw usageError(`"${id}" plans hand-offs, which a ${kind} cannot replay: use --tasks with a pool`);
  const { chooseConductor } = await import("../../tutti/conductors.ts");
  const { showNames, conductor: configured } = resolved;
  const wanted = id === "prompted" ? (configured ?? id) : id;
  const { conductor } = await chooseConductor(wanted, pool, {
    kind: resolved.kind,
    showNames,
    env: process.env,
  });
  return { id, summary: "plans in words", needsHandOffs: true, rounds: 1, fit: () => conductor };
}

/** Rows of another bench must not end in the same folder. */
export function toIdentity({ set, fit }: BenchInput, flags: InputFlags): BenchIdentity {
  return {
    set: set.id,
    source: set.kind === "rehearsal" ? set.source : resolve(set.source),
    seed: flags.seed,
    splitBy: flags.splitBy,
    splitSeed: flags.splitSeed,
    limit: flags.limit ?? null,
    pool: set.pool.members.map(({ worker }) => worker.id),
    tasks: hashTasks(set.tasks),
    // Only where they are given, so that folders from before are still gone on with.
    ...(fit && { fit: resolve(fit.folder), fitSets: [...fit.sets], fitted: hashTasks(fit.tasks) }),
    ...(flags.fitTasks !== undefined && { fitTasks: flags.fitTasks }),
  };
}

function hashTasks(tasks: WorldSet["tasks"]): number {
  return hashAll(tasks.flatMap(({ id, prompt, answer }) => [id, prompt, answer]));
}
