import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome, runTutti } from "../../testing/command.ts";

/** Two workers, dollars of every call, one rewording. */
function writeArena(cwd: string): void {
  mkdirSync(join(cwd, "arena"));
  const rows = (name: string, some: object[]) =>
    writeFileSync(join(cwd, "arena", name), some.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const ids = ["A_1", "B_2", "C_3"];
  const prompt = (id: string) => `Solve ${id}.`;
  rows(
    "tasks.jsonl",
    ids.map((id) => ({ id, set: "arena", category: id[0], subtask: id[0], prompt: prompt(id), answer: "1" })),
  );
  rows(
    "outcomes.jsonl",
    ids.flatMap((task, i) => [
      { task, worker: "cheap", sample: 0, answer: "1", score: i % 2, tokens: 1, costUsd: 0.001 },
      { task, worker: "dear", sample: 0, answer: "1", score: 1, tokens: 1, costUsd: 0.01 },
    ]),
  );
  rows("robustness.jsonl", [{ task: "A_1", prompt: "Work out A_1." }]);
}

test("a protocol prints its table beside published figures, and keeps results and report", async () => {
  const cwd = createHome();
  writeArena(cwd);
  const args = ["bench", "--protocol", "routerarena", "--recording", "arena"];
  const shown = await runTutti([...args, "--out", "kept"], { cwd });
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain("ARENA SCORE %");
  expect(shown.stdout).toMatch(/single:dear +nothing .* \$10\.0 .* measured here/);
  expect(shown.stdout).toMatch(/Paix2 +published +77\.6 .*RouterArena leaderboard/);
  expect(shown.stdout).toContain("Refused: best-single");
  expect(readFileSync(join(cwd, "kept", "report.html"), "utf8")).toContain("Protocol: RouterArena");
  const { stdout } = await runTutti([...args, "--json", "--conductor", "single:dear"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({
    protocol: "routerarena",
    rows: [{ router: "single:dear", metrics: { accuracy: { mean: 1 } } }],
  });
});

test("what cannot be measured is refused with the reason, exit code 2", async () => {
  const cwd = createHome();
  writeArena(cwd);
  const say = async (...args: string[]) => {
    const { code, stderr, stdout } = await runTutti(["bench", ...args], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    return stderr;
  };
  const arena = ["--protocol", "routerarena", "--recording", "arena"];
  expect(await say("--protocol", "routearena", "--recording", "arena")).toContain(
    'Did you mean "routerarena"?',
  );
  expect(await say("--protocol", "routerdc", "--recording", "arena")).toContain(
    'it lacks tasks with "split"',
  );
  expect(await say(...arena, "--conductor", "router")).toContain(
    "nothing may be fitted on RouterArena's data",
  );
  expect(await say(...arena, "--limit", "3")).toContain("--protocol and --limit exclude each other");
  expect(await say("--protocol", "routerdc", "--recording", "arena", "--fit", "arena")).toContain(
    "--fit is for routerarena",
  );
  expect(await say("--protocol", "routerdc")).toContain("--recording DIR");
  expect(await say("export", ...arena, "--conductor", "oracle", "--out", "o.json")).toContain(
    "no router to submit",
  );
  expect(await say("export", ...arena, "--out", "o.json")).toContain("--conductor with one router");
});

test("fitting on RouterArena's own recording is refused", async () => {
  const cwd = createHome();
  writeArena(cwd);
  const args = ["bench", "--protocol", "routerarena", "--recording", "arena", "--fit", "arena"];
  const { code, stderr } = await runTutti(args, { cwd });
  expect(code).not.toBe(0);
  expect(stderr).toContain("arena is the recording that is tested: nothing may be fitted on it");
});

test("export writes predictions, rewordings and models as the leaderboard reads them", async () => {
  const cwd = createHome();
  writeArena(cwd);
  writeFileSync(
    join(cwd, "router_data.json"),
    JSON.stringify([{ "global index": "Z_9", prompt_formatted: "Another query." }]),
  );
  const args = [
    "bench",
    "export",
    "--protocol",
    "routerarena",
    "--recording",
    "arena",
    "--conductor",
    "single:cheap",
  ];
  const { code, stdout } = await runTutti([...args, "--out", "mine.json", "--json"], { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    ...{ queries: 3, rewordings: 1 },
    files: ["mine.json", "mine-config.json", "mine-robustness.json"],
  });
  const read = (name: string) => JSON.parse(readFileSync(join(cwd, name), "utf8"));
  expect(read("mine.json")[0]).toEqual({
    ...{ "global index": "A_1", prompt: "Solve A_1.", prediction: "cheap" },
    ...{ generated_result: null, cost: null, accuracy: null },
  });
  expect(read("mine-robustness.json")).toMatchObject([{ "global index": "A_1", prompt: "Work out A_1." }]);
  expect(read("mine-config.json")).toEqual({
    pipeline_params: { router_name: "mine", models: ["cheap", "dear"] },
  });
  await runTutti([...args, "--queries", "router_data.json", "--out", "full.json"], { cwd });
  expect(read("full.json")).toMatchObject([{ "global index": "Z_9", prompt: "Another query." }]);
  const reworded = [{ "global index": "Z_9", prompt: "That query, otherwise." }];
  writeFileSync(join(cwd, "router_robustness.json"), JSON.stringify(reworded));
  const again = await runTutti([...args, "--rewordings", "router_robustness.json", "--out", "again.json"], {
    cwd,
  });
  expect(again.stdout).toContain("It wants all 420 rewordings");
  expect(read("again-robustness.json")).toMatchObject(reworded);
  writeFileSync(join(cwd, "bad.json"), JSON.stringify([{ prompt: "No index." }]));
  const bad = await runTutti([...args, "--queries", "bad.json", "--out", "bad-out.json"], { cwd });
  expect(bad.stderr).toContain('bad.json:1: "global index" must be a text');
  expect(existsSync(join(cwd, "bad-out.json"))).toBe(false);
});
