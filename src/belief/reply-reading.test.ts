import { describe, expect, test } from "vitest";
import { readReplyFeatures } from "./reply-features.ts";
import {
  REPLY_VECTOR_SIZE,
  shiftProbability,
  toReplyShift,
  toReplyVector,
  toShift,
  toVoteShift,
} from "./reply-reading.ts";

const features = { characters: 400, cleanEnd: 1, hedges: 0, changes: 0, answers: 1 };
const reading = { usualCharacters: 400, between: 0.5, weights: [0.1, -1, -0.5, -1, -0.3, -0.4, -0.8, -0.2] };

describe("reading a reply", () => {
  test("an ordinary reply moves nothing but by the intercept", () => {
    expect(toReplyVector(features, 400)).toHaveLength(REPLY_VECTOR_SIZE);
    expect(toReplyShift(reading, features)).toBeCloseTo(0.1);
  });

  test("longer than usual, cut and of two minds is less likely right", () => {
    const odd = { characters: 4000, cleanEnd: 0, hedges: 2, changes: 3, answers: 2 };
    expect(toReplyShift(reading, odd)).toBe(-2.5);
    expect(toReplyShift(reading, { ...features, characters: 800 })).toBeLessThan(-0.4);
  });

  test("weights of another length or that are no numbers do no harm", () => {
    expect(toReplyShift({ ...reading, weights: [] }, features)).toBe(0);
    expect(toReplyShift({ ...reading, weights: [Number.NaN] }, features)).toBe(0);
  });

  test("by the text, unless it is known otherwise, or nobody knows", () => {
    const text = "Hmm, wait: maybe 4";
    expect(toShift(reading, { text })).toBe(toReplyShift(reading, readReplyFeatures(text)));
    expect(toShift(reading, { text, features })).toBeCloseTo(0.1);
    expect(toShift(reading, { text, features: null })).toBe(0);
    expect(toShift(undefined, { text })).toBe(0);
  });

  test("in a vote only what is left between replies to one question counts", () => {
    expect(toVoteShift(reading, { text: "", features })).toBeCloseTo(0.05);
    expect(toVoteShift(undefined, { text: "" })).toBe(0);
  });

  test("a shift moves log-odds and keeps away from certainty", () => {
    expect(shiftProbability(0.5, Math.log(3))).toBeCloseTo(0.75);
    expect(shiftProbability(0.7, 0)).toBe(0.7);
    expect(shiftProbability(1, -1)).toBeLessThan(0.999);
  });
});
