import { describe, expect, it } from "vitest";
import { createRandom } from "../../base/random.ts";
import {
  MADE_UP_ENCODER,
  toMadeUpCalibration,
  toMadeUpEmbeddings,
  toMadeUpQuestion,
} from "../../testing/embeddings.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import { createProfiler } from "../profiler.ts";
import { toUnitVector } from "./vectors.ts";

const pool = toPool([scriptedWorker("odd", ""), scriptedWorker("even", "")]);
const plain = toMadeUpCalibration(120);
const embedded = { ...plain, embeddings: toMadeUpEmbeddings(plain) };

async function vectorOf(text: string) {
  const [vector] = await MADE_UP_ENCODER.encode([text], new AbortController().signal);
  return vector;
}

const profilesOf = (profiler: ReturnType<typeof createProfiler>, text: string, vector?: Float32Array) =>
  profiler.poolFor(pool, text, { vector }).members.map(({ profile }) => profile!);

describe("the probability with embeddings", () => {
  it("tells apart what words cannot", async () => {
    const profiler = createProfiler(embedded);
    for (const number of [301, 302, 555, 556]) {
      const text = toMadeUpQuestion(number);
      const [odd, even] = profilesOf(profiler, text, await vectorOf(text));
      const [right, wrong] = number % 2 === 1 ? [odd!, even!] : [even!, odd!];
      expect(right.probability).toBeGreaterThan(0.75);
      expect(wrong.probability).toBeLessThan(0.25);
      const [oddByWords, evenByWords] = profilesOf(profiler, text);
      expect(Math.abs(oddByWords!.probability! - evenByWords!.probability!)).toBeLessThan(0.2);
    }
  });

  it("is, without a vector, that of a calibration without embeddings to the bit, before and after", async () => {
    const [profiler, without] = [createProfiler(embedded), createProfiler(plain)];
    const text = toMadeUpQuestion(301);
    const expected = profilesOf(without, text);
    expect(profilesOf(profiler, text)).toEqual(expected);
    expect(profilesOf(profiler, text, await vectorOf(text))).not.toEqual(expected);
    expect(profilesOf(profiler, text)).toEqual(expected);
    expect(profilesOf(without, text, await vectorOf(text))).toEqual(expected);
  });

  it("of an encoder that knows nothing of the questions is nearly that of their words", async () => {
    const random = createRandom(7);
    const noise = () => toUnitVector(Array.from({ length: 8 }, () => random.normal()))!;
    const vectors = plain.tasks.map(noise);
    const profiler = createProfiler({ ...plain, embeddings: { encoder: "noise", dimension: 8, vectors } });
    for (const number of [301, 302, 303, 304]) {
      const text = toMadeUpQuestion(number);
      const byWords = profilesOf(profiler, text);
      for (const [i, { probability }] of profilesOf(profiler, text, noise()).entries())
        expect(Math.abs(probability! - byWords[i]!.probability!)).toBeLessThan(0.1);
    }
  });

  it("leaves out the measured question itself", async () => {
    const profiler = createProfiler(embedded);
    const text = plain.tasks[0]!.text;
    const vector = await vectorOf(text);
    const [odd, even] = profiler.poolFor(pool, text, { without: 0, vector }).members;
    // An even question that "odd" got right: its neighbours say otherwise.
    expect(even!.profile!.probability).toBeGreaterThan(odd!.profile!.probability!);
  });

  it("wants a vector only where there are enough measured ones to compare with", () => {
    expect(createProfiler(embedded).dimension).toBe(4);
    expect(createProfiler(plain).dimension).toBeUndefined();
    const few = toMadeUpCalibration(23);
    expect(createProfiler({ ...few, embeddings: toMadeUpEmbeddings(few) }).dimension).toBeUndefined();
  });
});
