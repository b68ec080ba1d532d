// Runs outlive the gateway that performs them, with real processes: a killed one's runs are gone on with by another, interactive
// ones too, one that is told to end hands its runs over, and nothing that was said is ever in the engine's own tables.

import { afterEach, describe, expect, it, vi } from "vitest";
import { startScene } from "../testing/gateway/served.ts";
import { createTestDatabase, noPostgres, POSTGRES, readTables } from "../testing/stores.ts";
import { renderWorkflow } from "../workflow/render.ts";

// Processes take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const SOON = { timeout: 60_000, interval: 200 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

/** Replies as tests read them: by their names, whatever their shape. */
type Loose = ReturnType<typeof JSON.parse>;
const body = async (response: Response | Promise<Response>): Promise<Loose> => (await response).json();

const PLAN = renderWorkflow({
  steps: [
    { worker: 0, subtask: "first part", access: [] },
    { worker: 1, subtask: "last part", access: "all" },
  ],
});

/** A team whose last step hangs when it is asked for the first time. */
const startTeam = () =>
  startScene(
    closing,
    ({ model, countByModel }) =>
      model === "beta" && countByModel === 0 ? { hang: true } : `done by ${model}`,
    PLAN,
  );

async function startTwo() {
  const scene = await startTeam();
  const address = await createTestDatabase();
  const serve = () => scene.serve({ args: ["--postgres", address] });
  const [first, second] = [await serve(), await serve()];
  return { scene, address, serve, first, second };
}

describe.skipIf(!POSTGRES)(`a run of a gateway that ends before it does${noPostgres}`, () => {
  it("is gone on with by another one after a kill, though its client waited at the connection", async () => {
    const { scene, address, first, second } = await startTwo();
    const lost = first.post("/v1/responses", { model: "tutti", input: "What is 6 × 7?" }).catch(() => "lost");
    await expect.poll(() => scene.asked("beta"), SOON).toBe(1);
    const [run] = (await body(fetch(`${second.url}/v1/runs`))).data;
    first.signal("SIGKILL");
    expect(await lost).toBe("lost");
    const read = () => body(fetch(`${second.url}/v1/runs/${run.id}`));
    const statuses = new Set();
    const readStatus = async () => {
      const { status } = await body(fetch(`${second.url}/v1/responses/${run.id.replace("r_", "resp_")}`));
      statuses.add(status);
      return status;
    };
    await expect.poll(readStatus, { ...SOON, interval: 20 }).toBe("completed");
    // Whoever asks for it meanwhile is told to wait, and not that it has failed.
    expect(statuses).not.toContain("failed");
    expect((await read()).stopReason).toBe("done");
    expect((await read()).answer).toBe("done by beta");
    expect(["planner", "alpha", "beta"].map(scene.asked)).toEqual([1, 1, 2]);
    const dbos = await readTables(address, "dbos");
    expect(dbos.workflow_status).toHaveLength(1);
    expect(dbos.workflow_status![0]).toMatchObject({ workflow_uuid: run.id, name: "run" });
    await expect
      .poll(async () => (await readTables(address, "dbos")).workflow_status![0]!.status, SOON)
      .toBe("SUCCESS");
    const steps = (await readTables(address, "dbos")).operation_outputs! as Loose[];
    steps.sort((a, b) => a.function_id - b.function_id);
    expect(steps.map(({ function_name }) => function_name)).toEqual(["plan 0.0", "step 0.0.0", "step 0.1.1"]);
  });

  it("is handed over where it was told to end, and loses nothing", async () => {
    const scene = await startTeam();
    const args = ["--postgres", await createTestDatabase()];
    const first = await scene.serve({ args, config: { gateway: { shutdownMs: 100 } } });
    const second = await scene.serve({ args });
    const asked = { model: "tutti", input: "What is 6 × 7?", background: true };
    const { id } = await body(first.post("/v1/responses", asked));
    await expect.poll(() => scene.asked("beta"), SOON).toBe(1);
    first.signal("SIGTERM");
    expect((await first.finished).code).toBe(0);
    const read = () => body(fetch(`${second.url}/v1/responses/${id}`));
    await expect.poll(async () => (await read()).status, SOON).toBe("completed");
    expect((await read()).output.at(-1).content[0].text).toBe("done by beta");
    expect(["planner", "alpha", "beta"].map(scene.asked)).toEqual([1, 1, 2]);
  });

  it("waits for a gateway where there is none, and no other version of it is needed", async () => {
    const { scene, serve, first, second } = await startTwo();
    const asked = { model: "tutti", input: "What is 6 × 7?", background: true };
    const { id } = await body(first.post("/v1/responses", asked));
    await expect.poll(() => scene.asked("beta"), SOON).toBe(1);
    for (const gateway of [first, second]) {
      gateway.signal("SIGKILL");
      await gateway.finished;
    }
    const third = await serve();
    const read = () => body(fetch(`${third.url}/v1/responses/${id}`));
    await expect.poll(async () => (await read()).status, SOON).toBe("completed");
    expect(["planner", "alpha", "beta"].map(scene.asked)).toEqual([1, 1, 2]);
  });

  it("is cancelled at another one, which has not gone on with it yet", async () => {
    const { scene, first, second } = await startTwo();
    const asked = { model: "tutti", input: "What is 6 × 7?", background: true };
    const { id } = await body(first.post("/v1/responses", asked));
    await expect.poll(() => scene.asked("beta"), SOON).toBe(1);
    first.signal("SIGKILL");
    await first.finished;
    const cancelled = await body(second.post(`/v1/responses/${id}/cancel`, {}));
    expect(cancelled.status).toBe("cancelled");
    expect((await body(fetch(`${second.url}/v1/responses/${id}`))).status).toBe("cancelled");
  });

  it("is told to have failed by every gateway where the one that found it cannot go on with it", async () => {
    const scene = await startScene(closing, () => ({ hang: true }));
    const args = ["--postgres", await createTestDatabase()];
    const first = await scene.serve({ args });
    const asked = { model: "stub/gamma", input: "What is 6 × 7?", background: true };
    const { id } = await body(first.post("/v1/responses", asked));
    await expect.poll(() => scene.asked("gamma"), SOON).toBe(1);
    // Nobody knows this worker any more: its provider was taken out of the config.
    const workers = [{ id: "stub/alpha", model: "stub/alpha", baseUrl: scene.upstream.baseUrl }];
    const [second, third] = [
      await scene.serve({ args, config: { workers } }),
      await scene.serve({ args, config: { workers } }),
    ];
    first.signal("SIGKILL");
    const statusAt = async ({ url }: { url: string }) =>
      (await body(fetch(`${url}/v1/responses/${id}`))).status;
    await expect.poll(() => statusAt(second), SOON).toBe("failed");
    await expect.poll(() => statusAt(third), SOON).toBe("failed");
  });

  it("leaves nothing that was said in the engine's tables, and of a private one nowhere", async () => {
    const { scene, address, first, second } = await startTwo();
    const question = "What did Wilhelmina hide in the lighthouse?";
    void first.post("/v1/responses", { model: "tutti", input: question, store: false }).catch(() => {});
    await expect.poll(() => scene.asked("beta"), SOON).toBe(1);
    first.signal("SIGKILL");
    const toState = async () => (await body(fetch(`${second.url}/v1/runs`))).data[0];
    await expect.poll(async () => (await toState()).isStripped, SOON).toBe(true);
    const said = /Wilhelmina|lighthouse|done by|first part|last part/;
    const engine = JSON.stringify(await readTables(address, "dbos"));
    expect(engine).toContain("step 0.1.1");
    expect(engine).not.toMatch(said);
    expect(JSON.stringify(await readTables(address, "tutti"))).not.toMatch(said);
  });
});
