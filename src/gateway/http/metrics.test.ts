import { describe, expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";

const ended = { route: "/v1/chat/completions", status: 200, modelKind: "team", durationMs: 1_500 } as const;

describe("figures", () => {
  it("tell requests, delays, money, tokens and calls", async () => {
    const metrics = createMetrics({ workers: ["openai/gpt-6-sol"] });
    metrics.requestStart();
    metrics.requestStart();
    metrics.requestEnd({ ...ended, firstTokenMs: 200, overheadMs: 3 });
    metrics.addCost(0.25, false);
    metrics.addCost(4, true);
    metrics.addTokens({ inputTokens: 100, outputTokens: 20 });
    metrics.addWorkerCall("openai/gpt-6-sol", "ok");
    metrics.addWorkerCall("openai/gpt-6-sol", "error");
    metrics.addJoined();
    metrics.setRuns({ running: 3, waiting: 2 });
    const text = await metrics.text();
    for (const line of [
      'tutti_requests_total{route="/v1/chat/completions",status="200",model_kind="team"} 1',
      'tutti_request_seconds_bucket{le="1",route="/v1/chat/completions"} 0',
      'tutti_request_seconds_bucket{le="2.5",route="/v1/chat/completions"} 1',
      'tutti_request_seconds_sum{route="/v1/chat/completions"} 1.5',
      'tutti_first_token_seconds_sum{route="/v1/chat/completions"} 0.2',
      "tutti_overhead_seconds_sum 0.003",
      "tutti_running_requests 1",
      'tutti_cost_usd_total{simulated="false"} 0.25',
      'tutti_cost_usd_total{simulated="true"} 4',
      'tutti_tokens_total{direction="input"} 100',
      'tutti_tokens_total{direction="output"} 20',
      'tutti_worker_calls_total{worker="openai/gpt-6-sol",outcome="ok"} 1',
      'tutti_worker_calls_total{worker="openai/gpt-6-sol",outcome="error"} 1',
      "tutti_joined_requests_total 1",
      "tutti_running_runs 3",
      "tutti_waiting_runs 2",
    ])
      expect(text.split("\n")).toContain(line);
    expect(text).toContain("process_cpu_seconds_total");
    expect(metrics.contentType).toContain("text/plain");
  });

  it("of two gateways in one process do not mix", async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.addJoined();
    expect(await other.text()).toContain("tutti_joined_requests_total 0");
  });

  it("have no more labels than there are routes, workers and statuses", async () => {
    const metrics = createMetrics({ workers: ["a"] });
    for (let i = 0; i < 500; i++) {
      metrics.requestStart();
      metrics.requestEnd({ ...ended, route: `/garbage/${i}`, status: 1_000 + i });
      metrics.addWorkerCall(`stranger-${i}`, "ok");
    }
    const lines = (await metrics.text()).split("\n");
    const of = (name: string) => lines.filter((line) => line.startsWith(`${name}{`));
    expect(of("tutti_requests_total")).toHaveLength(65);
    expect(of("tutti_worker_calls_total")).toEqual([
      'tutti_worker_calls_total{worker="other",outcome="ok"} 500',
    ]);
    metrics.setWorkers(["stranger-1"]);
    metrics.addWorkerCall("stranger-1", "ok");
    expect(await metrics.text()).toContain('worker="stranger-1",outcome="ok"} 1');
  });

  it("that are odd are left out, and fail nobody", async () => {
    const metrics = createMetrics();
    metrics.requestStart();
    metrics.requestEnd({
      ...ended,
      durationMs: Number.NaN,
      firstTokenMs: -1,
      overheadMs: Number.POSITIVE_INFINITY,
    });
    metrics.addCost(-1, false);
    metrics.addCost(Number.NaN, false);
    metrics.addTokens({ inputTokens: Number.NaN, outputTokens: -5 });
    const text = await metrics.text();
    expect(text).toContain("tutti_running_requests 0");
    expect(text).not.toMatch(/^tutti_\S+ (?:NaN|-|Inf)/m);
  });

  it("hold no timer that keeps the process alive", () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate/.test(name)).length;
    const before = timers();
    createMetrics();
    expect(timers()).toBe(before);
  });
});
