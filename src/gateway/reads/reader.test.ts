import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/types.ts";
import { PastReader } from "./reader.ts";

const RUNS = 20_000;
let home: string;
let store: Store;
let reader: PastReader;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "tutti-reader-"));
  const path = join(home, "journal.db");
  store = await openStore(path);
  const raw = new Libsql(path);
  raw
    .prepare(
      `INSERT INTO runs (id, top, started, ended, question, answer, conductor, simulated, stop_reason, cost_usd, calls,
         model, dialect, key_id, user, metadata)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT 'r_' || i, 'r_' || i, i, i + 1, 'Question ' || i || hex(zeroblob(80)), 'Answer', 'fixed', 0, 'done', 0.5, 1,
         'tutti', 'chat', 'key_' || (i % 2), 'u' || (i % 7), '{"job":"' || i || '"}' FROM n`,
    )
    .run(RUNS);
  raw.close();
  const bench = join(home, "bench", "b");
  mkdirSync(bench, { recursive: true });
  writeFileSync(join(bench, "bench.json"), JSON.stringify({ identity: { set: "s", seed: 1 } }));
  reader = new PastReader({
    openStore: async () => store,
    storePath: path,
    env: { TUTTI_HOME: home },
    cwd: home,
  });
}, 60_000);
afterAll(async () => {
  await reader.close();
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());

describe("a large journal, read in the thread", () => {
  it("says the same as here", async () => {
    const filter = { groupBy: ["user" as const], keyId: "key_1" };
    expect(await reader.read(undefined, "sumSpending", filter)).toEqual(await store.sumSpending(filter));
    const search = { text: "Question 19999", limit: 3 };
    expect(await reader.read(undefined, "listRuns", search)).toEqual(await store.listRuns(search));
    expect(parse(await reader.bytes(undefined, "toBill", filter))).toMatchObject({
      total: { runs: RUNS / 2 },
    });
    const csv = Buffer.from(await reader.bytes(undefined, "toBillCsv", filter)).toString();
    expect(csv.split("\r\n")[0]).toBe(
      "user,runs,calls,cost_usd,input_tokens,output_tokens,simulated,estimated_usd,cached_input_tokens,cache_write_tokens,cache_saved_usd",
    );
  });

  it("does not hold up this one", async () => {
    const groupBy = ["metadata.job" as const, "user" as const, "day" as const];
    let turns = 0;
    let isOver = false;
    const reading = reader.bytes(undefined, "toBill", { groupBy }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    expect(parse(await reading).data).toHaveLength(RUNS);
    // Here it would be one turn or two.
    expect(turns).toBeGreaterThan(20);
  });

  it("sees what was written a moment ago", async () => {
    await store.append([
      {
        ...{ type: "run-start", runId: "r_new", at: RUNS + 9, pool: [], isStripped: false },
        task: { messages: [{ role: "user", content: "New?" }] },
        settings: { conductor: { kind: "fast" }, limits: {} },
      } as never,
    ]);
    const [first] = await reader.read(undefined, "listRuns", { limit: 1 });
    expect(first?.id).toBe("r_new");
  });

  it("fails with the code and the words that it would have here", async () => {
    await expect(reader.bytes(undefined, "showBench", "none")).rejects.toMatchObject({
      name: "TuttiError",
      code: "not-found",
      message: 'There is no bench "none".',
    });
    await expect(reader.bytes(undefined, "compareBenches", { a: "b", b: "b" })).rejects.toMatchObject({
      code: expect.stringMatching(/^(bad-request|usage)$/),
    });
    expect(parse(await reader.bytes(undefined, "listBenches")).data).toHaveLength(1);
  });

  it("is read again after the thread has ended", async () => {
    await reader.close();
    expect(await reader.read(undefined, "listRuns", { limit: 2 })).toHaveLength(2);
  });
});
