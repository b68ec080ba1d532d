import { describe, expect, test } from "vitest";
import { createTinyLanguage } from "../../testing/learn/tiny-language.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import { createSelfWorker } from "../../worker/self.ts";
import type { PoolMember, Profile } from "../../worker/types.ts";
import type { ComposedRound } from "../types.ts";
import { FEATURES, IS_BLIND, QUESTION_TOKENS, toLabels, toReading, toWording } from "./reading.ts";

const language = createTinyLanguage();
const task = { messages: [{ role: "user" as const, content: "What is the sum of 12 and 30?" }] };

function model(id: string, profile: Partial<Profile> = {}, outputUsd = 1): PoolMember {
  return {
    worker: scriptedWorker(id, ""),
    price: { inputUsd: 0.1, outputUsd },
    profile: { success: 0.5, tasks: 40, topics: {}, ...profile },
  };
}
const tool: PoolMember = { worker: scriptedWorker("consensus", "", "tool") };

function read(members: PoolMember[], rounds: ComposedRound[] = [], size?: number) {
  return toReading({ task, pool: { members }, rounds, ...(size !== undefined && { size }) }, language);
}

/** Of the workers alone: those of the question's parts follow. */
function slotsOf(...request: Parameters<typeof read>): Float32Array[] {
  const { prefix, workers } = read(...request);
  return prefix.slots.slice(0, workers.length);
}

const rowOf = (row: Float32Array | undefined) => [...row!];

describe("labels of answers", () => {
  test.each([
    ["the same answer has the same label", ["Answer: 42", "Answer: 41", "so the answer is 42."], [0, 1, 0]],
    ["how it is written does not matter", ["Answer: 1,000", "**Answer:** 1000.0"], [0, 0]],
    [
      "nothing, a plan and long prose state none",
      ["", "  ", "Plan: first add.\nAnswer: 3", "x".repeat(300)],
      [undefined, undefined, undefined, undefined],
    ],
    ["numbers count only what was stated", ["", "Answer: 7", "", "Answer: 8"], [undefined, 0, undefined, 1]],
  ])("%s", (_, replies, labels) => {
    expect(toLabels(replies)).toEqual(labels);
  });
});

describe("the text", () => {
  test("ends as questions of the training did, whether this one does or not", () => {
    const closing = "\n\nSay the sum alone.";
    const [own] = task.messages;
    const closed = { messages: [{ ...own!, content: own!.content + closing }] };
    const pool = { members: [model("a")] };
    const tokens = language.question(closed.messages[0]!.content, QUESTION_TOKENS);
    for (const each of [task, closed])
      expect(toReading({ task: each, pool, rounds: [], closing }, language).prefix.tokens).toEqual(tokens);
    expect(read([model("a")]).prefix.tokens).not.toEqual(tokens);
    // A task of a set says itself how it is to be answered.
    const known = toReading({ task: { ...task, id: "exam/1" }, pool, rounds: [], closing }, language);
    expect(known.prefix.tokens).toEqual(read([model("a")]).prefix.tokens);
  });

  test("is the question; a plan begins after the size that is wanted, or that it is free", () => {
    const question = language.question(task.messages[0]!.content, QUESTION_TOKENS);
    expect(read([model("a")]).prefix).toMatchObject({ tokens: question, start: language.size(undefined) });
    expect(read([model("a")], [], 3).prefix).toMatchObject({ tokens: question, start: language.size(3) });
  });

  test("in later rounds what the team answered follows, and only the last round", () => {
    const steps = [
      { worker: 0, subtask: "x", access: [] },
      { worker: 0, subtask: "y", access: [] },
    ];
    const last = { workflow: { steps }, replies: ["Answer: 1", ""] };
    const earlier = { workflow: { steps }, replies: ["Answer: 1", "Answer: 2"] };
    const { tokens } = read([model("a")], [earlier, last]).prefix;
    const told = language.round([0, undefined]);
    expect(tokens.slice(-told.length)).toEqual(told);
    expect(read([model("a")], [last]).prefix.tokens).toEqual(tokens);
  });

  test("stays within 64 tokens, however long the question and the team", () => {
    const messages = [{ role: "user" as const, content: "what is the sum ".repeat(10_000) }];
    const steps = Array.from({ length: 5 }, () => ({ worker: 0, subtask: "x", access: [] }));
    const rounds = [{ workflow: { steps }, replies: steps.map((_, i) => `Answer: ${i}`) }];
    const { prefix } = toReading(
      { task: { messages }, pool: toPool([model("a")]), rounds, size: 5 },
      language,
    );
    expect(prefix.tokens.length).toBeLessThanOrEqual(64);
    expect(prefix.tokens.length).toBeGreaterThan(60);
  });
});

describe("the workers", () => {
  test("each has one slot in the order of the pool, and `self` has none", () => {
    const self: PoolMember = { worker: createSelfWorker() };
    const { workers, prefix, sayable } = read([model("a"), self, tool, model("b")]);
    expect(workers).toEqual([0, 2, 3]);
    expect(prefix.slots.length).toBe(3 + sayable.parts.length);
    expect(prefix.slots.every((row) => row.length === FEATURES)).toBe(true);
  });

  test("have no name: another one with the same features is read the same", () => {
    const [first] = slotsOf([model("a", { similar: 0.7 }), tool]);
    const [other] = slotsOf([model("never met", { similar: 0.7 }), tool]);
    expect(first).toEqual(other);
  });

  test("are read in any order of the pool as they are", () => {
    const members = [model("a", { success: 0.2 }, 3), tool, model("b", { success: 0.9, delayMs: 800 })];
    expect(slotsOf([...members].reverse())).toEqual(slotsOf(members).reverse());
  });

  test("tell whether they may be shown replies of others, and nothing else of where they are from", () => {
    const live = model("a");
    const recorded = { ...live, worker: { ...live.worker, refusesHandOffs: true } };
    const [one, other] = [live, recorded].map((member) => rowOf(read([member, tool]).prefix.slots[0]));
    expect([one![IS_BLIND], other![IS_BLIND]]).toEqual([0, 1]);
    const rest = (row: number[]) => row.filter((_, i) => i !== IS_BLIND);
    expect(rest(one!)).toEqual(rest(other!));
    expect(read([recorded, tool]).prefix.slots[1]![IS_BLIND]).toBe(0);
  });

  test("compare with the rest of the pool: the best is level with the best, ranks and gaps follow", () => {
    const slots = slotsOf([
      model("good", { similar: 0.9 }, 8),
      model("best", { similar: 0.95 }, 2),
      model("weak", { similar: 0.3 }, 4),
    ]);
    const [good, best, weak] = slots.map(rowOf) as [number[], number[], number[]];
    // Distance to the best, the rank as a share, and whether it is the first, second or third.
    expect(best.slice(5, 10)).toEqual([0, 0, 1, 0, 0]);
    expect(good[5]).toBeCloseTo(-0.2, 5);
    expect(good.slice(6, 10)).toEqual([0.5, 0, 1, 0]);
    expect(weak[5]).toBeCloseTo(-2.6, 5);
    expect(weak.slice(6, 10)).toEqual([1, 0, 0, 1]);
    // By price: the cheapest is 0, the most expensive 1.
    expect([good[12], best[12], weak[12]]).toEqual([1, 0, 0.5]);
    // Alone the same worker is the best there is.
    expect(rowOf(read([model("weak", { similar: 0.3 }, 4)]).prefix.slots[0]).slice(5, 10)).toEqual([
      0, 0, 1, 0, 0,
    ]);
  });

  test("topics are relative too, and fall back to overall success", () => {
    const slots = slotsOf([
      model("a", { success: 0.5, topics: { algebra: 0.9 } }),
      model("b", { success: 0.6, topics: { algebra: 0.4 } }),
    ]);
    const [a, b] = slots.map((row) => rowOf(row).slice(16));
    expect(a![1]).toBe(0);
    expect(b![1]).toBeCloseTo(-2, 5);
    expect(a![0]).toBeCloseTo(-0.4, 5);
    expect(b![0]).toBe(0);
  });

  test("a tool is only a tool, and features that are not known are no numbers out of the air", () => {
    const [unknown, vote] = read([{ worker: scriptedWorker("new", "") }, tool]).prefix.slots;
    expect(rowOf(vote)).toEqual([0, 1, ...new Array(FEATURES - 2).fill(0)]);
    expect(rowOf(unknown).every(Number.isFinite)).toBe(true);
    expect(rowOf(unknown).slice(0, 3)).toEqual([1, 0, 0]);
  });

  test("in later rounds a worker knows whether it was asked, and whether the last answer is its own", () => {
    const steps = [0, 2, 3].map((worker) => ({ worker, subtask: "x", access: [] }));
    const rounds = [{ workflow: { steps }, replies: ["Answer: 1", "Answer: 2", "Answer: 1"] }];
    const members = [model("a"), model("b"), model("c"), model("d"), { worker: createSelfWorker() }];
    const told = slotsOf(members, rounds).map((row) => rowOf(row).slice(14, 16));
    expect(told).toEqual([
      [1, 1],
      [0, 0],
      [1, -1],
      [1, 1],
    ]);
  });
});

describe("the parts of the question", () => {
  const asking = "How much are the tiles for the border? Options: A. $12 B. $30";
  const readParts = (content: string, members = [model("a"), tool]) =>
    toReading({ task: { messages: [{ role: "user", content }] }, pool: { members }, rounds: [] }, language);
  /** A part's own features: its kind, whether it is asked for, where it stands. */
  const partRow = (content: string, at = 0) =>
    rowOf(readParts(content).prefix.slots[2 + at]).slice(IS_BLIND + 1);

  test("have a slot each behind those of the workers, in their order", () => {
    const { prefix, workers, sayable } = readParts(asking);
    expect(sayable.parts.length).toBeGreaterThan(2);
    expect(prefix.slots.length).toBe(workers.length + sayable.parts.length);
    for (const [i, { isAsked, at, kind }] of sayable.parts.entries()) {
      const row = partRow(asking, i);
      expect(row[0]).toBe(1);
      expect(row.slice(1, 5)).toEqual(
        ["noun", "number", "option", "name"].map((each) => Number(each === kind)),
      );
      expect(row[5]).toBe(isAsked ? 1 : 0);
      expect(row[7]).toBeCloseTo(at, 5);
    }
    const firsts = sayable.parts.map((_, i) => partRow(asking, i)[6]);
    expect(firsts).toEqual([1, ...firsts.slice(1).map(() => 0)]);
  });

  test("have no feature of a worker, and a worker none of a part", () => {
    const { slots } = readParts(asking).prefix;
    const [worker, vote, part] = slots.map(rowOf);
    for (const row of [worker!, vote!])
      expect(row.slice(IS_BLIND + 1).every((value) => value === 0)).toBe(true);
    expect(part!.slice(0, IS_BLIND + 1).every((value) => value === 0)).toBe(true);
  });

  test("are those of the user's own words: an ending that is read as if it were there has none", () => {
    const closing = "\n\nEnd with a line “Answer: …” that states the final answer alone.";
    const task = { messages: [{ role: "user" as const, content: asking }] };
    const closed = toReading({ task, pool: { members: [tool] }, rounds: [], closing }, language);
    expect(closed.sayable.parts).toEqual(readParts(asking).sayable.parts);
  });

  test("of a question without any are no slots", () => {
    expect(readParts("…").prefix.slots.length).toBe(2);
  });
});

test("a slot without a worker, or of a part, is a number outside of the whole pool, members without a slot included", () => {
  const kinds = ["model", "conductor", "conductor"] as const;
  const pool = toPool(kinds.map((kind, i) => scriptedWorker(`${kind} ${i}`, "", kind)));
  const reading = toReading({ task, pool, rounds: [] }, language);
  const { workerOf, workers, sayable } = toWording(reading, pool);
  expect([0, 1, 2].map(workerOf)).toEqual([0, 4, 5]);
  expect(workers).toBe(1);
  expect(sayable).toBe(reading.sayable);
});
