// The Conductor's turn: what it is shown, what becomes of what it writes, and who plans when it cannot.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import type { Conductor, PlanEvent } from "../conductor/types.ts";
import type { PoolEntry, RunEvent } from "../store/types.ts";
import { event, toWorkflow } from "../testing/run-events.ts";
import { scriptedWorker, step, toPool, toStage, toStart } from "../testing/stage.ts";
import { NO_USAGE } from "../worker/price.ts";
import { performPlan, toComposeRequest, toFallBack } from "./plan.ts";
import { fold, start } from "./state.ts";

const pool = toPool([scriptedWorker("a", "fine"), scriptedWorker("b", "fine")]);
const PRICE = { inputUsd: 1_000_000, outputUsd: 1_000_000 };
const WORKFLOW = { steps: [step(0, "go")] };
const COMPOSE = {
  type: "compose" as const,
  round: 0,
  attempt: 0,
  reserved: { usd: 0, calls: 0, tokens: 0 },
  maxOutputTokens: undefined,
};

/** Writes these events; an error is thrown. */
function conductorOf(script: (PlanEvent | Error)[], isPaid = false): Conductor {
  return {
    identity: { kind: "custom", id: "scripted" },
    async *compose() {
      for (const part of script) {
        if (part instanceof Error) throw part;
        yield part;
      }
    },
    ...(isPaid && {
      quote: () => ({
        member: { worker: scriptedWorker("planner", ""), price: PRICE },
        inputTokens: 7,
        maxOutputTokens: 100,
      }),
    }),
  };
}

async function planOf(
  script: (PlanEvent | Error)[],
  more: { isPaid?: boolean; attempt?: number; signal?: AbortSignal } = {},
) {
  const { isPaid, attempt = 0, signal = new AbortController().signal } = more;
  const stage = toStage(pool, conductorOf(script, isPaid), { now: () => 5_000 });
  const action = { ...COMPOSE, attempt };
  return { planned: await performPlan(action, start(toStart(pool)), stage, signal), told: stage.events };
}

describe("a plan", () => {
  const end = (usage = NO_USAGE): PlanEvent => ({
    type: "plan-end",
    text: "a plan",
    decision: { type: "workflow", workflow: WORKFLOW },
    usage,
  });

  it("is told as it is written, and costs what the planner's provider says", async () => {
    const usage = { ...NO_USAGE, inputTokens: 5, outputTokens: 2 };
    const { planned, told } = await planOf(
      [{ type: "plan-delta", text: "a " }, { type: "plan-delta", text: "plan" }, end(usage)],
      { isPaid: true },
    );
    expect(told.map((each) => each.type === "plan-delta" && each.text)).toEqual(["a ", "plan"]);
    expect(planned).toMatchObject({
      type: "plan-end",
      text: "a plan",
      decision: { type: "workflow" },
      spending: { usage, costUsd: 7, calls: 1 },
    });
  });

  it("of a Conductor in this process costs nothing, and is no call", async () => {
    const { planned } = await planOf([end({ ...NO_USAGE, inputTokens: 5, outputTokens: 2 })]);
    expect(planned).toMatchObject({ spending: { costUsd: 0, calls: 0 } });
  });

  it("that breaks off is a fault, and counts with the longest reply that it may have been billed for", async () => {
    const { planned } = await planOf([{ type: "plan-delta", text: "half" }], { isPaid: true });
    expect(planned).toMatchObject({
      type: "plan-error",
      error: { code: "stream-cut", message: "scripted stopped in the middle of its plan" },
      spending: { usage: { inputTokens: 7, outputTokens: 100 }, costUsd: 107, calls: 1, estimated: true },
    });
  });

  it("may be tried again where that helps, and not where it does not", async () => {
    const busy = new TuttiError("rate-limited", "later", { retryAfterMs: 1_000 });
    const { planned } = await planOf([busy]);
    expect((planned as Extract<RunEvent, { type: "plan-error" }>).retryAt).toBeGreaterThanOrEqual(6_000);
    for (const more of [{ attempt: 9 }, {}]) {
      const fault = more.attempt ? busy : new TypeError("a bug in somebody's Conductor");
      const { planned: lost } = await planOf([fault], more);
      expect(lost).toMatchObject({ type: "plan-error" });
      expect((lost as Extract<RunEvent, { type: "plan-error" }>).retryAt).toBeUndefined();
    }
  });

  it("that we stopped may be made again at once after a resume", async () => {
    const { planned } = await planOf([new TuttiError("aborted", "stopped")], { signal: AbortSignal.abort() });
    expect(planned).toMatchObject({ type: "plan-error", retryAt: 5_000 });
  });
});

describe("what the Conductor is shown", () => {
  const TWO = toWorkflow([0, "solve", []], [1, "check", "all"]);
  const begin = [event.start(["a", "b"], { rounds: 3 }), event.planStart()];

  it("are its finished rounds with every reply, empty where a step failed, and its own mistakes of this round", () => {
    const bad = { type: "format-error", error: { code: "nothing-found", message: "no list" } };
    const state = fold([
      ...begin,
      event.planEnd(TWO),
      ...[event.stepStart(0, 0), event.stepEnd(0, 0, "one"), event.stepStart(1, 1), event.stepEnd(1, 1, "")],
      ...[event.roundEnd(), event.planStart(1)],
      { ...event.planEnd(undefined, "", 1), decision: bad } as RunEvent,
    ])!;
    const request = toComposeRequest(state, pool, 99);
    expect(request.rounds).toEqual([{ workflow: TWO, replies: ["one", ""] }]);
    expect(request.errors).toEqual([bad.error]);
    expect(request.maxOutputTokens).toBe(99);
  });

  it("has another seed for every round and attempt, and the same one when it is asked again", () => {
    const first = fold(begin.slice(0, 1))!;
    const again = fold([
      ...begin,
      {
        ...event.planEnd(undefined),
        decision: { type: "format-error", error: { code: "nothing-found", message: "" } },
      } as RunEvent,
    ])!;
    const next = fold([
      ...begin,
      event.planEnd(toWorkflow([0, "go", []])),
      event.stepStart(0, 0),
      event.stepEnd(0, 0, "x"),
      event.roundEnd(),
    ])!;
    const seeds = [first, again, next].map((state) => toComposeRequest(state, pool).seed);
    expect(new Set(seeds).size).toBe(3);
    expect(toComposeRequest(first, pool).seed).toBe(seeds[0]);
  });
});

describe("without a usable plan", () => {
  const profile = (success: number) => ({ success, tasks: 10, topics: {} });

  it("the strongest worker is asked alone, and later rounds keep what is there", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { minLength: 1, maxLength: 6 }), (skills) => {
        const entries = skills.map(
          (skill, i): PoolEntry => ({ id: `w${i}`, kind: "model", profile: profile(skill / 100) }),
        );
        const state = { ...start(toStart(pool)), pool: entries };
        const fallBack = { type: "fall-back" as const, attempt: 3, reason: "no list" };
        const first = toFallBack({ ...fallBack, round: 0 }, state, 1);
        if (first.type !== "plan-end" || first.decision.type !== "workflow") throw new Error("no workflow");
        const { steps } = first.decision.workflow;
        expect(steps).toMatchObject([{ access: [] }]);
        expect(skills[steps[0]!.worker]).toBe(Math.max(...skills));
        expect(first).toMatchObject({ fallback: "no list", spending: { calls: 0, costUsd: 0 } });
        expect(toFallBack({ ...fallBack, round: 1 }, state, 1)).toMatchObject({
          decision: { type: "accept" },
        });
      }),
      { seed: 3 },
    );
  });
});
