import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { loadRecording } from "../../recording/load.ts";
import { createHome, runTutti, startTutti } from "../../testing/command.ts";
import { startChatServer } from "../../testing/gateway/chat-server.ts";

function countLines(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

test("the rehearsal is recorded, shown as simulated, and not asked twice", async () => {
  const cwd = createHome();
  const args = ["record", "rehearsal", "--pool", "rehearsal", "--limit", "10", "--out", "made"];
  const first = await runTutti(args, { cwd });
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(
    /70 calls to make: rehearsal \(simulated\) → made\nEstimated cost: .* simulated/,
  );
  expect(first.stderr).toContain("70 simulated replies recorded in made");
  expect(first.stdout).toMatch(/rehearsal\/violin +10 +\d+ %/);
  const again = await runTutti([...args, "--json"], { cwd });
  expect(JSON.parse(again.stdout)).toMatchObject({ recorded: 0, skipped: 70, left: 0, isSimulated: true });
  expect((await loadRecording(join(cwd, "made"))).workersOf("rehearsal")).toHaveLength(7);
});

test("a recording that was killed goes on without asking again", async () => {
  const cwd = createHome();
  const args = ["record", "rehearsal", "--pool", "rehearsal", "--limit", "100", "--out", "made", "--json"];
  const env = { TUTTI_HOME: cwd, TUTTI_REHEARSAL_DELAY: "0.02" };
  const { child, finished } = startTutti([...args, "--concurrency", "2"], { cwd, env });
  const file = join(cwd, "made", "outcomes.jsonl");
  while (countLines(file) < 5) await sleep(10);
  child.kill("SIGKILL");
  await finished;
  const there = countLines(file);
  expect(there).toBeLessThan(700);
  const { code, stdout } = await runTutti(args, { cwd });
  const { recorded, skipped, left, tasks } = JSON.parse(stdout);
  expect({ code, skipped, left, all: recorded + skipped }).toEqual({
    ...{ code: 0, skipped: there, left: 0, all: tasks * 7 },
  });
  await loadRecording(join(cwd, "made"));
});

test("own tasks, a real server, a yes by flag, failures with exit code 1", async () => {
  const cwd = createHome();
  const server = await startChatServer({ reply: () => "It is two.\nAnswer: 2" });
  try {
    writeFileSync(
      join(cwd, "tutti.config.json"),
      JSON.stringify({
        workers: [
          {
            id: "m",
            model: "openai-compatible/m",
            baseUrl: server.baseUrl,
            price: { inputUsd: 1, outputUsd: 2 },
          },
        ],
      }),
    );
    writeFileSync(join(cwd, "own.jsonl"), '{"prompt":"1+1?","answer":2}\n');
    const refused = await runTutti(["record", "own.jsonl"], { cwd });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    const done = await runTutti(["record", "own.jsonl", "--yes", "--json"], { cwd });
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ recorded: 1, folder: join("recordings", "own") });
  } finally {
    await server.close();
  }
  const failed = await runTutti(["record", "own.jsonl", "--yes", "--samples", "2", "--json"], { cwd });
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({ recorded: 0, failed: 1, left: 1 });
});

test("a published set that is not there is answered with the command that fetches it", async () => {
  const { code, stderr } = await runTutti(["record", "math500"]);
  expect(code).toBe(2);
  expect(stderr).toContain("curl -L --create-dirs -o math500.jsonl https://huggingface.co/datasets/");
});

test("another task file is not recorded into the same folder, nor is what cannot be graded paid for", async () => {
  const cwd = createHome();
  const write = (name: string, rows: object[]) =>
    writeFileSync(join(cwd, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const rows = [1, 2, 3].map((i) => ({
    id: `a${i}`,
    set: "own",
    prompt: `${i} + ${i}?`,
    answer: String(2 * i),
  }));
  write("a.jsonl", rows);
  write("b.jsonl", [{ ...rows[0]!, id: "b1", prompt: "what else?" }]);
  const record = (...args: string[]) =>
    runTutti(["record", ...args, "--pool", "rehearsal", "--out", "made"], { cwd });
  expect((await record("a.jsonl", "--limit", "2")).code).toBe(0);
  const other = await record("b.jsonl");
  expect(other.code).toBe(2);
  expect(other.stderr).toMatch(
    /made is the recording of another task file: 2 of its 2 tasks are not in this one.*--out/s,
  );
  expect((await record("a.jsonl")).code).toBe(0);
  expect(countLines(join(cwd, "made", "tasks.jsonl"))).toBe(3);
});
