// The command in its own process, against a real HTTP server: what scripts rely on.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CommandOptions, createHome, startTutti } from "../testing/command.ts";
import { type ChatReply, type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";

// Some tests start ten processes one after the other, and on a busy machine each of them takes seconds.
vi.setConfig({ testTimeout: 180_000 });

const ESC = "\u001b";
const PLAN = `Solve it, then check it.
model_id = [0, 1]
subtasks = ["Solve it", "Check it"]
access_list = [[], ["all"]]`;

let folder: string;
let server: ChatServer;
let onHang = () => {};
/** What the second worker does, by a word in the question. */
const CHECKS: Record<string, (asked: number) => ChatReply> = {
  HANGS(asked) {
    if (asked > 0) return "It is 391.";
    onHang();
    return { hang: true };
  },
  EVIL: () => `a${ESC}]0;owned\u0007b\u202ec`,
};
const asked = new Map<string, number>();

beforeAll(async () => {
  folder = createHome();
  server = await startChatServer({
    reply({ model, messages }) {
      if (model === "planner") return PLAN;
      if (model === "solver") return "17 * 23 = 391";
      const text = JSON.stringify(messages);
      if (text.includes("single word")) return "ready";
      const word = Object.keys(CHECKS).find((candidate) => text.includes(candidate));
      if (!word) return "The answer is 391.";
      const before = asked.get(word) ?? 0;
      asked.set(word, before + 1);
      return CHECKS[word]!(before);
    },
  });
  const worker = (name: string) => ({
    id: name,
    model: `openai-compatible/${name}`,
    baseUrl: server.baseUrl,
    price: { inputUsd: 1, outputUsd: 4 },
  });
  const workers = ["solver", "checker", "planner"].map(worker);
  writeFileSync(
    join(folder, "tutti.config.json"),
    JSON.stringify({ workers, conductor: "planner", consensus: false }),
  );
});

afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** In the folder with the config; `home` names a journal of its own. */
const start = (args: string[], { home = "home", ...options }: CommandOptions & { home?: string } = {}) =>
  startTutti(args, { cwd: folder, ...options, env: { TUTTI_HOME: join(folder, home), ...options.env } });
const tutti: (...args: Parameters<typeof start>) => ReturnType<typeof start>["finished"] = (...args) =>
  start(...args).finished;

/** What is said of the config that was found, on a line of its own before all else. */
const CONFIG_LINE = /^Config tutti\.config\.json: 127\.0\.0\.1:\d+\n/;

describe.concurrent("bad usage", () => {
  it.each([
    ["an unknown flag", ["ask", "--jsn", "q"], 'tutti: unknown option "--jsn". Did you mean "--json"?'],
    [
      "a question without a verb",
      ["What is 2+2?"],
      "there is no such verb. To ask this: tutti ask 'What is 2+2?'",
    ],
    ["a Conductor that is not there", ["ask", "--conductor", "nativ", "q"], 'Did you mean "native"?'],
    ["an unknown verb", ["aks", "q"], 'tutti: unknown command "aks". Did you mean "ask"?'],
    [
      "an unknown verb under a verb",
      ["pool", "chek"],
      'unknown command "tutti pool chek". Did you mean "check"?',
    ],
    ["a bad number", ["ask", "--rounds", "x", "q"], '--rounds must be a whole number from 1 to 10, not "x"'],
    [
      "a bad amount",
      ["ask", "--budget-usd", "-1", "q"],
      '--budget-usd must be an amount in dollars such as 0.05, or none, not "-1"',
    ],
    ["no question", ["ask"], "there is no question"],
    [
      "two planners",
      ["ask", "--workflow", "w", "--conductor", "c", "q"],
      "--workflow and --conductor exclude each other",
    ],
    [
      "an unreadable file",
      ["ask", "--file", "none.txt", "q"],
      'cannot read "none.txt": there is no such file',
    ],
    ["no such worker", ["ask", "--pool", "solvr", "q"], 'No worker "solvr"'],
    ["no such config", ["pool", "--config", "none.yaml"], "There is no config file none.yaml"],
  ])("%s exits with 2 and one line that helps", async (_name, args, message) => {
    const { code, stdout, stderr } = await tutti(args);
    expect(stderr).toContain(message);
    expect(stderr.replace(CONFIG_LINE, "").trim().split("\n")).toHaveLength(1);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it("is told as JSON on stdout with --json", async () => {
    const { code, stdout, stderr } = await tutti(["ask", "--json", "--rounds", "11", "q"]);
    const message = '--rounds must be a whole number from 1 to 10, not "11"';
    expect(JSON.parse(stdout)).toEqual({ error: { code: "usage", message } });
    expect([code, stderr]).toEqual([2, ""]);
  });

  it("refuses 10 MB of question at once", async () => {
    const { code, stderr } = await tutti(["ask"], { stdin: "a".repeat(10_000_000) });
    expect(stderr).toContain("it may have 1 MB at the most");
    expect(code).toBe(2);
  });

  it("says what is wrong with a workflow", async () => {
    const file = join(folder, "bad.txt");
    writeFileSync(file, 'model_id = [0]\nsubtasks = ["a", "b"]\naccess_list = [[]]');
    const { code, stderr } = await tutti(["ask", "--workflow", file, "q"]);
    expect(stderr).toMatch(/bad\.txt is not a workflow: .+/);
    expect(code).toBe(2);
  });
});

describe("when the file that reports errors cannot be loaded", () => {
  const REFUSE = `export function resolve(name, context, next) {
    if (name.endsWith("/report-error.js")) throw new Error("report-error is gone");
    return next(name, context);
  }`;
  // As soon as somebody listens for what nobody expects.
  const THROW = `process.on("newListener", (name) => {
    if (name === "unhandledRejection") setImmediate(() => { throw new Error("nobody expected this"); });
  });`;

  it.each([
    ["bad usage", ["ask", "--jsn", "q"], "", "unknown option '--jsn'"],
    ["an error that nobody expected", ["pool"], THROW, "Error: nobody expected this"],
  ])("%s ends the command with 1 and one line", async (name, args, script, message) => {
    const [refuse, load] = ["refuse", "load"].map((file) => join(folder, `${file} ${name}.mjs`));
    writeFileSync(refuse!, REFUSE);
    const hooks = JSON.stringify(pathToFileURL(refuse!).href);
    writeFileSync(load!, `import { register } from "node:module"; register(${hooks}); ${script}`);
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(load!).href}` };
    const { code, stdout, stderr } = await tutti(args, { env });
    expect(stderr).toMatch(/^tutti: .+ \(it cannot be told better: Error: report-error is gone\)\n$/);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([1, ""]);
  });
});

describe.concurrent("help", () => {
  it.each([
    [["--help"]],
    [["ask", "--help"]],
    [["pool", "--help"]],
    [["pool", "check", "--help"]],
    [["runs", "--help"]],
    [["runs", "show", "--help"]],
    [["runs", "resume", "--help"]],
    [["runs", "delete", "--help"]],
    [["runs", "prune", "--help"]],
    [["help", "ask"]],
  ])("%j has an example", async (args) => {
    const { code, stdout } = await tutti(args);
    expect(stdout).toMatch(/Examples?:\n {2}\$ tutti/);
    expect(code).toBe(0);
  });

  it("loads neither providers nor the journal nor the rehearsal", async () => {
    const coverage = join(folder, "coverage");
    await tutti(["ask", "--help"], { env: { NODE_V8_COVERAGE: coverage } });
    const [report] = readdirSync(coverage);
    const { result } = JSON.parse(readFileSync(join(coverage, report!), "utf8")) as {
      result: { url: string }[];
    };
    const loaded = result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
    expect(loaded.some((url) => url.endsWith("/cli/ask/ask.js"))).toBe(true);
    expect(
      loaded.filter((url) => /zod|libsql|ai-sdk|rehearsal|yaml|prices|tutti\.js$|\/perform\//.test(url)),
    ).toEqual([]);
  });

  it("prints the version", async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
    expect((await tutti(["--version"])).stdout).toBe(`${version}\n`);
  });
});

describe("ask", () => {
  it("writes the answer alone to stdout and plain progress to stderr", async () => {
    const { code, stdout, stderr } = await tutti(["ask", "What is 17 * 23?"]);
    expect(stdout).toBe("The answer is 391.\n");
    expect(stderr).toMatch(
      /^Config .+\nConductor: .*planner.* \(named\)\nstep 1 of 2: solver done, .+\nstep 2 of 2: checker done, .+\n2 steps · 2 calls \+ 1 to plan · .+ · run r_\w+\n/,
    );
    expect(stderr).not.toContain(ESC);
    expect(code).toBe(0);
  });

  it("takes away the dollar budget when told so", async () => {
    const { stdout } = await tutti(["ask", "--budget-usd", "none", "--json", "What is 17 * 23?"]);
    expect(JSON.parse(stdout).settings.limits).not.toHaveProperty("usd");
  });

  it("writes exactly one JSON document with --json, and nothing but the config and its hosts to stderr", async () => {
    const { code, stdout, stderr } = await tutti(["ask", "--json"], { stdin: "What is 17 * 23?\n" });
    expect(JSON.parse(stdout)).toMatchObject({
      answer: "The answer is 391.",
      stopReason: "done",
      steps: [{ workerId: "solver" }, { workerId: "checker", access: "all" }],
    });
    expect([code, stderr.replace(CONFIG_LINE, "")]).toEqual([0, ""]);
    expect(stderr).toMatch(CONFIG_LINE);
  });

  it("takes what a terminal would obey out of the answer, and keeps it as data in JSON", async () => {
    const { stdout } = await tutti(["ask", "--quiet", "EVIL"]);
    expect(stdout).toBe("abc\n");
    const json = (await tutti(["ask", "--json", "EVIL"])).stdout;
    expect(json).not.toContain("\u202e");
    expect(JSON.parse(json).answer).toBe(`a${ESC}]0;owned\u0007b\u202ec`);
  });

  it("performs a plan only after a yes", async () => {
    const yes = await tutti(["ask", "--plan", "What is 17 * 23?"], { stdin: "yes\n" });
    expect([yes.code, yes.stdout]).toEqual([0, "The answer is 391.\n"]);
    expect(yes.stderr).toContain("│ 1 solver ├─╮");
    const no = await tutti(["ask", "--plan", "What is 17 * 23?"], { stdin: "no\n" });
    expect([no.code, no.stdout]).toEqual([1, ""]);
    expect(no.stderr).toContain("You refused the plan, so nobody was asked.");
    expect((await tutti(["ask", "--plan", "What is 17 * 23?"])).code).toBe(1);
  });

  it("performs a workflow that is given, also as JSON", async () => {
    const file = join(folder, "workflow.json");
    writeFileSync(file, JSON.stringify({ steps: [{ worker: 0, subtask: "Just solve it", access: [] }] }));
    const { stdout } = await tutti(["ask", "--json", "--workflow", file, "q"]);
    const run = JSON.parse(stdout);
    expect(run).toMatchObject({
      answer: "17 * 23 = 391",
      conductorCalls: 0,
      steps: [{ subtask: "Just solve it" }],
    });
  });

  it("ends quietly when nobody reads its output", async () => {
    const { child, finished } = start(["ask", "--quiet", "q"]);
    child.stdout!.destroy();
    expect(await finished).toMatchObject({ code: 0, stderr: "" });
  });

  it("stops at Ctrl-C with the best answer so far, and goes on where it was", async () => {
    const { child, finished } = start(["ask", "HANGS: what is 17 * 23?"], { home: "stopped" });
    onHang = () => void child.kill("SIGINT");
    const { code, stdout, stderr } = await finished;
    expect([code, stdout]).toEqual([130, "17 * 23 = 391\n"]);
    const id = /tutti runs resume (r_\w+)/.exec(stderr)?.[1];
    const resumed = await tutti(["runs", "resume", id!], { home: "stopped" });
    expect([resumed.code, resumed.stdout]).toEqual([0, "It is 391.\n"]);
  });
});

describe("the rehearsal", () => {
  it("answers without a key, and calls its money simulated", async () => {
    const { code, stdout, stderr } = await tutti([
      "ask",
      "--pool",
      "rehearsal",
      "--conductor",
      "scripted-planner",
      "--seed",
      "1",
      "What is 17 * 23?",
    ]);
    expect(stdout).toMatch(/Answer: \d+\n$/);
    expect(stderr).toMatch(/^Config .+\nRehearsal: simulated workers, simulated money\.\n/);
    expect(stderr).toMatch(/1 step · 1 call · .+ · \$0\.\d+ simulated · run r_/);
    expect(code).toBe(0);
  });
});

describe("pool", () => {
  it("lists the workers with their numbers and prices", async () => {
    const { stdout } = await tutti(["pool"]);
    expect(stdout).toMatch(/^#\s+WORKER.*\n0 {2}solver +ready +\$1\.00 \/ \$4\.00/);
    expect(stdout).toMatch(/\n\nConductor: planner \(named\)\n$/);
  });

  it("checks who replies, and fails when somebody does not", async () => {
    const good = await tutti(["pool", "check", "--json"]);
    expect(JSON.parse(good.stdout)).toMatchObject([
      { id: "solver", ok: true },
      { id: "checker", ok: true },
      { ok: true },
    ]);
    expect(good.code).toBe(0);
    const file = join(folder, "dead.json");
    const dead = { id: "dead", model: "openai-compatible/x", baseUrl: "http://127.0.0.1:9/v1" };
    writeFileSync(file, JSON.stringify({ workers: [dead] }));
    const bad = await tutti(["pool", "check", "--config", file]);
    expect(bad.stdout).toMatch(/dead +✗ failed .+/);
    expect(bad.code).toBe(1);
  });
});

describe("runs", () => {
  const home = "runs";
  it("lists, shows, finds by a beginning, and deletes", async () => {
    expect((await tutti(["runs"], { home })).stdout).toContain("No runs yet");
    await tutti(["ask", "--quiet", "What is 17 * 23?"], { home });
    await tutti(["ask", "--quiet", "And 17 * 24?"], { home });
    const listed = await tutti(["runs"], { home });
    expect(listed.stdout).toMatch(
      /^RUN .+\nr_\w+ +(just now|\d+ min ago) +ended +done +2 +\$0\.\d+ +And 17 \* 24\?\nr_\w+ .+ What is 17 \* 23\?\n$/,
    );
    const [newest, oldest] = JSON.parse((await tutti(["runs", "--json"], { home })).stdout);

    const shown = await tutti(["runs", "show", oldest.id, "--messages"], { home });
    expect(shown.stdout).toContain("│ 1 solver ├─╮");
    expect(shown.stdout).toContain("<<< your subtask");
    expect(shown.stdout).toContain("You conduct a team of models");
    expect(shown.stdout).toContain("Limits: 40 calls, $1, 600 seconds");
    const ambiguous = await tutti(["runs", "show", "r_"], { home });
    expect([ambiguous.code, ambiguous.stderr]).toEqual([1, expect.stringContaining('"r_" begins 2 runs')]);
    const unknown = await tutti(["runs", "show", "r_none"], { home });
    expect([unknown.code, unknown.stderr.replace(CONFIG_LINE, "")]).toEqual([
      1,
      'tutti: there is no run "r_none" in the journal\n  tutti runs lists the runs of the journal.\n',
    ]);

    const deleted = await tutti(["runs", "delete", newest.id.slice(0, -1)], { home });
    expect(deleted.stdout).toBe(`Deleted ${newest.id}.\n`);
    expect(JSON.parse((await tutti(["runs", "prune", "--days", "0", "--json"], { home })).stdout)).toEqual({
      deleted: 1,
    });
  });
});
