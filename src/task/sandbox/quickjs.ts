// JavaScript without any process: QuickJS compiled to WebAssembly. It has no files, no network, no modules
// and no timers; a program gets `console`, its standard input, and what is written below. It runs in this
// process's own thread, so nothing else happens here until it ends or its time is up.
import {
  newQuickJSWASMModule,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  RELEASE_SYNC,
} from "quickjs-emscripten";
import type { ProgramResult, SandboxLimits } from "./types.ts";

// Neither ES2023 nor the types of Node name it.
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => object;
};

const STACK_BYTES = 512 * 1024;
/** WebAssembly cannot address more than 4 GB, and one program should not come near. */
const MAX_MEMORY_MB = 1024;
const PAGES_PER_MB = 16;
/** What the module was compiled to begin with. */
const FIRST_PAGES = 256;

// Written from scratch rather than taken from Node: the few ways in which programs read and print.
const WORLD = `
((write, input) => {
  const show = (value, depth) => {
    if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value);
    if (typeof value === "bigint") return value + "n";
    if (typeof value === "function") return "[Function: " + (value.name || "anonymous") + "]";
    if (value === null || typeof value !== "object") return String(value);
    if (value instanceof Error) return String(value.stack ? value + "\\n" + value.stack : value);
    if (depth > 2) return Array.isArray(value) ? "[Array]" : "[Object]";
    if (Array.isArray(value)) return value.length === 0 ? "[]" : "[ " + value.map((each) => show(each, depth + 1)).join(", ") + " ]";
    const parts = Object.entries(value).map(([key, each]) => key + ": " + show(each, depth + 1));
    return parts.length === 0 ? "{}" : "{ " + parts.join(", ") + " }";
  };
  const line = (values) => values.map((value) => show(value, 0)).join(" ") + "\\n";
  const log = (...values) => write(1, line(values));
  const complain = (...values) => write(2, line(values));
  globalThis.console = { log, info: log, debug: log, error: complain, warn: complain };
  globalThis.print = log;
  let at = 0;
  globalThis.readStdin = () => input;
  globalThis.readline = () => {
    if (at >= input.length) return null;
    const end = input.indexOf("\\n", at);
    const text = input.slice(at, end < 0 ? input.length : end);
    at = end < 0 ? input.length : end + 1;
    return text;
  };
  class Exit extends Error {}
  const fs = {
    readFileSync: (path) => {
      if (path !== 0 && path !== "/dev/stdin") throw new Error("there are no files in this sandbox, only 0 and /dev/stdin");
      return input;
    },
    writeSync: (descriptor, text) => write(descriptor, String(text)),
  };
  const listen = (name, act) => {
    if (name === "data" && input !== "") Promise.resolve().then(() => act(input));
    if (name === "end" || name === "close") Promise.resolve().then(() => {}).then(() => act());
    return stdin;
  };
  const stdin = { on: listen, once: listen, setEncoding: () => stdin, resume: () => stdin, fd: 0 };
  const createInterface = () => {
    const face = {
      on: (name, act) => {
        if (name === "line") Promise.resolve().then(() => { for (let text = readline(); text !== null; text = readline()) act(text); });
        if (name === "close") Promise.resolve().then(() => {}).then(() => act());
        return face;
      },
      close: () => {},
      async *[Symbol.asyncIterator]() { for (let text = readline(); text !== null; text = readline()) yield text; },
    };
    return face;
  };
  globalThis.process = {
    stdin, argv: ["node", "main.js"], env: {}, platform: "quickjs",
    stdout: { write: (text) => { write(1, String(text)); return true; } },
    stderr: { write: (text) => { write(2, String(text)); return true; } },
    exit: (code = 0) => { write(3, String(code)); throw new Exit("exit"); },
  };
  const modules = { fs, readline: { createInterface } };
  globalThis.module = { exports: {} };
  globalThis.exports = module.exports;
  globalThis.require = (name) => {
    const known = modules[String(name).replace(/^node:/, "")];
    if (known === undefined) throw new Error("there is no module " + JSON.stringify(name) + " in this sandbox");
    return known;
  };
  return modules;
})
`;

export interface QuickJsWorld {
  context: QuickJSContext;
  /** What `require` finds, by name. */
  modules: QuickJSHandle;
  stdout(): string;
  stderr(): string;
  /** Evaluates text and the promises it leaves behind; undefined where it failed, and `failure` tells how. */
  evaluate(text: string, name?: string): QuickJSHandle | undefined;
  call(target: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle | undefined;
  failure(): { exit: ProgramResult["exit"]; code: number; message: string } | undefined;
}

/**
 * A world of its own, with its own memory: what one program breaks, no other one sees. Nothing has to be
 * disposed of; the memory goes with the module when nobody holds it any more.
 */
export async function createQuickJsWorld(limits: SandboxLimits, input = ""): Promise<QuickJsWorld> {
  // The engine's own limit does not count what an allocation really takes, so the whole memory is bounded.
  const maximum = Math.max(
    Math.min(limits.memoryMb, MAX_MEMORY_MB) * PAGES_PER_MB,
    FIRST_PAGES + PAGES_PER_MB,
  );
  const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum });
  const module = await newQuickJSWASMModule(newVariant(RELEASE_SYNC, { wasmMemory }));
  const runtime = module.newRuntime();
  const deadline = performance.now() + limits.timeoutMs;
  const out = { 1: "", 2: "" };
  let exitCode: number | undefined;
  let failure: ReturnType<QuickJsWorld["failure"]>;
  let isFull = false;
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setInterruptHandler(() => isFull || exitCode !== undefined || performance.now() > deadline);
  const context = runtime.newContext();

  const fail = (message: string) => {
    const exit = (): ProgramResult["exit"] => {
      if (exitCode !== undefined) return exitCode === 0 ? "ok" : "error";
      if (isFull) return "output";
      if (performance.now() > deadline) return "timeout";
      // Where nothing is left, there is no room for the message either.
      return message === "" || /out of memory/.test(message) ? "memory" : "error";
    };
    failure ??= { exit: exit(), code: exitCode ?? 1, message: exitCode === undefined ? message : "" };
  };
  const guard = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      // The engine itself gave up, such as when its own stack ran out.
      fail(String(error));
      return undefined;
    }
  };
  const settle = (outcome: ReturnType<QuickJSContext["evalCode"]>): QuickJSHandle | undefined => {
    const failed = outcome.error ?? runtime.executePendingJobs().error;
    if (!failed) return outcome.unwrap();
    const error = context.dump(failed);
    failed.dispose();
    fail(describe(error));
    return undefined;
  };
  const world: QuickJsWorld = {
    context,
    modules: context.undefined,
    stdout: () => out[1],
    stderr: () => out[2],
    evaluate: (text, name = "main.js") => guard(() => settle(context.evalCode(text, name))),
    call: (target, ...args) => guard(() => settle(context.callFunction(target, context.undefined, ...args))),
    failure: () => failure,
  };
  const write = context.newFunction("write", (descriptor, text) => {
    const to = context.getNumber(descriptor);
    const written = context.getString(text);
    if (to === 3) exitCode = Number(written) || 0;
    if (to !== 1 && to !== 2) return;
    const room = limits.maxOutputBytes - out[1].length - out[2].length;
    out[to] += written.slice(0, Math.max(0, room));
    if (written.length > room) isFull = true;
  });
  const make = world.evaluate(WORLD, "world.js");
  world.modules = (make && world.call(make, write, context.newString(input))) ?? context.undefined;
  return world;
}

/** Runs a program to its end. */
export async function runInQuickJs(program: {
  source: string;
  stdin: string;
  limits: SandboxLimits;
}): Promise<ProgramResult> {
  const started = performance.now();
  const world = await createQuickJsWorld(program.limits, program.stdin);
  world.evaluate(program.source);
  const failure = world.failure();
  return {
    exit: failure?.exit ?? "ok",
    code: failure?.code ?? 0,
    stdout: world.stdout(),
    stderr: world.stderr() + (failure?.message ?? ""),
    ranIn: "quickjs",
    durationMs: performance.now() - started,
  };
}

function describe(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { name, message } = error as Partial<Error>;
  return `${name ?? "Error"}: ${message ?? ""}`;
}
