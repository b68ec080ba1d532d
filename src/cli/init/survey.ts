// What `tutti init` finds: who can be asked by the keys and servers of this environment, who replied to a tiny question,
// who would conduct them and why, and what measuring them would cost. A config that is there already does not count.

import type { ResolvedPool } from "../../config/pool.ts";
import { isModel, modelsOf } from "../../worker/kinds.ts";
import { mostCostOf } from "../../worker/price.ts";
import type { Pool, PoolMember } from "../../worker/types.ts";
import { CHECK_TOKENS, type Check, checkPool } from "../pool/check.ts";

export interface Survey {
  /** Those that may be asked: who failed the check is not among them. */
  pool: Pool;
  kind: ResolvedPool["kind"];
  /** Absent where nobody agreed to be asked for it. */
  checks?: Check[];
  /** Found and not taken, with why. */
  leftOut: { id: string; detail: string }[];
  /** The same in words, one for each reason. */
  warnings: string[];
}

/** Undefined where there is neither a key nor a server. Throws "no-worker" where what is configured cannot be asked. */
export async function findWorkers(env: NodeJS.ProcessEnv): Promise<Survey | undefined> {
  const [{ parseConfig }, { resolvePool }, { isModelName }] = await Promise.all([
    import("../../config/problems.ts"),
    import("../../config/pool.ts"),
    import("../../config/schema.ts"),
  ]);
  const { pool: found, kind, workers, warnings } = await resolvePool(parseConfig({}), { env });
  if (kind === "rehearsal") return undefined;
  // A server may list what no config can name.
  const unnamed = modelsOf(found).filter(({ worker }) => !isModelName(worker.id));
  const pool = withoutLoneVote(found.members.filter((member) => !unnamed.includes(member)));
  const isAsked = (id: string) => found.members.some(({ worker }) => worker.id === id);
  const leftOut = workers
    .filter(({ id }) => !isAsked(id))
    .map(({ id, detail = "it cannot be asked" }) => ({ id, detail }));
  const named = unnamed.map(({ worker: { id } }) => ({ id, detail: "a config cannot hold such a name" }));
  return { pool, kind, leftOut: [...named, ...leftOut], warnings };
}

/** The most that one tiny question to each of them can cost; undefined where a price is unknown. */
export function boundCheckUsd(pool: Pool): number | undefined {
  const costs = modelsOf(pool).map(
    ({ price }) => price && mostCostOf(CHECK_TOKENS.input, CHECK_TOKENS.output, price),
  );
  return costs.every((cost) => cost !== undefined) ? costs.reduce((sum, cost) => sum + cost, 0) : undefined;
}

/** Asks everybody, and leaves out who does not reply. */
export async function check(survey: Survey): Promise<Survey> {
  const checks = await checkPool(survey.pool);
  const failed = new Map(
    checks.filter(({ ok }) => !ok).map(({ id, error }) => [id, error?.message ?? "no reply"]),
  );
  const members = survey.pool.members.filter(({ worker }) => !failed.has(worker.id));
  const leftOut = [...failed].map(([id, detail]) => ({ id, detail }));
  return { ...survey, pool: withoutLoneVote(members), checks, leftOut: [...leftOut, ...survey.leftOut] };
}

/** A vote needs two. */
function withoutLoneVote(members: PoolMember[]): Pool {
  const models = members.filter(({ worker }) => isModel(worker));
  return { members: models.length > 1 ? members : models };
}

export async function findConductor(
  { pool, kind }: Survey,
  env: NodeJS.ProcessEnv,
): Promise<{ id: string; reason: string }> {
  const { chooseConductor } = await import("../../tutti/conductors.ts");
  const { conductor, reason } = await chooseConductor(undefined, pool, { kind, showNames: false, env });
  const { identity } = conductor;
  if (identity.kind === "prompted") return { id: identity.planner, reason };
  if (identity.kind === "single") return { id: identity.worker, reason };
  const { toConductorName } = await import("../../store/conductor-name.ts");
  return { id: toConductorName(identity), reason };
}

export interface CalibrationOffer {
  tasks: number;
  /** About, and at the most; absent where a price is unknown. */
  usd?: number;
  mostUsd?: number;
  command: string;
}

export async function offerCalibration({ pool }: Survey): Promise<CalibrationOffer> {
  const { estimateCalibration } = await import("../pool/calibrate.ts");
  const estimate = await estimateCalibration(pool);
  const budget = estimate.mostUsd ? ` --budget-usd ${toBudget(estimate.mostUsd)}` : "";
  return { ...estimate, command: `tutti pool calibrate${budget}` };
}

/** Whole cents, so that it can be typed. */
function toBudget(usd: number): string {
  return (Math.max(1, Math.ceil(usd * 100)) / 100).toFixed(2);
}
