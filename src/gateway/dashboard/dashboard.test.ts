// What the dashboard asks the gateway for, over a socket: its files, the pool, messages, trainings, benches, keys.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { DiskFolder } from "../../bench/folder.ts";
import { openTrainingFolder } from "../../learn/folder.ts";
import { toBenchRow } from "../../testing/bench-rows.ts";
import {
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../../testing/gateway/gateway.ts";
import { toIteration } from "../../testing/learn/train-events.ts";
import { readPageFiles } from "../http/page-files.ts";
import type {
  BenchComparison,
  BenchReport,
  CreatedKey,
  DashboardSession,
  DayOfWork,
  PoolReport,
  ShownKey,
  StepMessages,
  TrainingReport,
  TrainingSummary,
} from "./types.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  closing.push(() => gateway.close());
  return gateway;
}

const QUESTION = { model: "tutti", messages: [{ role: "user", content: "What is 2 + 2?" }] };

function call({ url }: TestGateway, path: string, options: RequestInit & { key?: string } = {}) {
  const { key, ...rest } = options;
  return fetch(`${url}${path}`, {
    ...rest,
    headers: { ...rest.headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
  });
}

async function read<T>(gateway: TestGateway, path: string, key?: string): Promise<T> {
  const response = await call(gateway, path, { ...(key !== undefined && { key }) });
  expect(response.status, path).toBe(200);
  return response.json() as Promise<T>;
}

async function send<T>(gateway: TestGateway, path: string, body: unknown, key?: string) {
  const response = await call(gateway, path, {
    method: "POST",
    body: JSON.stringify(body),
    ...(key !== undefined && { key }),
  });
  return { status: response.status, body: (await response.json()) as T & { error?: { message: string } } };
}

describe("the page", () => {
  it("is for people; programs still get JSON at /", async () => {
    const gateway = await start();
    const program = await call(gateway, "/", { headers: { accept: "*/*" } });
    expect(await program.json()).toMatchObject({ name: "tutti" });
    const person = await call(gateway, "/", { headers: { accept: "text/html,*/*;q=0.8" } });
    expect(person.status).toBe(200);
    const policy = person.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(person.headers.get("x-content-type-options")).toBe("nosniff");
    expect(person.headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("has a fixed list of files, hashed ones for ever, and nothing outside of its folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "tutti-page-"));
    closing.push(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), "<!doctype html>");
    writeFileSync(join(folder, "assets", "index-Ab3_x-9Q.js"), `console.log(${"1".repeat(4000)})`);
    writeFileSync(join(folder, "secrets.env"), "no");
    const files = readPageFiles(folder)!;
    expect(files.index).toMatchObject({ type: "text/html; charset=utf-8", isHashed: false });
    const script = files.find("assets/index-Ab3_x-9Q.js")!;
    expect(script).toMatchObject({ type: "text/javascript; charset=utf-8", isHashed: true });
    expect(script.gzip!.length).toBeLessThan(script.bytes.length);
    for (const path of ["secrets.env", "../index.html", "assets/../index.html", "assets", "__proto__"])
      expect(files.find(path), path).toBeUndefined();
    expect(readPageFiles(join(folder, "assets"))).toBeUndefined();
  });

  it("leaves unknown addresses unknown", async () => {
    const gateway = await start();
    const response = await call(gateway, "/etc/passwd", { headers: { accept: "text/html" } });
    expect(response.status).toBe(404);
  });
});

describe("the pool", () => {
  it("tells who can be asked, who did the work, and whose circuit is open", async () => {
    let isDown = false;
    const gateway = await start({
      reply: ({ model }) => (isDown && model === "alpha" ? { status: 500, body: {} } : "Four."),
      config: { retries: 2 },
    });
    await send(gateway, "/v1/chat/completions", QUESTION);
    const before = await read<PoolReport>(gateway, "/v1/pool");
    const alpha = before.workers.find(({ id }) => id === "stub/alpha")!;
    expect(alpha).toMatchObject({
      ...{ kind: "model", number: 0, state: "ready", price: { inputUsd: 1, outputUsd: 2 } },
      circuit: { state: "closed", failures: 0 },
      work: { calls: 1, callShare: 1, costShare: 1, failures: 0 },
    });
    expect(before.window).toMatchObject({ runs: 1, calls: 1, isCut: false });
    expect(before.planning.calls).toBe(1);
    isDown = true;
    await send(gateway, "/v1/chat/completions", { ...QUESTION, seed: 2 });
    const after = await read<PoolReport>(gateway, "/v1/pool");
    expect(after.workers[0]!.circuit).toMatchObject({ state: "open", failures: 3 });
    expect(after.workers[0]!.work.failures).toBe(3);
    const { data: days } = await read<{ data: DayOfWork[] }>(gateway, "/v1/pool/days?hours=24");
    const today = new Date().toISOString().slice(0, 10);
    expect(days).toContainEqual(expect.objectContaining({ day: today, workerId: "stub/alpha", runs: 2 }));
    expect(after.workers.reduce((sum, { work }) => sum + work.callShare, 0)).toBeCloseTo(1);
  });

  it("counts runs of the window only, and refuses a window that is none", async () => {
    const gateway = await start();
    const response = await call(gateway, "/v1/pool?hours=0");
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: { message: string } }).error.message).toContain('"hours"');
  });
});

describe("messages of a run", () => {
  it("are what the worker was sent, word for word", async () => {
    const gateway = await start();
    const { body } = await send<{ tutti: { run_id: string } }>(gateway, "/v1/chat/completions", QUESTION);
    const { data } = await read<{ data: StepMessages[] }>(gateway, `/v1/runs/${body.tutti.run_id}/messages`);
    expect(data).toHaveLength(1);
    const [{ messages, workerId }] = data as [StepMessages];
    expect(workerId).toBe("stub/alpha");
    expect(messages).toEqual(gateway.asked()[0]!.messages);
  });

  it("are nobody else's, and those of no run are none", async () => {
    const gateway = await start();
    expect((await call(gateway, "/v1/runs/r_none/messages")).status).toBe(404);
  });
});

describe("trainings", () => {
  function writeTraining(home: string, name: string): string {
    const path = join(home, "trainings", name);
    const folder = openTrainingFolder(path);
    folder.describe({ world: "made up", isSimulated: true, seed: 3, command: "tutti train", state: "done" });
    for (let i = 0; i < 20; i++) folder.append(toIteration(i));
    folder.close();
    return path;
  }

  it("are listed and shown, later iterations apart, and found by name only", async () => {
    const gateway = await start();
    writeTraining(gateway.home, "one");
    const { data } = await read<{ data: TrainingSummary[] }>(gateway, "/v1/trainings");
    expect(data).toMatchObject([{ id: "one", world: "made up", iterations: 20, total: 100, state: "done" }]);
    const report = await read<TrainingReport>(gateway, "/v1/trainings/one?after=16");
    expect(report.iterations.map(({ iteration }) => iteration)).toEqual([17, 18, 19]);
    for (const name of ["..", "..%2Fone", "%2Fetc", "one%00", "here:one"])
      expect((await call(gateway, `/v1/trainings/${name}`)).status, name).toBe(404);
    expect((await send(gateway, "/v1/trainings/one/stop", {})).status).toBe(409);
  });

  it("can be started, grow, and be stopped; one at a time", async () => {
    const gateway = await start();
    const wish = { iterations: 1, seed: 1, size: "small" };
    const started = await send<TrainingSummary>(gateway, "/v1/trainings", wish);
    expect(started.body).toMatchObject({ state: "running", isOurs: true, seed: 1 });
    const { id } = started.body;
    expect((await send(gateway, "/v1/trainings", wish)).status).toBe(409);
    const path = `/v1/trainings/${id}`;
    await expect
      .poll(async () => (await read<TrainingReport>(gateway, path)).iterations.length, { timeout: 60_000 })
      .toBeGreaterThan(2);
    expect((await send(gateway, `${path}/stop`, {})).status).toBe(202);
    await expect
      .poll(async () => (await read<TrainingReport>(gateway, path)).summary, { timeout: 60_000 })
      .toMatchObject({ state: "stopped", isOurs: false });
  }, 120_000);

  it("are not started with what makes no sense", async () => {
    const gateway = await start();
    for (const wish of [{ iterations: 0 }, { seed: -1 }, { size: "huge" }, { iterations: "; rm -rf /" }])
      expect((await send(gateway, "/v1/trainings", wish)).status).toBe(400);
  });
});

describe("benches", () => {
  function writeBench(home: string, name: string): void {
    const folder = new DiskFolder(join(home, "bench", name), { set: "sums", seed: 0 });
    const file = folder.file("rows");
    for (let i = 0; i < 12; i++) {
      file.append(toBenchRow("one", i, i < 6));
      file.append(toBenchRow("two", i, i < 9));
    }
    folder.close();
  }

  it.each(["validation", "tune"])("say how many tasks were split off, whether as %s or not", async (name) => {
    const gateway = await start();
    writeBench(gateway.home, "old");
    const file = join(gateway.home, "bench", "old", "bench.json");
    const statement = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...statement, counts: { train: 5, [name]: 1, test: 4 } }));
    const { counts } = await read<BenchReport>(gateway, "/v1/benches/old");
    expect(counts).toEqual({ train: 5, validation: 1, test: 4 });
  });

  it("are listed, shown and compared, finished or not", async () => {
    const gateway = await start();
    writeBench(gateway.home, "monday");
    mkdirSync(join(gateway.home, "bench", "no-bench"));
    const { data } = await read<{ data: unknown[] }>(gateway, "/v1/benches");
    expect(data).toMatchObject([
      { id: "monday", set: "sums", isFinished: false, conductors: 2, best: { conductor: "two" } },
    ]);
    const report = await read<BenchReport>(gateway, "/v1/benches/monday");
    expect(report.results.map(({ conductor, accuracy }) => [conductor, accuracy])).toEqual([
      ["one", 0.5],
      ["two", 0.75],
    ]);
    const query = "a=monday&a_conductor=one&b=monday&b_conductor=two";
    const comparison = await read<BenchComparison>(gateway, `/v1/comparisons?${query}`);
    expect(comparison).toMatchObject({ n: 12, accuracyA: 0.5, accuracyB: 0.75 });
    expect(comparison.gained.map(({ task }) => task)).toEqual(["t6", "t7", "t8"]);
    expect((await call(gateway, "/v1/benches/..%2F..")).status).toBe(404);
    expect((await call(gateway, `/v1/comparisons?${query.replace("two", "three")}`)).status).toBe(400);
  });
});

describe("keys", () => {
  it("the first one is an admin's, closes the gateway, and its secret is told once", async () => {
    const gateway = await start();
    expect(await read<DashboardSession>(gateway, "/v1/session")).toMatchObject({
      isOpen: true,
      isAdmin: true,
    });
    const refused = await send(gateway, "/v1/keys", { name: "me", isAdmin: false });
    expect(refused).toMatchObject({ status: 400, body: { error: { param: "isAdmin" } } });
    const { status, body } = await send<CreatedKey>(gateway, "/v1/keys", { name: "me" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ isFirst: true, key: { name: "me", isAdmin: true, state: "active" } });
    expect((await call(gateway, "/v1/keys")).status).toBe(401);
    const listed = await call(gateway, "/v1/keys", { key: body.secret });
    const text = await listed.text();
    expect(text).toContain(body.key.id);
    expect(text).not.toContain(body.secret);
    expect(text).not.toContain("hash");
    expect(await read<DashboardSession>(gateway, "/v1/session", body.secret)).toMatchObject({
      ...{ isOpen: false, isAdmin: true, key: { name: "me" } },
    });
  });

  it("others have limits, are not admins, and can be revoked; the last admin's cannot", async () => {
    const gateway = await start();
    const admin = (await send<CreatedKey>(gateway, "/v1/keys", { name: "me" })).body;
    const wish = {
      ...{ name: "team", only: ["stub"], requestsPerMinute: 5, budget: { usd: 2, window: "day" } },
    };
    const { body } = await send<CreatedKey>(gateway, "/v1/keys", wish, admin.secret);
    expect(body.key).toMatchObject({ ...wish, isAdmin: false });
    for (const path of ["/v1/keys", "/v1/trainings", "/v1/benches", "/v1/comparisons"])
      expect((await call(gateway, path, { key: body.secret })).status, path).toBe(403);
    expect((await send(gateway, "/v1/trainings", {}, body.secret)).status).toBe(403);
    const remove = (id: string) => call(gateway, `/v1/keys/${id}`, { method: "DELETE", key: admin.secret });
    expect((await remove(admin.key.id)).status).toBe(409);
    expect((await remove("key_")).status).toBe(404);
    const revoked = (await (await remove(body.key.id)).json()) as ShownKey;
    expect(revoked.state).toBe("revoked");
    expect((await call(gateway, "/v1/pool", { key: body.secret })).status).toBe(401);
  });

  it("with wrong wishes are not created", async () => {
    const gateway = await start();
    const wishes = [
      { name: "" },
      { name: "a", budget: { usd: 0, window: "day" } },
      { name: "a", budget: { usd: 1, window: "year" } },
      { name: "a", requestsPerMinute: 0.5 },
      { name: "a", without: ["opnai"] },
      { name: "a", expiresAt: 5 },
    ];
    for (const wish of wishes) expect((await send(gateway, "/v1/keys", wish)).status).toBe(400);
    expect(await read<DashboardSession>(gateway, "/v1/session")).toMatchObject({ isOpen: true });
  });

  it("are not for pages of other sites, while the gateway is open", async () => {
    const gateway = await start();
    const response = await call(gateway, "/v1/keys", {
      method: "POST",
      body: JSON.stringify({ name: "me" }),
      headers: { origin: "https://elsewhere.example" },
    });
    expect(response.status).toBe(403);
  });
});
