// The side of an isolate that runs in the thread: a thread's file lists its jobs and hands them over here.
import { parentPort } from "node:worker_threads";

/** What a thread can be asked for, by name. Inputs and results are copied, so they are plain data. */
export type Jobs = Record<string, (input: never) => unknown>;

export interface ThreadRequest {
  job: string;
  input: unknown;
}

export type ThreadReply =
  /** The clock begins. */
  { type: "start" } | { type: "done"; value: unknown } | { type: "failed"; message: string };

export function serveJobs(jobs: Jobs): void {
  const say = (reply: ThreadReply) => parentPort?.postMessage(reply);
  parentPort?.on("message", async ({ job, input }: ThreadRequest) => {
    say({ type: "start" });
    try {
      const work = Object.hasOwn(jobs, job) ? jobs[job] : undefined;
      if (!work) throw new Error(`there is no job "${job}" (there are: ${Object.keys(jobs).join(", ")})`);
      say({ type: "done", value: await work(input as never) });
    } catch (error) {
      say({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  });
}
