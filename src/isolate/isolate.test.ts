// A thread of its own for each test, made from a file as the ones that serve strangers' code are.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { createFiles } from "../testing/temporary-files.ts";
import { createIsolate } from "./isolate.ts";

const files = createFiles();
const serveJobs = new URL("../../dist/isolate/serve-jobs.js", import.meta.url).href;
const thread = pathToFileURL(
  files.write(
    "thread.mjs",
    `import { serveJobs } from ${JSON.stringify(serveJobs)};
let calls = 0;
serveJobs({
  double: async (n) => 2 * n,
  hang: () => { for (;;); },
  fill: () => { const all = []; for (;;) all.push(new Array(1e5).fill({})); },
  fail: () => { throw new Error("a mistake of ours"); },
  environment: () => Object.keys(process.env),
  calls: () => ++calls,
});`,
  ),
);
type Unchecked = Record<string, (input: unknown) => unknown>;
const isolate = () => createIsolate<Unchecked>(thread);
const LONG = { timeoutMs: 120_000 };

it("gives what a job gave, and goes on with the same thread", async () => {
  const { run } = isolate();
  expect(await run("double", 21, LONG)).toEqual({ end: "done", value: 42 });
  expect(await run("calls", undefined, LONG)).toEqual({ end: "done", value: 1 });
  expect(await run("calls", undefined, LONG)).toEqual({ end: "done", value: 2 });
});

it("ends what hangs at its deadline, and the next job finds a thread", async () => {
  const { run } = isolate();
  expect(await run("hang", undefined, { timeoutMs: 100 })).toEqual({ end: "timeout" });
  expect(await run("double", 1, LONG)).toEqual({ end: "done", value: 2 });
});

it("serves many more jobs than there are threads, some of which hang", async () => {
  const { run } = isolate();
  const jobs = Array.from({ length: 30 }, (_, n) =>
    n % 6 === 0 ? run("hang", undefined, { timeoutMs: 50 }) : run("double", n, LONG),
  );
  const ends = await Promise.all(jobs);
  expect(ends).toEqual(
    ends.map((_, n) => (n % 6 === 0 ? { end: "timeout" } : { end: "done", value: 2 * n })),
  );
});

it("ends what takes too much memory, and this process lives on", async () => {
  const { run } = isolate();
  expect(await run("fill", undefined, LONG)).toEqual({ end: "memory" });
  expect(await run("double", 1, LONG)).toEqual({ end: "done", value: 2 });
});

it("is stopped by a signal: before, while it waits for a thread, and while it runs", async () => {
  const { run } = isolate();
  expect(await run("double", 1, { ...LONG, signal: AbortSignal.abort() })).toEqual({ end: "aborted" });
  const controller = new AbortController();
  const running = Array.from({ length: 6 }, () =>
    run("hang", undefined, { ...LONG, signal: controller.signal }),
  );
  setTimeout(() => controller.abort(), 200);
  for (const ended of await Promise.all(running)) expect(ended).toEqual({ end: "aborted" });
  expect(await run("double", 1, LONG)).toEqual({ end: "done", value: 2 });
});

it("throws where the mistake is ours, and knows the jobs of its file alone", async () => {
  const { run } = isolate();
  await expect(run("fail", undefined, LONG)).rejects.toMatchObject({
    code: "sandbox-failed",
    message: expect.stringContaining("a mistake of ours"),
  });
  await expect(run("constructor", undefined, LONG)).rejects.toThrow('there is no job "constructor"');
  const missing = createIsolate<Unchecked>(pathToFileURL(join(files.folder, "no-thread.mjs")));
  await expect(missing.run("double", 1, LONG)).rejects.toMatchObject({ code: "sandbox-failed" });
});

it("takes nothing of this process along", async () => {
  process.env.TUTTI_TEST_SECRET = "tutti-marker-77";
  try {
    expect(await isolate().run("environment", undefined, LONG)).toEqual({ end: "done", value: [] });
  } finally {
    delete process.env.TUTTI_TEST_SECRET;
  }
});
