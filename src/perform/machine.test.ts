// Properties of the pure machine: whatever happens in a run, these hold. The driver adds nothing to the state of a run,
// so what holds here holds for every run.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Amount, RunEvent } from "../store/types.ts";
import { playMachine, resumeMachine } from "../testing/machine.ts";
import { decide } from "./decide.ts";
import { toPickUp } from "./pick-up.ts";
import { toRun } from "./run.ts";
import { apply, candidatesFor, fold, isOver, type RunState } from "./state.ts";

const KEYS = ["usd", "calls", "tokens"] as const;
/** Sums of many floats. */
const HAIR = 1e-9;
const seeds = fc.integer({ min: 0, max: 2 ** 31 });

function holds(numRuns: number, property: (seed: number) => void): void {
  fc.assert(fc.property(seeds, property), { seed: 17, numRuns });
}

describe("money, calls and tokens", () => {
  it("spent and reserved together never exceed a limit, at any moment", () => {
    holds(300, (seed) => {
      playMachine(seed, {
        onState({ settings: { limits }, spent, reserved }) {
          for (const key of KEYS)
            expect(spent[key] + reserved[key]).toBeLessThanOrEqual(
              (limits[key] ?? Number.POSITIVE_INFINITY) + HAIR,
            );
        },
      });
    });
  });

  it("what is reserved is what those under way hold, and nothing when all is over", () => {
    holds(200, (seed) => {
      const { state } = playMachine(seed, { onState: (each) => expectSame(each.reserved, heldIn(each)) });
      expectSame(state.reserved, { usd: 0, calls: 0, tokens: 0 });
    });
  });

  it("what was spent is the sum of what each attempt took, the Conductor's calls apart", () => {
    holds(200, (seed) => {
      const { events, state } = playMachine(seed);
      const spent = { usd: 0, calls: 0, tokens: 0 };
      let planning = 0;
      for (const event of events) {
        if (!("spending" in event)) continue;
        const { usage, costUsd = 0, calls } = event.spending;
        spent.usd += costUsd;
        spent.tokens += usage.inputTokens + usage.outputTokens;
        if (event.type === "plan-end" || event.type === "plan-error") planning += calls;
        else spent.calls += calls;
      }
      expectSame(state.spent, spent);
      const run = toRun(state);
      expect(run.conductorCalls).toBe(planning);
      expect(run.usage.inputTokens + run.usage.outputTokens).toBe(spent.tokens);
    });
  });
});

describe("steps", () => {
  it("start only when all they wait for is over, with the next number, and with somebody who has not failed at it", () => {
    holds(200, (seed) => {
      playMachine(seed, {
        onState(_, event, before) {
          if (event.type !== "step-start") return;
          const { steps, dependencies, workflow } = before.rounds[event.round]!;
          const step = steps[event.step]!;
          expect(dependencies[event.step]!.every((other) => isOver(steps[other]!))).toBe(true);
          expect(event.attempt).toBe(step.attempts);
          expect(step.exhausted).not.toContain(event.worker);
          const named = workflow!.steps[event.step]!.worker;
          expect(candidatesFor(before.pool, named, step)).toContain(event.worker);
          expect(event.instead?.worker).toBe(event.worker === named ? undefined : named);
        },
      });
    });
  });

  it("wait before the same worker is asked again for as long as it was said", () => {
    holds(200, (seed) => {
      playMachine(seed, {
        onState(_, event, before) {
          if (event.type !== "step-start") return;
          const { retryAt, worker } = before.rounds[event.round]!.steps[event.step]!;
          if (retryAt === undefined) return;
          expect(event.at).toBeGreaterThanOrEqual(retryAt);
          expect(event.worker).toBe(worker);
        },
      });
    });
  });

  it("of a round begin after the round before has ended, and never more rounds than allowed", () => {
    holds(200, (seed) => {
      const { state } = playMachine(seed, {
        onState({ rounds }, event) {
          if (event.type === "step-start")
            expect(rounds.slice(0, event.round).every(({ ended }) => ended)).toBe(true);
        },
      });
      expect(state.rounds.length).toBeLessThanOrEqual(state.settings.rounds);
    });
  });
});

describe("the state", () => {
  it("is never changed in place: neither by an event nor by a decision", () => {
    holds(60, (seed) => {
      const { events } = playMachine(seed);
      let state = freeze(fold(events.slice(0, 1))!);
      for (const event of events.slice(1)) {
        const circumstances = { now: event.at, isAvailable: () => true, quotePlan: () => undefined };
        expect(decide(state, circumstances)).toEqual(decide(state, circumstances));
        state = freeze(apply(state, event));
      }
    });
  });

  it("is the same live and out of a journal, which is text", () => {
    holds(200, (seed) => {
      const { events, state } = playMachine(seed);
      const read: RunEvent[] = JSON.parse(JSON.stringify(events));
      expect(fold(read)).toEqual(state);
      expect(toRun(fold(read)!, 0)).toEqual(toRun(state, 0));
    });
  });

  it("that is over decides nothing more, and keeps its answer", () => {
    holds(200, (seed) => {
      const { state, events } = playMachine(seed);
      const circumstances = {
        now: Number.MAX_SAFE_INTEGER,
        isAvailable: () => true,
        quotePlan: () => undefined,
      };
      expect(decide(state, { ...circumstances, stop: "cancelled" })).toEqual([]);
      const { hasAnswer, answerStep } = state.ended!;
      expect(hasAnswer).toBe(events.some(saysSomething));
      if (hasAnswer) expect(state.rounds[answerStep!.round]!.steps[answerStep!.step]).toBeDefined();
    });
  });
});

describe("a run that died", () => {
  it("goes on from any prefix of its journal to an end, within its limits", () => {
    holds(150, (seed) => {
      const { events } = playMachine(seed);
      for (let length = 1; length < events.length; length += 1 + (seed % 3)) {
        const kept = events.slice(0, length);
        const lost = toPickUp(fold(kept)!, kept.at(-1)!.at);
        // A call that was lost is counted as it may have been billed, which the reservation covers.
        const revived = fold([...kept, ...lost])!;
        expect(heldIn(revived)).toEqual({ usd: 0, calls: 0, tokens: 0 });
        const { state } = resumeMachine(seed + length, [...kept, ...lost], revived);
        expect(state.ended).toBeDefined();
        const { limits } = state.settings;
        for (const key of KEYS)
          expect(state.spent[key]).toBeLessThanOrEqual((limits[key] ?? Number.POSITIVE_INFINITY) + HAIR);
      }
    });
  });

  it("keeps every reply that was journaled", () => {
    holds(100, (seed) => {
      const { events } = playMachine(seed);
      const kept = events.slice(0, Math.ceil(events.length / 2));
      const revived = fold([...kept, ...toPickUp(fold(kept)!, kept.at(-1)!.at)])!;
      const { state } = resumeMachine(seed, [...kept], revived);
      for (const event of kept) {
        if (event.type !== "step-end") continue;
        expect(state.rounds[event.round]!.steps[event.step]!.reply).toEqual(event.reply);
      }
    });
  });
});

/** What steps and plans under way have reserved. */
function heldIn({ rounds }: RunState): Amount {
  const held = { usd: 0, calls: 0, tokens: 0 };
  for (const { plan, steps } of rounds) {
    const going = [
      ...(plan.status === "composing" ? [plan.reserved] : []),
      ...steps.filter(({ status }) => status === "running").map(({ reserved }) => reserved),
    ];
    for (const amount of going) for (const key of KEYS) held[key] += amount[key];
  }
  return held;
}

function expectSame(actual: Amount, expected: Amount): void {
  for (const key of KEYS) expect(actual[key]).toBeCloseTo(expected[key], 9);
}

function saysSomething(event: RunEvent): boolean {
  if (event.type === "step-end") return event.reply.text !== "";
  return event.type === "step-error" && Boolean(event.partial);
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}
