// Shadow runs: a share of the requests is asked once more, of another Conductor or worker, after its reply is out. Nobody
// waits for it and nobody sees it: it has a budget of its own, gives way to everything else, and fails in silence
// (counted). What came of it is compared in compare.ts.

import { createHash } from "node:crypto";
import { isTuttiError, messageOf, TuttiError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import { SHADOW_KEY_ID, toShadowId } from "../../store/shadow.ts";
import { parseConductorName } from "../../tutti/conductor-names.ts";
import type { Task } from "../../worker/types.ts";
import { admitRun } from "../access/admit-run.ts";
import { endOfWindow } from "../access/budget-window.ts";
import { sizeOf } from "../access/held-bytes.ts";
import { type GatewayKey, isAllowed } from "../access/keys.ts";
import type { GatewayContext } from "../context.ts";
import type { ShadowOutcome } from "../http/metrics.ts";
import { type OneWorker, type Team, toStage } from "../runs/models.ts";
import type { Answered } from "./answered.ts";

type Settings = NonNullable<TuttiConfig["gateway"]["shadow"]>;
type Context = Pick<
  GatewayContext,
  "tutti" | "config" | "models" | "admission" | "held" | "live" | "relaying" | "metrics" | "log" | "isClosing"
>;

/** At once, in one gateway. Those that come meanwhile are dropped: there will be others. */
const MOST_SHADOWS = 4;
/** Of `gateway.maxRunning`: with more requests than that there is no room for guests. */
const BUSY_SHARE = 0.5;
/** Less than this part of what a shadow run may take would only be spent on half an answer. */
const LEAST_PART = 0.1;

export class ShadowDesk {
  readonly #running = new Map<string, { controller: AbortController; done: Promise<void> }>();
  readonly #warned = new Set<string>();
  /** What is left of the day's budget is too little for a call: nothing more is asked until then. */
  #pausedUntil = 0;

  /** Returns at once, and never throws. Call it when the client has its reply. */
  offer(context: Context, answered: Answered): void {
    const { config, metrics } = context;
    const { shadow } = config.gateway;
    if (!shadow || !isOfKeys(shadow, answered) || !isDrawn(answered.runId, shadow.share)) return;
    const task = readTask(answered);
    // Calls of tools have no second answer: their results are of the first.
    if (!task || (task.output?.tools?.length ?? 0) > 0) return;
    const dropped = this.#reasonToDrop(context);
    if (dropped) {
      metrics.addShadow(dropped);
      return;
    }
    const id = toShadowId(answered.runId);
    if (this.#running.has(id)) return;
    const controller = new AbortController();
    const done = this.#ask(context, shadow, answered, task, controller.signal)
      .catch((error: unknown) => this.#settle(context, error))
      .finally(() => this.#running.delete(id));
    this.#running.set(id, { controller, done });
  }

  /** Deletes what was asked again of a run that its client deletes. */
  async delete({ tutti, log }: Pick<Context, "tutti" | "log">, runId: string): Promise<void> {
    const id = toShadowId(runId);
    const own = this.#running.get(id);
    own?.controller.abort();
    await own?.done;
    try {
      await (await tutti.store()).deleteRun(id);
    } catch (error) {
      log.error("a shadow run could not be deleted with its original", { run: runId, error });
    }
  }

  /** Stops them all: what they have taken so far is journaled. */
  async close(): Promise<void> {
    const all = [...this.#running.values()];
    for (const { controller } of all) controller.abort();
    await Promise.all(all.map(({ done }) => done));
  }

  #reasonToDrop({ isClosing, live, relaying, config, tutti }: Context): ShadowOutcome | undefined {
    if (isClosing) return "closing";
    if (Date.now() < this.#pausedUntil) return "budget";
    const isBusy = live.size + relaying > config.gateway.maxRunning * BUSY_SHARE || tutti.backlog.isFull;
    return isBusy || this.#running.size >= MOST_SHADOWS ? "busy" : undefined;
  }

  async #ask(
    context: Context,
    settings: Settings,
    { runId: original, origin, seed, isKept, key }: Answered,
    { messages, output }: Pick<Task, "messages" | "output">,
    signal: AbortSignal,
  ): Promise<void> {
    const { tutti, config, metrics } = context;
    const destination = await toDestination(context, settings.model, key);
    const runId = toShadowId(original);
    const most = settings.budgetUsd / MOST_SHADOWS;
    const usd = Math.min(destination.budgetUsd ?? config.limits.usd ?? most, most);
    const bytes = sizeOf([messages, output]);
    const wanted = { runId, usd, leastUsd: usd * LEAST_PART, bytes };
    const admission = await admitRun(context, toShadowKey(settings), wanted);
    try {
      const isTeam = destination.kind === "team";
      const { result } = tutti.stream(
        { messages, output },
        {
          runId,
          ...toStage(destination),
          ...(destination.named !== undefined && { conductor: destination.named }),
          quality: isTeam ? destination.quality : undefined,
          rounds: isTeam ? destination.rounds : 1,
          budgetUsd: admission.budgetUsd ?? null,
          seed,
          streamsAnswer: false,
          // What embeddings charge is reserved by nobody.
          embeds: config.embeddings === undefined,
          origin: {
            model: `shadow:${settings.model}`,
            dialect: origin.dialect,
            keyId: SHADOW_KEY_ID,
            shadowOf: original,
            isPrivate: isKept ? undefined : true,
          },
          signal,
        },
      );
      const shadow = await result;
      if (!isKept) await (await tutti.store()).stripRun(runId);
      metrics.addShadow(shadow.stopReason === "done" ? "answered" : "failed");
      metrics.addShadowCost(shadow.costUsd, shadow.isSimulated);
      if (shadow.stopReason === "budget-usd" && shadow.calls + shadow.conductorCalls === 0)
        this.#pause(context, settings, usd);
    } finally {
      admission.release(tutti.backlog.written(runId));
    }
  }

  #pause({ log }: Context, { budgetUsd }: Settings, usd: number): void {
    this.#pausedUntil = endOfWindow("day", Date.now())!;
    const most = `a shadow run may take up to $${usd} of gateway.shadow.budgetUsd, $${budgetUsd} a day`;
    log.warn("what is left for shadow runs is too little for a call: none is asked until tomorrow", { most });
  }

  /** Nobody waits for it; the log says once what is wrong. */
  #settle({ metrics, log }: Context, error: unknown): void {
    const outcome = outcomeOf(error);
    metrics.addShadow(outcome);
    const why = messageOf(error);
    if (outcome !== "failed") return;
    if (this.#warned.has(why) || this.#warned.size >= MOST_WARNED) return;
    this.#warned.add(why);
    log.warn("a shadow run could not be asked", { why });
  }
}

const MOST_WARNED = 100;

function outcomeOf(error: unknown): ShadowOutcome {
  const code = isTuttiError(error) ? error.code : undefined;
  if (code === "budget-spent") return "budget";
  return code === "rate-limited" || code === "overloaded" ? "busy" : "failed";
}

function isOfKeys({ keys }: Settings, { key }: Answered): boolean {
  return keys === undefined || (key !== undefined && (keys.includes(key.id) || keys.includes(key.name)));
}

/** Undefined for what was passed through in words that only its provider knows. */
function readTask({ toTask }: Answered): Pick<Task, "messages" | "output"> | undefined {
  try {
    return toTask();
  } catch {
    return undefined;
  }
}

/** The same runs in every gateway and after every restart. */
export function isDrawn(runId: string, share: number): boolean {
  return createHash("sha256").update(runId).digest().readUInt32BE(0) / 2 ** 32 < share;
}

function toShadowKey({ budgetUsd }: Settings): GatewayKey {
  return {
    id: SHADOW_KEY_ID,
    name: SHADOW_KEY_ID,
    hash: "",
    hint: "",
    createdAt: 0,
    isAdmin: false,
    budget: { usd: budgetUsd, window: "day" },
  };
}

type Destination = (Team | OneWorker) & {
  /** The Conductor, where one is named and no model. */
  named?: string;
};

/** Whom a key may not ask, its shadow does not ask either. */
export async function toDestination(
  { models }: Pick<Context, "models">,
  model: string,
  key: GatewayKey | undefined,
): Promise<Destination> {
  const named = parseConductorName(model);
  if (named.kind === "prompted" && named.planner !== undefined)
    return models.resolve(model, key, { preferences: {} });
  if (named.kind === "verified-cascade" && named.judge !== undefined && key && !isAllowed(key, named.judge))
    throw new TuttiError("forbidden", `The API key "${key.name}" may not ask "${shorten(named.judge)}".`);
  return { ...(await models.resolve("tutti", key, { preferences: {} })), named: model };
}
