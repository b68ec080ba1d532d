// What only the SQLite store has: a file that lasts, fails, is shared and is killed.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Libsql from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runEnd, runStart, stepDelta, stepEnd } from "../../testing/events.ts";
import type { Owner, RunEvent } from "../types.ts";
import { openSqliteStore } from "./store.ts";

const me: Owner = { id: "me", pid: process.pid, host: hostname() };

let folder: string;
let path: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-sqlite-"));
  path = join(folder, "home", "journal.db");
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

const mode = (file: string) => statSync(file).mode & 0o777;
const long = (runId: string) => stepEnd(runId, "x".repeat(20_000));

it("a run that was read is at hand until it is deleted, and what is written meanwhile is read with it", async () => {
  const store = await openSqliteStore(path);
  await store.append([runStart("a"), runEnd("a", "reply")]);
  expect(store.isAtHand!("a")).toBe(false);
  const read = await store.loadRun("a");
  expect(store.isAtHand!("a")).toBe(true);
  const other = await openSqliteStore(path);
  await other.append([stepEnd("a", "more", 0.1)]);
  const again = await store.loadRun("a");
  expect(again).toHaveLength(3);
  expect(again[0]).toBe(read[0]);
  await store.deleteRun("a");
  expect(store.isAtHand!("a")).toBe(false);
  await Promise.all([store.close(), other.close()]);
});

describe("the file", () => {
  it("lasts, and is for its owner's eyes only", async () => {
    const first = await openSqliteStore(path);
    const events = [runStart("a"), stepEnd("a", "reply", 0.1), runEnd("a", "reply")];
    await first.append(events);
    const listed = await first.listRuns();
    if (process.platform !== "win32") {
      expect(mode(join(folder, "home"))).toBe(0o700);
      for (const suffix of ["", "-wal", "-shm"]) expect(mode(path + suffix)).toBe(0o600);
    }
    await first.close();
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);

    const second = await openSqliteStore(path);
    expect(await second.loadRun("a")).toEqual(events);
    expect(await second.listRuns()).toEqual(listed);
    await second.close();
  });

  it("gives its space back to the disk when runs are pruned, and keeps nothing of them", async () => {
    const store = await openSqliteStore(path);
    for (let i = 0; i < 450; i++)
      void store.append([runStart(`run-${i}`, i), stepEnd(`run-${i}`, "secretive ".repeat(500))]);
    await store.append([runStart("last", 1_000)]);
    expect(await store.prune(1_000)).toBe(450);
    expect(readFileSync(`${path}-wal`).includes("secretive")).toBe(false);
    await store.close();
    expect(statSync(path).size).toBeLessThan(150_000);
    expect(readFileSync(path).includes("secretive")).toBe(false);
  });

  it("keeps nothing of what was said in a run that was stripped", async () => {
    const store = await openSqliteStore(path);
    const said = "secretive ".repeat(900);
    await store.append([runStart("a", 1, said), stepDelta("a", said), stepEnd("a", said), runEnd("a", said)]);
    for (let i = 0; i < 20; i++) await store.append([stepEnd("a", said), runStart(`other-${i}`, 2)]);
    expect(await store.stripRun("a")).toBe(true);
    await store.close();
    expect(readFileSync(path).includes("secretive")).toBe(false);
    const again = await openSqliteStore(path);
    expect(await again.loadRun("a")).toHaveLength(23);
    await again.close();
  });

  it("has one row for all events of a run in one append, and reads rows of one event as well", async () => {
    const store = await openSqliteStore(path);
    const events = [runStart("a"), stepDelta("a", "[1]"), stepEnd("a", "reply"), runEnd("a", "reply")];
    await store.append([events[0]!]);
    await store.append([events[1]!, runStart("b"), events[2]!, events[3]!, runEnd("b", "x")]);
    const raw = new Libsql(path);
    expect(raw.prepare("SELECT run FROM events ORDER BY seq").pluck().all()).toEqual(["a", "a", "b"]);
    raw.close();
    expect(await store.loadRun("a")).toEqual(events);
    await store.close();
  });

  it("of a newer version is refused in words", async () => {
    await (await openSqliteStore(path)).close();
    const raw = new Libsql(path);
    raw.exec("PRAGMA user_version = 99");
    raw.close();
    const opening = openSqliteStore(path);
    await expect(opening).rejects.toMatchObject({ code: "journal-version" });
    await expect(opening).rejects.toThrow(/newer Tutti \(format 99, .*Update Tutti/);
  });

  it("of another program is left alone", async () => {
    const foreign = join(folder, "foreign.db");
    const raw = new Libsql(foreign);
    raw.exec("CREATE TABLE theirs (x)");
    raw.close();
    await expect(openSqliteStore(foreign)).rejects.toMatchObject({ code: "journal-version" });

    const text = join(folder, "letter.txt");
    writeFileSync(text, "Dear reader, this is not a database. ".repeat(50));
    const opening = openSqliteStore(text);
    await expect(opening).rejects.toMatchObject({ code: "journal-failed" });
    await expect(opening).rejects.toThrow(/letter\.txt failed: .*Move this file away/);
    expect(readFileSync(text, "utf8")).toMatch(/^Dear reader/);
  });

  it("that cannot be made says where and what to do", async () => {
    mkdirSync(join(folder, "home", "journal.db"), { recursive: true });
    const opening = openSqliteStore(path);
    await expect(opening).rejects.toMatchObject({ code: "journal-failed" });
    await expect(opening).rejects.toThrow(/journal\.db failed: .*TUTTI_HOME/);
    writeFileSync(join(folder, "file"), "");
    await expect(openSqliteStore(join(folder, "file", "journal.db"))).rejects.toThrow(/TUTTI_HOME/);
  });

  it.skipIf(process.getuid?.() === 0)("that may not be written says so", async () => {
    await (await openSqliteStore(path)).close();
    chmodSync(path, 0o400);
    await expect(openSqliteStore(path)).rejects.toThrow(/can be written, or set TUTTI_HOME/);
  });
});

describe("a failed write", () => {
  it("on a full disk rejects, leaves nothing half done, and succeeds again when there is space", async () => {
    const store = await openSqliteStore(path, { maxBytes: 400_000 });
    await store.append([runStart("first", 1)]);
    let written = 0;
    let failure: unknown;
    while (!failure && written < 100) {
      try {
        await store.append([long("first"), stepDelta("first", "with it")]);
        written++;
      } catch (error) {
        failure = error;
      }
    }
    expect(written).toBeGreaterThan(5);
    expect(failure).toMatchObject({ name: "TuttiError", code: "journal-failed" });
    expect(String(failure)).toContain(path);
    expect(String(failure)).toMatch(/full.*Free space.*TUTTI_HOME/);
    expect(await store.loadRun("first")).toHaveLength(1 + 2 * written);
    await expect(store.append([long("first")])).rejects.toMatchObject({ code: "journal-failed" });

    expect(await store.deleteRun("first")).toBe(true);
    await store.append([runStart("second", 2), long("second")]);
    expect(await store.loadRun("second")).toHaveLength(2);
    expect((await store.listRuns()).map((run) => run.id)).toEqual(["second"]);
    await store.close();
  });

  it("behind a lock waits for it, or gives up after the time-out", async () => {
    const patient = await openSqliteStore(path);
    const hasty = await openSqliteStore(path, { busyTimeoutMs: 0 });
    const locker = new Libsql(path);
    locker.exec("BEGIN IMMEDIATE");
    const waiting = patient.append([runStart("a")]);
    const failing = hasty.append([runStart("b")]);
    await expect(failing).rejects.toMatchObject({ code: "journal-failed" });
    await expect(failing).rejects.toThrow(/locked.*Another process/);
    expect(await patient.loadRun("a")).toEqual([]);
    locker.exec("ROLLBACK");
    await waiting;
    await hasty.append([runStart("c")]);
    expect(await hasty.loadRun("a")).toHaveLength(1);
    expect(await patient.loadRun("c")).toHaveLength(1);
    locker.close();
    await Promise.all([patient.close(), hasty.close()]);
  });

  it("of an event that is no data fails alone", async () => {
    const store = await openSqliteStore(path);
    const broken = { ...runStart("broken"), task: { messages: [], count: 1n } } as unknown as RunEvent;
    const results = await Promise.allSettled([store.append([runStart("a")]), store.append([broken])]);
    expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected"]);
    expect(await store.loadRun("a")).toHaveLength(1);
    await store.close();
  });

  it("comes after closing, which first writes what was appended", async () => {
    const store = await openSqliteStore(path);
    const pending = store.append([runStart("a")]);
    await store.close();
    await store.close();
    await pending;
    await expect(store.append([runStart("b")])).rejects.toThrow(/is closed/);
    await expect(store.loadRun("a")).rejects.toThrow(/is closed/);
    const again = await openSqliteStore(path);
    expect(await again.loadRun("a")).toHaveLength(1);
    await again.close();
  });

  it("of the past, a torn row, is named, and other runs are not affected", async () => {
    const store = await openSqliteStore(path);
    await store.append([runStart("torn")]);
    await store.append([stepEnd("torn", "reply"), runStart("whole")]);
    const raw = new Libsql(path);
    raw.exec("UPDATE events SET json = substr(json, 1, 20) WHERE seq = 2");
    raw.close();
    const loading = store.loadRun("torn");
    await expect(loading).rejects.toMatchObject({ code: "journal-damaged" });
    await expect(loading).rejects.toThrow(`Event 1 of run torn in ${path} is damaged`);
    expect(await store.loadRun("whole")).toHaveLength(1);
    expect(await store.listRuns()).toHaveLength(2);
    expect(await store.deleteRun("torn")).toBe(true);
    await store.close();
  });
});

describe("other processes", () => {
  /** A process of its own that has the store open as `store`; what it prints arrives line by line. */
  function startProcess(code: string): { child: ChildProcess; lines: AsyncIterator<string> } {
    const program = `
      import { createJiti } from "jiti";
      import { hostname } from "node:os";
      const load = (file) => createJiti(${JSON.stringify(import.meta.url)}).import(file);
      const { openSqliteStore } = await load("./store.ts");
      const { runStart, stepDelta, runEnd } = await load("../../testing/events.ts");
      const store = await openSqliteStore(${JSON.stringify(path)});
      const owner = { id: String(process.pid), pid: process.pid, host: hostname() };
      const started = new Promise((go) => process.stdin.once("data", go));
      const print = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
      ${code}`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: import.meta.dirname,
      stdio: ["pipe", "pipe", "inherit"],
    });
    children.push(child);
    return { child, lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator]() };
  }
  const nextLine = async (lines: AsyncIterator<string>) => JSON.parse((await lines.next()).value ?? "null");
  const exited = (child: ChildProcess) => new Promise((done) => child.once("close", done));

  it("write into one file at the same time: nothing is lost, and each claim has one winner", async () => {
    const code = `
      print("ready");
      await started;
      const won = [];
      await Promise.all(Array.from({ length: 8 }, async (_, lane) => {
        for (let i = 0; i < 10; i++) {
          if (await store.claim("shared-" + lane + "-" + i, owner)) won.push(lane + "-" + i);
          const id = process.pid + "-" + lane + "-" + i;
          await store.append([runStart(id, Date.now())]);
          for (let n = 0; n < 5; n++) await store.append([stepDelta(id, String(n))]);
          await store.append([runEnd(id, "x")]);
        }
      }));
      print(won);
      process.stdin.once("end", () => store.close());`;
    // The file does not exist yet: making it is a race, too.
    const two = [startProcess(code), startProcess(code)];
    for (const { lines } of two) expect(await nextLine(lines)).toBe("ready");
    for (const { child } of two) child.stdin!.write("go\n");
    const won: string[][] = [];
    for (const { lines } of two) won.push(await nextLine(lines));
    expect(won.flat().sort()).toEqual(
      Array.from({ length: 80 }, (_, i) => `${Math.floor(i / 10)}-${i % 10}`),
    );

    const store = await openSqliteStore(path);
    const runs = await store.listRuns({ limit: 1_000 });
    expect(runs).toHaveLength(160);
    for (const { id, state } of runs) {
      expect(state).toBe("ended");
      const texts = (await store.loadRun(id)).flatMap((event) =>
        event.type === "step-delta" ? [event.text] : [],
      );
      expect(texts).toEqual(["0", "1", "2", "3", "4"]);
    }
    const codes = two.map(({ child }) => exited(child));
    for (const { child } of two) child.stdin!.end();
    expect(await Promise.all(codes)).toEqual([0, 0]);
    await store.close();
  });

  it("that are killed lose nothing they were told is written, and their runs are free at once", async () => {
    const { child, lines } = startProcess(`
      await store.claim("a", owner);
      await store.append([runStart("a", 1)]);
      for (let n = 0; ; n++) {
        await store.append([stepDelta("a", String(n))]);
        print(n);
      }`);
    const store = await openSqliteStore(path);
    for (let n = 0; n < 300; n++) expect(await nextLine(lines)).toBe(n);
    expect(await store.claim("a", me)).toBe(false);
    expect((await store.listRuns()).map((run) => run.state)).toEqual(["running"]);

    const gone = exited(child);
    child.kill("SIGKILL");
    let last = 299;
    for (let line = await lines.next(); !line.done; line = await lines.next()) last = Number(line.value);
    await gone;
    const texts = (await store.loadRun("a"))
      .slice(1)
      .map((event) => (event.type === "step-delta" ? event.text : ""));
    expect(texts.length).toBeGreaterThan(last);
    expect(texts).toEqual(texts.map((_, n) => String(n)));
    expect((await store.listRuns()).map((run) => run.state)).toEqual(["interrupted"]);
    expect(await store.claim("a", me)).toBe(true);
    await store.close();
  });
});
