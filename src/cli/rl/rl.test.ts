// `tutti rl` in processes of its own: what is refused, a live pool that breaks, a server that is killed, and
// what people see of it.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createHome, runTutti, type StartedCommand, startTutti } from "../../testing/command.ts";
import { type ChatReply, type ChatServer, startChatServer } from "../../testing/gateway/chat-server.ts";
import { renderWorkflow } from "../../workflow/render.ts";
import { toRlParts } from "./progress.ts";

// Each of them starts Node several times, on a machine that others use too.
vi.setConfig({ testTimeout: 180_000 });

let home: string;
let pool: ChatServer;
let reply: (question: string) => ChatReply;
const running: StartedCommand[] = [];

beforeAll(async () => {
  home = createHome();
  pool = await startChatServer({ reply: ({ messages }) => reply(JSON.stringify(messages)) });
  const workers = ["left", "right"].map((name) => ({
    ...{ id: name, model: `openai-compatible/${name}`, baseUrl: pool.baseUrl },
    price: { inputUsd: 1, outputUsd: 4 },
  }));
  writeFileSync(join(home, "tutti.config.json"), JSON.stringify({ workers, consensus: false }));
  const tasks = Array.from({ length: 40 }, (_, i) => ({
    ...{ id: `sum-${i}`, prompt: `What is ${i} plus one?`, answer: String(i + 1), grader: "numeric" },
  }));
  writeFileSync(join(home, "sums.jsonl"), tasks.map((task) => `${JSON.stringify(task)}\n`).join(""));
});
afterEach(async () => {
  for (const { child, finished } of running.splice(0)) {
    child.kill("SIGKILL");
    await finished;
  }
});
afterAll(async () => {
  await pool?.close();
  rmSync(home, { recursive: true, force: true });
});

const options = () => ({ cwd: home, env: { TUTTI_HOME: join(home, "home") } });
const rl = (...args: string[]) => runTutti(["rl", ...args], options());

/** The answer of a pool that can add. */
function addOne(question: string): string {
  const [, number] = /What is (\d+) plus one/.exec(question) ?? [];
  return `Answer: ${Number(number) + 1}`;
}

async function serve(...args: string[]): Promise<{ url: string; command: StartedCommand }> {
  const command = startTutti(["rl", "serve", "--port", "0", "--json", ...args], options());
  running.push(command);
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    command.child.stdout!.on("data", (text: string) => {
      output += text;
      const [, found] = /"url": "([^"]+)"/.exec(output) ?? [];
      if (found) resolve(found);
    });
    void command.finished.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { url, command };
}

async function ask(url: string, label: string, completion: string): Promise<string> {
  const body = JSON.stringify({ query: [completion], prompts: [""], labels: [label] });
  return (await fetch(`${url}/rl/openrlhf`, { method: "POST", body })).text();
}

/** Pools are shuffled and have `consensus`, which cannot answer alone. */
function planFor(label: string): string {
  const worker = (JSON.parse(label).pool as string[]).findIndex((id) => id !== "consensus");
  return renderWorkflow({ steps: [{ worker, subtask: "Add", access: [] }] });
}

async function exportLabels(folder: string): Promise<string[]> {
  const { code, stderr } = await rl(
    "export",
    "--engine",
    "openrlhf",
    "--tasks",
    "sums.jsonl",
    "--out",
    folder,
  );
  if (code !== 0) throw new Error(stderr);
  const lines = readFileSync(join(home, folder, "train.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line).label);
}

describe.concurrent("bad usage", () => {
  it.each([
    [["rl"], /needs to know what: serve, export, rehearse/],
    [["rl", "sreve"], /unknown command "rl sreve".*serve/],
    [["rl", "serve", "--budget-usd", "5"], /--budget-usd goes with --tasks/],
    [["rl", "serve", "--pool", "x"], /--pool goes with --tasks/],
    [["rl", "serve", "--tasks", "sums.jsonl"], /say how much it may in all, with --budget-usd/],
    [["rl", "serve", "--host", "0.0.0.0"], /Engines send no key.*--allow-host 10\.0\.0\.5/],
    [
      ["rl", "serve", "--allow-host", "http://x/"],
      /--allow-host must be a name or an address.*not "http:\/\/x\/"/,
    ],
    [["rl", "serve", "--deadline", "ray=3"], /--deadline must be like openrlhf=170.*not "ray=3"/],
    [["rl", "serve", "--spent-reward", "much"], /--spent-reward must be a number from -10 to 10/],
    [["rl", "export", "--out", "x"], /--engine/],
    [["rl", "export", "--engine", "torch", "--out", "x"], /--engine must be openrlhf, .* not "torch"/],
    [["rl", "export", "--engine", "verl", "--out", "x", "--url", "here"], /--url must be an address/],
    [
      ["rl", "export", "--engine", "verl", "--out", "x", "--second-round", "nowhere"],
      /no run of tutti rl serve/,
    ],
  ])("%j", async (args, message) => {
    const { code, stderr } = await runTutti(args, options());
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});

describe("a live pool", () => {
  it("pays for each completion once, over repeats and a kill, and waits for a pool that is down", async () => {
    const labels = await exportLabels("data");
    expect(labels.length).toBeGreaterThan(8);
    const flags = ["--tasks", "sums.jsonl", "--budget-usd", "5", "--run", "run"];
    let failures = 2;
    reply = (question) => (failures-- > 0 ? { status: 503, body: "down" } : addOne(question));
    const first = await serve(...flags);
    expect(await ask(first.url, labels[0]!, planFor(labels[0]!))).toBe('{"rewards":[1.0],"scores":[1.0]}');
    const before = pool.requests.length;
    const half = labels.slice(0, 6);
    await Promise.all([...half, ...half].map((label) => ask(first.url, label, planFor(label))));
    expect(pool.requests.length - before).toBe(5);
    first.command.child.kill("SIGKILL");
    await first.command.finished;

    const second = await serve(...flags);
    const rewards = await Promise.all(
      labels.slice(0, 8).map((label) => ask(second.url, label, planFor(label))),
    );
    expect(rewards.every((text) => text === '{"rewards":[1.0],"scores":[1.0]}')).toBe(true);
    expect(pool.requests.length - before).toBe(7);
    second.command.child.kill("SIGTERM");
    expect((await second.command.finished).code).toBe(0);

    const again = await rl(
      "export",
      "--engine",
      "trl",
      "--tasks",
      "sums.jsonl",
      "--second-round",
      "run",
      "--out",
      "second",
      "--json",
    );
    expect(again.stderr).not.toContain("tutti:");
    expect(JSON.parse(again.stdout)).toMatchObject({ train: 8, test: 0, world: "sums, second rounds" });
    expect(pool.requests.length - before).toBe(7);
  });

  it("stops at its budget, says so, and answers what it was told to", async () => {
    const labels = await exportLabels("data-2");
    reply = addOne;
    const { url, command } = await serve(
      ...["--tasks", "sums.jsonl", "--run", "run-2", "--budget-usd", "0.00001", "--spent-reward", "0.25"],
    );
    expect(await ask(url, labels[0]!, planFor(labels[0]!))).toBe('{"rewards":[0.25],"scores":[0.25]}');
    expect(await ask(url, labels[0]!, "babble")).toBe('{"rewards":[0.0],"scores":[0.0]}');
    const health = await (await fetch(`${url}/health`)).json();
    expect(health).toMatchObject({ performed: 1, failures: { budget: 1 } });
    command.child.kill("SIGTERM");
    expect((await command.finished).stdout).toMatch(/"level":"warn".*"failure":"budget"/);
  });
});

it("rehearses from the command line, and calls it a simulation", async () => {
  const { code, stdout, stderr } = await rl("rehearse", "--iterations", "2", "--group", "8");
  expect(code).toBe(0);
  expect(stderr).toContain("A simulation");
  expect(stdout).toMatch(/^iteration {3}1 {3}reward 0\.\d\d.*valid/);
});

describe("the line in the terminal", () => {
  const failures = { outage: 0, late: 2, budget: 0, label: 0, unreadable: 0, fault: 0 };
  const snapshot = {
    ...{ performed: 1_200, kept: 100, joined: 20, failures, reward: 0.625, validShare: 0.9, rightShare: 0.4 },
    ...{ rolloutsPerSecond: 35.4, costUsd: 12, costPerRolloutUsd: 0.01 },
  };

  it("tells rollouts a second, reward, valid share, cost so far and cost to go", () => {
    const parts = toRlParts(snapshot, { planned: 51_200, isSimulated: false });
    expect(parts.join(" · ")).toBe(
      "1,200 of 51,200 rollouts · 35/s · reward 0.63 · 90 % valid · $12.00 · about $500.00 to go · 120 repeats · 2 late",
    );
  });

  it("counts what was really paid, beside the budget, and calls what is simulated so", () => {
    const budget = { spentUsd: 6, budgetUsd: 100 };
    expect(toRlParts(snapshot, { planned: 2_400, isSimulated: false, budget })).toContain("$6.00 of $100.00");
    expect(toRlParts(snapshot, { planned: 2_400, isSimulated: true }).join()).toMatch(/simulated to go/);
  });

  it("says little before the first rollout", () => {
    const nothing = { ...snapshot, performed: 0, kept: 0, joined: 0, reward: Number.NaN, costUsd: 0 };
    const none = { outage: 0, late: 0, budget: 0, label: 0, unreadable: 0, fault: 0 };
    const parts = toRlParts(
      { ...nothing, rolloutsPerSecond: 0, failures: none },
      { planned: 10, isSimulated: true },
    );
    expect(parts).toEqual(["0 of 10 rollouts", "0.0/s", "$0"]);
  });
});
