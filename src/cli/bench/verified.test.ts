import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runTutti } from "../../testing/command.ts";

/** Only scores and dollars, as of agents: a cheap worker that is right on two of three, a dear one on nine of ten. */
function agents(): string {
  const folder = mkdtempSync(join(tmpdir(), "tutti-agents-"));
  const ids = Array.from({ length: 240 }, (_, i) => `t${i}`);
  const task = (id: string) => ({
    id,
    set: "agents",
    category: "c",
    subtask: "u",
    prompt: `Mend bug ${id}`,
    answer: "",
  });
  const outcome = (id: string, worker: string, isRight: boolean, costUsd: number) => ({
    ...{ task: id, worker, sample: 0, answer: null, tokens: 0 },
    ...{ score: isRight ? 1 : 0, costUsd },
  });
  const rows = ids.flatMap((id, i) => [
    outcome(id, "cheap", i % 3 !== 0, 0.01),
    outcome(id, "dear", i % 10 !== 9, 1),
  ]);
  const write = (name: string, list: unknown[]) =>
    writeFileSync(join(folder, name), list.map((row) => `${JSON.stringify(row)}\n`).join(""));
  write("tasks.jsonl", ids.map(task));
  write("outcomes.jsonl", rows);
  return folder;
}

async function bench(...more: string[]) {
  const out = join(mkdtempSync(join(tmpdir(), "tutti-verified-")), "out");
  return runTutti(["bench", "--recording", agents(), "--json", "--out", out, "--no-report", ...more]);
}

describe("tutti bench with a verifier", () => {
  test("a cascade returns the accepted worker's own score, at a part of the cost", async () => {
    const { stdout, stderr, code } = await bench(
      "--conductor",
      "best-single,verified-cascade,verified-cascade@0.1",
    );
    expect(code).toBe(0);
    expect(stderr).toContain("simulated");
    const results = JSON.parse(stdout);
    const of = (name: string) => results.find(({ conductor }: { conductor: string }) => conductor === name);
    const single = of("best-single");
    const exact = of("verified-cascade");
    expect(exact.accuracy).toBeGreaterThan(single.accuracy);
    expect(exact.costUsd).toBeLessThan(0.5 * single.costUsd);
    expect(of("verified-cascade@0.1").accuracy).toBeLessThan(exact.accuracy);
  });

  test.each(["vote-3", "cascade", "ask-until-sure", "neighbours-vote-3", "best-single,vote-all"])(
    "%s is refused where it is named: there are no replies to compare",
    async (conductor) => {
      const { stdout, code } = await bench("--conductor", conductor);
      expect(code).toBe(2);
      const { message } = JSON.parse(stdout).error;
      expect(message).toContain(`${conductor.split(",").at(-1)} cannot be measured on "agents"`);
      expect(message).toMatch(/it compares replies, and nobody's reply to 232 of 240 tasks was recorded/);
    },
  );

  test("the error of every verifier can be set at once", async () => {
    const { stdout } = await bench("--conductor", "verified-cascade", "--verifier-error", "0.05");
    expect(JSON.parse(stdout)[0].conductor).toBe("verified-cascade@0.05");
  });

  test.each([
    [["--verifier-error", "0.9"], /--verifier-error must be a number from 0 to 0.5/],
    [["--conductor", "verified-cascade@x"], /must be a number from 0 to 0.5.*"x"/],
    [["--conductor", "verified-cascad"], /verified-cascade/],
  ])("%j is refused", async (more, message) => {
    const { stdout, code } = await bench(...more);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.message).toMatch(message);
  });

  test("where nothing is recorded it says what would be right", async () => {
    const { stderr, code } = await runTutti(["bench", "--rehearsal", "--conductor", "verified-cascade"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/verified-cascade.*--recording/);
  });
});

describe("tutti ask with a verifier", () => {
  test.each([
    [["--schema", "no-such.json"], /--schema no-such\.json cannot be read as JSON/],
    [
      ["--tests", fileURLToPath(new URL("../../../package.json", import.meta.url))],
      /--tests .*package\.json: /,
    ],
    [["--conductor", "verified-cascade", "--pool", "rehearsal"], /nothing to verify a reply with/],
  ])("%j is refused before anybody is asked", async (more, message) => {
    const { stderr, code } = await runTutti(["ask", "Which city is this?", ...more]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
