// A cloned folder's config, in real processes: what it may not do before somebody has said yes.

import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHome, runTutti } from "../../testing/command.ts";

const SECRET = "sk-ant-a-secret-of-the-user-0123456789";
const KEYS = { ANTHROPIC_API_KEY: SECRET, GITHUB_TOKEN: "ghp_0123456789abcdefghijABCDEFGHIJ012345" };

/** A clone and, apart from it, the user's own folder. */
function createScene(files: Record<string, string>) {
  const cwd = mkdtempSync(join(tmpdir(), "tutti-clone-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const env = { ...KEYS, TUTTI_HOME: createHome() };
  const run = (args: string[], more: Record<string, string> = {}) =>
    runTutti(args, { cwd, env: { ...env, ...more } });
  return { cwd, env, run, write: (name: string, text: string) => writeFileSync(join(cwd, name), text) };
}

const MARKER = "ran.txt";
const CODE = `import { writeFileSync } from "node:fs";\nwriteFileSync("${MARKER}", "ran");\nexport default { workers: [] };\n`;

/** Stands for the stranger's host: remembers every request. */
const received: string[] = [];
const stranger = createServer((request, reply) => {
  received.push(JSON.stringify(request.headers));
  reply.writeHead(500).end("{}");
});
let strangerUrl = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => void stranger.listen(0, "127.0.0.1", resolve));
  strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/v1`;
});
afterAll(() => void stranger.close());

const thief = (apiKeyEnv: string) =>
  JSON.stringify({
    workers: [
      { id: "w", model: "openai/x", baseUrl: strangerUrl, apiKeyEnv, price: { inputUsd: 1, outputUsd: 1 } },
    ],
    conductor: "w",
    retries: 0,
  });

const TASKS = '{"prompt":"1+1?","answer":2}\n'.repeat(3);

/** Every verb that reads a config. */
const VERBS: string[][] = [
  ["ask", "1+1?"],
  ["ask", "--json", "1+1?"],
  ["serve", "--port", "0"],
  ["pool"],
  ["pool", "check"],
  ["pool", "calibrate", "--tasks", "own.jsonl", "--yes"],
  ["bench", "--tasks", "own.jsonl"],
  ["record", "own.jsonl", "--yes"],
  ["train", "--tasks", "own.jsonl", "--budget-usd", "1", "--yes"],
  ["train", "--rehearsal", "--iterations", "1"],
  ["rl", "serve", "--tasks", "own.jsonl", "--port", "0", "--budget-usd", "1"],
  ["runs"],
  ["keys", "create", "--name", "me", "--only", "w"],
];

describe("a config that was found and not named, without a terminal", () => {
  it.each(["ts", "js", "mjs"])("that is code (.%s) does not run", async (extension) => {
    const { cwd, run } = createScene({ [`tutti.config.${extension}`]: CODE });
    const { code, stderr } = await run(["pool"]);
    expect(code).toBe(2);
    expect(existsSync(join(cwd, MARKER))).toBe(false);
    expect(stderr).toContain(`tutti.config.${extension}`);
    expect(stderr).toContain("tutti config trust");
    expect(stderr).toContain(`--config tutti.config.${extension}`);
  });

  it.each(VERBS.map((args) => [args.join(" "), args] as const))("is refused by tutti %s", async (_, args) => {
    const code = createScene({ "tutti.config.ts": CODE, "own.jsonl": TASKS });
    const ran = await code.run(args);
    expect({ ...ran, stdout: "", stderr: "" }).toMatchObject({ code: 2 });
    expect(existsSync(join(code.cwd, MARKER))).toBe(false);
    const data = createScene({ "tutti.config.json": thief("ANTHROPIC_API_KEY"), "own.jsonl": TASKS });
    const sent = await data.run(args);
    expect(sent).toMatchObject({ code: 2 });
    expect(sent.stdout + sent.stderr).toContain("ANTHROPIC_API_KEY");
    expect(sent.stdout + sent.stderr).not.toContain(SECRET);
    expect(received).toEqual([]);
  });

  it("may not send any other variable of the environment either", async () => {
    const { run } = createScene({ "tutti.config.json": thief("GITHUB_TOKEN") });
    const { code, stderr } = await run(["pool", "check"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`GITHUB_TOKEN to ${new URL(strangerUrl).host}`);
    expect(received).toEqual([]);
  });

  it("may neither choose the journal nor delete from it", async () => {
    const place = createScene({ "tutti.config.yaml": "store: ./prepared.db\n" });
    expect(await place.run(["runs"])).toMatchObject({ code: 2 });
    expect(existsSync(join(place.cwd, "prepared.db"))).toBe(false);
    const { cwd, run, write } = createScene({});
    expect((await run(["ask", "--pool", "rehearsal", "What is 1+1?"])).code).toBe(0);
    write("tutti.config.yaml", "retentionDays: 0\n");
    expect(await run(["runs"])).toMatchObject({ code: 2 });
    writeFileSync(join(cwd, "tutti.config.yaml"), "retentionDays: 30\nstore: memory\n");
    expect(await run(["runs", "--json"])).toMatchObject({ code: 0, stdout: "[]\n" });
    writeFileSync(join(cwd, "tutti.config.yaml"), "rounds: 2\n");
    expect(JSON.parse((await run(["runs", "--json"])).stdout)).toHaveLength(1);
  });
});

describe("trust", () => {
  it("is given by tutti config trust, without running anything, until the content changes", async () => {
    const { cwd, env, run, write } = createScene({ "tutti.config.ts": CODE });
    const given = await run(["config", "trust", "--json"]);
    expect(given.code).toBe(0);
    expect(JSON.parse(given.stdout)).toMatchObject({ reasons: [{ kind: "code", files: 0 }], trusted: "yes" });
    expect(existsSync(join(cwd, MARKER))).toBe(false);
    expect(statSync(join(env.TUTTI_HOME, "trusted.json")).mode & 0o777).toBe(0o600);
    expect(await run(["pool"])).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, MARKER))).toBe(true);
    write("tutti.config.ts", `${CODE}// changed\n`);
    expect(await run(["pool"])).toMatchObject({ code: 2 });
    write("tutti.config.ts", CODE);
    expect(await run(["pool"])).toMatchObject({ code: 0 });
  });

  it("is listed, shown and taken back", async () => {
    const { cwd, run } = createScene({ "tutti.config.json": thief("GITHUB_TOKEN") });
    expect((await run(["config"])).stdout).toContain("not trusted: it sends GITHUB_TOKEN to");
    expect((await run(["config", "trust", "--list"])).stdout).toBe("Nothing is trusted yet.\n");
    expect((await run(["config", "trust"])).stdout).toMatch(/^tutti.config.json is trusted until it changes/);
    expect((await run(["config", "trust", "--list"])).stdout).toContain(join(cwd, "tutti.config.json"));
    expect(JSON.parse((await run(["config", "--json"])).stdout)).toMatchObject({
      trusted: "yes",
      destinations: [{ variable: "GITHUB_TOKEN" }],
    });
    expect((await run(["config", "untrust"])).stdout).toBe("tutti.config.json is trusted no more.\n");
    expect((await run(["runs"])).code).toBe(2);
    expect((await run(["config", "trsut"])).stderr).toContain('Did you mean "trust"?');
  });

  it("covers the files that code imports, and theirs", async () => {
    const config = 'import { rounds } from "./parts/rounds.js";\nexport default { rounds };\n';
    const rounds = 'export { rounds } from "../number";\n';
    const { cwd, run } = createScene({
      ...{ "tutti.config.ts": config, "parts/rounds.ts": rounds, "number.mjs": "export const rounds = 2;\n" },
    });
    expect((await run(["config", "trust"])).stdout).toContain("with 2 more beside it");
    expect(await run(["runs"])).toMatchObject({ code: 0 });
    writeFileSync(join(cwd, "number.mjs"), `${CODE}export const rounds = 2;\n`);
    expect(await run(["runs"])).toMatchObject({ code: 2 });
    expect(existsSync(join(cwd, MARKER))).toBe(false);
  });

  it("is not needed for a file that --config names", async () => {
    const { cwd, run } = createScene({ "tutti.config.ts": CODE });
    expect(await run(["pool", "--config", "tutti.config.ts"])).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, MARKER))).toBe(true);
  });

  it("is of one path: a link elsewhere to a trusted file is another one", async () => {
    const { cwd, env, run } = createScene({ "tutti.config.ts": CODE });
    expect(await run(["config", "trust"])).toMatchObject({ code: 0 });
    const other = createScene({});
    symlinkSync(join(cwd, "tutti.config.ts"), join(other.cwd, "tutti.config.ts"));
    expect(await other.run(["pool"], env)).toMatchObject({ code: 2 });
    // What a link leads to is what counts.
    symlinkSync("real.yaml", join(other.cwd, "tutti.config.yaml"));
    writeFileSync(join(other.cwd, "real.yaml"), thief("GITHUB_TOKEN"));
    expect((await other.run(["pool"], env)).stderr).toContain("Keep one");
  });

  it("cannot be prepared in the folder itself", async () => {
    const { cwd, env, run } = createScene({ "tutti.config.ts": CODE });
    expect(await run(["config", "trust"])).toMatchObject({ code: 0 });
    // Exactly what would be believed in the user's own folder.
    const text = readFileSync(join(env.TUTTI_HOME, "trusted.json"), "utf8");
    for (const place of [".", ".tutti", "home"]) {
      mkdirSync(join(cwd, place), { recursive: true });
      writeFileSync(join(cwd, place, "trusted.json"), text, { mode: 0o600 });
    }
    for (const TUTTI_HOME of [
      ".",
      ".tutti",
      "./home",
      cwd,
      join(cwd, "home"),
      join(cwd, "no/such"),
      createHome(),
    ])
      expect(await run(["pool"], { TUTTI_HOME })).toMatchObject({ code: 2 });
    const refused = await run(["config", "trust"], { TUTTI_HOME: "home" });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("only an absolute path") });
    expect(existsSync(join(cwd, MARKER))).toBe(false);
  });

  it("is not believed where others could have written it", async () => {
    const { env, run } = createScene({ "tutti.config.ts": CODE });
    expect(await run(["config", "trust"])).toMatchObject({ code: 0 });
    const file = join(env.TUTTI_HOME, "trusted.json");
    spawnSync("chmod", ["666", file]);
    expect((await run(["pool"])).stderr).toContain("could be written by others");
    spawnSync("chmod", ["600", file]);
    writeFileSync(file, "{}");
    expect(await run(["pool"])).toMatchObject({ code: 2, stderr: expect.stringContaining("is damaged") });
  });

  it("is needed for a config that the folder of a training names", async () => {
    const { cwd, run, write } = createScene({ "own.jsonl": TASKS, "other.ts": CODE });
    const begun = [
      "train",
      "--tasks",
      "own.jsonl",
      "--config",
      "other.ts",
      "--budget-usd",
      "1",
      "--out",
      "t",
    ];
    write("other.ts", "export default { workers: [] };\n");
    await run([...begun, "--yes"]);
    mkdirSync(join(cwd, "t"), { recursive: true });
    const settings = {
      ...{ world: { kind: "tasks", tasks: "own.jsonl", config: "other.ts", budgetUsd: 1 }, iterations: 1 },
      ...{ seed: 0, rounds: 1, pools: "fixed", group: 2, questions: 1, costPerCall: 0, supervised: false },
      ...{ words: "generic", threads: 1 },
    };
    const statement = { version: 1, world: "own", isSimulated: false, seed: 0, command: "", settings };
    write("t/training.json", JSON.stringify({ ...statement, startedAt: 0, state: "stopped", notices: [] }));
    write("other.ts", CODE);
    const resumed = await run(["train", "--resume", "t", "--yes"]);
    expect(resumed.stderr).toContain("other.ts was found here, nobody has trusted it");
    expect(resumed.code).toBe(2);
    expect(existsSync(join(cwd, MARKER))).toBe(false);
  });
});

describe("the line about a config that was found", () => {
  const OWN = '{"workers":["openai/gpt-6-sol","anthropic/claude-opus-5-5"]}';

  it("names the file and its hosts, also with --json, and not for one that was named", async () => {
    const { run } = createScene({ "tutti.config.json": OWN });
    const line = "Config tutti.config.json: api.openai.com, api.anthropic.com\n";
    expect(await run(["runs"])).toMatchObject({ code: 0, stderr: line });
    expect(await run(["runs", "--json"])).toMatchObject({ code: 0, stderr: line, stdout: "[]\n" });
    expect(await run(["runs", "--config", "tutti.config.json"])).toMatchObject({ code: 0, stderr: "" });
    expect((await run(["runs"], { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" })).stderr).toContain(
      "Config tutti.config.json: 127.0.0.1:9, api.anthropic.com",
    );
  });

  it("is left out by --quiet only where no stranger is among them", async () => {
    const { run, write } = createScene({});
    const ask = () => run(["ask", "--quiet", "--pool", "rehearsal", "What is 1+1?"]);
    write("tutti.config.json", OWN);
    expect((await ask()).stderr).not.toContain("Config");
    const stranger = { model: "x/y", baseUrl: "https://api.openai.com.evil.example/v1" };
    write("tutti.config.json", JSON.stringify({ workers: ["openai/gpt-6-sol", stranger] }));
    expect((await ask()).stderr).toContain(
      "Config tutti.config.json: api.openai.com.evil.example, api.openai.com\n",
    );
  });
});

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const hasTerminal = spawnSync("script", ["--version"]).status === 0;

/** In a terminal of its own, by util-linux's `script`; the answer is typed when the question is there. */
function runInTerminal(
  args: string[],
  cwd: string,
  env: Record<string, string>,
  answer: string,
  beforeAnswer = () => {},
) {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH ?? "", TUTTI_REHEARSAL_DELAY: "0", ...env },
  });
  let screen = "";
  let isAnswered = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    if (isAnswered || !screen.includes("yes or no:")) return;
    isAnswered = true;
    beforeAnswer();
    child.stdin.write(answer);
  });
  return new Promise<{ code: number | null; screen: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, screen }));
  });
}

describe.skipIf(!hasTerminal)("on a terminal", () => {
  it("a person is asked once, told why, and the yes is kept", async () => {
    const { cwd, env } = createScene({ "tutti.config.ts": CODE });
    const first = await runInTerminal(["pool"], cwd, env, "y\n");
    expect(first.screen).toContain(`${join(cwd, "tutti.config.ts")} was found here and is not trusted yet:`);
    expect(first.screen).toContain("it is code: it runs as you, and can read your keys and files");
    expect(first.code).toBe(0);
    expect(existsSync(join(cwd, MARKER))).toBe(true);
    const second = await runInTerminal(["pool"], cwd, env, "n\n");
    expect(second.screen).not.toContain("yes or no");
    expect(second.code).toBe(0);
  });

  it.each(["n\n", "\n", "yse\n", "\u0004"])("anything but a yes is a no: %j", async (answer) => {
    const { cwd, env } = createScene({ "tutti.config.json": thief("ANTHROPIC_API_KEY") });
    const { code, screen } = await runInTerminal(["pool", "check"], cwd, env, answer);
    expect(screen).toContain(`it sends ANTHROPIC_API_KEY to ${new URL(strangerUrl).host}`);
    expect(screen).toContain("tutti.config.json is not trusted.");
    expect(screen).not.toContain(SECRET);
    expect(code).toBe(2);
    expect(received).toEqual([]);
    expect(existsSync(join(env.TUTTI_HOME, "trusted.json"))).toBe(false);
  });

  it("a yes that cannot be kept is good for once", async () => {
    const { cwd, env } = createScene({ "tutti.config.ts": CODE });
    for (let i = 0; i < 2; i++) {
      const { code, screen } = await runInTerminal(["pool"], cwd, { ...env, TUTTI_HOME: cwd }, "yes\n");
      expect(screen).toContain("Trusted this once: TUTTI_HOME");
      expect(code).toBe(0);
    }
    expect(existsSync(join(cwd, "trusted.json"))).toBe(false);
  });

  it("what is changed while the person thinks is not run", async () => {
    const files = {
      "tutti.config.ts": 'import "./part.mjs";\nexport default {};\n',
      "part.mjs": "export {};\n",
    };
    for (const changed of Object.keys(files)) {
      const { cwd, env, write } = createScene(files);
      const change = () => write(changed, CODE);
      const { code } = await runInTerminal(["runs"], cwd, env, "y\n", change);
      // The config runs as it was read; a file beside it is noticed.
      expect(code).toBe(changed === "part.mjs" ? 2 : 0);
      expect(existsSync(join(cwd, MARKER))).toBe(false);
    }
  });
});
