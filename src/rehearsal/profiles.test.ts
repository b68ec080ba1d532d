import { expect, test } from "vitest";
import { createProfiler } from "../calibration/profiler.ts";
import { PLAYERS, type Player } from "./players.ts";
import { createRehearsalPool } from "./pool.ts";
import { measureProfiles, rehearsalCalibration } from "./profiles.ts";
import { FAMILIES, generateProblems } from "./questions.ts";

const TOPIC_COUNT = new Set(FAMILIES.map(({ topic }) => topic)).size;

test("profiles and the calibration are of the same measured tasks, and both are made once", () => {
  const calibration = rehearsalCalibration();
  expect(rehearsalCalibration()).toBe(calibration);
  expect(calibration.workers).toEqual(PLAYERS.map(({ id }) => id));
  expect(calibration.tasks).toHaveLength(24 * TOPIC_COUNT);
  expect(calibration.source).toBe("simulated, 24 tasks a topic");
  for (const [worker, id] of calibration.workers.entries()) {
    const right = calibration.scores.reduce((sum, row) => sum + row[worker]!, 0);
    const { success, tasks } = measureProfiles().get(id)!;
    expect(tasks).toBe(calibration.tasks.length);
    expect(success).toBeCloseTo(right / tasks, 3);
  }
});

test("any list of players can be measured, and one does not depend on who else is in the list", () => {
  const stranger: Player = { ...PLAYERS[0]!, id: "rehearsal/stranger", skills: { usual: 0.3 } };
  const list = [stranger, PLAYERS[1]!];
  const profiles = measureProfiles(12, list);
  expect([...profiles.keys()]).toEqual(["rehearsal/stranger", "rehearsal/viola"]);
  expect(profiles.get("rehearsal/viola")).toEqual(measureProfiles(12).get("rehearsal/viola"));
  expect(profiles.get("rehearsal/stranger")!.success).toBeLessThan(profiles.get("rehearsal/viola")!.success);
  expect(rehearsalCalibration(12, list).workers).toEqual([...profiles.keys()]);
});

test("a profile for a question knows the family better than the overall rate does", () => {
  const profiler = createProfiler(rehearsalCalibration(60));
  const pool = createRehearsalPool({ delayScale: 0 });
  const piano = PLAYERS.findIndex(({ id }) => id === "rehearsal/piano");
  const similarTo = (family: string) => {
    const problems = generateProblems({ count: 10, seed: "other questions", families: [family] });
    const rates = problems.map(
      ({ question }) => profiler.poolFor(pool, question).members[piano]!.profile!.similar!,
    );
    return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  };
  const { success } = profiler.poolFor(pool, "").members[piano]!.profile!;
  expect(similarTo("equations")).toBeGreaterThan(success + 0.05);
  expect(similarTo("routes")).toBeLessThan(success - 0.1);
});
