// What ratings change in profiles, and how little of it a stranger's can.

import { expect, it } from "vitest";
import type { FeedbackEvent } from "../../store/types.ts";
import { scriptedWorker } from "../../testing/stage.ts";
import type { Pool, Profile } from "../../worker/types.ts";
import {
  createRatedProfiles,
  type Observation,
  type RatedOptions,
  toObservations,
} from "./rated-profiles.ts";

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;
const MEASURED: Profile = { success: 0.7, tasks: 60, topics: { code: 0.8 }, source: "calibrated on own" };

const poem = (about: string) => `Write a short poem about the ${about}.`;
const sum = (a: string) => `What is the sum of ${a} numbers?`;
const THINGS = ["moon", "river", "sea", "wind", "snow", "garden", "city", "night"];

function poolOf(...profiles: (Profile | undefined)[]): Pool {
  return {
    members: profiles.map((profile, number) => ({ worker: scriptedWorker(`w${number}`, ""), profile })),
  };
}

function rated(
  score: number,
  text: (thing: string) => string,
  more: Partial<Observation> = {},
): Observation[] {
  return THINGS.map((thing) => ({ workers: ["w0"], question: text(thing), score, at: NOW, ...more }));
}

function profilesOf(
  observations: Observation[],
  pool: Pool,
  text: string,
  options?: RatedOptions,
): (Profile | undefined)[] {
  const profiles = createRatedProfiles(observations, { halfLifeDays: 30, now: NOW });
  return profiles.poolFor(pool, text, options).members.map(({ profile }) => profile);
}

it("bad poems and good sums make a worker worse at poems and better at sums", () => {
  const observations = [...rated(0, poem), ...rated(1, sum)];
  const at = (text: string) => profilesOf(observations, poolOf(MEASURED, MEASURED), text);
  const [poems, sums] = [at(poem("harbour")), at(sum("three"))];
  expect(poems[0]!.probability).toBeLessThan(MEASURED.success - 0.03);
  expect(sums[0]!.probability).toBeGreaterThan(MEASURED.success + 0.01);
  expect(sums[0]).toMatchObject({ ratings: 16, tasks: 76, source: "calibrated on own; 16 ratings" });
  expect(sums[1], "nobody rated it").toBe(MEASURED);
});

it("a pool that was never measured gets profiles from ratings alone, once there are enough", () => {
  const pool = poolOf(undefined, undefined);
  expect(profilesOf(rated(0, poem).slice(1), pool, poem("harbour"))).toEqual([undefined, undefined]);
  const yesterday = rated(0, poem, { at: NOW - DAY_MS });
  expect(profilesOf(yesterday, pool, "")[0]).toMatchObject({ ratings: 8 });
  const [own, other] = profilesOf([...rated(0, poem), ...rated(1, sum)], pool, poem("harbour"));
  expect(own).toMatchObject({ source: "16 ratings", ratings: 16, topics: {} });
  expect(other, "it may be tried").toMatchObject({ source: "0 ratings", probability: 0.5, tasks: 0 });
  expect(own!.probability).toBeLessThan(other!.probability!);
  const listed = profilesOf([...rated(0, poem), ...rated(1, sum)], pool, "");
  expect(listed[0]).toEqual({ success: 0.5, tasks: 16, topics: {}, ratings: 16, source: "16 ratings" });
});

it("a rating counts half after a half-life, and hardly at all after many", () => {
  const shift = (days: number) => {
    const [profile] = profilesOf(rated(0, poem, { at: NOW - days * DAY_MS }), poolOf(MEASURED), "");
    // As odds of what was measured against what was said: linear in the weight.
    return MEASURED.success / profile!.success - 1;
  };
  expect(shift(30) / shift(0)).toBeCloseTo(0.5, 2);
  expect(shift(60) / shift(0)).toBeCloseTo(0.25, 2);
  expect(shift(600)).toBeLessThan(0.001);
});

it("one hostile key moves another key's figures by a fifth of the way at most, and its own as far as it likes", () => {
  const many = Array.from({ length: 50 }, () => rated(0, poem, { keyId: "hostile" })).flat();
  for (const text of ["", poem("harbour"), sum("three")]) {
    const [theirs] = profilesOf(many, poolOf(MEASURED), text, { keyId: "other" });
    const [own] = profilesOf(many, poolOf(MEASURED), text, { keyId: "hostile" });
    const figure = (profile: Profile) => (text === "" ? profile.success : profile.probability!);
    expect(figure(theirs!)).toBeGreaterThanOrEqual(0.8 * MEASURED.success - 1e-4);
    expect(figure(theirs!)).toBeLessThan(MEASURED.success);
    expect(figure(own!)).toBeLessThan(figure(theirs!));
  }
  // Where nothing was measured it says too little to begin with.
  expect(profilesOf(many, poolOf(undefined), poem("harbour"), { keyId: "other" })).toEqual([undefined]);
  // What the owner or an admin says is not bounded.
  const [byOwner] = profilesOf(
    Array.from({ length: 50 }, () => rated(0, poem)).flat(),
    poolOf(MEASURED),
    "",
    { keyId: "other" },
  );
  expect(byOwner!.success).toBeLessThan(0.2);
});

it("without its question a rating still counts for the overall rate", () => {
  const [profile] = profilesOf(rated(0, poem, { question: undefined }), poolOf(MEASURED), "");
  expect(profile!.success).toBeCloseTo((0.7 * 60) / 68, 3);
});

it("a profile of the config is changed by nobody", () => {
  const pool = poolOf(MEASURED);
  expect(profilesOf(rated(0, poem), pool, "", { isConfigured: () => true })[0]).toBe(MEASURED);
});

it("of each run counts what each key said last, and what the run tells only where nobody rated it", () => {
  const about = { workers: ["w0"], question: "Why?" };
  const said = (runId: string, score: number, more: Partial<FeedbackEvent> = {}): FeedbackEvent => ({
    ...{ type: "run-feedback", runId, score, at: NOW, about },
    ...more,
  });
  const observations = toObservations([
    said("a", 1, { at: NOW + 2 }),
    said("a", 0, { at: NOW + 1 }),
    said("a", 0.5, { keyId: "k", at: NOW }),
    said("a", 0, { isInferred: true }),
    said("b", 0, { isInferred: true }),
    said("c", 1, { about: undefined }),
  ]);
  expect(observations.map(({ score, keyId }) => [score, keyId])).toEqual([
    [1, undefined],
    [0.5, "k"],
    [0, undefined],
  ]);
});
