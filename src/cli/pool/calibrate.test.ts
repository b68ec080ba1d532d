import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCalibration } from "../../calibration/file.ts";
import { createHome, runTutti } from "../../testing/command.ts";
import { type ChatServer, startChatServer } from "../../testing/gateway/chat-server.ts";
import { startServed } from "../../testing/gateway/served.ts";
import { createTestDatabase, noPostgres, POSTGRES } from "../../testing/stores.ts";

const calibrate = (home: string, ...args: string[]) =>
  runTutti(["pool", "calibrate", ...args], { cwd: home, env: { TUTTI_HOME: home } });

/** Both add; "slip" is wrong where the sum is above 5. A token costs something, so that a budget can be kept. */
function startServer(): Promise<ChatServer> {
  return startChatServer({
    models: ["right", "slip"],
    reply: ({ model, messages }) => {
      // As a judge either of them believes everything.
      if (JSON.stringify(messages).includes("VERDICT: ACCEPT")) return "VERDICT: ACCEPT";
      const [, a, b] = /(\d+) plus (\d+)/.exec(JSON.stringify(messages)) ?? [];
      const sum = Number(a) + Number(b);
      return `Answer: ${model === "slip" && sum > 5 ? sum + 1 : sum}`;
    },
  });
}

function writeConfig(home: string, { baseUrl }: Pick<ChatServer, "baseUrl">, more: object = {}): void {
  const worker = (id: string) => ({
    id,
    model: `openai-compatible/${id}`,
    baseUrl,
    price: { inputUsd: 1, outputUsd: 10 },
    maxOutputTokens: 100,
    ...more,
  });
  writeFileSync(
    join(home, "tutti.config.json"),
    JSON.stringify({ workers: [worker("right"), worker("slip")] }),
  );
  const rows = Array.from({ length: 8 }, (_, i) => ({
    prompt: `What is ${i} plus 1?`,
    answer: i + 1,
    category: "arithmetic",
  }));
  writeFileSync(join(home, "own.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

describe.skipIf(!POSTGRES)(`profiles of several machines${noPostgres}`, () => {
  test("are measured on one and known to all that are on its Postgres", { timeout: 120_000 }, async () => {
    const server = await startServer();
    try {
      const [here, there] = [createHome(), createHome()];
      for (const home of [here, there]) writeConfig(home, server);
      const address = await createTestDatabase();
      const done = await calibrate(here, "--tasks", "own.jsonl", "--yes", "--postgres", address);
      expect(done.code, done.stderr).toBe(0);
      expect(done.stderr).toMatch(/saved in 127\.0\.0\.1\S+ as own and used/);
      expect(existsSync(join(here, "calibration", "own.json"))).toBe(false);
      const list = async (...args: string[]) => {
        const { stdout } = await runTutti(["pool", "--json", ...args], {
          cwd: there,
          env: { TUTTI_HOME: there },
        });
        return JSON.parse(stdout).map((entry: { profile?: { success: number } }) => entry.profile?.success);
      };
      const [right, slip] = await list("--postgres", address);
      expect(right).toBeGreaterThan(slip);
      expect((await list()).slice(0, 2)).toEqual([undefined, undefined]);
      const gateway = await startServed({
        ...{ home: there, upstream: server.baseUrl, args: ["--postgres", address] },
        config: { workers: JSON.parse(readFileSync(join(there, "tutti.config.json"), "utf8")).workers },
      });
      const { workers } = (await (await fetch(`${gateway.url}/v1/pool`)).json()) as {
        workers: { id: string; profile?: { success: number } }[];
      };
      gateway.signal("SIGKILL");
      await gateway.finished;
      expect(workers.find(({ id }) => id === "right")!.profile!.success).toBe(right);
    } finally {
      await server.close();
    }
  });
});

describe("the rehearsal pool", () => {
  test("is calibrated on the built-in questions, said to be simulated, and not asked twice", async () => {
    const home = createHome();
    const first = await calibrate(home, "--pool", "rehearsal");
    expect(first.code).toBe(0);
    expect(first.stderr).toContain("420 calls to make: 60 generated questions");
    expect(first.stderr).toMatch(/Estimated cost: .* simulated/);
    expect(first.stderr).toContain(
      `simulated profiles are saved in ${join(home, "calibration/built-in.json")}`,
    );
    expect(first.stdout).toMatch(/rehearsal\/violin +\d+ % \(\d+–\d+\) +60 +\$[\d.]+ simulated/);
    expect(first.stdout).toMatch(/^TOPIC +violin +viola +cello +clarinet +piano +oboe +piccolo$/m);
    expect(first.stdout).toMatch(/^planning( +\d+ %){7}$/m);
    expect(first.stderr).toMatch(
      /^With 60 tasks the best single pick is right on \d+ % \(\d+–\d+\); twice as many would add about \d+\.\d points \(\d+\.\d to \d+\.\d\)\. rehearsal\/\w+ .*\.$/m,
    );

    const again = await calibrate(home, "--pool", "rehearsal", "--json");
    const { calls, isSimulated, workers, moreTasks } = JSON.parse(again.stdout);
    expect(moreTasks).toMatchObject({ tasks: 60, curve: [{ tasks: 15 }, { tasks: 30 }, { tasks: 45 }] });
    expect({ code: again.code, calls, isSimulated }).toEqual({ code: 0, calls: 0, isSimulated: true });
    const [violin] = workers;
    expect(violin).toMatchObject({ id: "rehearsal/violin", tasks: 60, failed: 0 });
    expect(violin.low < violin.success && violin.success < violin.high).toBe(true);
    const { topics } = violin as { topics: Record<string, { tasks: number }> };
    expect(Object.values(topics).reduce((sum, { tasks }) => sum + tasks, 0)).toBe(60);

    const { stdout } = await runTutti(["pool", "--pool", "rehearsal", "--json"], {
      env: { TUTTI_HOME: home },
    });
    expect(JSON.parse(stdout)[0].profile).toMatchObject({
      tasks: 60,
      source: expect.stringMatching(/^calibrated on built-in, \d{4}-/),
    });
  });
});

describe("a pool of the config", () => {
  test("stops at the budget, keeps what was paid for, goes on, and is used from then on", async () => {
    const home = createHome();
    const server = await startServer();
    try {
      writeConfig(home, server);
      const refused = await calibrate(home, "--tasks", "own.jsonl");
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
      expect(server.requests).toHaveLength(0);

      const cut = await calibrate(home, "--tasks", "own.jsonl", "--yes", "--json", "--budget-usd", "0.0015");
      const first = JSON.parse(cut.stdout);
      expect({ code: cut.code, stopReason: first.stopReason }).toEqual({ code: 1, stopReason: "budget-usd" });
      expect(first.costUsd).toBeLessThanOrEqual(0.0015);
      expect(first.calls > 0 && first.left > 0 && first.calls + first.left === 16).toBe(true);
      expect((await loadCalibration(home, "own"))!.tasks.length).toBeGreaterThan(0);

      const done = await calibrate(home, "--tasks", "own.jsonl", "--yes");
      expect(done.code).toBe(0);
      // Eight tasks are too few to say what more would bring.
      expect(done.stderr).not.toContain("twice as many");
      expect(done.stdout).toMatch(/right +100 % \(68–100\) +8 +\$/);
      expect(done.stdout).toMatch(/slip +63 % \(31–86\) +8 +\$/);
      const asked = server.requests.map(({ model, messages }) => JSON.stringify([model, messages]));
      expect(new Set(asked).size).toBe(16);
      expect(asked).toHaveLength(16);
    } finally {
      await server.close();
    }
    const { stdout } = await runTutti(["pool", "--json"], { cwd: home, env: { TUTTI_HOME: home } });
    const [right, slip] = JSON.parse(stdout);
    expect(right.profile.success).toBeGreaterThan(slip.profile.success);
    expect(right.profile).toMatchObject({ tasks: 8, topics: { arithmetic: expect.any(Number) } });
  });

  test("keeps the figures of those who are not asked again, and asks a changed task anew", async () => {
    const home = createHome();
    const server = await startServer();
    try {
      writeConfig(home, server);
      await calibrate(home, "--tasks", "own.jsonl", "--yes");
      const before = (await loadCalibration(home, "own"))!;
      const rows = readFileSync(join(home, "own.jsonl"), "utf8").replace("0 plus 1", "00 plus 1");
      writeFileSync(join(home, "own.jsonl"), rows);
      const one = await calibrate(home, "--tasks", "own.jsonl", "--yes", "--json", "--workers", "right");
      expect(JSON.parse(one.stdout)).toMatchObject({ calls: 1, workers: [{ id: "right", tasks: 9 }] });
      const after = (await loadCalibration(home, "own"))!;
      expect(after.workers).toEqual(["right", "slip"]);
      expect(after.measuredAt[1]).toBe(before.measuredAt[1]);
      expect(Date.parse(after.measuredAt[0]!)).toBeGreaterThan(Date.parse(before.measuredAt[0]!));
      expect(after.scores.filter((row) => row[1] !== undefined)).toHaveLength(8);
    } finally {
      await server.close();
    }
  });

  test("a judge's errors are kept, also when it is not measured again, and shown with the pool", async () => {
    const home = createHome();
    const server = await startServer();
    try {
      writeConfig(home, server);
      const judged = await calibrate(home, "--tasks", "own.jsonl", "--yes", "--judge", "right");
      expect(judged.stdout).toMatch(
        /right as a judge of 16 replies: accepts 100 % .* of the wrong ones, refuses 0 %/,
      );
      await calibrate(home, "--tasks", "own.jsonl", "--yes");
    } finally {
      await server.close();
    }
    const judging = { right: 13, refusedRight: 0, wrong: 3, acceptedWrong: 3 };
    expect((await loadCalibration(home, "own"))!.judges).toEqual([
      { id: "right", measuredAt: expect.any(String), ...judging },
    ]);
    const pool = (...args: string[]) => runTutti(["pool", ...args], { cwd: home, env: { TUTTI_HOME: home } });
    const [right, slip] = JSON.parse((await pool("--json")).stdout);
    expect(right.profile.judging).toEqual(judging);
    expect(slip.profile.judging).toBeUndefined();
    expect((await pool()).stdout).toMatch(/AS A JUDGE[\s\S]*accepts 3\/3 wrong/);
  });

  test("that does not reply is measured by nothing: exit code 1, nothing saved", async () => {
    const home = createHome();
    const server = await startServer();
    await server.close();
    writeConfig(home, server);
    const { code, stdout, stderr } = await calibrate(home, "--tasks", "own.jsonl", "--yes", "--limit", "1");
    expect(code).toBe(1);
    expect(stdout).toMatch(/right .*1/);
    expect(stderr).toContain("Nobody could be measured: nothing is saved.");
    expect(existsSync(join(home, "calibration/own.json"))).toBe(false);
  });
});

describe("bad input is refused before anybody is asked", () => {
  test.each<[string[], number, string]>([
    [["--workers", "rehearsal/obo"], 2, 'No worker "rehearsal/obo" in the pool (there are: '],
    [["--workers", "rehearsal/obo"], 2, 'Did you mean "rehearsal/oboe"?'],
    [["--workers", ","], 2, "--workers must name one worker or more"],
    [["--budget-usd", "0"], 2, "--budget-usd must be more than 0"],
    [
      ["--budget-usd", "lots"],
      2,
      '--budget-usd must be an amount in dollars such as 0.05, or none, not "lots"',
    ],
    [["--limit", "0"], 2, "--limit must be a whole number of 1 or more"],
    [["--tasks", "empty.jsonl"], 1, "empty.jsonl: holds no task"],
    [["--tasks", "missing.jsonl"], 2, "There is no missing.jsonl"],
    [["--tasks", "opinions.jsonl"], 2, "can only be graded by a model"],
  ])("%s", async (args, code, message) => {
    const home = createHome();
    writeFileSync(join(home, "empty.jsonl"), "");
    writeFileSync(join(home, "opinions.jsonl"), '{"prompt":"Nice?","answer":"yes","grader":"judge"}\n');
    const found = await calibrate(home, "--pool", "rehearsal", ...args);
    expect(found).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
    expect(existsSync(join(home, "calibration"))).toBe(false);
  });

  test("a pool without anybody who can be asked", async () => {
    const home = createHome();
    writeFileSync(join(home, "tutti.config.json"), '{"workers":["openai/gpt-6-sol"]}');
    const { code, stderr } = await calibrate(home);
    expect(code).toBe(1);
    expect(stderr).toContain("No worker can be asked. openai/gpt-6-sol: its key is missing");
  });

  test("the help says that the questions are generated", async () => {
    const { code, stdout } = await calibrate(createHome(), "--help");
    expect(code).toBe(0);
    expect(stdout).toContain("Without --tasks the questions are generated: 60 small problems");
    expect(stdout).toContain("$ tutti pool calibrate --budget-usd 0.50");
  });
});
