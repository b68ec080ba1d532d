// Machines that share the rollouts of a training and of an environment: the weights and the rewards are those of one machine.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChatServer, startChatServer } from "../../testing/gateway/chat-server.ts";
import { createMachines } from "../../testing/machines.ts";
import { createTestDatabase, noPostgres, POSTGRES, readTables } from "../../testing/stores.ts";
import { renderWorkflow } from "../../workflow/render.ts";

const PATIENT = { timeout: 180_000 };
const { folder, start, run, startWork, end } = createMachines();
let server: ChatServer;
/** Called with each request. */
let onAsked = () => {};

beforeAll(async () => {
  server = await startChatServer({
    reply({ model, messages }) {
      onAsked();
      const i = Number(/What is (\d+) plus one/.exec(JSON.stringify(messages))![1]);
      return `Answer: ${(model === "left") === (i % 2 === 0) ? i + 1 : "no idea"}`;
    },
  });
  const workers = ["left", "right"].map((name) => ({
    ...{ id: name, model: `acme/${name}`, baseUrl: server.baseUrl, maxOutputTokens: 100 },
    price: { inputUsd: 1, outputUsd: 4 },
  }));
  const config = { workers, consensus: false, queue: { perProcess: 2 } };
  writeFileSync(join(folder, "tutti.config.json"), JSON.stringify(config));
  const tasks = Array.from({ length: 40 }, (_, i) => ({
    ...{ id: `sum-${i}`, prompt: `What is ${i} plus one?`, answer: String(i + 1), grader: "numeric" },
  }));
  writeFileSync(join(folder, "sums.jsonl"), tasks.map((task) => `${JSON.stringify(task)}\n`).join(""));
});
afterEach(async () => {
  onAsked = () => {};
  await end();
});
afterAll(() => server.close());

/** What was learned, to the bit. */
function readWeights(path: string): string {
  const [iteration] = readdirSync(join(folder, path, "checkpoint")).sort((a, b) => Number(b) - Number(a));
  return readFileSync(join(folder, path, "checkpoint", iteration!, "values.json"), "utf8");
}

/** Everybody is asked each question once, whoever asks. */
function expectAskedOnce(from: number): void {
  const asked = server.requests
    .slice(from)
    .map(({ model, messages }) => `${model} ${JSON.stringify(messages)}`);
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked).size).toBe(asked.length);
}

describe.skipIf(!POSTGRES)(`rollouts that machines share${noPostgres}`, PATIENT, () => {
  it("train the same weights", async () => {
    const address = await createTestDatabase();
    const size = "--iterations 2 --questions 4 --population 4 --replications 1 --turns 2".split(" ");
    const train = ["train", "trinity", "--tasks", "sums.jsonl", "--budget-usd", "5", "--yes", "--seed", "3"];
    const alone = await run(undefined, ...train, ...size, "--out", "alone");
    expect(alone.code, alone.stderr).toBe(0);
    const from = server.requests.length;
    const work = await startWork(address);
    const spread = await run(address, ...train, ...size, "--out", "spread", "--postgres");
    expect(spread.code, spread.stderr).toBe(0);
    expect(readWeights("spread")).toBe(readWeights("alone"));
    expectAskedOnce(from);
    expect((await readTables(address, "tutti")).asks).toEqual([]);
    work.child.kill("SIGTERM");
    expect(Number(/"taken": (\d+)/.exec((await work.finished).stdout)![1])).toBeGreaterThan(0);
  });

  it("reward completions as one machine does, and ask again nothing that was finished before a kill", async () => {
    const address = await createTestDatabase();
    const made = await run(
      undefined,
      "rl",
      "export",
      "--engine",
      "openrlhf",
      "--tasks",
      "sums.jsonl",
      "--out",
      "data",
    );
    expect(made.code, made.stderr).toBe(0);
    const labels = readFileSync(join(folder, "data/train.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .slice(0, 12)
      .map((line): string => JSON.parse(line).label);
    const submit = async (postgres: string | undefined, name: string) => {
      const args = ["rl", "serve", "--port", "0", "--json", "--tasks", "sums.jsonl", "--budget-usd", "5"];
      const command = start(postgres, ...args, "--run", name, ...(postgres ? ["--postgres"] : []));
      const url = await new Promise<string>((resolve, reject) => {
        let output = "";
        command.child.stdout!.on("data", (text: string) => {
          output += text;
          const [, found] = /"url": "([^"]+)"/.exec(output) ?? [];
          if (found) resolve(found);
        });
        void command.finished.then(({ stderr }) => reject(new Error(stderr)));
      });
      const query = labels.map((label) => {
        const worker = (JSON.parse(label).pool as string[]).findIndex((id) => id !== "consensus");
        return renderWorkflow({ steps: [{ worker, subtask: "Add", access: [] }] });
      });
      const body = JSON.stringify({ query, prompts: labels.map(() => ""), labels });
      const rewards = fetch(`${url}/rl/openrlhf`, { method: "POST", body }).then((reply) => reply.json());
      return { command, rewards };
    };
    const alone = await submit(undefined, "run-alone");
    const expected = await alone.rewards;
    const from = server.requests.length;
    await startWork(address);
    let asked = 0;
    const cut = await submit(address, "run-spread");
    onAsked = () => {
      if (++asked === 5) cut.command.child.kill("SIGKILL");
    };
    await cut.rewards.catch(() => {});
    await cut.command.finished;
    const again = await submit(address, "run-spread");
    expect(await again.rewards).toEqual(expected);
    // Two at the most were under way in the killed process itself.
    const questions = server.requests.slice(from).map(({ messages }) => JSON.stringify(messages));
    expect(questions.length - new Set(questions).size).toBeLessThanOrEqual(2);
  });
});
