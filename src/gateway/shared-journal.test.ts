// Several gateways on one Postgres are one service, with real processes: what one began another goes on with, answers for, and
// bills, and no budget is spent twice.

import { afterEach, describe, expect, it, vi } from "vitest";
import { startScene } from "../testing/gateway/served.ts";
import { createTestDatabase, noPostgres, POSTGRES } from "../testing/stores.ts";
import { renderWorkflow } from "../workflow/render.ts";
import { openKeyRing } from "./access/keys.ts";

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

/** With a password, as people have one. */
const toArgs = async () => [
  "--postgres",
  (await createTestDatabase()).replace("tutti@", "tutti:a-password@"),
];

const PLAN = renderWorkflow({
  steps: [
    { worker: 0, subtask: "first part", access: [] },
    { worker: 1, subtask: "last part", access: "all" },
  ],
});

describe.skipIf(!POSTGRES)(`two gateways on one Postgres${noPostgres}`, () => {
  it("answer for each other, and go on with what a killed one has begun", async () => {
    const scene = await startScene(
      closing,
      ({ model, countByModel }) =>
        model === "beta" && countByModel === 0 ? { hang: true } : `done by ${model}`,
      PLAN,
    );
    const args = await toArgs();
    const [first, second] = [await scene.serve({ args }), await scene.serve({ args })];
    const asked = { model: "tutti", input: "What is 6 × 7?", background: true };
    const { id } = await body(first.post("/v1/responses", asked));
    await expect.poll(() => scene.asked("beta"), SOON).toBe(1);
    const read = () => body(fetch(`${second.url}/v1/responses/${id}`));
    expect((await read()).status).toBe("in_progress");
    first.signal("SIGKILL");
    await first.finished;
    await expect.poll(async () => (await read()).status, SOON).toBe("completed");
    expect((await read()).output.at(-1).content[0].text).toBe("done by beta");
    // What was finished was not asked again.
    expect(["planner", "alpha", "beta"].map(scene.asked)).toEqual([1, 1, 2]);
    const followed = await body(
      second.post("/v1/responses", { model: "stub/alpha", input: "And 7 × 7?", previous_response_id: id }),
    );
    expect(followed.status).toBe("completed");
  });

  it("never spend more of a key together than it has", async () => {
    // Nobody has a reply before somebody was refused: until then all that were let in hold their money.
    let refuse = () => {};
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const scene = await startScene(closing, () => refused.then(() => "done"), PLAN);
    const ring = openKeyRing({ env: { TUTTI_HOME: scene.home } });
    const { secret } = await ring.create({ name: "team", budget: { usd: 0.02, window: "day" } });
    const args = await toArgs();
    const gateways = [await scene.serve({ args }), await scene.serve({ args })];
    const ask = (i: number) =>
      gateways[i % 2]!.post(
        "/v1/chat/completions",
        { model: "stub/alpha", max_tokens: 2_000, messages: [{ role: "user", content: `Question ${i}` }] },
        { authorization: `Bearer ${secret}` },
      );
    const askAndTell = async (i: number) => {
      const reply = await ask(i);
      if (reply.status === 429) refuse();
      return reply;
    };
    const replies = await Promise.all(Array.from({ length: 24 }, (_, i) => askAndTell(i)));
    const statuses = new Set(replies.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 429]);
    const headers = { authorization: `Bearer ${secret}` };
    const spentAt = async ({ url }: { url: string }): Promise<number> =>
      (await body(fetch(`${url}/v1/usage`, { headers }))).budget.spent_usd;
    // What is passed through is journaled a moment later; then both tell the same.
    await expect.poll(async () => new Set(await Promise.all(gateways.map(spentAt))).size, SOON).toBe(1);
    const spentUsd = await spentAt(gateways[0]!);
    expect(spentUsd).toBeGreaterThan(0);
    expect(spentUsd).toBeLessThanOrEqual(0.02);
  });
});
