// What a page, a stranger or a broken engine can do to the environment, tried over real sockets.
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { createLog } from "../http/log.ts";
import { createGrader } from "../task/grade/grade.ts";
import { startCpuClock } from "../testing/cpu-clock.ts";
import { useEnvironments } from "../testing/learn/environments.ts";
import { add, toMember, toSum } from "../testing/learn/small-world.ts";
import { createSumsFinder, GOOD, planFor, sumLabel } from "../testing/learn/sums-finder.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { createTasksWorld } from "../world/tasks.ts";
import { createQuestionFinder, type QuestionFinder } from "./find-question.ts";
import { digestQuestions, digestTasks } from "./label.ts";
import type { EnvironmentServer } from "./server.ts";

const files = createFiles();
const start = useEnvironments();

interface Answer {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

/** Not fetch, which sets Host and Origin by itself. */
function send(
  { url }: EnvironmentServer,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request(
      { hostname, port, path, method: text === undefined ? "GET" : "POST", headers, agent: false },
      (response) => {
        let received = "";
        response.setEncoding("utf8").on("data", (part) => {
          received += part;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode!, text: received, headers: response.headers }),
        );
      },
    );
    asked.on("error", reject).end(text);
  });
}

const scored = (number: number) => ({ completion: planFor(GOOD), label: sumLabel(number) });

/** What the server says before it hangs up. */
function untilClosed({ url }: EnvironmentServer, sent: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(sent));
    socket.on("data", (part) => {
      received += part;
    });
    socket.on("error", reject).on("close", () => resolve(received));
  });
}

describe("pages", () => {
  test.each<[string, Record<string, string>]>([
    ["a page of another site", { origin: "https://evil.example" }],
    ["a sandboxed page", { origin: "null" }],
    ["a page of another port of this machine", { origin: "http://127.0.0.1:3000" }],
    ["a name that was made to point here", { host: "evil.example:7879" }],
    ["the same with its own origin", { host: "evil.example", origin: "http://evil.example" }],
    ["a name that only begins like loopback", { host: "127.0.0.1.evil.example" }],
    ["a request that a browser calls cross-site", { "sec-fetch-site": "cross-site" }],
    ["a host that is none", { host: "/" }],
  ])("%s is refused before anything is read or performed", async (_, headers) => {
    const finder = createSumsFinder();
    const environment = await start({ finder });
    for (const path of ["/rl/score", "/rl/openrlhf", "/rl/slime", "/verify", "/seed_session"]) {
      const { status, text } = await send(environment, path, {
        headers: { "content-type": "text/plain", ...headers },
        body: scored(1),
      });
      expect({ path, status, text }).toMatchObject({ path, status: 403 });
      expect(JSON.parse(text).error.code).toBe("forbidden");
    }
    for (const path of ["/health", "/metrics", "/"])
      expect((await send(environment, path, { headers })).status).toBe(403);
    expect(finder.asked()).toBe(0);
  });

  test("programs of this machine are served by any name of it", async () => {
    const environment = await start();
    const { port } = new URL(environment.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "[::1]", "LOCALHOST"])
      expect((await send(environment, "/rl/score", { headers: { host }, body: scored(1) })).status).toBe(200);
  });
});

describe("other machines", () => {
  test.each(["0.0.0.0", "::", "192.0.2.1"])("%s is not listened on by accident", async (host) => {
    await expect(start({ host })).rejects.toThrow(/--allow-host/);
  });

  test("they are served by the names that were allowed, and by no other", async () => {
    const environment = await start({
      host: "0.0.0.0",
      allowedHosts: ["10.0.0.5", "Trainer.internal", "fe80::5"],
    });
    const local = { ...environment, url: environment.url.replace("0.0.0.0", "127.0.0.1") };
    const ask = async (host: string) =>
      (await send(local, "/rl/score", { headers: { host }, body: scored(1) })).status;
    for (const host of [
      "10.0.0.5:7879",
      "trainer.internal",
      "TRAINER.internal:80",
      "[fe80::5]:7879",
      "127.0.0.1",
    ])
      expect([host, await ask(host)]).toEqual([host, 200]);
    for (const host of ["10.0.0.6", "trainer.internal.evil.example", "0.0.0.0"])
      expect([host, await ask(host)]).toEqual([host, 403]);
  });
});

describe("limits", () => {
  test("a body that is too large is refused by its length, and while it comes", async () => {
    const environment = await start({ limits: { bodyBytes: 1_000 } });
    const body = "x".repeat(2_000);
    expect((await send(environment, "/rl/score", { body })).status).toBe(413);
    const headers = { "transfer-encoding": "chunked" };
    expect((await send(environment, "/rl/score", { headers, body })).status).toBe(413);
  });

  test("bodies together are bounded: who comes too many is told to come again, and then is served", async () => {
    const environment = await start({ limits: { bodyBytes: 1_000, allBodiesBytes: 1_500 } });
    const { hostname, port } = new URL(environment.url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.write("POST /rl/score HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\n{");
    const body = JSON.stringify(scored(1)).padEnd(900);
    let refused = await send(environment, "/rl/score", { body });
    while (refused.status === 200) refused = await send(environment, "/rl/score", { body });
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": expect.any(String) } });
    socket.destroy();
    await closed;
    let again = await send(environment, "/rl/score", { body });
    while (again.status === 503) again = await send(environment, "/rl/score", { body });
    expect(again.status).toBe(200);
  });

  test("submissions of a request are counted", async () => {
    const finder = createSumsFinder();
    const environment = await start({ finder, limits: { submissions: 4 } });
    const items = [1, 2, 3, 4, 5].map(scored);
    const { status, text } = await send(environment, "/rl/score", { body: { items } });
    expect({ status, text }).toMatchObject({ status: 413, text: expect.stringContaining("5 submissions") });
    expect((await send(environment, "/rl/score", { body: { items: items.slice(1) } })).status).toBe(200);
    expect(finder.asked()).toBe(4);
  });

  test("a queue that is full asks to come again", async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const finder = createSumsFinder([toMember("slow", (asked) => held.then(() => add(asked)), 0.5)]);
    const environment = await start({ finder, concurrency: 1, limits: { waiting: 2 } });
    const first = send(environment, "/rl/score", { body: { items: [1, 2].map(scored) } });
    while (finder.asked() === 0) await new Promise(setImmediate);
    const refused = await send(environment, "/rl/score", { body: scored(3) });
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    expect(JSON.parse(refused.text).error.code).toBe("overloaded");
    finish();
    expect((await first).status).toBe(200);
    expect((await send(environment, "/rl/score", { body: scored(3) })).status).toBe(200);
  });

  test("a hundred thousand brackets are an error, not the end of the stack", async () => {
    const environment = await start();
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const body of [
      `{"completion":"x","label":${deep}}`,
      `{"query":["x"],"labels":[${deep}]}`,
      `{"response":{"output":${deep}},"label":"x"}`,
      `{"verify_responses":[${deep}]}`,
      deep,
    ])
      for (const path of ["/rl/score", "/rl/openrlhf", "/verify", "/aggregate_metrics", "/seed_session"]) {
        const { status, text } = await send(environment, path, { body });
        expect({ path, status, text }).toMatchObject({
          status: 400,
          text: expect.stringContaining("nested"),
        });
      }
  });

  test("a label and a completion have a length", async () => {
    const finder = createSumsFinder();
    const environment = await start({ finder });
    const { label, completion } = scored(1);
    const long = sumLabel(1, { before: ["x".repeat(2_000_000)] });
    for (const body of [
      { completion, label: long },
      { completion, label: JSON.parse(long) },
      { completion: `${completion}${" babble".repeat(1_000_000)}.`, label },
    ]) {
      const { status, text } = await send(environment, "/rl/score", { body });
      expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 200, reward: 0, valid: false });
      expect(JSON.parse(text).failure).toMatch(/^(label|unreadable)$/);
      expect(text.length).toBeLessThan(500);
    }
    expect(finder.asked()).toBe(0);
  });

  test("bytes that are no UTF-8 are not read as others", async () => {
    const environment = await start();
    const { port } = new URL(environment.url);
    const head = `POST /rl/slime HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n`;
    const body = Buffer.concat([Buffer.from('{"response":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const answer = new Promise<string>((resolve) => {
      let received = "";
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("data", (part) => {
        received += part;
      });
      socket.on("close", () => resolve(received));
      socket.write(`${head}content-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    expect(await answer).toMatch(/^HTTP\/1\.1 400 .*UTF-8/s);
  });

  test("a batch of thousands is taken, and others are answered meanwhile", async () => {
    const environment = await start();
    const items = Array.from({ length: 4_096 }, (_, i) => ({ ...scored(i % 64), completion: `babble ${i}` }));
    const batch = send(environment, "/rl/score", { body: { items } });
    expect((await send(environment, "/health")).status).toBe(200);
    const { status, text } = await batch;
    expect(status).toBe(200);
    expect(JSON.parse(text).results).toHaveLength(4_096);
  });

  test("metrics of a hundred thousand rows in one group take a moment", async () => {
    const environment = await start();
    const verify_responses = Array.from({ length: 100_000 }, () => ({ _ng_task_index: 0, reward: 1 }));
    const cpuMs = startCpuClock();
    const { text } = await send(environment, "/aggregate_metrics", { body: { verify_responses } });
    expect(JSON.parse(text).key_metrics["mean/reward"]).toBe(1);
    expect(cpuMs()).toBeLessThan(5_000);
  });

  test.each([
    ["a head that never ends", "POST /rl/score HTTP/1.1\r\nhost: 127.0.0.1\r\n"],
    ["a body that never ends", "POST /rl/score HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{"],
  ])("%s is cut off", async (_, sent) => {
    const environment = await start({ limits: { headersMs: 50, requestMs: 50 } });
    expect(await untilClosed(environment, sent)).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  test("connections are bounded, and a place that is given back is taken again", async () => {
    const environment = await start({ limits: { connections: 2 } });
    const { hostname, port } = new URL(environment.url);
    const held = await Promise.all(
      [1, 2].map(async () => {
        const socket = connect(Number(port), hostname);
        await new Promise((resolve) => socket.on("connect", resolve));
        return socket;
      }),
    );
    await expect(send(environment, "/health")).rejects.toThrow();
    for (const socket of held) socket.destroy();
    const ask = () => send(environment, "/health").catch(() => undefined);
    let answer = await ask();
    while (!answer) answer = await ask();
    expect(answer.status).toBe(200);
  });
});

describe("what is told", () => {
  const tasks = Array.from({ length: 8 }, (_, i) => toSum(i + 1));
  const world = createTasksWorld({
    set: { id: "secret-exam", tasks, source: "here" },
    pool: { members: [toMember("good", add, 0.9)] },
    grader: createGrader(),
    ...{ seed: 0, pools: "random" },
  });
  const digest = digestQuestions(tasks);
  const answers = digestTasks(tasks);
  const finder = () => createQuestionFinder({ world, digest, answers });

  test("no digest of the set, nor its name, however one asks", async () => {
    const environment = await start({ finder: finder() });
    const label = JSON.stringify({ world: "tasks", digest: "guess", task: "sum/1", pool: ["good"] });
    const completion = planFor(GOOD);
    const output = [{ type: "message", role: "assistant", content: completion }];
    const told = await Promise.all([
      send(environment, "/rl/score", { body: { label, completion } }),
      send(environment, "/rl/slime?reward_key=r", { body: { label, response: completion } }),
      send(environment, "/verify", { body: { label, response: { output } } }),
      send(environment, "/rl/openrlhf?extra_logs=1", { body: { query: [completion], labels: [label] } }),
      send(environment, "/health"),
      send(environment, "/metrics"),
      send(environment, "/secret"),
    ]);
    const text = told.map((answer) => answer.text + JSON.stringify(answer.headers)).join("\n");
    for (const secret of [digest, answers, "secret-exam"]) expect(text).not.toContain(secret);
    expect(text).toContain("another set");
  });

  test("a label says nothing of the answer: it is the same whatever the answer is", () => {
    const other = tasks.map((task) => ({ ...task, answer: "0" }));
    expect(digestQuestions(other)).toBe(digest);
    expect(digestQuestions(other.slice(1))).not.toBe(digest);
  });

  test("an answer that was mended since is graded anew, under the same label", async () => {
    const journal = join(files.folder, "mended", "rollouts.jsonl");
    const body = {
      label: JSON.stringify({ world: "tasks", digest, task: "sum/1", pool: ["good"] }),
      completion: planFor(GOOD),
    };
    const first = await start({ journal, finder: finder() });
    expect(JSON.parse((await send(first, "/rl/score", { body })).text).reward).toBe(1);
    await first.close();
    const mended = tasks.map((task) => ({ ...task, answer: "-1" }));
    const changed = createTasksWorld({
      set: { id: "secret-exam", tasks: mended, source: "here" },
      pool: { members: [toMember("good", add, 0.9)] },
      grader: createGrader(),
      ...{ seed: 0, pools: "random" },
    });
    const second = await start({
      journal,
      finder: createQuestionFinder({ world: changed, digest, answers: digestTasks(mended) }),
    });
    expect(JSON.parse((await send(second, "/rl/score", { body })).text).reward).toBe(0.5);
  });

  test("a fault tells neither a stack nor a path; the log does", async () => {
    const lines: string[] = [];
    const broken: QuestionFinder = {
      ...{ name: "broken", isSimulated: true },
      find: () => {
        throw new TuttiError("bad-file", "/home/someone/answers.json cannot be read");
      },
    };
    const environment = await start({
      finder: broken,
      log: createLog({ write: (line) => lines.push(line) }),
    });
    const { text } = await send(environment, "/rl/score", { body: scored(1) });
    expect(JSON.parse(text)).toMatchObject({
      failure: "fault",
      why: "Something broke here; the log says what",
    });
    expect(lines.join("")).toContain("/home/someone/answers.json");
  });

  test.each(["//", "/%", "/\\", "*", "http://[", "/rl/score/../x", "/__proto__"])(
    "the address %j is not served, and breaks nothing",
    async (path) => {
      const lines: string[] = [];
      const environment = await start({ log: createLog({ write: (line) => lines.push(line) }) });
      expect((await send(environment, path, { body: "{}" })).status).toBe(404);
      expect(lines).toEqual([]);
    },
  );

  test("a stranger's seeds are measured a few times only", async () => {
    const environment = await start({ finder: createQuestionFinder() });
    const items = Array.from({ length: 80 }, (_, seed) => ({
      completion: "babble",
      label: JSON.stringify({ world: "rehearsal", pools: "fixed", seed, split: "train", number: 1 }),
    }));
    const { text } = await send(environment, "/rl/score", { body: { items } });
    const failures = JSON.parse(text).results.filter(
      ({ failure }: { failure: string }) => failure === "label",
    );
    expect(failures.length).toBe(80 - 16);
  }, 240_000);
});
