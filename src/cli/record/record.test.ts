import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
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

describe("refused before anybody is asked", () => {
  const rows = [1, 2, 3].map((i) => ({
    id: `a${i}`,
    set: "own",
    prompt: `${i} + ${i}?`,
    answer: String(2 * i),
  }));

  /** A folder with task files, and `record` into "made" there. */
  function createTasks(files: Record<string, object[]>) {
    const cwd = createHome();
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(cwd, name), content.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const record = (...args: string[]) =>
      runTutti(["record", ...args, "--pool", "rehearsal", "--out", "made"], { cwd });
    return { record, countTasks: () => countLines(join(cwd, "made", "tasks.jsonl")), cwd };
  }

  test("another task file into the same folder", async () => {
    const { record, countTasks } = createTasks({
      "a.jsonl": rows,
      "b.jsonl": [{ ...rows[0]!, id: "b1", prompt: "what else?" }],
    });
    expect((await record("a.jsonl", "--limit", "2")).code).toBe(0);
    const other = await record("b.jsonl");
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(
      /made is the recording of another task file \(a\.jsonl\): 3 of its 3 tasks are not in b\.jsonl, and 1.*--out/s,
    );
    expect((await record("a.jsonl")).code).toBe(0);
    expect(countTasks()).toBe(3);
  });

  test("another file that begins with the tasks recorded so far", async () => {
    const { record, countTasks } = createTasks({
      "a.jsonl": rows,
      "b.jsonl": [rows[0]!, rows[1]!, { ...rows[2]!, id: "b3", prompt: "what else?" }],
      "stricter.jsonl": [{ ...rows[0]!, grader: "text" }, ...rows.slice(1)],
    });
    expect((await record("a.jsonl", "--limit", "2")).code).toBe(0);
    const other = await record("b.jsonl");
    expect(other).toMatchObject({ code: 2, stdout: "" });
    expect(other.stderr).toMatch(/1 of its 3 tasks are not in b\.jsonl, and 1 of that one are not in it/);
    const stricter = await record("stricter.jsonl");
    expect(stricter.code).toBe(2);
    expect(stricter.stderr).toMatch(/the task "a1" is another one in stricter\.jsonl/);
    expect(countTasks()).toBe(2);
  });

  test("not the same file with more tasks, which is said, nor a part of it", async () => {
    const { record, countTasks } = createTasks({ "a.jsonl": rows.slice(0, 2), "grown.jsonl": rows });
    expect((await record("a.jsonl")).code).toBe(0);
    const grown = await record("grown.jsonl");
    expect(grown.code).toBe(0);
    expect(grown.stderr).toContain("grown.jsonl has 1 tasks more than when made was begun");
    expect((await record("a.jsonl")).code).toBe(0);
    expect(countTasks()).toBe(3);
  });

  test.each([
    ["a judge where none is given", { grader: "judge", answer: "yes" }, "no model was given as judge"],
    ["a number that is none", { grader: "numeric", answer: "many" }, "many.* is not a number"],
    ["JSON that is none", { grader: "json", answer: "{" }, "is not JSON"],
  ])("tasks that cannot be graded: %s", async (_, wrong, why) => {
    const { record, cwd } = createTasks({
      "a.jsonl": [...rows, { id: "bad", set: "own", prompt: "how?", ...wrong }],
    });
    const { code, stderr, stdout } = await record("a.jsonl");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(`1 of 4 tasks cannot be graded here, so nobody was asked\\. Task "bad": .*${why}`, "s"),
    );
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });
});
