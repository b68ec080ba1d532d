// `tutti bench` in its own process: a live pool behind a real HTTP server, a recording, the rehearsal.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BenchResult } from "../../bench/types.ts";
import { createHome, startTutti } from "../../testing/command.ts";
import { type ChatServer, startChatServer } from "../../testing/gateway/chat-server.ts";

const PLAN = `model_id = [2]
subtasks = ["Solve it"]
access_list = [[]]`;

/** Runs at the same time on a live pool. */
const AT_ONCE = 8;

let folder: string;
let server: ChatServer;
let onRequest = () => {};

/** "even" knows even numbers, "odd" odd ones, "good" all but every fifth. */
const KNOWS: Record<string, (i: number) => boolean> = {
  even: (i) => i % 2 === 0,
  odd: (i) => i % 2 === 1,
  good: (i) => i % 5 !== 0,
};

beforeAll(async () => {
  folder = createHome();
  server = await startChatServer({
    reply({ model, messages }) {
      onRequest();
      if (model === "planner") return PLAN;
      const i = Number(/twice (\d+)/.exec(JSON.stringify(messages))![1]);
      return `Answer: ${KNOWS[model]!(i) ? 2 * i : "no idea"}`;
    },
  });
  const workers = ["even", "odd", "good"].map((id) => ({
    id,
    model: `openai-compatible/${id}`,
    baseUrl: server.baseUrl,
    price: { inputUsd: 1, outputUsd: 4 },
    maxOutputTokens: 100,
  }));
  const planner = { ...workers[0], id: "planner", model: "openai-compatible/planner" };
  const pools = { team: ["even", "odd", "good"] };
  writeFileSync(
    join(folder, "tutti.config.json"),
    JSON.stringify({ workers: [...workers, planner], pools, conductor: "planner" }),
  );
  const tasks = Array.from({ length: 60 }, (_, i) => ({
    id: `t${i}`,
    set: "sums",
    category: i % 2 === 0 ? "even" : "odd",
    subtask: `rest ${i % 3}`,
    prompt: `What is twice ${i}?`,
    answer: String(2 * i),
  }));
  const lines = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(join(folder, "mine.jsonl"), lines(tasks));
  mkdirSync(join(folder, "recorded"));
  writeFileSync(
    join(folder, "recorded/tasks.jsonl"),
    lines([...tasks, { ...tasks[0], id: "x", set: "other" }]),
  );
  const outcomes = ["x", ...tasks.map(({ id }) => id)].flatMap((task, number) =>
    Object.entries(KNOWS).map(([worker, knows]) => {
      const i = Math.max(0, number - 1);
      return {
        task,
        worker,
        sample: 0,
        answer: knows(i) ? String(2 * i) : "no idea",
        score: knows(i) ? 1 : 0,
        tokens: 10,
      };
    }),
  );
  writeFileSync(join(folder, "recorded/outcomes.jsonl"), lines(outcomes));
});

afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = (args: string[]) => startTutti(["bench", ...args], { cwd: folder });
const bench = (...args: string[]) => start(args).finished;
const recorded = ["--recording", "recorded", "--set", "sums"];
const live = ["--tasks", "mine.jsonl", "--pool", "team"];

describe.concurrent("bad input exits with 2 and one line that helps", () => {
  it.each([
    ["nothing to measure", [], "give --recording DIR, --tasks FILE or --rehearsal"],
    ["two worlds", ["--rehearsal", ...recorded], "--recording and --rehearsal exclude each other"],
    [
      "an unknown set",
      ["--recording", "recorded", "--set", "sum"],
      'No set "sum" in recorded (there are: sums, other)',
    ],
    [
      "headroom of several sets",
      ["headroom", "--recording", "recorded"],
      "recorded holds several sets (sums, other): name one with --set",
    ],
    ["an unknown Conductor", [...recorded, "--conductor", "vote-4"], 'No Conductor "vote-4" (there are: '],
    ["an unknown worker", [...recorded, "--workers", "good,evn"], '"evn" is not in the recording of "sums"'],
    ["a planner on a recording", [...recorded, "--conductor", "prompted"], "which a recording cannot replay"],
    ["no such recording", ["--recording", "none"], "There is no recording none"],
    ["too few tasks", [...recorded, "--limit", "1"], "1 tasks are too few"],
    ["an unknown verb", ["compar"], 'unknown command "tutti bench compar". Did you mean "compare"?'],
    ["two formats", [...recorded, "--json", "--csv"], "--json and --csv exclude each other"],
  ])("%s", async (_name, args, message) => {
    const { code, stdout, stderr } = await bench(...args);
    expect(stdout + stderr).toContain(message.replaceAll('"', args.includes("--json") ? '\\"' : '"'));
    expect(code).toBe(2);
  });

  it("an empty set", async () => {
    writeFileSync(join(folder, "empty.jsonl"), "");
    expect((await bench("--tasks", "empty.jsonl")).stderr).toContain("holds no task");
  });
});

describe("a recording", () => {
  it("gives the table of all that can be replayed, says who is refused, and writes the report", async () => {
    const { code, stdout, stderr } = await bench(...recorded, "--out", "all");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sums · 3 recorded workers · \d+ tasks to learn from, \d+ test tasks\n/);
    for (const id of ["best-single", "lookup-category", "vote-3", "neighbours", "router", "oracle"])
      expect(stdout).toMatch(new RegExp(`^${id} +\\d+\\.\\d `, "m"));
    expect(stdout).toMatch(/Refused: .*self-reflection[\s\S]*cannot replay/);
    expect(stderr.trim()).toBe(join("all", "report.html"));
    expect(readFileSync(join(folder, "all/report.html"), "utf8")).toContain("<svg");
    expect(JSON.parse(readFileSync(join(folder, "all/results.json"), "utf8"))[0]).toHaveProperty("accuracy");
  });

  it("writes exactly the results with --json, and nothing to stderr", async () => {
    const { code, stdout, stderr } = await bench(
      ...recorded,
      "--conductor",
      "best-single,lookup-category,oracle",
      "--json",
    );
    const results = JSON.parse(stdout) as BenchResult[];
    expect(results.map(({ conductor }) => conductor)).toEqual(["best-single", "lookup-category", "oracle"]);
    expect(results[0]).toMatchObject({ set: "sums", calls: 1, isSimulated: false, outages: 0, ungraded: 0 });
    expect(results[1]!.accuracy).toBe(1);
    expect([code, stderr]).toEqual([0, ""]);
    // The folder is named after the set and the day.
    expect(existsSync(join(folder, "bench"))).toBe(true);
  });

  it("measures every worker on its own when asked for singles", async () => {
    const { stdout } = await bench(...recorded, "--conductor", "singles", "--json", "--out", "singles");
    const results = JSON.parse(stdout) as BenchResult[];
    expect(results.map(({ conductor }) => conductor)).toEqual(["single:even", "single:odd", "single:good"]);
    expect(results.every(({ calls, routingEntropy }) => calls === 1 && routingEntropy === 0)).toBe(true);
  });

  it("writes CSV for a spreadsheet", async () => {
    const { stdout } = await bench(
      ...recorded,
      "--conductor",
      "best-single,vote-3",
      "--csv",
      "--no-report",
      "--out",
      "csv",
    );
    const [heading, first] = stdout.split("\r\n");
    expect(heading).toMatch(/^conductor,set,n,accuracy,low,high,calls/);
    expect(first).toMatch(/^best-single,sums,\d+,0\.\d+/);
    expect(existsSync(join(folder, "csv/report.html"))).toBe(false);
  });

  it("compares two Conductors of a folder, and two folders", async () => {
    await bench(...recorded, "--conductor", "best-single,random-worker,lookup-category", "--out", "one");
    const within = await bench("compare", "random-worker", "lookup-category", "--in", "one");
    expect(within.stdout).toMatch(/^B − A \+\d+\.\d .*B is better$/m);
    expect(within.stdout).toMatch(/^\d+ tasks right with B, wrong with A$/m);
    const across = await bench("compare", "one:best-single", "one:best-single", "--json");
    expect(JSON.parse(across.stdout)).toMatchObject([
      { difference: { mean: 0, p: 1 }, gained: [], lost: [] },
    ]);
    expect((await bench("compare", "one:vote", "one")).stderr).toContain(
      'No Conductor "vote" in one (there are: ',
    );
  });

  it("tells the headroom in figures and words", async () => {
    const { code, stdout } = await bench("headroom", ...recorded);
    expect(stdout).toContain("cross-fitted; the test tasks are untouched");
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "Whoever always knew whom to ask would be right on 100.0 %",
    );
    expect(code).toBe(0);
  });
});

describe("a live pool", () => {
  const args = [
    "--yes",
    "--tasks",
    "mine.jsonl",
    "--conductor",
    "best-single,lookup-category,prompted",
    "--json",
    "--out",
    "live",
  ];

  it("goes on after Ctrl-C and asks nobody twice", async () => {
    const { child, finished } = start(args.filter((word) => word !== "--json"));
    let seen = 0;
    onRequest = () => {
      if (++seen === 120) child.kill("SIGINT");
    };
    const stopped = await finished;
    onRequest = () => {};
    expect(stopped.stderr).toContain("Not finished: the same command with --out and this folder goes on.");
    expect(stopped.code).toBe(130);
    const { code, stdout } = await bench(...args);
    const results = JSON.parse(stdout) as BenchResult[];
    expect(code).toBe(0);
    const [single, lookup, planner] = results;
    expect(lookup).toMatchObject({ accuracy: 1, calls: 1, conductorCalls: 0 });
    expect(planner).toMatchObject({ conductorCalls: 1, validShare: 1, accuracy: single!.accuracy });
    expect(single!.costUsd).toBeGreaterThan(0);
    expect(planner!.costUsd).toBeGreaterThan(single!.costUsd!);
    // Everybody on the training tasks, one call for each Conductor, the plans; what was cut off is asked again.
    const trained = readFileSync(join(folder, "live/training.jsonl"), "utf8").trim().split("\n").length;
    expect(server.requests.length).toBeLessThanOrEqual(trained + 4 * single!.n + AT_ONCE);
    const after = server.requests.length;
    await bench(...args);
    expect(server.requests.length).toBe(after);
  });

  it("asks before it spends, and asks nobody where nobody can say yes", async () => {
    const before = server.requests.length;
    const { code, stderr } = await bench(...live, "--conductor", "best-single", "--out", "unasked");
    expect(code).toBe(2);
    expect(stderr).toMatch(/About \d+ calls to make[\s\S]*Estimated cost: \$[\s\S]*--yes/);
    expect(server.requests.length).toBe(before);
  });

  it("does not spend more than its budget", async () => {
    const { code, stdout, stderr } = await bench(
      ...live,
      "--yes",
      "--conductor",
      "vote-3",
      "--budget-usd",
      "0.005",
      "--out",
      "poor",
    );
    expect(stdout).toContain("The budget of $0.005 is used up");
    expect(code).toBe(1);
    expect(stderr).toContain("report.html");
    const { budget } = JSON.parse(readFileSync(join(folder, "poor/bench.json"), "utf8"));
    expect(budget.spentUsd).toBeLessThanOrEqual(0.005);
  });
});

describe("the rehearsal", () => {
  it("needs no key and is called simulated", async () => {
    const { code, stdout } = await bench(
      "--rehearsal",
      "--limit",
      "60",
      "--conductor",
      "best-single,vote-3",
      "--out",
      "reh",
    );
    expect(stdout).toContain("Simulated: this says nothing about a real model.");
    expect(stdout).toContain("COST (SIM.)");
    expect(readFileSync(join(folder, "reh/report.html"), "utf8")).toContain("Simulated:");
    expect(code).toBe(0);
  });

  it("is not mixed with another bench in its folder", async () => {
    await bench("--rehearsal", "--limit", "40", "--conductor", "best-single", "--out", "mixed");
    const { code, stderr } = await bench(
      "--rehearsal",
      "--limit",
      "50",
      "--conductor",
      "best-single",
      "--out",
      "mixed",
    );
    expect(stderr).toMatch(/mixed holds another bench: its limit is 40, not 50/);
    expect(code).toBe(2);
  });
});
