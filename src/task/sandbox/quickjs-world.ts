// JavaScript without any process: QuickJS compiled to WebAssembly. It has no files, no network, no modules
// and no timers; a program gets `console`, its standard input, and what is written below. Only ever loaded in a thread
// that is ended at the deadline (thread.ts): inside QuickJS's own built-in functions the interrupt handler is not called.
import releaseSync from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import type { ProgramResult, SandboxLimits } from "./types.ts";

// Neither ES2023 nor the types of Node name it.
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => object;
};

// Its declarations are those of CommonJS, where the default export lies one level deeper than here.
const RELEASE_SYNC = releaseSync as unknown as QuickJSSyncVariant;

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
    writeSync: (descriptor, text) => write(Number(descriptor), String(text)),
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
    exit: (code = 0) => { write(3, Number(code)); throw new Exit("exit"); },
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

/** How a program failed. */
interface ProgramError {
  exit: ProgramResult["exit"];
  code: number;
  name: string;
  message: string;
  /** Thrown by the program itself, which may go on; else a limit was reached or it ended itself. */
  isThrown: boolean;
}

/** What became of some text or a call, once the promises it left behind had their turn. */
export type Evaluated =
  /** Of a promise its value; where it never settles, the promise itself. */
  { value: QuickJSHandle; promise?: "fulfilled" | "pending" } | { error: ProgramError; promise?: "rejected" };

export interface QuickJsWorld {
  context: QuickJSContext;
  /** What `require` finds, by name. */
  modules: QuickJSHandle;
  stdout(): string;
  stderr(): string;
  evaluate(text: string, name?: string): Evaluated;
  call(target: QuickJSHandle, ...args: QuickJSHandle[]): Evaluated;
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
  // Node's types and the browser's, by which the dashboard is checked, name the memory differently.
  const variant = newVariant(RELEASE_SYNC, { wasmMemory: wasmMemory as never });
  const module = await newQuickJSWASMModuleFromVariant(variant);
  const runtime = module.newRuntime();
  // Not before the world is made: that is our own work, which takes longer where the machine is busy.
  let deadline = Number.POSITIVE_INFINITY;
  const out = { 1: "", 2: "" };
  let exitCode: number | undefined;
  let isFull = false;
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setInterruptHandler(() => isFull || exitCode !== undefined || performance.now() > deadline);
  const context = runtime.newContext();

  const toError = (name: string, message: string): ProgramError => {
    const error = { code: 1, name, message, isThrown: false };
    if (exitCode !== undefined)
      return { ...error, exit: exitCode === 0 ? "ok" : "error", code: exitCode, message: "" };
    if (isFull) return { ...error, exit: "output" };
    if (performance.now() > deadline) return { ...error, exit: "timeout" };
    // Where nothing is left, there is no room for the message either.
    if ((name === "" && message === "") || /out of memory/.test(message)) return { ...error, exit: "memory" };
    return { ...error, exit: "error", isThrown: true };
  };
  const read = (failed: QuickJSHandle): ProgramError => {
    const { name, message } = describe(context.dump(failed));
    failed.dispose();
    return toError(name, message);
  };
  const settle = (act: () => ReturnType<QuickJSContext["evalCode"]>): Evaluated => {
    try {
      const outcome = act();
      const failed = outcome.error ?? runtime.executePendingJobs().error;
      if (failed) return { error: read(failed) };
      // Ended in a promise's turn, which throws to nobody.
      if (exitCode !== undefined || isFull || performance.now() > deadline) return { error: toError("", "") };
      const value = outcome.unwrap();
      // Asked of the engine, not of the program's own Promise.
      const state = context.getPromiseState(value);
      if (state.type === "rejected") return { error: read(state.error), promise: "rejected" };
      if (state.type === "pending") return { value, promise: "pending" };
      return state.notAPromise ? { value } : { value: state.value, promise: "fulfilled" };
    } catch (error) {
      // The engine itself gave up, such as when its own stack ran out.
      return { error: toError("Error", String(error)) };
    }
  };
  const world: QuickJsWorld = {
    context,
    modules: context.undefined,
    stdout: () => out[1],
    stderr: () => out[2],
    evaluate: (text, name = "main.js") => settle(() => context.evalCode(text, name)),
    call: (target, ...args) => settle(() => context.callFunction(target, context.undefined, ...args)),
  };
  const slice = context.unwrapResult(context.evalCode("(text, end) => text.slice(0, end)"));
  const write = context.newFunction("write", (descriptor, text) => {
    const to = context.getNumber(descriptor);
    if (to === 3) exitCode = context.getNumber(text) || 0;
    if (to !== 1 && to !== 2) return;
    const room = limits.maxOutputBytes - out[1].length - out[2].length;
    const length = context.getProp(text, "length").consume((handle) => context.getNumber(handle));
    if (length > room) isFull = true;
    // Cut before it is copied: a text may be as long as all of the program's memory.
    const kept = length > room ? context.callFunction(slice, text, text, context.newNumber(room)) : undefined;
    out[to] += context.getString(kept ? context.unwrapResult(kept) : text);
  });
  const made = world.evaluate(WORLD, "world.js");
  const modules = "value" in made ? world.call(made.value, write, context.newString(input)) : made;
  if ("error" in modules)
    throw new Error(`The world for a program could not be made: ${modules.error.message}`);
  world.modules = modules.value;
  deadline = performance.now() + limits.timeoutMs;
  return world;
}

function describe(error: unknown): { name: string; message: string } {
  if (typeof error !== "object" || error === null) return { name: "", message: String(error ?? "") };
  const { name = "Error", message = "" } = error as Partial<Error>;
  return { name: String(name), message: String(message) };
}
