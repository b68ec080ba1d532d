// What a request may ask for: less than the gateway allows, never more. Over the socket, in every dialect.

import { describe, expect, it } from "vitest";
import { DOORS, type Loose } from "../testing/gateway/doors.ts";
import { body, type Keyed, start } from "../testing/gateway/keyed-gateway.ts";

const LIMITS = { usd: 0.5, calls: 7, deadlineMs: 30_000 };
const LENGTH: Record<string, string> = {
  chat: "max_completion_tokens",
  responses: "max_output_tokens",
  messages: "max_tokens",
};

async function settingsOf(gateway: Keyed, response: Response): Promise<Loose> {
  await response.text();
  const run = await body(gateway.get(`/v1/runs/${response.headers.get("x-tutti-run-id")}`));
  return run.settings;
}

const begin = (config: object = {}) =>
  start({}, { config: { limits: LIMITS, maxOutputTokens: 1_000, ...config } });

describe.each(DOORS)("in $name", ({ name, path, valid }) => {
  const long = (tokens: number) => ({ [LENGTH[name]!]: tokens });

  it.each(["tutti", "tutti-fast", "tutti-ultra"])(
    "of %s, nothing beyond the gateway's limits",
    async (model) => {
      const gateway = await begin();
      const tutti = { rounds: 10, budget_usd: 1e6, deadline_ms: 1e12, max_calls: 1e6 };
      const response = await gateway.post(path, { ...valid, ...long(1_000), model, tutti });
      expect(response.status).toBe(200);
      const { rounds, limits } = await settingsOf(gateway, response);
      // A name stands for a quality: half of the budget for economy, four times as much for max, which has two rounds more.
      expect(limits).toEqual({ ...LIMITS, usd: { tutti: 0.5, "tutti-fast": 0.25, "tutti-ultra": 2 }[model] });
      expect(rounds).toBe({ tutti: 3, "tutti-fast": 1, "tutti-ultra": 3 }[model]);
    },
  );

  it("how long the reply may be is for the client to say, as far as the money goes", async () => {
    const gateway = await begin();
    for (const [wanted, isLess] of [
      [5_000, false],
      [1_000_000, true],
    ] as const) {
      await (await gateway.post(path, { ...valid, ...long(wanted) })).text();
      const asked = gateway.asked().at(-1)!.body.max_tokens as number;
      expect(asked < wanted).toBe(isLess);
      expect(asked).toBeGreaterThan(1_000);
    }
  });

  it("less is taken as it is", async () => {
    const gateway = await begin();
    const tutti = { rounds: 1, budget_usd: 0.25, deadline_ms: 20_000, max_calls: 3 };
    const response = await gateway.post(path, { ...valid, ...long(77), tutti });
    const { rounds, limits } = await settingsOf(gateway, response);
    expect({ rounds, limits }).toEqual({ rounds: 1, limits: { usd: 0.25, calls: 3, deadlineMs: 20_000 } });
    expect(gateway.asked()[0]!.body.max_tokens).toBe(77);
  });

  it("where the gateway has no limit, the request's counts", async () => {
    const gateway = await begin({ limits: { usd: null, calls: null, deadlineMs: null } });
    const tutti = { budget_usd: 9, deadline_ms: 1e9, max_calls: 99 };
    const { limits } = await settingsOf(gateway, await gateway.post(path, { ...valid, tutti }));
    expect(limits).toEqual({ usd: 9, calls: 99, deadlineMs: 1e9 });
  });
});

it.each([{}, { budget: { usd: 100, window: "day" as const } }])(
  "one worker in another dialect is held to the same limits, with a key of %j",
  async (settings) => {
    const gateway = await start({ me: settings }, { config: { limits: LIMITS, maxOutputTokens: 1_000 } });
    const asked = {
      ...DOORS[2]!.valid,
      model: "stub/alpha",
      max_tokens: 5_000,
      tutti: { budget_usd: 90, deadline_ms: 1e12, max_calls: 1e6 },
    };
    const response = await gateway.ask(asked, "me", DOORS[2]!.path);
    expect(response.status).toBe(200);
    await response.text();
    const id = response.headers.get("x-tutti-run-id");
    const { settings: taken } = await body(gateway.get(`/v1/runs/${id}`, "me"));
    expect(taken.limits).toEqual(LIMITS);
  },
);

describe("the quality of a request", () => {
  const cases: [what: string, fields: Loose, expected: { quality: string; rounds: number; usd: number }][] = [
    ["the config's by default", {}, { quality: "balanced", rounds: 1, usd: 0.5 }],
    ["by its own field", { tutti: { quality: "high" } }, { quality: "high", rounds: 2, usd: 1 }],
    ["by effort", { reasoning_effort: "low" }, { quality: "economy", rounds: 1, usd: 0.25 }],
    [
      "by its field before the effort",
      { tutti: { quality: "max" }, reasoning_effort: "low" },
      { quality: "max", rounds: 3, usd: 2 },
    ],
    [
      "by the name of the model before the effort",
      { model: "tutti-ultra", reasoning_effort: "medium" },
      { quality: "max", rounds: 3, usd: 2 },
    ],
  ];
  it.each(cases)("is %s", async (_, fields, { quality, rounds, usd }) => {
    const gateway = await begin();
    const { path, valid } = DOORS.find(({ name }) => name === "chat")!;
    const response = await gateway.post(path, { ...valid, ...fields });
    const settings = await settingsOf(gateway, response);
    expect(settings).toMatchObject({ quality, rounds, limits: { usd } });
  });

  it("is refused with the nearest name where it is wrong", async () => {
    const gateway = await begin();
    const { path, valid } = DOORS.find(({ name }) => name === "chat")!;
    const response = await gateway.post(path, { ...valid, tutti: { quality: "hgh" } });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/economy, balanced, high, max.+high/);
  });
});
