// Names from outside that every plain object of JavaScript has: they must be found nowhere, change nothing that others
// see, and break nothing. One table over the borders at which a name comes in.
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isTuttiError } from "../base/errors.ts";
import { redactRegistered, registerSecret } from "../base/redact.ts";
import { findBaseline } from "../baseline/all.ts";
import { loadConfig } from "../config/load.ts";
import { resolvePool } from "../config/pool.ts";
import { parseConfig } from "../config/problems.ts";
import { toTarget } from "../http/target.ts";
import { loadRecording } from "../recording/load.ts";
import { loadTaskSet } from "../task/sets/load.ts";
import { runTutti } from "../testing/command.ts";
import { DOORS, expectErrorShape, type Loose } from "../testing/gateway/doors.ts";
import { PRICE, startTestGateway, type TestGateway } from "../testing/gateway/gateway.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { parseWorkflow } from "../workflow/parse.ts";

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"];
const files = createFiles();

/** What everybody's objects have, before and after. */
const own = () =>
  [Object.prototype, Array.prototype].map((each) => Reflect.ownKeys(each).map(String).join()).join();
const before = own();
afterEach(() => {
  expect(own()).toBe(before);
  expect(({} as Loose).polluted).toBeUndefined();
});

/** As a text: an object literal with `__proto__` would have no such field. */
const withField = (valid: object, name: string, value: unknown) =>
  `${JSON.stringify(valid).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`;

/** The message of our own error; anything else that is thrown is a fault. */
async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (isTuttiError(error)) return error.message;
    throw error;
  }
  return "";
}

describe("over HTTP", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  describe.each(DOORS)("$path", ({ name: dialect, path, valid }) => {
    test.each(NAMES)("a model called %s is not there", async (name) => {
      const response = await gateway.post(path, { ...valid, model: name });
      const body: Loose = await response.json();
      expect({ status: response.status, body }).toMatchObject({ status: 404 });
      expectErrorShape(dialect, body);
      expect(body.error.message).toContain(name);
    });

    test.each(NAMES)("a pool called %s is not there", async (name) => {
      const response = await gateway.post(path, { ...valid, tutti: { pool: name } });
      expect([400, 404]).toContain(response.status);
      expectErrorShape(dialect, await response.json());
    });

    test.each(NAMES)("a field called %s has no effect", async (name) => {
      const value = { model: "nobody", polluted: true, stream: true };
      const response = await gateway.post(path, withField(valid, name, value));
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain("json");
    });

    test.each(NAMES)("a tag called %s is kept as a tag", async (name) => {
      const sent = withField(valid, "metadata", 0).replace(/0}$/, `{${JSON.stringify(name)}:"x"}}`);
      const response = await gateway.post(path, sent);
      expect(response.status).toBe(200);
      const id = response.headers.get("x-tutti-run-id");
      await response.text();
      if (dialect !== "messages") {
        const run: Loose = await (await fetch(`${gateway.url}/v1/runs/${id}`)).json();
        expect(JSON.stringify(run)).toContain(`"${name}":"x"`);
      }
      const bill = await fetch(`${gateway.url}/v1/usage?group=metadata.${name}`);
      expect(bill.status).toBe(200);
    });

    test.each(NAMES)("a tool called %s is a tool", async (name) => {
      const tool = {
        name,
        description: "",
        input_schema: { type: "object" },
        parameters: { type: "object" },
      };
      const tools =
        dialect === "chat" ? [{ type: "function", function: tool }] : [{ type: "function", ...tool }];
      const given = dialect === "messages" ? [{ name, input_schema: { type: "object" } }] : tools;
      const response = await gateway.post(path, { ...valid, tools: given });
      expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
    });
  });

  test.each(NAMES)("a query, an id and a header called %s", async (name) => {
    const get = async (path: string) =>
      (await fetch(`${gateway.url}${path}`, { headers: { [name]: "x" } })).status;
    expect(await get(`/v1/runs?${name}=x`)).toBe(200);
    expect(await get(`/v1/usage?group=${name}`)).toBe(400);
    for (const path of ["runs", "models", "benches", "trainings"])
      expect(await get(`/v1/${path}/${name}`)).toBe(404);
    expect(await get(`/v1/comparisons?a=${name}&b=${name}`)).toBe(404);
  });

  test.each(NAMES)("a query without a value for %s has none", (name) => {
    expect(toTarget("/v1/runs").query[name]).toBeUndefined();
    expect(toTarget("/v1/runs?x=1").query[name]).toBeUndefined();
    expect(toTarget(`/v1/runs?${name}=1`).query[name]).toBe("1");
  });
});

describe("config", () => {
  const worker = (id: string) => ({ id, model: "stub/x", baseUrl: "http://127.0.0.1:9/v1", price: PRICE });
  const resolve = (input: object, more: object = {}) =>
    resolvePool(parseConfig(input), {
      ...{ env: { TUTTI_HOME: files.folder }, localServers: [] },
      fetch: () => Promise.reject(new TypeError("fetch failed")),
      ...more,
    });

  test.each(NAMES)("a field called %s is unknown, in YAML and in JSON", async (name) => {
    for (const [ending, text] of [
      ["yaml", `workers: []\n${name}: { polluted: true }\n`],
      ["json", `{"workers":[],"${name}":{"polluted":true}}`],
    ]) {
      const file = files.write(`${name}.${ending}`, text!);
      const message = await refusalOf(() =>
        loadConfig({ cwd: files.folder, file, env: {}, approve: async () => {} }),
      );
      // A reader that passes over the one name that is none is as good.
      if (name !== "__proto__") expect(message).toContain(`"${name}"`);
    }
  });

  test.each(NAMES)("a pool called %s is not there", async (name) => {
    const message = await refusalOf(() =>
      resolve({ workers: [worker("a")], pools: { x: ["a"] } }, { selector: name }),
    );
    expect(message).toContain(`No worker "${name}"`);
  });

  test.each(NAMES)("a worker called %s is one", async (name) => {
    const { pool } = await resolve({ workers: [worker(name)] });
    expect(pool.members.map((member) => member.worker.id)).toContain(name);
  });

  test.each(NAMES)("an environment variable called %s is not set", async (name) => {
    const message = await refusalOf(() =>
      resolve({ workers: [{ ...worker("a"), apiKeyEnv: name }] }, { selector: "a" }),
    );
    expect(message).toMatch(/key is missing|apiKeyEnv/);
  });

  test.each(NAMES)("a provider called %s is not there", async (name) => {
    expect(await refusalOf(() => resolve({ workers: [`${name}/model`] }))).toContain(`No provider "${name}"`);
  });
});

describe("files", () => {
  test.each(NAMES)("a column called %s is a column like any other", async (name) => {
    const row = { prompt: "What?", answer: "This" };
    const paths = [
      files.write(`${name}-columns.jsonl`, `${withField(row, name, { polluted: true, prompt: "no" })}\n`),
      files.write(`${name}-columns.csv`, `prompt,answer,${name}\nWhat?,This,x\n`),
      files.write(`${name}-columns.json`, `[${withField(row, name, { polluted: true })}]`),
    ];
    for (const path of paths) {
      const { tasks } = await loadTaskSet(path);
      expect(tasks).toMatchObject([{ prompt: "What?", answer: "This" }]);
    }
  });

  test.each(NAMES)("a file whose only column is %s holds no task", async (name) => {
    const path = files.write(`${name}-only.jsonl`, `{"${name}":{"prompt":"What?","answer":"This"}}\n`);
    expect(await refusalOf(() => loadTaskSet(path))).toContain("columns");
  });

  test.each(NAMES)("a grader, a set and an id called %s", async (name) => {
    const row = { id: name, set: name, category: name, prompt: "What?", answer: "This" };
    const { tasks } = await loadTaskSet(files.writeRows(`${name}-names.jsonl`, row), { set: name });
    expect(tasks).toMatchObject([{ prompt: "What?" }]);
    const graded = files.writeRows(`${name}-grader.jsonl`, { ...row, grader: name });
    expect(await refusalOf(() => loadTaskSet(graded))).toContain('"grader" must be one of');
    expect(await refusalOf(() => loadTaskSet(graded, { format: name }))).toContain(name);
  });

  test.each(NAMES)("a recording whose worker, task and topic are called %s", async (name) => {
    const folder = join(files.folder, `recording-${name}`);
    const task = { id: name, set: name, category: name, subtask: name, prompt: "What?", answer: "This" };
    files.writeRows(`recording-${name}/tasks.jsonl`, task);
    const outcome = { task: name, worker: name, sample: 0, answer: "This", reply: "This", score: 1 };
    files.writeRows(`recording-${name}/outcomes.jsonl`, {
      ...outcome,
      ...{ tokens: 1, costUsd: 0 },
    });
    const message = await refusalOf(async () => {
      const recording = await loadRecording(folder);
      expect(recording.outcomesOf(name, name)).toHaveLength(1);
      expect(recording.outcomesOf(name, "nobody")).toHaveLength(0);
    });
    expect(message).toBe("");
  });
});

describe("the command", () => {
  test("names of a Conductor, a pool, a set and a worker", async () => {
    for (const name of ["__proto__", "constructor"]) {
      const finished = await Promise.all([
        runTutti(["bench", "--rehearsal", "--conductor", name]),
        runTutti(["ask", "--pool", name, "hello"]),
        runTutti(["ask", "--conductor", name, "hello"]),
        runTutti(["keys", "revoke", name]),
        runTutti([name]),
      ]);
      for (const { code, stderr } of finished) {
        expect({ code, stderr }).toMatchObject({ code: expect.toSatisfy((each) => each !== 0) });
        expect(stderr).not.toMatch(/TypeError|is not a function|is not iterable|\n +at /);
        expect(stderr).toContain(name);
      }
    }
  });
});

describe("texts", () => {
  test.each(NAMES)("a baseline called %s is not there", async (name) => {
    expect(await refusalOf(() => findBaseline(name))).toContain(name);
  });

  test.each(NAMES)("a workflow with fields called %s", (name) => {
    const lists = "model_id = [0]\nsubtasks = ['Do it']\naccess_list = [[]]";
    for (const text of [
      `{"${name}": {"polluted": true}, "model_id": [0], "subtasks": ["Do it"], "access_list": [[]]}`,
      `[{"${name}": 1, "model_id": 0, "subtask": "Do it", "access_list": []}]`,
      `${name} = [0]\n${lists}`,
      `${name} = {"${name}": []}`,
    ])
      expect(() => parseWorkflow(text, { workers: 1 })).not.toThrow();
  });

  test.each(NAMES)("redaction keeps a field called %s", (name) => {
    const secret = "a-secret-of-this-test-alone";
    registerSecret(secret);
    const value = JSON.parse(`{"a":"x","${name}":{"polluted":"${secret}"}}`);
    const redacted: Loose = redactRegistered(value, new Set());
    expect(JSON.stringify(redacted)).not.toContain(secret);
    expect(Object.keys(redacted)).toEqual(["a", name]);
    expect(redacted.polluted).toBeUndefined();
  });
});
