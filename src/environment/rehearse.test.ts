// The scripted policy and the Python file against a server with the rehearsal (simulated).
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChatServer } from "../testing/gateway/chat-server.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { renderWorkflow } from "../workflow/render.ts";
import { poseRehearsal } from "./export-questions.ts";
import { toDatasetRow } from "./export-rows.ts";
import { createQuestionFinder } from "./find-question.ts";
import { toLabelText } from "./label.ts";
import { HABITS, rehearsePolicy } from "./rehearse.ts";
import { type EnvironmentServer, startEnvironment } from "./server.ts";

const files = createFiles();
const { signal } = new AbortController();
let environment: EnvironmentServer;
beforeAll(async () => {
  const journal = join(files.folder, "rollouts.jsonl");
  environment = await startEnvironment({ finder: createQuestionFinder(), journal });
}, 60_000);
afterAll(() => environment.close());

test("a policy of habits gets better rewards by what the server says, and the same again from the same seed", async () => {
  const options = { url: environment.url, iterations: 6, questions: 4, group: 16, seed: 1, signal };
  const told = await rehearsePolicy(options);
  expect(told.at(-1)!.reward).toBeGreaterThan(told[0]!.reward + 0.2);
  expect(told.at(-1)!.validShare).toBeGreaterThan(0.9);
  const { habits } = told.at(-1)!;
  expect(habits["scripted planner"]).toBeGreaterThan(0.5);
  expect(HABITS.reduce((sum, habit) => sum + habits[habit], 0)).toBeCloseTo(1, 9);
  const before = environment.metrics.snapshot().performed;
  expect(await rehearsePolicy(options)).toEqual(told);
  expect(environment.metrics.snapshot().performed).toBe(before);
}, 60_000);

const run = promisify(execFile);
const python = await run("python3", ["--version"]).then(
  () => undefined,
  () => "there is no python3 on this machine",
);

describe.skipIf(python)(`python/conductor_reward.py${python ? ` (skipped: ${python})` : ""}`, () => {
  const folder = fileURLToPath(new URL("../../python", import.meta.url));
  const { train } = poseRehearsal({ pools: "random", seed: 0, train: 1, test: 0 });
  const label = toLabelText(train[0]!.label);
  const models = train[0]!.question.pool.members.findIndex(({ worker }) => worker.kind === "model");
  const plan = renderWorkflow({ steps: [{ worker: models, subtask: "Solve it.", access: [] }] });

  /** Isolated and without site packages: whatever it imports is of the standard library. */
  async function inPython(program: string, env: Record<string, string> = {}) {
    const { stdout, stderr } = await run(
      "python3",
      [
        "-I",
        "-S",
        "-c",
        `import json, sys\nsys.path.insert(0, ${JSON.stringify(folder)})\nsys.dont_write_bytecode = True\nimport conductor_reward as c\n${program}`,
      ],
      {
        env: { PATH: process.env.PATH ?? "", TUTTI_RL_URL: environment.url, ...env },
      },
    );
    return { said: JSON.parse(stdout), stderr };
  }

  test("verl: a score and the same keys for a plan, for babble and for an unknown label, all floats", async () => {
    const { said, stderr } = await inPython(
      `plan, label = ${JSON.stringify(plan)}, ${JSON.stringify(label)}
answers = [c.compute_score("tutti/rehearsal", plan + "<|im_end|>", label, {"index": 0}), c.compute_score("tutti/rehearsal", "babble", label), c.compute_score("tutti/rehearsal", plan, "unknown")]
print(json.dumps([[sorted(a), a["score"], a["valid"], a["failed"], all(type(v) is float for v in a.values())] for a in answers]))`,
    );
    const keys = ["calls", "cost_usd", "failed", "right", "score", "valid"];
    expect(said[0].slice(2)).toEqual([1, 0, true]);
    expect([0.5, 1]).toContain(said[0][1]);
    expect(said[1]).toEqual([keys, 0, 0, 0, true]);
    expect(said[2]).toEqual([keys, 0, 0, 1, true]);
    expect(stderr).toContain("no true reward (label)");
  });

  test("TRL: floats for texts and for messages, and none for none", async () => {
    const { said } = await inPython(
      `plan, label = ${JSON.stringify(plan)}, ${JSON.stringify(label)}
rewards = c.conductor_reward(prompts=["p"] * 3, completions=[plan, [{"role": "assistant", "content": plan}], "babble"], label=[label] * 3, trainer_state=None)
print(json.dumps([rewards, [type(r).__name__ for r in rewards], c.conductor_reward(prompts=[], completions=[], label=[])]))`,
    );
    expect(said[0][0]).toBe(said[0][1]);
    expect(said[0][2]).toBe(0);
    expect(said[1]).toEqual(["float", "float", "float"]);
    expect(said[2]).toEqual([]);
  });

  test("as a command", async () => {
    const child = run("python3", [join(folder, "conductor_reward.py"), label], {
      env: { PATH: process.env.PATH ?? "", TUTTI_RL_URL: environment.url, PYTHONDONTWRITEBYTECODE: "1" },
    });
    child.child.stdin!.end(plan);
    expect(JSON.parse((await child).stdout)).toMatchObject({ valid: 1, failed: 0 });
  });

  test("valid_share.py: a model that writes a plan every second time is valid in half of its plans", async () => {
    const { train: posed } = poseRehearsal({ pools: "random", seed: 0, train: 20, test: 0 });
    const rows = posed.map((each, i) => toDatasetRow("openrlhf", each, i));
    const file = files.writeRows("test.jsonl", ...rows);
    const everySecond = posed.filter((_, i) => i % 2 === 0).map(({ question }) => question.task.prompt);
    const model = await startChatServer({
      reply({ messages }) {
        const asked = String(messages.at(-1)?.content);
        const found = posed.find(({ question }) => asked.includes(question.task.prompt))!;
        const worker = found.question.pool.members.findIndex((member) => member.worker.kind === "model");
        const steps = [{ worker, subtask: "Solve it.", access: [] as [] }];
        return everySecond.includes(found.question.task.prompt)
          ? renderWorkflow({ steps })
          : "I cannot decide.";
      },
    });
    try {
      const { stdout } = await run(
        "python3",
        [join(folder, "valid_share.py"), file, model.baseUrl, "conductor"],
        {
          env: { PATH: process.env.PATH ?? "", TUTTI_RL_URL: environment.url, PYTHONDONTWRITEBYTECODE: "1" },
        },
      );
      expect(stdout).toMatch(/^valid 50\.0 % \(29\.9 – 70\.1\) of 20\nright \d/);
    } finally {
      await model.close();
    }
  });

  test("a server that is not there is an error, never a reward", async () => {
    const nobody = inPython("c.TRIES = 1\nprint(c.compute_score('', 'x', 'y'))", {
      TUTTI_RL_URL: "http://127.0.0.1:9",
    });
    await expect(nobody).rejects.toThrow(/gives no reward after 1 tries/);
  });
});
