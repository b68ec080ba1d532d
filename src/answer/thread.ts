// The thread in which replies are checked against a client's schema: all that it can be asked for.
import { serveJobs } from "../isolate/serve-jobs.ts";
import { readWithSchema } from "./json-schema.ts";

const JOBS = {
  read({ reply, schema }: { reply: string; schema: Record<string, unknown> }) {
    return readWithSchema(reply, schema);
  },
};

export type AnswerJobs = typeof JOBS;

serveJobs(JOBS);
