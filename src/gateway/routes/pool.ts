// Who can be asked, how they are, what is known of them, and who did the work lately.

import type { PoolReport, PoolWorker } from "../dashboard/types.ts";
import type { ShareFilter, Work } from "../dashboard/worker-shares.ts";
import type { Visit } from "../http/route.ts";
import { readWhole } from "../http/route.ts";
import { isAllowedMember } from "../runs/models.ts";
import type { Handler } from "../types.ts";

const HOUR_MS = 3_600_000;
const USUAL_HOURS = 24 * 7;
const MOST_HOURS = 24 * 366;

/** A key that may not ask everybody sees whom it may ask, and its own share. */
export const showPool: Handler = async (context, visit) => {
  const { tutti, reader } = context;
  const { key, connection } = visit;
  const { hours, ...filter } = readWindow(visit);
  const { from } = filter;
  const resolved = await tutti.pool();
  const { byWorker, planning, runs, isCut } = await reader.read(key, "sumShares", filter);
  const total = [...byWorker.values()].reduce(
    (sum, work) => ({ calls: sum.calls + work.calls, costUsd: sum.costUsd + work.costUsd }),
    { calls: 0, costUsd: 0 },
  );
  const states = new Map(resolved.workers.map((worker) => [worker.id, worker]));
  const { members: listed } = resolved.rated ?? resolved.pool;
  const members = listed.map(({ worker, ...rest }, number): PoolWorker | undefined => {
    if (!isAllowedMember(key, worker)) return undefined;
    const { state = "ready", detail } = states.get(worker.id) ?? {};
    return {
      ...{ id: worker.id, kind: worker.kind, number, state, detail },
      ...rest,
      circuit: tutti.circuitOf(worker.id),
      work: toShare(byWorker.get(worker.id), total),
    };
  });
  const isIn = (id: string) => resolved.pool.members.some(({ worker }) => worker.id === id);
  const leftOut = key && !key.isAdmin ? [] : resolved.workers.filter(({ id }) => !isIn(id));
  const report: PoolReport = {
    object: "pool",
    kind: resolved.kind,
    notice: resolved.notice,
    workers: members.filter((member) => member !== undefined),
    pools: context.config.pools,
    leftOut: leftOut.map(({ id, state, detail = "" }) => ({ id, state, detail })),
    window: { from, hours, runs, isCut, ...total },
    planning: { calls: planning.calls, costUsd: planning.costUsd },
  };
  connection.json(200, report);
};

/** Who did the work, day by day: what bills know by key and by model only. */
export const showPoolDays: Handler = async (context, visit) => {
  const { hours: _, ...filter } = readWindow(visit);
  const { days, isCut } = await context.reader.read(visit.key, "sumDays", filter);
  visit.connection.json(200, { object: "list", data: days, isCut });
};

function readWindow({ key, query }: Visit): ShareFilter & { hours: number } {
  const hours = readWhole(query.hours, "hours", 1, MOST_HOURS) ?? USUAL_HOURS;
  return { hours, from: Date.now() - hours * HOUR_MS, keyId: key?.isAdmin ? undefined : key?.id };
}

function toShare(work: Work | undefined, total: { calls: number; costUsd: number }): PoolWorker["work"] {
  const { calls = 0, costUsd = 0, failures = 0, replies = 0, replyMs = 0 } = work ?? {};
  return {
    ...{ calls, costUsd, failures },
    callShare: total.calls === 0 ? 0 : calls / total.calls,
    costShare: total.costUsd === 0 ? 0 : costUsd / total.costUsd,
    meanMs: replies > 0 ? replyMs / replies : undefined,
  };
}
