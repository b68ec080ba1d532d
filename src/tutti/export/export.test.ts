import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { registerSecret } from "../../base/redact.ts";
import type { RunEvent, Store } from "../../store/types.ts";
import { gatewayStart, runEnd, runStart } from "../../testing/events.ts";
import { event, toWorkflow } from "../../testing/run-events.ts";
import { STORES } from "../../testing/stores.ts";
import { EXPORT_COLUMNS, type ExportRow } from "./columns.ts";
import { type ReadRunsOptions, readRuns } from "./read-runs.ts";
import { writeJsonLines, writeParquet } from "./write-runs.ts";

const POOL = ["openai/alpha", "openai/beta"];
const WHOLE = [
  event.start(POOL),
  event.planStart(),
  event.planEnd(toWorkflow([0, "Solve it", []], [1, "Check it", [0]])),
  event.stepStart(0, 0),
  event.stepError(0, 0, "its provider failed (500)", { retryAt: 10 }),
  event.stepStart(0, 0, { attempt: 1 }),
  event.stepEnd(0, 0, "391", { attempt: 1, at: 400 }),
  event.stepStart(1, 1, { at: 400 }),
  event.stepEnd(1, 1, "It is 391 – 三百九十一.", { at: 1200 }),
  event.roundEnd(),
  event.end("It is 391 – 三百九十一."),
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-export-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function collect(store: Store, options?: ReadRunsOptions): Promise<ExportRow[]> {
  const rows: ExportRow[] = [];
  for await (const row of readRuns(store, options)) rows.push(row);
  return rows;
}
const idsOf = (rows: ExportRow[]) => rows.map(({ run_id }) => run_id);

describe.each(STORES)("runs exported from the %s store", (_, open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open(folder);
  });
  afterEach(() => store.close());

  it("come newest first, each once, over many pages, between two times", async () => {
    const ids = Array.from({ length: 450 }, (_, i) => `r_${String(i).padStart(3, "0")}`);
    // Many of the same moment: the cursor must tell them apart.
    for (const [i, id] of ids.entries()) await store.append([runStart(id, Math.floor(i / 100) * 10)]);
    expect(idsOf(await collect(store))).toEqual([...ids].reverse());
    expect(idsOf(await collect(store, { since: 10, until: 20 }))).toEqual(ids.slice(100, 200).reverse());
  });

  it("tell who was asked for what, and what it took", async () => {
    await store.append(WHOLE);
    const [row] = await collect(store);
    expect(row).toMatchObject({
      state: "ended",
      stop_reason: "done",
      has_content: true,
      answer: "It is 391 – 三百九十一.",
      rounds: 1,
      calls: 3,
    });
    expect(row!.steps).toMatchObject([
      { worker: "openai/alpha", reply: "391", calls: 2, failures: [{ worker: "openai/alpha" }] },
      { worker: "openai/beta", subtask: "Check it", access: [0] },
    ]);
  });

  it("keep what is private to themselves, also while the run is not over, and what was deleted", async () => {
    const secret = "Nobody may read this";
    const [start, ...rest] = WHOLE.slice(0, -2);
    const origin = { model: "tutti", dialect: "chat", isPrivate: true };
    await store.append([
      { ...start!, task: { messages: [{ role: "user", content: secret }] }, origin } as RunEvent,
    ]);
    await store.append(rest);
    await store.append([runStart("r_deleted", Date.UTC(2030), secret), runEnd("r_deleted", secret)]);
    await store.stripRun("r_deleted");
    const rows = await collect(store);
    expect(JSON.stringify(rows)).not.toMatch(/Nobody|391|Check it/);
    expect(rows).toMatchObject([
      { run_id: "r_deleted", has_content: false, question: null, answer: null, stop_reason: "done" },
      { has_content: false, question: null, state: "interrupted", calls: 3 },
    ]);
  });

  it("show no key that is known here", async () => {
    await store.append([runStart("r_old", 1, "My key is opensesame-88421, is it safe?")]);
    registerSecret("opensesame-88421");
    expect((await collect(store))[0]!.question).toBe("My key is [redacted], is it safe?");
  });
});

describe("an export", () => {
  it("reads no further than it has written", async () => {
    const { createMemoryStore } = await import("../../store/memory.ts");
    const store = createMemoryStore();
    for (let i = 0; i < 1_000; i++) await store.append([runStart(`r_${i}`, i)]);
    let loaded = 0;
    const watched: Store = {
      ...store,
      loadRun: (id) => {
        loaded++;
        return store.loadRun(id);
      },
    };
    for await (const row of readRuns(watched)) {
      expect(row.run_id).toBe("r_999");
      break;
    }
    expect(loaded).toBeLessThan(20);
  });

  it("leaves out a damaged run and says which", async () => {
    const { openSqliteStore } = await import("../../store/sqlite/store.ts");
    const { default: Database } = await import("libsql");
    const file = join(folder, "journal.db");
    const store = await openSqliteStore(file);
    await store.append([runStart("r_good", 1)]);
    await store.append([runStart("r_bad", 2)]);
    const database = new Database(file);
    database.prepare("UPDATE events SET json = '{' WHERE run = 'r_bad'").run();
    database.close();
    const damaged: string[] = [];
    expect(idsOf(await collect(store, { onDamaged: (id) => void damaged.push(id) }))).toEqual(["r_good"]);
    expect(damaged).toEqual(["r_bad"]);
    await store.close();
  });

  async function bytesOf(write: typeof writeParquet, rows: ExportRow[]): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    const all = async function* () {
      yield* rows;
    };
    await write(all(), async (bytes) => void pieces.push(bytes));
    return Buffer.concat(pieces);
  }
  const toFile = (bytes: Buffer) => new Uint8Array(bytes).buffer;

  async function someRows(): Promise<ExportRow[]> {
    const { createMemoryStore } = await import("../../store/memory.ts");
    const store = createMemoryStore();
    await store.append(WHOLE);
    await store.append([
      gatewayStart("r_2", { keyId: "key_1", user: "ann", metadata: { team: "a" } }, 5_000),
    ]);
    return collect(store);
  }

  it("is the same read back from Parquet and from JSON lines", async () => {
    const rows = await someRows();
    const lines = String(await bytesOf(writeJsonLines, rows))
      .trimEnd()
      .split("\n");
    const file = toFile(await bytesOf(writeParquet, rows));
    const read = await parquetReadObjects({ file });
    const plain = JSON.parse(
      JSON.stringify(read, (_, value) => (typeof value === "bigint" ? Number(value) : value)),
    );
    expect(plain).toEqual(lines.map((line) => JSON.parse(line)));
    expect(plain).toHaveLength(2);
    expect(parquetSchema(parquetMetadata(file)).children.map(({ element }) => element.name)).toEqual(
      EXPORT_COLUMNS.map(({ name }) => name),
    );
  });

  it("of nothing is an empty Parquet file that can be read", async () => {
    const file = toFile(await bytesOf(writeParquet, []));
    expect(await parquetReadObjects({ file })).toEqual([]);
  });

  it("of many runs is many row groups, none larger than what fits into memory", async () => {
    const [row] = await someRows();
    const rows = Array.from({ length: 2_500 }, (_, i) => ({ ...row!, run_id: `r_${i}` }));
    const file = toFile(await bytesOf(writeParquet, rows));
    expect(parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([
      1_000, 1_000, 500,
    ]);
    const big = rows.slice(0, 4).map((each) => ({ ...each, answer: "x".repeat(9_000_000) }));
    const groups = parquetMetadata(toFile(await bytesOf(writeParquet, big))).row_groups;
    expect(groups.map(({ num_rows }) => Number(num_rows))).toEqual([2, 2]);
  });

  it("has the columns that docs/scale.md lists", () => {
    const page = readFileSync(new URL("../../../docs/scale.md", import.meta.url), "utf8");
    const rows = page.match(/^\| `\w+` +\| (text|integer|number|boolean|time|json)\b.*$/gm) ?? [];
    const cells = rows.map((row) =>
      row
        .split("|")
        .slice(1, 4)
        .map((cell) => cell.trim()),
    );
    expect(cells).toEqual(
      EXPORT_COLUMNS.map(({ name, type, isRequired, meaning }) => [
        `\`${name}\``,
        isRequired ? type : `${type}, may be null`,
        meaning,
      ]),
    );
  });
});
