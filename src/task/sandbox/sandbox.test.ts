// JavaScript from strangers: in Node inside bubblewrap, and in QuickJS where there is none.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chooseSandbox, describeMissing, runProgram } from "./sandbox.ts";
import type { ProgramOptions } from "./types.ts";

const SECRET = "tutti-marker-5f1c";
const LIMITS = { timeoutMs: 5_000, memoryMb: 256, maxOutputBytes: 20_000 };

beforeAll(() => vi.stubEnv("TUTTI_TEST_SECRET", SECRET));
afterAll(() => vi.unstubAllEnvs());

const node = (source: string, options: Partial<ProgramOptions> = {}) =>
  runProgram({ language: "javascript", source, ...LIMITS, ...options });

const sandbox = await chooseSandbox("javascript");
if (sandbox !== "bubblewrap") {
  const missing = await chooseSandbox("python");
  if (typeof missing === "object") console.log(`Skipped: ${describeMissing("javascript", missing)}`);
}

describe.skipIf(sandbox !== "bubblewrap")("JavaScript in bubblewrap", () => {
  it("runs Node with its input and nothing of the host", async () => {
    const source = `
const fs = require("fs");
console.log(fs.readFileSync(0, "utf8"), fs.existsSync("/etc/passwd"), fs.existsSync(${JSON.stringify(import.meta.filename)}));
console.log(JSON.stringify(process.env), fs.readFileSync("/proc/1/environ", "utf8"));`;
    const result = await node(source, { stdin: "in" });
    expect(result).toMatchObject({ exit: "ok", ranIn: "bubblewrap" });
    expect(result.stdout).toContain("in false false");
    expect(result.stdout).not.toContain(SECRET);
  });

  it("ends a program that takes too much memory, on the heap or beside it", async () => {
    const programs = [
      "const all = []; for (;;) all.push(new Array(100000).fill(1.5))",
      "const all = []; for (;;) all.push(Buffer.alloc(10000000, 1))",
    ];
    for (const source of programs) expect((await node(source, { memoryMb: 128 })).exit).toBe("memory");
  });

  it("has no network and cannot fork without end", async () => {
    const source = `
require("net").connect(9, "127.0.0.1").on("error", (error) => console.log(error.code));
const { spawn } = require("child_process");
let made = 0, failed = 0;
for (let i = 0; i < 60; i++) {
  const child = spawn("/usr/bin/sleep", ["0.2"]);
  child.on("error", () => {});
  if (child.pid === undefined) failed++; else made++;
}
console.log(made < 60, failed > 0);`;
    const { stdout } = await node(source);
    expect(stdout).toContain("true true");
    expect(stdout).toContain("ECONNREFUSED");
  });

  it("ends an endless loop and an endless output", async () => {
    expect((await node("for (;;);", { timeoutMs: 500 })).exit).toBe("timeout");
    const loud = "const { writeSync } = require('fs'); for (;;) writeSync(1, 'x'.repeat(1000))";
    expect((await node(loud)).exit).toBe("output");
  });
});

describe("JavaScript in QuickJS", () => {
  const quick = (source: string, options: Partial<ProgramOptions> = {}) =>
    node(source, { engine: "quickjs", ...options });

  it("runs a program with its input", async () => {
    const programs = [
      'console.log(require("fs").readFileSync(0, "utf8").trim())',
      "console.log(readline()); console.log(readline())",
      'process.stdin.on("data", (text) => process.stdout.write(text))',
      'require("readline").createInterface({ input: process.stdin }).on("line", (line) => console.log(line))',
      "(async () => { for await (const line of require('readline').createInterface({})) print(line) })()",
    ];
    for (const source of programs) {
      const result = await quick(source, { stdin: "one\ntwo\n" });
      expect(result, source).toMatchObject({ exit: "ok", stdout: "one\ntwo\n", ranIn: "quickjs" });
    }
  });

  it("reports exit codes and errors", async () => {
    expect(await quick("process.exit(3)")).toMatchObject({ exit: "error", code: 3 });
    expect(await quick("console.log(1); process.exit(0); console.log(2)")).toMatchObject({
      exit: "ok",
      stdout: "1\n",
    });
    expect(await quick("null.x")).toMatchObject({
      exit: "error",
      stderr: expect.stringContaining("TypeError"),
    });
    expect(await quick("let let")).toMatchObject({
      exit: "error",
      stderr: expect.stringContaining("SyntaxError"),
    });
  });

  it("ends endless work, memory, output and recursion", async () => {
    expect((await quick("for (;;);", { timeoutMs: 200 })).exit).toBe("timeout");
    expect((await quick("for (;;) { try { for (;;); } catch {} }", { timeoutMs: 200 })).exit).toBe("timeout");
    expect((await quick("/(a+)+$/.test('a'.repeat(40) + 'b')", { timeoutMs: 200 })).exit).toBe("timeout");
    expect(
      (await quick("const all = []; for (;;) all.push(new Array(1000).fill({}))", { memoryMb: 32 })).exit,
    ).toBe("memory");
    const loud = await quick("for (;;) console.log('x'.repeat(1000))");
    expect(loud.exit).toBe("output");
    expect(loud.stdout).toHaveLength(LIMITS.maxOutputBytes);
    expect((await quick("const f = () => f() + 1; f()")).exit).toBe("error");
    expect((await quick("console.log(1)")).stdout).toBe("1\n");
  });

  it("reaches nothing of this process", async () => {
    const source = `
const seen = [];
for (const name of ["fetch", "WebAssembly", "Deno", "Bun", "Worker", "setTimeout", "std", "os"]) if (globalThis[name]) seen.push(name);
const world = console.log.constructor("return globalThis")();
console.log(seen.join(), world === globalThis, JSON.stringify(world.process.env));
for (const name of ["child_process", "net", "os", "../../base/errors.ts"]) try { require(name); console.log("GOT", name); } catch {}
try { require("fs").readFileSync("/etc/passwd"); console.log("READ"); } catch {}
import("fs").then(() => console.log("IMPORTED"), () => {});`;
    const { stdout } = await quick(source);
    expect(stdout).toBe(" true {}\n");
  });

  it("refuses Python and names the command that would help", async () => {
    await expect(runProgram({ language: "python", source: "1", engine: "quickjs" })).rejects.toMatchObject({
      code: "sandbox-missing",
      message: expect.stringContaining("apt-get install bubblewrap"),
    });
  });
});
