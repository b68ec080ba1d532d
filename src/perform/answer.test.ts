// Which answer a run has, and whose reply it is: told by the machine, never found again by comparing texts.

import { describe, expect, it } from "vitest";
import type { RunEvent } from "../store/types.ts";
import { event, toWorkflow } from "../testing/run-events.ts";
import { toRun } from "./run.ts";
import { fold } from "./state.ts";
import { toAnswer } from "./visible.ts";

const TWO = toWorkflow([0, "solve", []], [1, "check", "all"]);
const begin = [event.start(["a", "b"], { rounds: 3 }), event.planStart(), event.planEnd(TWO)];
const said = (step: number, text: string, round = 0): RunEvent[] => [
  event.stepStart(step, step, { round }),
  event.stepEnd(step, step, text, { round }),
];
const second = [event.planStart(1), event.planEnd(TWO, "", 1)];
const accept = (more: { step?: number; round?: number }, round: number): RunEvent =>
  ({ ...event.planEnd(undefined, "", round), decision: { type: "accept", ...more } }) as RunEvent;

const answerOf = (...events: RunEvent[]) => toAnswer(fold([...begin, ...events])!);

describe("the answer", () => {
  it("is the last reply that is there, and says whose", () => {
    expect(answerOf()).toEqual({ answer: "", hasAnswer: false, answerStep: undefined });
    expect(answerOf(...said(0, "one"))).toEqual({
      answer: "one",
      hasAnswer: true,
      answerStep: { round: 0, step: 0 },
    });
    expect(answerOf(...said(0, "one"), ...said(1, "two")).answerStep).toEqual({ round: 0, step: 1 });
  });

  it("is of the step that said it last, also where others said the same", () => {
    const { answerStep } = answerOf(...said(0, "same"), ...said(1, "same"));
    expect(answerStep).toEqual({ round: 0, step: 1 });
  });

  it("of a finished round stands until the next one has a whole reply of its last step", () => {
    const before = [...said(0, "one"), ...said(1, "two"), event.roundEnd(), ...second];
    expect(answerOf(...before, ...said(0, "three", 1))).toMatchObject({
      answer: "two",
      answerStep: { round: 0, step: 1 },
    });
    expect(answerOf(...before, ...said(0, "three", 1), ...said(1, "four", 1))).toMatchObject({
      answer: "four",
      answerStep: { round: 1, step: 1 },
    });
  });

  it("is the reply that the Conductor accepts, of the last round or of an earlier one", () => {
    const played = [...said(0, "one"), ...said(1, "two"), event.roundEnd()];
    const both = [...played, ...second, ...said(0, "one", 1), ...said(1, "four", 1), event.roundEnd(1)];
    expect(answerOf(...played, event.planStart(1), accept({ step: 0 }, 1)).answerStep).toEqual({
      round: 0,
      step: 0,
    });
    expect(answerOf(...both, event.planStart(2), accept({ step: 0 }, 2)).answerStep).toEqual({
      round: 1,
      step: 0,
    });
    expect(answerOf(...both, event.planStart(2), accept({ step: 1, round: 0 }, 2))).toMatchObject({
      answer: "two",
      answerStep: { round: 0, step: 1 },
    });
  });

  it("is a part of a reply where nothing else is there", () => {
    const part = answerOf(event.stepStart(0, 0), event.delta(0, "half"));
    expect(part).toEqual({ answer: "half", hasAnswer: true, answerStep: { round: 0, step: 0 } });
  });
});

describe("a run that is over", () => {
  const run = (...events: RunEvent[]) => toRun(fold([...begin, ...events])!);

  it("says what its end said", () => {
    const answerStep = { round: 0, step: 0 };
    const ended = run(
      ...said(0, "one"),
      ...said(1, "two"),
      event.roundEnd(),
      event.end("one", { answerStep }),
    );
    expect(ended).toMatchObject({ answer: "one", hasAnswer: true, answerStep });
  });

  it("of a journal of 0.1 finds the step again, by the rule and not by the text", () => {
    const ended = run(...said(0, "same"), ...said(1, "same"), event.roundEnd(), event.end("same"));
    expect(ended.answerStep).toEqual({ round: 0, step: 1 });
  });

  it("that waits for tools points at the step that asks for them, whatever the answer so far is", () => {
    const toolCalls = [{ id: "x", name: "weather", input: "{}" }];
    const asking = [event.stepStart(1, 1), event.stepEnd(1, 1, "", { reply: { toolCalls } })];
    const ended = run(
      ...said(0, "one"),
      ...asking,
      event.roundEnd(),
      event.end("one", { stopReason: "tool-calls" }),
    );
    expect(ended).toMatchObject({ answer: "one", answerStep: { round: 0, step: 1 } });
  });

  it("without any reply has no answer, also where it is asked for its step", () => {
    const ended = run(event.end("", { stopReason: "deadline" }));
    expect(ended).toMatchObject({ answer: "", hasAnswer: false });
    expect(ended.answerStep).toBeUndefined();
  });
});
