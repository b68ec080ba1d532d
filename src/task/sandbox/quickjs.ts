// The door to QuickJS: programs run in a thread of their own kind, one job for each reply, and the thread is ended at
// the deadline whatever the program does.
import { createIsolate, type IsolateEnd } from "../../isolate/isolate.ts";
import type { TaskJobs } from "../thread.ts";
import type { ProgramResult, SandboxLimits } from "./types.ts";

/**
 * QuickJS notices most deadlines by itself and then tells more about them. After this the thread is ended; as long as
 * a world takes to be made on a busy machine.
 */
const GRACE_MS = 250;

const isolate = createIsolate<TaskJobs>(new URL("../thread.js", import.meta.url));

/** One job of thread.ts; `timeoutMs` is the program's. */
export function runInThread<N extends keyof TaskJobs>(
  job: N,
  input: Parameters<TaskJobs[N]>[0],
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<IsolateEnd<Awaited<ReturnType<TaskJobs[N]>>>> {
  return isolate.run(job, input, { timeoutMs: timeoutMs + GRACE_MS, signal });
}

/** Runs a program to its end. */
export async function runInQuickJs(program: {
  source: string;
  stdin: string;
  limits: SandboxLimits;
  signal?: AbortSignal;
}): Promise<ProgramResult> {
  const { signal, ...input } = program;
  const started = performance.now();
  const ended = await runInThread("program", input, { timeoutMs: program.limits.timeoutMs, signal });
  const result =
    ended.end === "done" ? ended.value : { exit: ended.end, code: 128 + 9, stdout: "", stderr: "" };
  return { ...result, ranIn: "quickjs", durationMs: performance.now() - started };
}
