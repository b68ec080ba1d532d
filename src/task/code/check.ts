// Runs the check of a task, code that calls the program and throws where it is wrong. Program and check
// sit in two sandboxes that talk in JSON lines, so that the program can bend neither the comparison nor
// the verdict. Only checks that reach into the program's modules (unittest with mocks, as in BigCodeBench)
// run in its own process; their grades say so.
import { randomBytes } from "node:crypto";
import { isCheckedInside } from "../decided-inside.ts";
import { runInThread } from "../sandbox/quickjs.ts";
import { runLinked } from "../sandbox/sandbox.ts";
import { DEFAULT_LIMITS, type ProgramResult } from "../sandbox/types.ts";
import { type CodeFailure, type CodeJob, describeExit, gradeInside, needsModule, show } from "./cases.ts";
import { toUsualImports } from "./extract.ts";
import { CHECK_SIDE as JAVASCRIPT_CHECK, PROGRAM_SIDE as JAVASCRIPT_PROGRAM } from "./javascript.ts";
import { CHECK_SIDE as PYTHON_CHECK, PROGRAM_SIDE as PYTHON_PROGRAM } from "./python-check.ts";

const CHECK_START_MS = 3_000;
const MAX_REPLY_BYTES = 16 * 1_048_576;

interface CheckVerdict {
  ok: boolean;
  why?: string;
  line?: string;
  gone?: boolean;
  /** A module that the check itself could not import. */
  module?: string;
  /** Why no program could pass it here. */
  unfit?: string;
}

export async function gradeCheck(job: CodeJob): Promise<CodeFailure> {
  if (isCheckedInside(job)) return gradeInside(job);
  return job.engine === "quickjs" ? checkInQuickJs(job) : checkApart(job);
}

async function checkApart(job: CodeJob): Promise<CodeFailure> {
  const isPython = job.language === "python";
  const { source, before, check, entry, timeoutMs } = job;
  const mark = randomBytes(16).toString("hex");
  // What published checks use without importing it comes from the library, never from the program.
  const imports = isPython && entry !== "" ? toUsualImports(check) : "";
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
      toSide(isPython ? PYTHON_CHECK : JAVASCRIPT_CHECK, { check, before, imports, entry, mark }),
      toSide(isPython ? PYTHON_PROGRAM : JAVASCRIPT_PROGRAM, forProgram),
    ],
    job.signal,
  );
  job.signal?.throwIfAborted();
  const verdict = findVerdict(judge, mark);
  if (verdict?.ok) return undefined;
  if (verdict?.module !== undefined) return needsModule(verdict.module);
  if (verdict?.unfit !== undefined) return { why: verdict.unfit, isUngraded: true };
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

async function checkInQuickJs(job: CodeJob): Promise<CodeFailure> {
  const { source, check, entry, timeoutMs, signal } = job;
  const limits = { ...DEFAULT_LIMITS, timeoutMs };
  const ended = await runInThread("check", { source, check, entry, limits }, { timeoutMs, signal });
  signal?.throwIfAborted();
  if (ended.end !== "done") return { why: describeExit({ exit: ended.end, stderr: "" }, timeoutMs) };
  const verdict = ended.value;
  switch (verdict.type) {
    case "passed":
      return undefined;
    case "check":
      return toFailure(verdict.message, undefined, timeoutMs);
    case "program":
      return {
        why: describeExit({ exit: verdict.failure.exit, stderr: verdict.failure.message }, timeoutMs),
      };
    case "unfit":
      return { why: verdict.why, isUngraded: true };
  }
}
