// Runs the check of a task, code that calls the program and throws where it is wrong. Program and check
// sit in two sandboxes that talk in JSON lines, so that the program can bend neither the comparison nor
// the verdict. Only checks that reach into the program's modules (unittest with mocks, as in BigCodeBench)
// run in its own process; their grades say so.
import { randomBytes } from "node:crypto";
import { createQuickJsWorld } from "../sandbox/quickjs.ts";
import { runLinked } from "../sandbox/sandbox.ts";
import { DEFAULT_LIMITS, type ProgramResult } from "../sandbox/types.ts";
import { type CodeFailure, type CodeJob, describeExit, gradeInside, needsModule, show } from "./cases.ts";
import {
  CHECK_SIDE as JAVASCRIPT_CHECK,
  PROGRAM_SIDE as JAVASCRIPT_PROGRAM,
  QUICKJS_CHECK_SIDE,
  QUICKJS_PROGRAM_SIDE,
} from "./javascript.ts";
import { CHECK_SIDE as PYTHON_CHECK, PROGRAM_SIDE as PYTHON_PROGRAM } from "./python-check.ts";

const REACHES_INSIDE = /\b(unittest|pytest|mock|patch|__main__|globals|sys\.modules)\b/;
const CHECK_START_MS = 3_000;
const MAX_REPLY_BYTES = 16 * 1_048_576;

interface CheckVerdict {
  ok: boolean;
  why?: string;
  line?: string;
  gone?: boolean;
  /** A module that the check itself could not import. */
  module?: string;
}

/** True where the check has to run in the program's own process. Decided by the check alone, never by the program. */
export const isCheckedInside = ({ language, check }: CodeJob) =>
  language === "python" && REACHES_INSIDE.test(check);

export async function gradeCheck(job: CodeJob): Promise<CodeFailure> {
  if (isCheckedInside(job)) return gradeInside(job);
  return job.engine === "quickjs" ? checkInQuickJs(job) : checkApart(job);
}

async function checkApart(job: CodeJob): Promise<CodeFailure> {
  const isPython = job.language === "python";
  const { source, before, check, entry, timeoutMs } = job;
  const mark = randomBytes(16).toString("hex");
  // The program gets another mark: the check's own is what makes a verdict.
  const forProgram = { source, before, timeoutMs, mark: randomBytes(16).toString("hex") };
  const limits = { timeoutMs: timeoutMs + CHECK_START_MS, maxOutputBytes: MAX_REPLY_BYTES, flags: ["-S"] };
  const toSide = (code: string, task: object) => ({
    ...limits,
    source: code,
    first: `${JSON.stringify(task)}\n`,
  });
  const [judge, program] = await runLinked(
    job.language,
    [
      toSide(isPython ? PYTHON_CHECK : JAVASCRIPT_CHECK, { check, before, entry, mark }),
      toSide(isPython ? PYTHON_PROGRAM : JAVASCRIPT_PROGRAM, forProgram),
    ],
    job.signal,
  );
  job.signal?.throwIfAborted();
  const verdict = findVerdict(judge, mark);
  if (verdict?.ok) return undefined;
  if (verdict?.module !== undefined) return needsModule(verdict.module);
  if (verdict?.why !== undefined) return toFailure(verdict.why, verdict.line, timeoutMs);
  if (program.exit !== "aborted" && program.exit !== "ok") return { why: describeExit(program, timeoutMs) };
  return {
    why: judge.exit === "timeout" ? describeExit(judge, timeoutMs) : "the program ended before its check did",
  };
}

function findVerdict({ stderr }: ProgramResult, mark: string): CheckVerdict | undefined {
  const line = stderr.split("\n").findLast((each) => each.startsWith(mark));
  return line === undefined ? undefined : (JSON.parse(line.slice(mark.length)) as CheckVerdict);
}

function toFailure(why: string, line: string | undefined, timeoutMs: number): CodeFailure {
  if (why.startsWith("Timeout")) return { why: describeExit({ exit: "timeout", stderr: "" }, timeoutMs) };
  const where = line === undefined ? "" : ` at ${show(line)}`;
  return { why: `the check failed${where}: ${show(why.replace(/^AssertionError: ?$/, "AssertionError"))}` };
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

async function checkInQuickJs(job: CodeJob): Promise<CodeFailure> {
  const limits = { ...DEFAULT_LIMITS, timeoutMs: job.timeoutMs };
  const program = await createQuickJsWorld(limits);
  const judge = await createQuickJsWorld({ ...limits, timeoutMs: 2 * job.timeoutMs });
  const answer = program.evaluate(job.source) && program.evaluate(QUICKJS_PROGRAM_SIDE, "side.js");
  const send = judge.context.newFunction("send", (text) => {
    const reply = answer && program.call(answer, program.context.newString(judge.context.getString(text)));
    if (!reply || program.failure()) throw new Error("the program ended before its check did");
    return judge.context.newString(program.context.getString(reply));
  });
  const side = judge.evaluate(QUICKJS_CHECK_SIDE, "side.js");
  const addAssert = judge.evaluate(ASSERT, "assert.js");
  if (!side || !addAssert) throw new Error(judge.failure()?.message);
  judge.call(addAssert, judge.modules);
  const task = JSON.stringify({ check: job.check, entry: job.entry });
  const isDone = judge.call(side, send, judge.context.newString(task)) !== undefined;
  const failure = program.failure();
  if (failure) {
    const exit = failure.exit === "ok" ? "error" : failure.exit;
    return { why: describeExit({ exit, stderr: failure.message }, job.timeoutMs) };
  }
  return isDone ? undefined : toFailure(judge.failure()?.message ?? "no message", undefined, job.timeoutMs);
}
