// Beliefs for tests, in short, and a Conductor that decides in turns with beliefs that were written down beforehand.

import type { Belief, TurnRole } from "../belief/types.ts";
import { createDecidingConductor } from "../conductor/deciding.ts";
import type { Conductor } from "../conductor/types.ts";
import type { RunEvent } from "../store/types.ts";
import type { Workflow } from "../workflow/types.ts";
import { event, toWorkflow } from "./run-events.ts";
import { step } from "./stage.ts";

type ShortOption = [worker: number, gain: number, price: number, role?: TurnRole];

/** What is left of the probability is that none is right. The answer with number i was said in round i. */
export function toBelief(answers: [answer: string, probability: number][], options: ShortOption[]): Belief {
  const sum = answers.reduce((total, [, probability]) => total + probability, 0);
  return {
    answers: answers.map(([answer, probability], round) => ({
      ...{ answer, probability },
      replies: [{ round, step: 0 }],
    })),
    none: Math.max(0, 1 - sum),
    options: options.map(([worker, gain, price, role]) => ({ worker, role, gain, price })),
  };
}

export interface PlayedTurn {
  /** Number in the pool; undefined: the answer is accepted. */
  worker?: number;
  subtask?: string;
  belief?: Belief;
}

/** A step a round, as written, each seeing all turns before it; after the last one it accepts, believing nothing new. */
export function inTurns(...turns: PlayedTurn[]): Conductor {
  return createDecidingConductor({ kind: "custom", id: "in-turns" }, ({ rounds }) => {
    const { worker, subtask = `turn ${rounds.length + 1}`, belief } = turns[rounds.length] ?? {};
    if (worker === undefined) return { decision: { type: "accept" }, belief };
    const workflow = { steps: [step(worker, subtask, "all-rounds")] };
    return { decision: { type: "workflow", workflow }, belief };
  });
}

/** Hand-made events of a run in turns: two workers are asked the same, the answer of both is accepted. */
export function toTurnEvents(pool: readonly string[], answer = "42"): RunEvent[] {
  const beliefs = [
    toBelief(
      [],
      [
        [0, 0.55, 0.01, "worker"],
        [1, 0.5, 0.02, "worker"],
      ],
    ),
    toBelief(
      [[answer, 0.62]],
      [
        [1, 0.11, 0.02, "verifier"],
        [0, 0.04, 0.01, "worker"],
      ],
    ),
    toBelief(
      [
        [answer, 0.9],
        ["41", 0.02],
      ],
      [[0, 0.004, 0.01, "worker"]],
    ),
  ];
  const decide = (round: number, workflow?: Workflow) =>
    ({ ...event.planEnd(workflow, "", round, 0), durationMs: 0, belief: beliefs[round] }) as RunEvent;
  const ask = (round: number, worker: number, reply: string) => [
    event.planStart(round),
    decide(round, toWorkflow([worker, `subtask ${round + 1}`, "all-rounds"])),
    event.stepStart(0, worker, { round }),
    event.stepEnd(0, worker, reply, { round, at: 400 }),
    event.roundEnd(round),
  ];
  return [
    event.start(pool, {
      rounds: 6,
      conductor: { kind: "custom", id: "in-turns" },
      conductorReason: "a test",
    }),
    ...ask(0, 0, answer),
    ...ask(1, 1, "41"),
    event.planStart(2),
    decide(2),
    event.end(answer, { answerStep: { round: 0, step: 0 } }),
  ];
}
