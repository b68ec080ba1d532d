import { describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { toReplyShift } from "../belief/reply-reading.ts";
import { fitReplyReadings, type MeasuredReply } from "./reply-model.ts";

/** `tell`: by how much, in log-odds, a hedge says that the reply is wrong. */
function makeReplies(count: number, tell: number, seed = 1): MeasuredReply[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, task) => {
    const worker = task % 2;
    const hedges = random.next() < 0.4 ? 2 : 0;
    const p = 1 / (1 + Math.exp(-(0.8 - tell * Math.sign(hedges))));
    const characters = Math.round((worker === 0 ? 200 : 1500) * (0.8 + 0.4 * random.next()));
    const features = { characters, cleanEnd: 1, hedges, changes: 0, answers: 1 };
    return { task, worker, features, score: random.next() < p ? 1 : 0, expected: 0.6 };
  });
}

const plain = { characters: 200, cleanEnd: 1, hedges: 0, changes: 0, answers: 1 };

describe("learning to read replies", () => {
  test("what tells right from wrong is learned, and each worker's usual length is its own", () => {
    const [first, second] = fitReplyReadings(makeReplies(600, 2), 2);
    expect(first!.usualCharacters).toBeGreaterThan(150);
    expect(first!.usualCharacters).toBeLessThan(250);
    expect(second!.usualCharacters).toBeGreaterThan(1200);
    expect(second!.weights.slice(1)).toEqual(first!.weights.slice(1));
    const sure = toReplyShift(first!, plain);
    const unsure = toReplyShift(first!, { ...plain, hedges: 2 });
    expect(sure - unsure).toBeGreaterThan(1.2);
  });

  test.each([
    ["every question has hedges of its own: they say little between replies", true, 0, 0.5],
    ["hedges are the worker's own: they count in full", false, 0.6, 1],
  ])("%s", (_, isOfQuestion, least, most) => {
    const random = createRandom(5);
    const replies: MeasuredReply[] = Array.from({ length: 500 }, (__, task) => {
      const hard = random.next() < 0.5;
      return [0, 1].map((worker) => {
        // Of a hard question both hedge, now one and now the other a little more.
        const noise = random.next() < 0.5 ? 1 : 0;
        const own = isOfQuestion ? hard : random.next() < 0.5;
        const features = { ...plain, hedges: (own ? 3 : 0) + (isOfQuestion ? noise : 0) };
        const isRight = random.next() < (own ? 0.25 : 0.85);
        return { task, worker, features, score: isRight ? 1 : 0, expected: 0.55 };
      });
    }).flat();
    const [reading] = fitReplyReadings(replies, 2);
    expect(reading!.between).toBeGreaterThanOrEqual(least);
    expect(reading!.between).toBeLessThanOrEqual(most);
  });

  test("few replies move it little", () => {
    const difference = (count: number) => {
      const [reading] = fitReplyReadings(makeReplies(count, 3), 2);
      return reading ? toReplyShift(reading, plain) - toReplyShift(reading, { ...plain, hedges: 2 }) : 0;
    };
    expect(difference(80)).toBeLessThan(difference(800));
  });

  test("where the looks say nothing there is no reading", () => {
    expect(fitReplyReadings(makeReplies(400, 0), 2)).toEqual([undefined, undefined]);
  });

  test("nor where too few were right or wrong, nor for a worker without replies", () => {
    expect(fitReplyReadings(makeReplies(30, 3), 2)).toEqual([undefined, undefined]);
    expect(fitReplyReadings([], 2)).toEqual([undefined, undefined]);
    expect(fitReplyReadings(makeReplies(600, 2), 3)[2]).toBeUndefined();
  });
});
