// The thread in which strangers' programs run without a process of their own: all that it can be asked for.
import { serveJobs } from "../isolate/serve-jobs.ts";
import { callInQuickJs, checkInQuickJs } from "./code/quickjs-jobs.ts";
import { runQuickJsProgram } from "./sandbox/quickjs-program.ts";

const JOBS = {
  program: runQuickJsProgram,
  cases: callInQuickJs,
  check: checkInQuickJs,
};

export type TaskJobs = typeof JOBS;

serveJobs(JOBS);
