// Runs whose process was killed go on: after a restart of the gateway, with a repeat of the request, or by the command.
// With real processes where one must die; with a journal that one has left behind for who is let in then.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { ConductorIdentity, Origin } from "../store/types.ts";
import { runTutti } from "../testing/command.ts";
import { PRICE, startTestGateway, type TestGateway } from "../testing/gateway/gateway.ts";
import { startScene } from "../testing/gateway/served.ts";
import { SETTINGS } from "../testing/stage.ts";
import { renderWorkflow } from "../workflow/render.ts";
import { type KeySettings, openKeyRing } from "./access/keys.ts";

// Processes take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

/** Replies as tests read them: by their names, whatever their shape. */
type Loose = ReturnType<typeof JSON.parse>;

async function body(response: Response | Promise<Response>): Promise<Loose> {
  return (await response).json();
}

const QUESTION = "What is 6 × 7?";
const SOON = { timeout: 20_000 };

/** A promise that a test settles. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("a gateway that is killed with SIGKILL", () => {
  const PLAN = renderWorkflow({
    steps: [
      { worker: 0, subtask: "first part", access: [] },
      { worker: 1, subtask: "second part", access: [0] },
      { worker: 2, subtask: "last part", access: "all" },
    ],
  });

  /** A team whose last step hangs when it is asked for the first time. */
  const startTeam = () =>
    startScene(
      closing,
      ({ model, countByModel }) =>
        model === "gamma" && countByModel === 0 ? { hang: true } : `done by ${model}`,
      PLAN,
    );

  it("goes on with a team's background run when it starts again, and pays for nothing twice", async () => {
    const scene = await startTeam();
    const first = await scene.serve();
    const queued = await body(
      first.post("/v1/responses", { model: "tutti", input: QUESTION, background: true }),
    );
    expect(queued.status).toBe("queued");
    await expect.poll(() => scene.asked("gamma"), SOON).toBe(1);
    first.signal("SIGKILL");
    await first.finished;
    const second = await scene.serve();
    const read = () => body(fetch(`${second.url}/v1/responses/${queued.id}`));
    await expect.poll(async () => (await read()).status, SOON).toBe("completed");
    const response = await read();
    expect(response.output.at(-1).content[0].text).toBe("done by gamma");
    expect(["planner", "alpha", "beta", "gamma"].map(scene.asked)).toEqual([1, 1, 1, 2]);
    const run = await body(fetch(`${second.url}/v1/runs/${response.tutti.run_id}`));
    // The call that was cut off may have been billed, so it is counted; the others once.
    expect(run.steps.map(({ state }: Loose) => state)).toEqual(["done", "done", "done"]);
    second.signal("SIGTERM");
    expect((await second.finished).code).toBe(0);
  });

  it("leaves what a waiting client has paid for, and a repeat with the idempotency key goes on", async () => {
    const scene = await startTeam();
    const first = await scene.serve();
    const header = { "idempotency-key": "once" };
    const ask = { model: "tutti", messages: [{ role: "user", content: QUESTION }] };
    const lost = first.post("/v1/chat/completions", ask, header).catch(() => "lost");
    await expect.poll(() => scene.asked("gamma"), SOON).toBe(1);
    first.signal("SIGKILL");
    expect(await lost).toBe("lost");
    await first.finished;
    const second = await scene.serve();
    const reply = await body(second.post("/v1/chat/completions", ask, header));
    expect(reply.choices[0].message.content).toBe("done by gamma");
    expect(["planner", "alpha", "beta", "gamma"].map(scene.asked)).toEqual([1, 1, 1, 2]);
  });

  // One worker that is chosen, and one that is named in another dialect than its own.
  const MODELS = ["tutti-fast", "stub/alpha"];

  /** Asked in the background, and killed before the first reply has come. */
  async function leaveBehind(model: string, reply: () => Promise<string> = async () => "It is 42.") {
    const scene = await startScene(closing, ({ countByModel }) =>
      countByModel === 0 ? { hang: true } : reply(),
    );
    const first = await scene.serve();
    const asked = { model, input: QUESTION, background: true };
    const { id, status } = await body(first.post("/v1/responses", asked));
    expect(status).toBe("queued");
    await expect.poll(() => scene.asked("alpha"), SOON).toBe(1);
    const [{ id: runId }] = (await body(fetch(`${first.url}/v1/runs`))).data;
    first.signal("SIGKILL");
    await first.finished;
    return { scene, id, runId };
  }

  it.each(MODELS)("goes on with a background run of %s, seen live, counted and billed", async (model) => {
    const gate = createGate();
    const { scene, id, runId } = await leaveBehind(model, () => gate.opened.then(() => "It is 42."));
    const { url } = await scene.serve();
    const read = () => body(fetch(`${url}/v1/responses/${id}`));
    expect((await read()).status).toBe("in_progress");
    const events = fetch(`${url}/v1/runs/${runId}/events`).then((response) => response.text());
    await expect.poll(() => scene.asked("alpha"), SOON).toBe(2);
    await fetch(`${url}/ready`); // which also tells the metrics the names of the workers
    gate.open();
    const told = await events;
    for (const type of ["run-start", "run-resume", "step-end", "run-end"])
      expect(told).toContain(`event: ${type}\n`);
    const { status, output, tutti } = await read();
    expect({ status, tutti }).toMatchObject({ status: "completed", tutti: { run_id: runId } });
    expect(output.at(-1).content[0].text).toBe("It is 42.");
    expect(scene.asked("alpha")).toBe(2);
    // Once in the metrics of the process that ended it, with what the call cost that was cut off.
    const { costUsd } = await body(fetch(`${url}/v1/runs/${runId}`));
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/tutti_worker_calls_total\{worker="stub\/alpha",outcome="ok"\} 1\n/);
    const cost = /^tutti_cost_usd_total\{.*\} (\S+)$/m.exec(metrics);
    expect(Number(cost?.[1])).toBeCloseTo(costUsd, 12);
    expect(costUsd).toBeGreaterThan(0);
  });

  it.each(MODELS)("leaves a run of %s that the command resumes", async (model) => {
    const { scene, runId } = await leaveBehind(model);
    const args = ["runs", "resume", runId, "--quiet", "--config", join(scene.home, "tutti.config.json")];
    const { code, stdout, stderr } = await runTutti(args, { env: { TUTTI_HOME: scene.home } });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "It is 42.\n", stderr: "" });
    expect(scene.asked("alpha")).toBe(2);
  });
});

describe("what a dead process left behind", () => {
  const FAST: ConductorIdentity = { kind: "fast" };
  interface Left {
    conductor?: ConductorIdentity;
    origin?: Partial<Origin>;
  }

  /** Starts a gateway on a journal with these background runs, whose process died before anybody was asked. */
  async function startOn(
    runs: Left[],
    keys: KeySettings[] = [],
    revoked: string[] = [],
  ): Promise<TestGateway> {
    const home = mkdtempSync(join(tmpdir(), "tutti-restart-"));
    closing.push(() => rmSync(home, { recursive: true, force: true }));
    const ring = openKeyRing({ env: { TUTTI_HOME: home } });
    const ids: Record<string, string> = {};
    for (const settings of keys) ids[settings.name] = (await ring.create(settings)).key.id;
    for (const name of revoked) await ring.revoke(name);
    const store = await openSqliteStore(join(home, "journal.db"));
    for (const [number, { conductor = FAST, origin }] of runs.entries())
      await store.append([
        {
          type: "run-start",
          runId: `r_${number}`,
          at: Date.now() - 1000 + number,
          task: { messages: [{ role: "user", content: `Question ${number}?` }] },
          pool: [{ id: "stub/alpha", kind: "model", price: PRICE }],
          settings: { ...SETTINGS, conductor, limits: { usd: 0.01 } },
          origin: {
            ...{ model: "tutti-fast", dialect: "responses", isBackground: true, ...origin },
            ...(origin?.keyId !== undefined && { keyId: ids[origin.keyId] }),
          },
        },
      ]);
    await store.close();
    const gateway = await startTestGateway({ home });
    closing.push(() => gateway.close());
    return gateway;
  }

  const statesOf = async (home: string) => {
    const store = await openSqliteStore(join(home, "journal.db"));
    const runs = await store.listRuns();
    await store.close();
    return runs.map(({ state, stopReason }) => stopReason ?? state).reverse();
  };
  const leftOf = ({ log }: TestGateway) =>
    log.filter(({ message }) => String(message).includes("stays interrupted"));

  it("is let in by the same rules as a fresh request, one after the other where a key has one place", async () => {
    const key = { name: "one", concurrency: 1 };
    const gateway = await startOn([{ origin: { keyId: "one" } }, { origin: { keyId: "one" } }], [key]);
    await expect.poll(() => statesOf(gateway.home), SOON).toEqual(["done", "done"]);
    const [first, second] = gateway.asked();
    expect(second!.startedAt).toBeGreaterThan(first!.endedAt!);
    expect(leftOf(gateway)).toEqual([]);
  });

  it("stays interrupted where its key was revoked or its money is spent, and the log says why", async () => {
    const keys: KeySettings[] = [
      { name: "gone" },
      { name: "poor", budget: { usd: 1e-7, window: "total" } },
      { name: "good", budget: { usd: 1, window: "total" } },
    ];
    const runs = ["gone", "poor", "good"].map((keyId) => ({ origin: { keyId } }));
    const gateway = await startOn(runs, keys, ["gone"]);
    await expect.poll(() => statesOf(gateway.home), SOON).toEqual(["interrupted", "interrupted", "done"]);
    expect(leftOf(gateway).map(({ run, why }) => [run, why])).toEqual([
      ["r_0", expect.stringContaining("was revoked")],
      ["r_1", expect.stringContaining("has spent its budget")],
    ]);
    expect(gateway.asked()).toHaveLength(1);
  });

  it("keeps nothing of what was said where the client wanted that", async () => {
    const gateway = await startOn([{ origin: { isPrivate: true } }]);
    await expect.poll(() => statesOf(gateway.home), SOON).toEqual(["done"]);
    const read = async () => (await fetch(`${gateway.url}/v1/runs/r_0`)).text();
    await expect.poll(read, SOON).not.toContain("An answer.");
    expect(await read()).not.toContain("Question 0?");
  });

  it("that no gateway can conduct again is left alone, and said", async () => {
    const gateway = await startOn([{ conductor: { kind: "custom", id: "mine" } }, {}]);
    await expect.poll(() => statesOf(gateway.home), SOON).toEqual(["interrupted", "done"]);
    expect(leftOf(gateway)).toMatchObject([{ run: "r_0", why: expect.stringContaining("given in code") }]);
  });
});
