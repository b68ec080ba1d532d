// The environment over real sockets, as engines use it.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createLog } from "../http/log.ts";
import { useEnvironments } from "../testing/learn/environments.ts";
import { add, toMember } from "../testing/learn/small-world.ts";
import { BAD, createSumsFinder, GOOD, planFor, sumLabel } from "../testing/learn/sums-finder.ts";
import { createFiles } from "../testing/temporary-files.ts";
import type { EnvironmentServer } from "./server.ts";

const files = createFiles();
const start = useEnvironments();

async function post({ url }: EnvironmentServer, path: string, body: unknown, signal?: AbortSignal) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${url}${path}`, { method: "POST", body: text, ...(signal && { signal }) });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const prompt = "<|im_start|>user\nQuestion<|im_end|>\n<|im_start|>assistant\n";
const toSample = (number: number, completion: string) => ({
  query: [`${prompt}${completion}<|im_end|>`],
  prompts: [prompt],
  labels: [sumLabel(number)],
});

describe("routes", () => {
  test("OpenRLHF, single and batch, byte for byte", async () => {
    const environment = await start();
    const one = await post(environment, "/rl/openrlhf", toSample(1, planFor(GOOD)));
    expect(one).toMatchObject({ status: 200, text: '{"rewards":[1.0],"scores":[1.0]}' });
    const [right, wrong] = [toSample(1, planFor(GOOD)), toSample(2, planFor(BAD))];
    const batch = {
      query: [...right.query, ...wrong.query, `${prompt}babble`],
      prompts: [prompt, prompt, prompt],
      labels: [...right.labels, ...wrong.labels, sumLabel(3)],
    };
    expect((await post(environment, "/rl/openrlhf", batch)).text).toBe(
      '{"rewards":[1.0,0.5,0.0],"scores":[1.0,0.5,0.0]}',
    );
    const empty = { query: [], prompts: [], labels: [] };
    expect((await post(environment, "/rl/openrlhf/", empty)).text).toBe('{"rewards":[],"scores":[]}');
  });

  test("slime, NeMo Gym and the plain one give the same reward for the same completion, performed once", async () => {
    const finder = createSumsFinder();
    const environment = await start({ finder });
    const [label, completion] = [sumLabel(1), planFor(GOOD)];
    const asked = { prompt: "Question", response: `${completion}<|im_end|>`, label };
    expect((await post(environment, "/rl/slime", asked)).text).toBe("1.0");
    const output = [
      { type: "message", role: "assistant", content: [{ type: "output_text", text: completion }] },
    ];
    const row = { responses_create_params: { input: [] }, label, response: { output } };
    const verified = await post(environment, "/verify", row);
    expect(JSON.parse(verified.text)).toMatchObject({ ...row, reward: 1, mask_sample: false });
    expect(verified.text).toContain('"reward":1.0');
    expect((await post(environment, "/rl/score", { label, completion })).text).toMatch(/^\{"reward":1\.0,/);
    expect((await post(environment, "/rl/openrlhf", toSample(1, completion))).text).toContain("[1.0]");
    expect(finder.asked()).toBe(1);
  });

  test("NeMo Gym's session, liveness and metrics", async () => {
    const environment = await start();
    const seeded = await post(environment, "/seed_session", { label: sumLabel(1) });
    expect(seeded).toMatchObject({ status: 200, text: "{}" });
    expect(seeded.headers.get("set-cookie")).toMatch(/^session=/);
    expect((await fetch(environment.url)).status).toBe(200);
    const metrics = await post(environment, "/aggregate_metrics", { verify_responses: [{ reward: 1 }] });
    expect(JSON.parse(metrics.text).key_metrics["mean/reward"]).toBe(1);
  });

  test("health and metrics tell what was answered", async () => {
    const environment = await start();
    await post(environment, "/rl/openrlhf", toSample(1, planFor(GOOD)));
    await post(environment, "/rl/openrlhf", { query: ["x"], labels: ["unknown"] });
    const health = await (await fetch(`${environment.url}/health`)).json();
    expect(health).toMatchObject({ status: "ok", simulated: true, performed: 1, failures: { label: 1 } });
    const metrics = await (await fetch(`${environment.url}/metrics`)).text();
    expect(metrics).toContain('tutti_rl_answers_total{engine="openrlhf",source="performed"} 1');
    expect(metrics).toContain('tutti_rl_rollouts_total{result="right"} 1');
    expect(metrics).toContain('tutti_rl_failures_total{kind="label"} 1');
    expect(metrics).toContain('tutti_rl_failures_total{kind="outage"} 0');
  });
});

describe("bad input", () => {
  test.each(["", "{", "not JSON", "\u0000"])(
    "a body that is not JSON (%j) is an honest error",
    async (body) => {
      const environment = await start();
      for (const path of ["/rl/openrlhf", "/rl/slime", "/rl/score", "/verify"]) {
        const { status, text } = await post(environment, path, body);
        expect({ status, ...JSON.parse(text) }).toEqual({
          status: 400,
          error: { code: "bad-request", message: "The body is not JSON" },
        });
      }
    },
  );

  test("labels that are unknown get a number, are counted and are warned about", async () => {
    const lines: string[] = [];
    const environment = await start({ log: createLog({ write: (line) => lines.push(line) }) });
    for (const labels of [["?"], [null], [], undefined, [42]]) {
      const { status, text } = await post(environment, "/rl/openrlhf", {
        ...toSample(1, planFor(GOOD)),
        labels,
      });
      expect({ status, text }).toEqual({ status: 200, text: '{"rewards":[0.0],"scores":[0.0]}' });
    }
    expect(environment.metrics.snapshot().failures.label).toBe(5);
    expect(lines.filter((line) => line.includes("Nothing fits the label"))).toHaveLength(5);
  });

  test("no route and no method are named", async () => {
    const environment = await start();
    expect((await post(environment, "/v1/chat", {})).text).toContain("/rl/openrlhf");
    expect((await fetch(`${environment.url}/rl/slime`)).status).toBe(404);
    expect((await fetch(`${environment.url}/rl/slime`, { method: "PUT", body: "{}" })).status).toBe(405);
  });

  test("a body of more than ten megabytes is taken", async () => {
    const environment = await start();
    const query = Array.from({ length: 12 }, () => `${prompt}${"long babble ".repeat(90_000)}`);
    const body = { query, prompts: query.map(() => prompt), labels: query.map(() => sumLabel(1)) };
    const { status, text } = await post(environment, "/rl/openrlhf", body);
    expect(status).toBe(200);
    expect(JSON.parse(text).rewards).toHaveLength(12);
  });
});

describe("work survives its client", () => {
  test("an engine that hangs up and asks again gets the reward of the first try", async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const finder = createSumsFinder([toMember("slow", (request) => held.then(() => add(request)), 0.5)]);
    const environment = await start({ finder });
    const impatient = new AbortController();
    const first = post(
      environment,
      "/rl/slime",
      { response: planFor(0), label: sumLabel(1) },
      impatient.signal,
    );
    while (finder.asked() === 0) await new Promise(setImmediate);
    impatient.abort();
    await expect(first).rejects.toThrow();
    const again = post(environment, "/rl/slime", { response: planFor(0), label: sumLabel(1) });
    finish();
    expect((await again).text).toBe("1.0");
    expect(finder.asked()).toBe(1);
  });

  test("256 at once, repeated, and a restart in the middle: each completion is performed once", async () => {
    const finder = createSumsFinder();
    const journal = join(files.folder, "restart", "rollouts.jsonl");
    const first = await start({ finder, journal });
    const ask = (environment: EnvironmentServer, number: number) =>
      post(environment, "/rl/openrlhf", toSample(number, planFor(GOOD)));
    const numbers = Array.from({ length: 256 }, (_, i) => i);
    await Promise.all([...numbers, ...numbers].map((number) => ask(first, number)));
    await first.close();
    const second = await start({ finder, journal });
    const answers = await Promise.all([...numbers, 256].map((number) => ask(second, number)));
    expect(answers.every(({ text }) => text === '{"rewards":[1.0],"scores":[1.0]}')).toBe(true);
    expect(finder.asked()).toBe(257);
  });

  test("what runs is finished before it ends", async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const finder = createSumsFinder([toMember("slow", (request) => held.then(() => add(request)), 0.5)]);
    const environment = await start({ finder });
    const first = post(environment, "/rl/slime", { response: planFor(0), label: sumLabel(1) });
    while (finder.asked() === 0) await new Promise(setImmediate);
    const closing = environment.close();
    finish();
    expect((await first).text).toBe("1.0");
    await closing;
  });

  test("what cannot be finished in time is no reward: 503, and nothing is kept", async () => {
    const never = toMember("stuck", () => new Promise<never>(() => {}), 0.5);
    const finder = createSumsFinder([never]);
    const journal = join(files.folder, "stuck", "rollouts.jsonl");
    // Closing waits for nothing here; deadlines do not pass.
    const wait = (ms: number) => (ms === 30_000 ? Promise.resolve() : new Promise<void>(() => {}));
    const environment = await start({ finder, journal, wait });
    const first = post(environment, "/rl/openrlhf", toSample(1, planFor(0)));
    while (finder.asked() === 0) await new Promise(setImmediate);
    await environment.close();
    expect((await first).status).toBe(503);
    const again = await start({ finder: createSumsFinder(), journal });
    expect(again.metrics.snapshot().performed).toBe(0);
  });

  test("one file, one server", async () => {
    const journal = join(files.folder, "claimed", "rollouts.jsonl");
    await start({ journal });
    await expect(start({ journal })).rejects.toThrow(/in use by another/);
  });
});
