// Work on a stranger's code, pattern or schema, off the main thread and with a deadline that always holds: an engine
// may not come back from one of its own built-in functions, so at the deadline the thread itself is ended and another
// takes its place. What can be asked for is the fixed list in the thread's own file; only data goes in and out.
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { TuttiError } from "../base/errors.ts";
import type { Jobs, ThreadReply, ThreadRequest } from "./serve-jobs.ts";

interface IsolateOptions {
  /** On the clock, from the moment the job begins; waiting for a free thread does not count. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Limits are results. */
export type IsolateEnd<T> = { end: "done"; value: T } | { end: "timeout" | "memory" | "aborted" };

export interface Isolate<J extends Jobs> {
  run<N extends keyof J & string>(
    job: N,
    input: Parameters<J[N]>[0],
    options: IsolateOptions,
  ): Promise<IsolateEnd<Awaited<ReturnType<J[N]>>>>;
}

/** More would only take each other's cores; with two, one job that hangs does not hold up the next. */
const MOST_THREADS = Math.max(2, Math.min(4, availableParallelism()));
/** What a thread may hold besides the memory that QuickJS asks for, which has its own limit. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";

interface Thread {
  worker: Worker;
  onReply: (reply: ThreadReply) => void;
  onEnd: (error?: Error) => void;
}

/** `thread` is the compiled file that serves the jobs, beside the caller: `new URL("./thread.js", import.meta.url)`. */
export function createIsolate<J extends Jobs>(thread: URL): Isolate<J> {
  const idle: Thread[] = [];
  const waiting: ((thread: Thread) => void)[] = [];
  let count = 0;

  const start = (): Thread => {
    // Nothing of this process goes along: no environment, no flags.
    const worker = new Worker(findCompiled(thread), {
      ...{ env: {}, argv: [], execArgv: [] },
      resourceLimits: RESOURCE_LIMITS,
    });
    count++;
    const started: Thread = { worker, onReply: () => {}, onEnd: () => {} };
    worker.on("message", (reply: ThreadReply) => started.onReply(reply));
    worker.on("error", (error) => started.onEnd(error));
    worker.on("exit", () => {
      const at = idle.indexOf(started);
      if (at >= 0) idle.splice(at, 1);
      count--;
      started.onEnd();
      const next = waiting.shift();
      if (next) next(start());
    });
    return started;
  };
  const take = (): Thread | Promise<Thread> =>
    idle.pop() ?? (count < MOST_THREADS ? start() : new Promise<Thread>((resolve) => waiting.push(resolve)));
  const giveBack = (thread: Thread) => {
    const next = waiting.shift();
    if (next) return next(thread);
    // An idle thread does not keep the process alive.
    thread.worker.unref();
    idle.push(thread);
  };

  return {
    async run(job, input, { timeoutMs, signal }) {
      const thread = await take();
      if (signal?.aborted) {
        giveBack(thread);
        return { end: "aborted" };
      }
      thread.worker.ref();
      const { end, isReusable } = await converse(thread, { job, input }, timeoutMs, signal);
      if (isReusable) giveBack(thread);
      else void thread.worker.terminate();
      if (end instanceof Error) throw end;
      return end as IsolateEnd<never>;
    },
  };
}

interface Conversation {
  /** An error is one of ours: what a stranger's text brings about is a result. */
  end: IsolateEnd<unknown> | Error;
  isReusable: boolean;
}

function converse(
  thread: Thread,
  request: ThreadRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  return new Promise((resolve) => {
    let clock: NodeJS.Timeout | undefined;
    const settle = (end: Conversation["end"], isReusable = false) => {
      clearTimeout(clock);
      signal?.removeEventListener("abort", abort);
      thread.onReply = thread.onEnd = () => {};
      resolve({ end, isReusable });
    };
    const abort = () => settle({ end: "aborted" });
    thread.onReply = (reply) => {
      // Loading the thread's own code is not the stranger's time.
      if (reply.type === "start") clock = setTimeout(() => settle({ end: "timeout" }), timeoutMs);
      else if (reply.type === "done") settle({ end: "done", value: reply.value }, true);
      else settle(toFailure(reply.message));
    };
    thread.onEnd = (error) =>
      settle(
        (error as NodeJS.ErrnoException | undefined)?.code === OUT_OF_MEMORY
          ? { end: "memory" }
          : toFailure(error?.message ?? "it ended"),
      );
    signal?.addEventListener("abort", abort);
    thread.worker.postMessage(request);
  });
}

const toFailure = (message: string) =>
  new TuttiError("sandbox-failed", `The thread for strangers' code failed: ${message}`);

/** Node cannot run TypeScript in a thread: beside sources (in tests) the file that the build made of it is taken. */
function findCompiled(thread: URL): URL {
  if (existsSync(thread)) return thread;
  const built = new URL(thread.href.replace(/\/src\/(?!.*\/src\/)/, "/dist/"));
  if (existsSync(built)) return built;
  throw new TuttiError("sandbox-failed", `There is no ${fileURLToPath(built)}: run npm run build`);
}
