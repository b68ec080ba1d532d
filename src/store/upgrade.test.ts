// Every shape that an earlier version journaled, read by every store: who conducts is then a tagged value.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runEnd, runStart } from "../testing/events.ts";
import { STORES } from "../testing/stores.ts";
import type { OutputSettings } from "../worker/types.ts";
import type { ConductorIdentity, PoolEntry, RunEvent } from "./types.ts";
import { upgradeEvent } from "./upgrade.ts";

const ALPHA: PoolEntry = { id: "openai/alpha", kind: "model" };
const BETA: PoolEntry = { id: "openai/beta", kind: "model" };

/** As 0.1 wrote it: the name of the Conductor. */
function oldStart(conductor: string, pool: PoolEntry[] = [ALPHA, BETA]): RunEvent {
  const start = runStart("r_old");
  return JSON.parse(JSON.stringify({ ...start, pool, settings: { ...start.settings, conductor } }));
}

const FORMS: [name: string, identity: ConductorIdentity, pool?: PoolEntry[]][] = [
  ["prompted:openai/gpt-5.4-mini", { kind: "prompted", planner: "openai/gpt-5.4-mini" }],
  ["prompted:ollama/qwen3:8b", { kind: "prompted", planner: "ollama/qwen3:8b" }],
  ["native:rehearsal", { kind: "native", checkpoint: "rehearsal" }],
  ["native:C:\\trainings\\best", { kind: "native", checkpoint: "C:\\trainings\\best" }],
  ["scripted-planner", { kind: "scripted" }],
  ["fixed", { kind: "fixed" }],
  ["fast", { kind: "fast" }],
  ["relay", { kind: "relay" }],
  ["single", { kind: "single", worker: "openai/alpha" }, [ALPHA]],
  ["single:openai/alpha", { kind: "custom", id: "single:openai/alpha" }],
  ["native in training", { kind: "custom", id: "native in training" }],
  ["my-own", { kind: "custom", id: "my-own" }],
];

describe.each(STORES)("the %s store", (_, open) => {
  it.each(FORMS)(
    "reads %j of 0.1 as the value it meant, under the same name",
    async (name, identity, pool) => {
      const folder = mkdtempSync(join(tmpdir(), "tutti-upgrade-"));
      const store = await open(folder);
      await store.append([oldStart(name, pool)]);
      const [start] = await store.loadRun("r_old");
      expect(start).toMatchObject({ type: "run-start", settings: { conductor: identity } });
      expect((await store.listRuns())[0]!.conductor).toBe(name);
      await store.close();
      rmSync(folder, { recursive: true });
    },
  );
});

it.each(STORES)(
  "the %s store reads workers of the rehearsal in a run of 0.1 as simulated",
  async (_, open) => {
    const folder = mkdtempSync(join(tmpdir(), "tutti-upgrade-"));
    const store = await open(folder);
    await store.append([oldStart("fast", [{ id: "rehearsal/violin", kind: "model" }, ALPHA])]);
    const [start] = await store.loadRun("r_old");
    expect(start).toMatchObject({ pool: [{ id: "rehearsal/violin", isSimulated: true }, ALPHA] });
    expect(start).not.toMatchObject({ pool: [{}, { isSimulated: true }] });
    expect((await store.listRuns())[0]!.isSimulated).toBe(true);
    await store.close();
    rmSync(folder, { recursive: true });
  },
);

it.each(STORES)("the %s store reads a reply's limit of 0.1 under its name of today", async (_, open) => {
  const folder = mkdtempSync(join(tmpdir(), "tutti-upgrade-"));
  const store = await open(folder);
  const { task, ...start } = oldStart("fast") as Extract<RunEvent, { type: "run-start" }>;
  const output = { maxTokens: 90, stop: ["."] } as OutputSettings;
  await store.append([
    { ...start, task: { ...task, output } },
    { type: "run-resume", runId: "r_old", at: 1, output },
  ]);
  const read = { maxOutputTokens: 90, stop: ["."] };
  const [first, second] = await store.loadRun("r_old");
  expect([first, second]).toMatchObject([{ task: { output: read } }, { output: read }]);
  expect(JSON.stringify([first, second])).not.toContain("maxTokens");
  await store.close();
  rmSync(folder, { recursive: true });
});

it("a lone worker that cannot be told from others is no worker to ask", () => {
  const start = upgradeEvent(oldStart("single"));
  expect(start).toMatchObject({ settings: { conductor: { kind: "custom", id: "single" } } });
});

it.each(["42", ""])("an end of 0.1 says by its text whether there is an answer: %j", (answer) => {
  const { hasAnswer: _, ...old } = runEnd("r_old", answer) as Extract<RunEvent, { type: "run-end" }>;
  expect(upgradeEvent(old as RunEvent)).toEqual({ ...old, hasAnswer: answer !== "" });
});

it("what is up to date is not copied", () => {
  const start = runStart("r_new");
  expect(upgradeEvent(start)).toBe(start);
});
