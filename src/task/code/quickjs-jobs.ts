// The thread's side of grading a program in QuickJS: calls its function with the cases of a task, or runs the task's
// check in a second world that asks the first. What is expected never enters the program's world, and whether a promise
// was kept is asked of the engine.
import type { QuickJSHandle } from "quickjs-emscripten-core";
import { createQuickJsWorld, type Evaluated, type QuickJsWorld } from "../sandbox/quickjs-world.ts";
import type { ProgramResult, SandboxLimits } from "../sandbox/types.ts";
import { QUICKJS_CHECK_SIDE, QUICKJS_PROGRAM_SIDE } from "./javascript.ts";

interface QuickJsFailure {
  exit: ProgramResult["exit"];
  message: string;
}

/** The text that the program's side replied with, or how it failed: then no other case was called. */
export type QuickJsCase = { reply: string } | { failure: QuickJsFailure };

export async function callInQuickJs(job: {
  source: string;
  /** As javascript.ts reads them. */
  requests: string[];
  limits: SandboxLimits;
}): Promise<QuickJsCase[]> {
  const program = await loadProgram(job.source, job.limits);
  const outcomes: QuickJsCase[] = [];
  for (const request of job.requests) {
    const outcome = program.ask(request);
    outcomes.push("failure" in outcome ? { failure: outcome.failure } : outcome);
    if ("failure" in outcome) break;
  }
  return outcomes;
}

/** Why the check did not pass: by the program's own end, by the check, or because no program could. */
export type QuickJsVerdict =
  | { type: "passed" }
  | { type: "program"; failure: QuickJsFailure }
  | { type: "check"; message: string }
  | { type: "unfit"; why: string };

const IS_ASYNC = /\b(?:async|await|Promise|then)\b/;

export async function checkInQuickJs(job: {
  source: string;
  check: string;
  entry: string;
  limits: SandboxLimits;
}): Promise<QuickJsVerdict> {
  const program = await loadProgram(job.source, job.limits);
  const judge = await createQuickJsWorld(job.limits);
  let gone: QuickJsFailure | undefined;
  let unfit: string | undefined;
  const send = judge.context.newFunction("send", (text) => {
    const request = judge.context.getString(text);
    unfit ??= (JSON.parse(request) as { unfit?: string }).unfit;
    if (unfit !== undefined) throw new Error(unfit);
    const outcome = program.ask(request);
    const reply = "reply" in outcome ? parse(outcome.reply) : outcome.thrown && { e: outcome.thrown };
    if (!reply) {
      gone ??= "failure" in outcome ? outcome.failure : { exit: "error", message: "the reply is not JSON" };
      throw new Error("the program ended before its check did");
    }
    return judge.context.newString(JSON.stringify({ ...reply, isPromise: outcome.isPromise }));
  });
  const side = need(judge.evaluate(QUICKJS_CHECK_SIDE, "side.js"));
  need(judge.call(need(judge.evaluate(ASSERT, "assert.js")), judge.modules));
  const task = JSON.stringify({ check: job.check, entry: job.entry });
  const checked = judge.call(side, send, judge.context.newString(task));
  if (unfit !== undefined) return { type: "unfit", why: unfit };
  if (gone) return { type: "program", failure: gone };
  if ("error" in checked) return { type: "check", message: toText(checked.error) };
  if (checked.promise === "pending") return { type: "check", message: "Error: the check never finished" };
  // What a promise that nobody kept came to, QuickJS does not tell.
  if (checked.promise === undefined && IS_ASYNC.test(job.check))
    return {
      type: "unfit",
      why: "the check does not wait for its own promises; install bubblewrap to run it in Node",
    };
  return { type: "passed" };
}

type Asked = { isPromise: boolean } & (
  | { reply: string }
  /** `thrown`: by the program itself, for the check to catch. */
  | { failure: QuickJsFailure; thrown?: [name: string, message: string] }
);

/** The side is made before the program runs, so that it has JSON and eval as they were. */
async function loadProgram(source: string, limits: SandboxLimits): Promise<{ ask(request: string): Asked }> {
  const world = await createQuickJsWorld(limits);
  const side = need(world.evaluate(QUICKJS_PROGRAM_SIDE, "side.js"));
  const loaded = world.evaluate(source);
  return {
    ask(text) {
      if ("error" in loaded) return toAsked(loaded);
      const request = world.context.newString(text);
      const done = world.call(side, request);
      if ("error" in done) return toAsked(done);
      const isPromise = done.promise !== undefined;
      if (done.promise === "pending")
        return { ...toFailure("error", "Error: the program's promise was never kept"), isPromise };
      const replied = world.call(side, request, done.value);
      if ("error" in replied) return { ...toAsked(replied), isPromise };
      const reply = readText(world, replied.value);
      return reply === undefined
        ? { ...toFailure("error", "Error: there was no reply"), isPromise }
        : { reply, isPromise };
    },
  };
}

const toFailure = (exit: ProgramResult["exit"], message: string) => ({ failure: { exit, message } });

function toAsked({ error, promise }: Extract<Evaluated, { error: unknown }>): Asked {
  const { exit, name, message, isThrown } = error;
  return {
    // A program that ends itself has not answered.
    failure: { exit: exit === "ok" ? "error" : exit, message: toText(error) },
    thrown: isThrown ? [name, message] : undefined,
    isPromise: promise !== undefined,
  };
}

function readText({ context }: QuickJsWorld, handle: QuickJSHandle): string | undefined {
  return context.typeof(handle) === "string" ? context.getString(handle) : undefined;
}

function parse(reply: string): object | undefined {
  try {
    const value: unknown = JSON.parse(reply);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const toText = ({ name, message }: { name: string; message: string }) => `${name || "Error"}: ${message}`;

/** For our own text, which cannot fail but for lack of memory. */
function need(evaluated: Evaluated): QuickJSHandle {
  if ("error" in evaluated) throw new Error(toText(evaluated.error));
  return evaluated.value;
}

// The few functions of Node's assert that checks use.
const ASSERT = `
((modules) => {
  const isDeep = (a, b) => {
    if (Object.is(a, b) || a === b) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (a instanceof Date) return a.getTime() === b.getTime();
    if (a instanceof Map || a instanceof Set) return isDeep([...a], [...b]);
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isDeep(a[key], b[key]));
  };
  class AssertionError extends Error { constructor(text) { super(text || "not so"); this.name = "AssertionError"; } }
  const must = (condition, text) => { if (!condition) throw new AssertionError(text); };
  const assert = (value, text) => must(value, text);
  assert.ok = assert;
  assert.equal = (a, b, text) => must(a == b || Object.is(a, b), text);
  assert.notEqual = (a, b, text) => must(a != b, text);
  assert.strictEqual = (a, b, text) => must(Object.is(a, b), text);
  assert.notStrictEqual = (a, b, text) => must(!Object.is(a, b), text);
  assert.deepEqual = assert.deepStrictEqual = (a, b, text) => must(isDeep(a, b), text);
  assert.notDeepEqual = assert.notDeepStrictEqual = (a, b, text) => must(!isDeep(a, b), text);
  assert.fail = (text) => must(false, text);
  assert.throws = (act) => {
    let didThrow = false;
    try { act(); } catch { didThrow = true; }
    must(didThrow, "nothing was thrown");
  };
  assert.AssertionError = AssertionError;
  assert.strict = assert;
  modules.assert = globalThis.assert = assert;
  console.assert = assert;
})
`;
