import { expect, test } from "vitest";
import { type TrainFlags, toSettings } from "./input.ts";

const settingsOf = (flags: TrainFlags) => toSettings({ seed: 1, threads: 1, ...flags });

test("--propose is kept in the settings, and none are proposed without it", () => {
  expect(settingsOf({ propose: 12 })).toMatchObject({ proposals: 12 });
  expect(settingsOf({})).toMatchObject({ proposals: 0 });
  expect(settingsOf({ propose: 3, rehearsal: true, recording: ["x"] })).toMatchObject({ proposals: 3 });
});

test("--propose is refused where words change nothing, with the reason", () => {
  expect(() => settingsOf({ propose: 12, recording: ["x"] })).toThrow(
    /recordings alone: a recorded reply stays the same whatever a worker is told/,
  );
  expect(() => settingsOf({ propose: 1, words: "generic" })).toThrow(/--words generic/);
  expect(() => toSettings({ propose: 1 }, "trinity")).toThrow(/--propose goes with tutti train native/);
});
