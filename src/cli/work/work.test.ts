// Several machines that share the calls of one bench, as real processes on one Postgres: a provider on loopback counts who was
// asked what, and the rows are those of a bench alone.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runTutti } from "../../testing/command.ts";
import { type ChatServer, startChatServer } from "../../testing/gateway/chat-server.ts";
import { createMachines } from "../../testing/machines.ts";
import { createTestDatabase, noPostgres, POSTGRES, readTables } from "../../testing/stores.ts";

const PATIENT = { timeout: 120_000 };
const PLAN = 'model_id = [1]\nsubtasks = ["Solve it"]\naccess_list = [[]]';
const TASKS = 40;

let server: ChatServer;
const { folder, start, run, startWork, end } = createMachines();
/** Called with each request; a reply waits for it. */
let onAsked: () => Promise<void> | void = () => {};

const config = (temperature?: number) => ({
  workers: ["even", "most", "planner"].map((id) => ({
    ...{ id, model: `acme/${id}`, baseUrl: server.baseUrl, maxOutputTokens: 100, temperature },
    price: { inputUsd: 1, outputUsd: 4 },
  })),
  pools: { team: ["even", "most", "planner"], pair: ["even", "most"] },
  conductor: "planner",
  // So few that nobody can take them all.
  queue: { perProcess: 4 },
});

beforeAll(async () => {
  server = await startChatServer({
    async reply({ model, messages }) {
      await onAsked();
      if (model === "planner") return PLAN;
      const i = Number(/twice (\d+)/.exec(JSON.stringify(messages))![1]);
      return `Answer: ${(model === "even" ? i % 2 === 0 : i % 5 !== 0) ? 2 * i : "no idea"}`;
    },
  });
  writeFileSync(join(folder, "tutti.config.json"), JSON.stringify(config()));
  writeFileSync(join(folder, "other.config.json"), JSON.stringify(config(0.7)));
  const tasks = Array.from({ length: TASKS }, (_, i) => ({
    ...{ id: `t${i}`, set: "sums", category: i % 2 === 0 ? "even" : "odd", subtask: `rest ${i % 3}` },
    ...{ prompt: `What is twice ${i}?`, answer: String(2 * i) },
  }));
  writeFileSync(join(folder, "mine.jsonl"), tasks.map((row) => `${JSON.stringify(row)}\n`).join(""));
});
afterEach(async () => {
  onAsked = () => {};
  await end();
});
afterAll(() => server.close());

const BENCH = ["bench", "--yes", "--tasks", "mine.jsonl", "--pool", "team"];
const BENCHED = [...BENCH, "--conductor", "best-single,vote-3,prompted", "--concurrency", "16"];

interface Row {
  conductor: string;
  task: string;
  durationMs?: number;
  [field: string]: unknown;
}

function readRows(path: string, name: string): Row[] {
  return readFileSync(join(folder, path, name), "utf8")
    .trim()
    .split("\n")
    .map((line): Row => JSON.parse(line))
    .sort((a, b) => `${a.conductor} ${a.task}`.localeCompare(`${b.conductor} ${b.task}`));
}

/** How often each was asked each question. */
function countAsks(from: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { model, messages } of server.requests.slice(from)) {
    const key = `${model} ${JSON.stringify(messages)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

describe.skipIf(!POSTGRES)(`machines that share calls${noPostgres}`, PATIENT, () => {
  it("make a bench of the same rows, also where one is killed in the middle, and ask nothing finished again", async () => {
    const address = await createTestDatabase();
    expect((await run(undefined, ...BENCHED, "--out", "alone")).stderr).toContain("report.html");
    const alone = countAsks(0);
    const from = server.requests.length;

    const [killed, other] = await Promise.all([
      startWork(address, "--pool", "team"),
      startWork(address, "--pool", "team"),
    ]);
    let asked = 0;
    onAsked = () => {
      if (++asked === 60) killed!.child.kill("SIGKILL");
    };
    const { code, stderr } = await run(address, ...BENCHED, "--out", "spread", "--postgres");
    expect(stderr).toContain("tutti work --postgres --pool team");
    expect(code).toBe(0);

    const plain = ({ durationMs: _, calls: __, costUsd: ___, tokens: ____, asked: _____, ...row }: Row) =>
      row;
    for (const name of ["rows.jsonl", "training.jsonl"])
      expect(readRows("spread", name).map(plain)).toEqual(readRows("alone", name).map(plain));
    // Each ask that was lost with the killed process was made once more, and is counted in the rows.
    const total = (counts: Map<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0);
    const lost = total(countAsks(from)) - total(alone);
    expect(lost).toBeGreaterThanOrEqual(0);
    expect(lost).toBeLessThanOrEqual(32);
    const callsOf = (folderName: string) =>
      ["rows.jsonl", "training.jsonl"]
        .flatMap((name) => readRows(folderName, name))
        .reduce((sum, row) => sum + Number(row.calls), 0);
    expect(callsOf("spread") - callsOf("alone")).toBeGreaterThanOrEqual(lost);
    // Nothing of it is left.
    expect((await readTables(address, "tutti")).asks).toEqual([]);
    other!.child.kill("SIGTERM");
    const { stdout } = await other!.finished;
    expect(Number(/"taken": (\d+)/.exec(stdout)![1])).toBeGreaterThan(0);
  });

  it("a killed bench gets what was answered meanwhile, and pays for nothing twice", async () => {
    const address = await createTestDatabase();
    const args = [
      ...BENCH,
      "--conductor",
      "best-single",
      "--concurrency",
      "16",
      "--out",
      "killed",
      "--postgres",
    ];
    const from = server.requests.length;
    await startWork(address, "--pool", "team");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const bench = start(address, ...args);
    onAsked = () => {
      if (++asked !== 30) return asked > 30 ? held : undefined;
      bench.child.kill("SIGKILL");
      return held;
    };
    await bench.finished;
    release();
    // The other machine ends what it has begun, and finds that the bench has left the rest.
    await expect
      .poll(async () =>
        (await readTables(address, "tutti")).asks!.filter((ask) => ask.begun_by && !ask.ended),
      )
      .toEqual([]);
    const { asks } = await readTables(address, "tutti");
    const lost = asks!.filter(({ failure }) => failure !== null);
    expect(asks!.filter(({ ended, failure }) => ended && failure === null).length).toBeGreaterThan(0);
    onAsked = () => {};
    const { code, stderr } = await run(address, ...args);
    expect(stderr).toContain("Calls go through");
    expect(code).toBe(0);
    // Only what the killed process had under way itself was asked once more.
    const twice = [...countAsks(from).values()].filter((count) => count > 1);
    expect(twice.length).toBeLessThanOrEqual(lost.length);
    expect((await readTables(address, "tutti")).asks).toEqual([]);
  });

  it("refuses a machine whose workers are others, and says which", async () => {
    const address = await createTestDatabase();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let hasAsked = () => {};
    const first = new Promise<void>((resolve) => {
      hasAsked = resolve;
    });
    onAsked = () => {
      hasAsked();
      return held;
    };
    const bench = start(address, ...BENCH, "--conductor", "best-single", "--out", "other", "--postgres");
    await first;
    const settings = await run(address, "work", "--pool", "team", "--config", "other.config.json");
    expect(settings.stderr).toMatch(
      /"tutti bench sums" on \S+ asks other workers than this machine has: even, most, planner are set otherwise here\. Start it with the same config and the same --pool/,
    );
    expect(settings.code).toBe(1);
    const pool = await run(address, "work", "--pool", "pair");
    expect(pool.stderr).toContain("planner is not here");
    expect(pool.code).toBe(1);
    release();
    expect((await bench.finished).code).toBe(0);
  });

  it("makes the same recording", async () => {
    const address = await createTestDatabase();
    const record = ["record", "mine.jsonl", "--yes", "--pool", "pair", "--samples", "2", "--json"];
    const [alone] = [await run(undefined, ...record, "--out", "rec-alone")];
    await startWork(address, "--pool", "pair");
    const spread = await run(address, ...record, "--out", "rec-spread", "--postgres");
    expect([alone.code, spread.code]).toEqual([0, 0]);
    const rowsOf = (path: string) =>
      readFileSync(join(folder, path, "outcomes.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => ({ ...JSON.parse(line), durationMs: 0 }))
        .map((row) => JSON.stringify(row))
        .sort();
    expect(rowsOf("rec-spread")).toEqual(rowsOf("rec-alone"));
    expect((await readTables(address, "tutti")).asks).toEqual([]);
  });
});

describe("--postgres", PATIENT, () => {
  it.each([
    ["without an address", [...BENCH, "--postgres"], "TUTTI_POSTGRES_URL does not say one"],
    [
      "with a wrong one",
      [...BENCH, "--postgres", "mysql://u:secret@h/d"],
      "must be an address like postgres://",
    ],
    ["with nobody to ask", ["bench", "--rehearsal", "--postgres"], "--postgres goes with --tasks"],
    ["with nobody to ask", ["train", "--postgres"], "--postgres goes with --tasks"],
    ["with nobody to ask", ["rl", "serve", "--postgres"], "--postgres goes with --tasks"],
    ["of work without an address", ["work", "--pool", "team"], "TUTTI_POSTGRES_URL does not say one"],
  ])("is refused %s", async (_, args, message) => {
    const { code, stderr } = await runTutti(args, { env: { TUTTI_HOME: folder }, cwd: folder });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("secret");
    expect(code).toBe(2);
  });

  it("says that the database is away, and asks nobody", async () => {
    const before = server.requests.length;
    const address = "postgres://tutti:secret@127.0.0.1:9/none";
    const { code, stderr } = await run(undefined, ...BENCH, "--out", "away", "--postgres", address);
    expect(stderr).toContain("The journal in 127.0.0.1:9/none failed");
    expect(stderr).not.toContain("secret");
    expect(code).toBe(1);
    expect(server.requests.length).toBe(before);
  });
});
