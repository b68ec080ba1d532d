// The parts of a release that decide something, and how the command refuses. The slow part (pack, install) is tried by
// `npm run release -- VERSION --dry-run`.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { toReleased } from "./changelog.mjs";
import { NEEDED, problemsOfPackage } from "./package-files.mjs";
import { isNewer, parseVersion, withVersion } from "./version.mjs";

const SCRIPT = fileURLToPath(new URL("../release.mjs", import.meta.url));
const root = (file) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");

describe("versions", () => {
  it.each(["0.2.0", "10.20.30", "1.0.0-beta.1"])("%s is one", (text) => {
    expect(parseVersion(text)).toBeDefined();
  });

  it.each(["", "v0.2.0", "0.2", "0.2.0.1", "01.2.3", "1.0.0-beta", "1.0.0; rm", undefined])(
    "%s is none",
    (text) => {
      expect(parseVersion(text)).toBeUndefined();
    },
  );

  it("are ordered by number, and a pre-release comes before its release", () => {
    const inOrder = [
      "0.1.0",
      "0.1.9",
      "0.1.10",
      "0.2.0-alpha.2",
      "0.2.0-beta.1",
      "0.2.0-beta.10",
      "0.2.0",
      "1.0.0",
    ];
    for (const [at, older] of inOrder.entries()) {
      for (const newer of inOrder.slice(at + 1)) {
        expect([isNewer(newer, older), isNewer(older, newer)]).toEqual([true, false]);
      }
      expect(isNewer(older, older)).toBe(false);
    }
  });

  it("replace the package's own version only, in manifest and lock", () => {
    const { name, version } = JSON.parse(root("package.json"));
    for (const file of ["package.json", "package-lock.json"]) {
      const text = root(file);
      const expected = JSON.parse(text);
      expected.version = "99.0.0";
      if (expected.packages) expected.packages[""].version = "99.0.0";
      const changed = withVersion(text, name, version, "99.0.0");
      expect(JSON.parse(changed)).toEqual(expected);
      expect(changed.split("\n").length).toBe(text.split("\n").length);
    }
    expect(() => withVersion(root("package.json"), name, "7.7.7", "99.0.0")).toThrow("is not 7.7.7");
  });
});

describe("the changelog", () => {
  const text = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n";

  it("gets the version and its date, and an empty heading for what comes next", () => {
    expect(toReleased(text, "0.2.0", "2026-02-02")).toEqual({
      text: "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-02)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n",
      notes: "- New.",
    });
  });

  it("is refused without the heading, without notes, and with the version in it", () => {
    expect(toReleased("# Changelog\n", "0.2.0", "").problem).toContain('no heading "## Unreleased"');
    expect(toReleased(text.replace("- New.\n", ""), "0.2.0", "").problem).toContain("says nothing");
    expect(toReleased(text, "0.1.0", "").problem).toContain("0.1.0 already");
  });

  it("of this repository can be released", () => {
    expect(root("CHANGELOG.md")).toMatch(/^## Unreleased$/m);
  });
});

describe("the package", () => {
  const good = [...NEEDED, "dist/recording/load.js"];

  it("is right with build, models and Python", () => {
    expect(problemsOfPackage(good)).toEqual([]);
  });

  it("is wrong without one of them", () => {
    expect(problemsOfPackage(good.filter((path) => path !== "dist/cli/main.js"))).toEqual([
      "dist/cli/main.js is missing",
    ]);
  });

  it.each([
    ["dist/perform/state.test.js", "a test"],
    ["dist/testing/build.js", "a test"],
    ["recordings/mine/outcomes.jsonl.gz", "a recording"],
    ["trainings/first/iterations.jsonl", "a result of a run"],
    ["journal.db-wal", "private data"],
    [".env.local", "private data"],
    ["src/index.ts", "a source"],
  ])("is wrong with %s", (path, what) => {
    expect(problemsOfPackage([...good, path])).toEqual([`${path} is ${what}`]);
  });
});

describe("the command", () => {
  it.each([
    [[], "One version is needed."],
    [["0.2.0", "0.3.0"], "One version is needed."],
    [["next"], '"next" is no version'],
    [["0.2.0", "--publish"], "There is no option --publish."],
    [["0.0.1", "--dry-run"], "0.0.1 is not newer than"],
  ])("refuses %j in one line, with exit code 2", (words, message) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [SCRIPT, ...words], { encoding: "utf8" });
    expect({ status, stdout, lines: stderr.trim().split("\n").length }).toEqual({
      status: 2,
      stdout: "",
      lines: 1,
    });
    expect(stderr).toContain(message);
  });
});
