import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome, runTutti } from "../../testing/command.ts";

const HEADING = "question,llm,acc,usd";

function writeTable(cwd: string, rows: string[]): void {
  writeFileSync(join(cwd, "graded.csv"), [HEADING, ...rows].join("\n"));
}

/** Enough for both sides of a split. */
const ROWS = Array.from({ length: 40 }, (_, i) => [
  `What is ${i} + 1?,alpha,${i % 2},0.01`,
  `What is ${i} + 1?,beta,${(i + 1) % 2},0.001`,
]).flat();

test("a table of one's own becomes a recording that a bench replays, with its dollars", async () => {
  const cwd = createHome();
  writeTable(cwd, ROWS);
  writeFileSync(join(cwd, "map.yaml"), "prompt: question\nworker: llm\nscore: acc\ncost: usd\n");
  const made = await runTutti(
    ["record", "import", "graded.csv", "--format", "table", "--map", "map.yaml", "--out", "made"],
    { cwd },
  );
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/alpha +40 +50 % +\$0\.40/);
  expect(made.stderr).toContain("80 outcomes of 2 workers on 40 tasks (set table) → made");
  expect(made.stderr).toContain("Next: tutti bench --recording made");
  const bench = await runTutti(["bench", "--recording", "made", "--conductor", "single:beta", "--json"], {
    cwd,
  });
  expect(bench.code).toBe(0);
  const [row] = JSON.parse(bench.stdout);
  expect(row).toMatchObject({ conductor: "single:beta" });
  expect(row.costUsd).toBeCloseTo(0.001);
});

test("bad rows are said by file and line on stderr, with exit code 1 or 2 and no folder", async () => {
  const cwd = createHome();
  writeTable(cwd, [...ROWS, "Odd?,alpha,1,-3"]);
  const args = ["record", "import", "graded.csv", "--format", "table", "--out", "made", "--json"];
  const map = ["--map", "prompt=question,worker=llm,score=acc,cost=usd"];
  const bad = await runTutti([...args, ...map], { cwd });
  expect(bad.code).not.toBe(0);
  expect(JSON.parse(bad.stdout)).toMatchObject({ error: { code: "bad-file" } });
  expect(JSON.parse(bad.stdout).error.message).toContain("graded.csv:82: the cost must be 0 or more");
  expect(existsSync(join(cwd, "made"))).toBe(false);
  const wrong = await runTutti([...args, "--map", "promt=question"], { cwd });
  expect(wrong).toMatchObject({ code: 2, stdout: expect.stringContaining('Did you mean \\"prompt\\"?') });
  const metric = await runTutti([...args, ...map, "--metric", "f1"], { cwd });
  expect(metric).toMatchObject({
    code: 2,
    stdout: expect.stringContaining("--metric goes with helm, lm-eval"),
  });
  const format = await runTutti(["record", "import", "x", "--format", "embedlm", "--out", "y"], { cwd });
  expect(format).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "embedllm"?') });
});
