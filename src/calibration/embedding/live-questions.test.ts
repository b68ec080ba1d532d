import { expect, it } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import { createLiveQuestions } from "./live-questions.ts";

/** Whether it fails is decided by the test, call by call. */
function create(fails: () => boolean = () => false) {
  const asked: string[] = [];
  const notices: string[] = [];
  const clock = { now: 0 };
  const questions = createLiveQuestions(
    {
      id: "e",
      async encode(texts, signal) {
        asked.push(...texts);
        if (signal.aborted) throw new TuttiError("aborted", "it was stopped");
        if (fails()) throw new TuttiError("provider-error", "it answers 500");
        return texts.map(() => Float32Array.of(1, 0));
      },
    },
    { notice: (text) => notices.push(text), now: () => clock.now },
  );
  return { questions, asked, notices, clock };
}

it("a question is embedded once, also when it is asked twice at the same time", async () => {
  const { questions, asked, notices } = create();
  const twice = await Promise.all([questions.embed("a", 2), questions.embed("a", 2)]);
  expect(twice).toEqual([Float32Array.of(1, 0), Float32Array.of(1, 0)]);
  await questions.embed("a", 2);
  await questions.embed("", 2);
  expect({ asked, notices }).toEqual({ asked: ["a"], notices: [] });
});

it("a server that fails is told of once, left alone for a minute, and then asked again", async () => {
  let isDown = true;
  const { questions, asked, notices, clock } = create(() => isDown);
  expect(await questions.embed("a", 2)).toBeUndefined();
  expect(await questions.embed("b", 2)).toBeUndefined();
  expect(asked).toEqual(["a"]);
  clock.now = 61_000;
  expect(await questions.embed("b", 2)).toBeUndefined();
  expect(notices).toEqual(["Embeddings by e are not used: it answers 500. Questions are read without them."]);
  isDown = false;
  clock.now = 122_000;
  expect(await questions.embed("a", 2)).toBeDefined();
});

it("a vector of another length is not used, and it is said what to do", async () => {
  const { questions, notices } = create();
  expect(await questions.embed("a", 3)).toBeUndefined();
  expect(await questions.embed("a", 3)).toBeUndefined();
  expect(notices).toEqual([
    expect.stringMatching(/2 numbers .* measured ones have 3 \(tutti pool calibrate/),
  ]);
});

it("a question that was stopped says nothing about the server", async () => {
  const { questions, notices, asked } = create();
  expect(await questions.embed("a", 2, AbortSignal.abort())).toBeUndefined();
  expect(await questions.embed("a", 2)).toBeDefined();
  expect({ asked, notices }).toEqual({ asked: ["a", "a"], notices: [] });
});
