import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findShown, isNoWorse, loadVerdicts, saveVerdict, type Verdict } from "./verdicts.ts";

const home = mkdtempSync(join(tmpdir(), "tutti-verdicts-"));
afterAll(() => rmSync(home, { recursive: true }));

const verdict: Verdict = {
  ...{ workers: ["a", "b"], conductor: "trinity", digest: "0123abcd", against: "prompted", tasks: 80 },
  ...{ difference: 0.02, low: -0.01, high: 0.05, date: "2026-11-18" },
};

test("a verdict is found by its pool, in any order, and by its weights", async () => {
  await saveVerdict(home, verdict);
  expect(findShown(home, ["b", "a"], ["0123abcd"])).toEqual([verdict]);
  expect(findShown(home, ["a"], ["0123abcd"])).toEqual([]);
  expect(findShown(home, ["a", "b"], ["ffffffff"])).toEqual([]);
  expect(statSync(join(home, "verdicts.json")).mode & 0o77).toBe(0);
});

test("of two the one that gained more comes first, and one that is worse is not there", async () => {
  const native = { ...verdict, conductor: "native" as const, digest: "89abcdef", difference: 0.04 };
  await saveVerdict(home, native);
  const find = () => findShown(home, ["a", "b"], ["0123abcd", "89abcdef"]).map(({ conductor }) => conductor);
  expect(find()).toEqual(["native", "trinity"]);
  await saveVerdict(home, { ...native, low: -0.2 });
  expect(find()).toEqual(["trinity"]);
});

test("the newest of a pool and a Conductor counts", async () => {
  await saveVerdict(home, { ...verdict, low: -0.2 });
  await saveVerdict(home, { ...verdict, workers: ["c", "d"] });
  expect(loadVerdicts(home)).toHaveLength(3);
  expect(findShown(home, ["a", "b"], ["0123abcd"])).toEqual([]);
});

test("few tasks and a wide interval show nothing", () => {
  expect(isNoWorse(verdict)).toBe(true);
  expect(isNoWorse({ ...verdict, tasks: 20 })).toBe(false);
  expect(isNoWorse({ ...verdict, low: -0.05 })).toBe(false);
});

test("a file that cannot be read is no verdict", () => {
  writeFileSync(join(home, "verdicts.json"), "{ half");
  expect(loadVerdicts(home)).toEqual([]);
});
