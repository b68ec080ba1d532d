// Whom a rating is about, and what a run tells of itself.

import { expect, it } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import type { RunEvent } from "../store/types.ts";
import { event, RUN_ID, toWorkflow } from "../testing/run-events.ts";
import { addFeedback, inferFeedback } from "./feedback.ts";
import { findRated } from "./rated.ts";
import { toRun } from "./run.ts";
import { fold } from "./state.ts";

const QUESTION = "What is 17 * 23?";
const runOf = (events: RunEvent[]) => toRun(fold(events)!);
const single = (reply = "391", extra: Parameters<typeof event.end>[1] = {}) => [
  event.start(["a", "b"]),
  event.planStart(),
  event.planEnd(toWorkflow([1, "", []])),
  event.stepStart(0, 1),
  event.stepEnd(0, 1, reply),
  event.roundEnd(),
  event.end(reply, extra),
];

it("is about whoever gave the answer, and the question", () => {
  expect(findRated(runOf(single()))).toEqual({ workers: ["b"], question: QUESTION });
  expect(findRated(runOf(single().slice(0, 3))), "nobody answered").toBeUndefined();
});

it("of a vote it is about those who agreed with what won", () => {
  const replies = ["Answer: 391", "Answer: 400", "Answer: 391"];
  const run = runOf([
    event.start(["a", "b", "c", "consensus"]),
    event.planStart(),
    event.planEnd(toWorkflow([0, "", []], [1, "", []], [2, "", []], [3, "", [0, 1, 2]])),
    ...replies.flatMap((reply, step) => [event.stepStart(step, step), event.stepEnd(step, step, reply)]),
    event.stepStart(3, 3),
    event.stepEnd(3, 3, replies[0]!),
    event.roundEnd(),
    event.end(replies[0]!),
  ]);
  expect(findRated(run)).toEqual({ workers: ["a", "c"], question: QUESTION });
});

it("of a run whose content is not kept there is no question", async () => {
  const [start, ...rest] = single();
  if (start?.type !== "run-start") throw new Error("no start");
  const origin = { model: "tutti", dialect: "chat" as const, isPrivate: true };
  expect(findRated(runOf([{ ...start, origin }, ...rest]))).toEqual({ workers: ["b"] });
  const store = createMemoryStore();
  await store.append(single());
  await addFeedback(store, RUN_ID, { score: 0 }, { keyId: "k", now: 7 });
  const rating = { type: "run-feedback", runId: RUN_ID, at: 7, score: 0, keyId: "k" };
  const [given] = await store.listFeedback({ limit: 5 });
  expect(given!.event).toMatchObject({ ...rating, about: { workers: ["b"], question: QUESTION } });
  await store.stripRun(RUN_ID);
  const [stripped] = await store.listFeedback({ limit: 5 });
  expect(stripped!.event).toMatchObject(rating);
  expect(stripped!.event.about).toEqual({ workers: ["b"] });
});

it("a run tells of itself that its JSON is not as it was asked for, and what its last tests said", () => {
  expect(inferFeedback(runOf(single("{", { stopReason: "invalid-output" })))).toMatchObject({
    ...{ score: 0, label: "invalid-json", isInferred: true },
  });
  expect(inferFeedback(runOf(single()))).toBeUndefined();
  const tested = (...outputs: string[]) => {
    const [start, ...rest] = single("It is done.");
    if (start?.type !== "run-start") throw new Error("no start");
    const turns = outputs.flatMap((content, turn) => {
      const id = `c${turn}`;
      return [
        {
          role: "assistant" as const,
          content: "",
          toolCalls: [{ id, name: "run", input: `{"turn":${turn}}` }],
        },
        { role: "tool" as const, toolCallId: id, toolName: "run", content },
      ];
    });
    const messages = [...start.task.messages, ...turns];
    return inferFeedback(runOf([{ ...start, task: { messages } }, ...rest]));
  };
  const [passed, failed] = ["Tests  5 passed (5)", "Tests  2 failed | 3 passed (5)"];
  expect(tested(passed)).toMatchObject({ score: 1, label: "tests-passed" });
  expect(tested(failed)).toMatchObject({ score: 0, label: "tests-failed" });
  expect(tested(failed, "The file was edited.", passed)).toMatchObject({ score: 1 });
  expect(tested("total 8")).toBeUndefined();
  // What was done after them may have mended it, or broken it: that is not certain.
  expect(tested(failed, "The file was edited.")).toBeUndefined();
  expect(tested(passed, "The file was edited.")).toBeUndefined();
});
