import { describe, expect, it } from "vitest";
import { isDecidedInside, refuseDecidedInside } from "./decided-inside.ts";
import type { CodeTests } from "./types.ts";

const toTask = (check: string, language: CodeTests["language"] = "python") => ({
  id: "t1",
  tests: { language, style: "function" as const, check },
});

describe("what is decided inside of the graded program", () => {
  it.each<[name: string, task: Parameters<typeof isDecidedInside>[0] & { id: string }, isInside: boolean]>([
    ["unittest", toTask("import unittest"), true],
    ["pytest", toTask("import pytest"), true],
    ["mocks", toTask("from x import patch"), true],
    ["a recording says so", { id: "t1", decidedIn: "program" as const }, true],
    ["plain asserts", toTask("assert f(1) == 2"), false],
    ["JavaScript, which is always checked apart", toTask("patch(f)", "javascript"), false],
    ["no program at all", { id: "t1" }, false],
  ])("%s", (_, task, isInside) => {
    expect(isDecidedInside(task)).toBe(isInside);
  });

  it("is refused as a reward unless it is allowed", () => {
    const tasks = [toTask("assert f(1) == 2"), toTask("import unittest")];
    expect(() => refuseDecidedInside(tasks, false)).toThrow(/1 of 2 tasks.*--allow-inside-grades/);
    expect(() => refuseDecidedInside(tasks, true)).not.toThrow();
    expect(() => refuseDecidedInside(tasks.slice(0, 1), undefined)).not.toThrow();
  });
});
