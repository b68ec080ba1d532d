// Runs the cases of a task: many inputs, one program. The sandbox never learns what is expected.
import { randomBytes } from "node:crypto";
import { usageError } from "../../base/errors.ts";
import { runInThread } from "../sandbox/quickjs.ts";
import { runProgram } from "../sandbox/sandbox.ts";
import { DEFAULT_LIMITS, type ProgramResult, type SandboxEngine } from "../sandbox/types.ts";
import { isSameJson, isSameOutput } from "./compare.ts";
import { toUsualImports } from "./extract.ts";
import { PROGRAM_SIDE } from "./javascript.ts";
import { CASE_DRIVER } from "./python.ts";

/** What a task and an answer come to, before it is run. */
export interface CodeJob {
  language: "python" | "javascript";
  style: "stdin" | "function";
  entry: string;
  source: string;
  /** Code that the task itself gives, such as the beginning of the program. May be prose: then it is left out. */
  before: string;
  cases: { input: string; output: string }[];
  check: string;
  timeoutMs: number;
  engine: SandboxEngine;
  signal: AbortSignal | undefined;
}

/** undefined: it passed. */
export type CodeFailure = { why: string; isUngraded?: boolean } | undefined;

/** What became of one case. */
type CaseOutcome = { exit: ProgramResult["exit"] | "syntax"; output: string; stderr: string };

const MAX_TOTAL_MS = 180_000;
const START_MS = 5_000;
const MAX_OUTPUT_BYTES = 64 * 1_048_576;
const SHOWN = 60;

export async function gradeCases(job: CodeJob): Promise<CodeFailure> {
  const isSame = job.style === "stdin" ? isSameOutput : isSameJson;
  const fail = (at: number, why: string) => ({ why: `case ${at + 1} of ${job.cases.length}: ${why}` });
  let i = 0;
  for await (const outcome of runCases(job)) {
    // The end was not as it should be, or the program has added cases of its own.
    if (i === job.cases.length) return { why: `after its cases: ${describeExit(outcome, job.timeoutMs)}` };
    const { input, output: expected } = job.cases[i]!;
    if (outcome.exit !== "ok") return fail(i, describeExit(outcome, job.timeoutMs));
    if (!isSame(expected, outcome.output))
      return fail(i, `for ${show(input)} expected ${show(expected)} but got ${show(outcome.output)}`);
    i += 1;
  }
  return i < job.cases.length ? fail(i, "the program did not get to it") : undefined;
}

function runCases(job: CodeJob): AsyncIterable<CaseOutcome> {
  if (job.language === "python") return runPythonCases(job);
  if (job.style === "stdin") return runJavaScriptPrograms(job);
  return job.engine === "quickjs" ? callInQuickJs(job) : callInNode(job);
}

/** Runs the check in the program's own process, which the program could bend; see gradeCheck for when. */
export async function gradeInside(job: CodeJob): Promise<CodeFailure> {
  const token = randomBytes(16).toString("hex");
  const inside = { ...job, cases: [{ input: token, output: token }] };
  for await (const outcome of runPythonCases(inside, "inside")) {
    if (outcome.exit === "ok" && outcome.output === token) return undefined;
    const module = /No module named '([\w.]+)'/.exec(outcome.stderr)?.[1];
    if (module !== undefined && job.check.includes(module)) return needsModule(module);
    if (outcome.exit === "ok") return { why: "the program ended before its check did" };
    return { why: describeExit(outcome, job.timeoutMs) };
  }
  return { why: "the program ended before its check did" };
}

export const needsModule = (module: string): CodeFailure => ({
  why: `the check needs the Python package ${module}, which is not installed. Run: python3 -m pip install ${module}`,
  isUngraded: true,
});

async function* runPythonCases(job: CodeJob, style: string = job.style): AsyncGenerator<CaseOutcome> {
  const mark = randomBytes(16).toString("hex");
  const before = [job.before, toUsualImports(job.source)].filter((text) => text !== "").join("\n");
  const inputs = job.cases.map(({ input }) => input);
  const parts = [job.entry, style === "inside" ? "" : before, job.source, job.check, ...inputs];
  const result = await runProgram({
    language: "python",
    source: CASE_DRIVER,
    flags: ["-S"],
    stdin: [
      `${mark} ${style} ${job.timeoutMs}\n`,
      ...parts.map((part) => `${Buffer.byteLength(part)}\n${part}`),
    ].join(""),
    timeoutMs: totalMs(job),
    memoryMb: style === "inside" ? 2 * DEFAULT_LIMITS.memoryMb : DEFAULT_LIMITS.memoryMb,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal: job.signal,
  });
  job.signal?.throwIfAborted();
  for (const frame of result.stdout.split(`\n${mark}`).slice(1)) {
    const [head, rest] = cutAt(frame, "\n");
    const [, status = "", code = ""] = head.split(" ");
    const [output, stderr] = cutAt(rest, `\n-${mark}`);
    const exit = toExit(status, Number(code), stderr);
    // JSON is never empty: such a program ended before it gave anything.
    if (exit === "ok" && style === "function" && output === "")
      yield { exit: "error", output, stderr: "the program ended before it returned" };
    else yield { exit, output, stderr };
  }
  if (result.exit !== "ok") yield { exit: result.exit, output: "", stderr: result.stderr };
}

function toExit(status: string, code: number, stderr: string): CaseOutcome["exit"] {
  if (status === "timeout" || status === "syntax") return status;
  if (code === 0) return "ok";
  return /MemoryError\b/.test(stderr) ? "memory" : "error";
}

async function* runJavaScriptPrograms(job: CodeJob): AsyncGenerator<CaseOutcome> {
  for (const { input } of job.cases) {
    const { exit, stdout, stderr } = await runProgram({
      language: "javascript",
      source: job.source,
      stdin: input,
      timeoutMs: job.timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      engine: job.engine === "quickjs" ? "quickjs" : "best",
      signal: job.signal,
    });
    job.signal?.throwIfAborted();
    yield { exit, output: stdout, stderr };
  }
}

interface ProgramReply {
  j?: string;
  e?: [string, string];
}

async function* callInNode(job: CodeJob): AsyncGenerator<CaseOutcome> {
  const mark = randomBytes(16).toString("hex");
  const ids = job.cases.map((_, i) => `${mark}-${i}`);
  const requests = job.cases.map(({ input }, i) => toRequest(job, input, ids[i]!));
  const load = JSON.stringify({ source: job.source, timeoutMs: job.timeoutMs, mark });
  const result = await runProgram({
    language: "javascript",
    source: PROGRAM_SIDE,
    stdin: [load, ...requests, ""].join("\n"),
    timeoutMs: totalMs(job),
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal: job.signal,
  });
  job.signal?.throwIfAborted();
  for (const id of ids) {
    const [, found] = cutAt(`\n${result.stdout}`, `\n${id} `);
    if (found === "") break;
    yield toOutcome(parseReply(cutAt(found, "\n")[0]));
  }
  if (result.exit !== "ok") yield { exit: result.exit, output: "", stderr: result.stderr };
}

async function* callInQuickJs(job: CodeJob): AsyncGenerator<CaseOutcome> {
  const { source, timeoutMs, signal } = job;
  const requests = job.cases.map(({ input }) => toRequest(job, input, ""));
  const limits = { ...DEFAULT_LIMITS, timeoutMs };
  const ended = await runInThread("cases", { source, requests, limits }, { timeoutMs, signal });
  signal?.throwIfAborted();
  if (ended.end !== "done") return yield { exit: ended.end, output: "", stderr: "" };
  for (const outcome of ended.value) {
    if ("reply" in outcome) yield toOutcome(parseReply(outcome.reply));
    else yield { exit: outcome.failure.exit, output: "", stderr: outcome.failure.message };
  }
}

function toRequest(job: CodeJob, input: string, id: string): string {
  let args: unknown;
  try {
    args = JSON.parse(input);
  } catch (error) {
    throw usageError(
      `A test calls ${job.entry} with ${show(input)}; it must be a JSON list of arguments`,
      error,
    );
  }
  return JSON.stringify({ id, entry: job.entry, isPlain: true, args });
}

function parseReply(text: string): ProgramReply {
  try {
    return JSON.parse(text) as ProgramReply;
  } catch {
    return { e: ["Error", "the reply was cut short"] };
  }
}

function toOutcome({ e, j }: ProgramReply): CaseOutcome {
  if (e?.[0] === "Timeout") return { exit: "timeout", output: "", stderr: "" };
  if (e) return { exit: "error", output: "", stderr: e.join(": ") };
  return { exit: "ok", output: typeof j === "string" ? j : "undefined", stderr: "" };
}

const totalMs = ({ timeoutMs, cases }: CodeJob) =>
  Math.min(timeoutMs * Math.max(1, cases.length) + START_MS, MAX_TOTAL_MS);

export function describeExit({ exit, stderr }: Omit<CaseOutcome, "output">, timeoutMs: number): string {
  switch (exit) {
    case "timeout":
      return `took longer than ${timeoutMs} ms`;
    case "memory":
      return "used too much memory";
    case "output":
      return "printed too much";
    default:
      return `failed: ${show(lastLine(stderr) || "no message")}`;
  }
}

/** What stands before a separator and behind it. No lists of lines: a program may print 64 MB of line ends. */
function cutAt(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function lastLine(text: string): string {
  const end = text.trimEnd();
  return end.slice(end.lastIndexOf("\n") + 1).trim();
}

/** Shortened and on one line. */
export function show(text: string): string {
  const trimmed = text.trim();
  const line = JSON.stringify(trimmed.slice(0, SHOWN + 1));
  return trimmed.length > SHOWN ? `${line.slice(0, -2)}…"` : line;
}
