// What was measured of the workers of a pool: a profile in the config comes first, then what `tutti pool
// calibrate` has saved, then the built-in calibration of the rehearsal. The last two are known task by task, so
// that a profile can be made for each question.

import type { LiveQuestions } from "../calibration/embedding/live-questions.ts";
import { FEWEST } from "../calibration/estimate.ts";
import { selectWorkers } from "../calibration/merge.ts";
import { createProfiler } from "../calibration/profiler.ts";
import { measureProfiles } from "../calibration/rates.ts";
import type { LiveRatings } from "../calibration/ratings/live-ratings.ts";
import type { CalibrationShelf } from "../calibration/shelf.ts";
import type { Calibration, Profiler } from "../calibration/types.ts";
import { modelsOf } from "../worker/kinds.ts";
import type { Pool } from "../worker/types.ts";

export interface AttachOptions {
  /** Where what was measured is kept. */
  calibrations: CalibrationShelf;
  /** Whether the config says how good a worker is: then nothing that was measured changes it. */
  isConfigured: (id: string) => boolean;
  hasRehearsal: boolean;
  /** Where embeddings are configured. */
  questions?: LiveQuestions;
  /** Where the config wants to learn from them. */
  ratings?: LiveRatings;
}

interface PoolForOptions {
  /** What `Embed` made of the text. */
  vector?: Float32Array;
  /** Who asks: whose ratings count in full. */
  keyId?: string;
}

export type PoolFor = (pool: Pool, text: string, options?: PoolForOptions) => Pool;
/** Never throws; undefined where the text is read without. */
export type Embed = (text: string, signal?: AbortSignal) => Promise<Float32Array | undefined>;

export interface AttachedPool {
  pool: Pool;
  /** With what ratings say, for whoever lists it: `poolFor` adds them itself. Absent where nothing is learned from them. */
  rated?: Pool;
  /** The pool, or a part of it, with profiles for a question. Absent where nobody of it was measured. */
  poolFor?: PoolFor;
  /** Absent where no embeddings are configured, or nobody of the pool was measured. */
  embed?: Embed;
  /** Files that could not be read. */
  problems: string[];
}

export async function attachCalibrations(pool: Pool, options: AttachOptions): Promise<AttachedPool> {
  const { calibrations, isConfigured, hasRehearsal, questions, ratings } = options;
  const { calibration, problems } = await calibrations.loadAll(questions?.id);
  const models = new Set(modelsOf(pool).map(({ worker }) => worker.id));
  // Only workers of this pool: the rate of few tasks is drawn towards the others one could ask instead.
  const saved = calibration && selectWorkers(calibration, (id) => models.has(id) && !isConfigured(id));
  const profilers: Profiler[] = [];
  if (hasRehearsal) {
    const { rehearsalCalibration } = await import("../rehearsal/profiles.ts");
    const builtIn = selectWorkers(rehearsalCalibration(), (id) => !isConfigured(id));
    if (builtIn) profilers.push(createProfiler(builtIn));
  }
  const ofSaved = saved && createProfiler(saved);
  if (ofSaved) profilers.push(ofSaved);
  // Who is in both has the measurements of the last.
  const measuredFor: PoolFor = (given, text, { vector } = {}) =>
    profilers.reduce(
      (before, profiler) => profiler.poolFor(before, text, profiler === ofSaved ? { vector } : {}),
      given,
    );
  const poolFor: PoolFor = (given, text, options = {}) => {
    const measured = measuredFor(given, text, options);
    return ratings?.poolFor(measured, text, { keyId: options.keyId, isConfigured }) ?? measured;
  };
  const known = saved ? attach(pool, saved) : pool;
  await ratings?.ready();
  return {
    pool: known,
    rated: ratings?.poolFor(known, "", { isConfigured }),
    problems,
    poolFor: profilers.length > 0 || ratings ? poolFor : undefined,
    embed: questions && ofSaved && ((text, signal) => embedFor(ofSaved, questions, text, signal)),
  };
}

/** Nobody is asked for a vector that there is nothing to compare with. */
async function embedFor(
  { dimension }: Profiler,
  questions: LiveQuestions,
  text: string,
  signal: AbortSignal | undefined,
): Promise<Float32Array | undefined> {
  if (dimension !== undefined) return questions.embed(text, dimension, signal);
  const remedy = "tutti pool calibrate adds them, and asks nobody twice";
  questions.goOnWithout(`fewer than ${FEWEST} measured questions have theirs (${remedy})`);
  return undefined;
}

/** The measurements that belong to no question, for whoever lists the pool. */
function attach({ members }: Pool, saved: Calibration): Pool {
  const profiles = measureProfiles(saved);
  return {
    members: members.map((member) => {
      const measured = profiles[saved.workers.indexOf(member.worker.id)];
      if (!measured) return member;
      const delayMs = member.profile?.delayMs ?? measured.delayMs;
      return { ...member, profile: { ...measured, delayMs } };
    }),
  };
}
