// What people install: the tarball in an empty folder compiles strictly and serves a streaming request.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { startChatServer } from "../testing/gateway/chat-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), "tutti-packed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("the packed tarball, installed in an empty folder, compiles strictly and serves a streaming request", async () => {
  // Without scripts: dist is as the tests found it, and other tests are using it.
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: ROOT });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))!;
  const project = join(folder, "project");
  const upstream = await startChatServer({ models: ["alpha"], reply: () => "Hello from the team." });
  try {
    const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", "--loglevel=error"];
    await run("npm", ["install", "--prefix", project, ...flags, join(folder, tarball)], {
      cwd: folder,
      maxBuffer: 1e8,
    });
    await compileStrictly(project);
    expect(await runInThreads(join(project, "node_modules/tutti/dist"))).toBe("timeout 42 name");
    writeFileSync(
      join(project, "tutti.config.json"),
      JSON.stringify({
        workers: [
          {
            id: "stub/alpha",
            model: "stub/alpha",
            baseUrl: upstream.baseUrl,
            price: { inputUsd: 1, outputUsd: 2 },
          },
        ],
      }),
    );
    const child = spawn(
      join(project, "node_modules", ".bin", "tutti"),
      ["serve", "--port", "0", "--json", "--log", "error"],
      {
        cwd: project,
        env: { PATH: process.env.PATH ?? "", TUTTI_HOME: join(folder, "home") },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const ended = once(child, "exit");
    try {
      const [line] = await Promise.race([
        once(child.stdout, "data"),
        ended.then(([code]) => {
          throw new Error(`tutti serve ended with ${code}: ${said}`);
        }),
      ]);
      const { url } = JSON.parse(String(line)) as { url: string };
      for (const model of ["tutti-fast", "stub/alpha"]) {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hello?" }] }),
        });
        expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
        const text = await response.text();
        const pieces = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece);
        expect(pieces.join("")).toBe("Hello from the team.");
        expect(pieces.length).toBeGreaterThan(1);
        expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
      }
    } finally {
      child.kill("SIGTERM");
      await ended;
    }
  } finally {
    await upstream.close();
  }
}, 300_000);

/** Our declarations and those they import hold with every check on: whoever compiles against them gets no error of ours. */
async function compileStrictly(project: string): Promise<void> {
  const program = `import { createTutti, isTuttiError, type Run } from "tutti";
import { startGateway } from "tutti/gateway";
const tutti = createTutti({ store: "memory" });
const run: Run = await tutti.ask("17 plus 25").catch((error: unknown) => {
  throw isTuttiError(error) ? new Error(error.code) : error;
});
console.log(run.answer.length, run.stopReason, typeof startGateway);
await tutti.close();
`;
  writeFileSync(join(project, "mine.mts"), program);
  const flags = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "false",
    "--module",
    "NodeNext",
    "--target",
    "ES2023",
  ];
  const types = ["--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node"];
  await run(join(ROOT, "node_modules/.bin/tsc"), [...flags, ...types, "mine.mts"], { cwd: project });
}

/** Strangers' programs and schemas run in threads, whose files must be there; the process ends by itself after that. */
async function runInThreads(dist: string): Promise<string> {
  const script = `
const { runProgram } = await import(${JSON.stringify(`${dist}/task/sandbox/sandbox.js`)});
const { readJsonOutput } = await import(${JSON.stringify(`${dist}/answer/json-output.js`)});
const run = (source) => runProgram({ language: "javascript", engine: "quickjs", source, timeoutMs: 2000 });
const { exit } = await run("Array.prototype.indexOf.call({ length: 2 ** 53 }, 1)");
const { stdout } = await run("console.log(6 * 7)");
const { problem } = await readJsonOutput('{"name":"x"}', { properties: { name: { pattern: "^y" } } });
console.log(exit, stdout.trim(), /name/.exec(problem)?.[0]);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { timeout: 60_000 });
  return stdout.trim();
}
