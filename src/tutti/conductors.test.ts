import { cpSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createScriptedPlanner } from "../rehearsal/scripted-planner.ts";
import type { ConductorIdentity } from "../store/types.ts";
import { saveTinyCheckpoint } from "../testing/learn/tiny-checkpoint.ts";
import { scriptedWorker, step, toPool } from "../testing/stage.ts";
import { parseConductorName } from "./conductor-names.ts";
import { resolveConductor } from "./conductors.ts";

const pool = toPool([scriptedWorker("alpha", ""), scriptedWorker("beta", "")]);

function resolve(identity: ConductorIdentity, onNotice = (_: string) => {}) {
  const workflow = { steps: [step(1, "Answer it.")] };
  return resolveConductor(identity, pool, {
    ...{ kind: "config", showNames: false, env: {}, onNotice },
    ...(identity.kind === "fixed" && { workflow }),
  });
}

describe("an identity", () => {
  it.each<ConductorIdentity>([
    { kind: "prompted", planner: "beta" },
    { kind: "scripted" },
    { kind: "fixed" },
    { kind: "single", worker: "beta" },
    { kind: "fast" },
  ])("finds its Conductor, which has this very identity: %j", async (identity) => {
    expect((await resolve(identity)).identity).toEqual(identity);
  });

  it.each<[ConductorIdentity, RegExp]>([
    [{ kind: "custom", id: "mine" }, /"mine" was given in code/],
    [{ kind: "relay" }, /passed through/],
    [{ kind: "prompted", planner: "gamma" }, /No Conductor "gamma".+alpha, beta/],
    [
      { kind: "prompted", planner: "opnai/gpt-5" },
      /^The Conductor "opnai\/gpt-5" is not in this pool \(there are: alpha, beta\).+Did you mean "openai"/,
    ],
  ])("that nobody can find again says so: %j", async (identity, message) => {
    await expect(resolve(identity)).rejects.toThrow(message);
  });

  it("of a workflow that was given needs that workflow", async () => {
    const options = { kind: "config", showNames: false, env: {} } as const;
    await expect(resolveConductor({ kind: "fixed" }, pool, options)).rejects.toThrow(/ask again/);
  });
});

it("a native Conductor with other weights goes on, and it is said", async () => {
  const folder = await saveTinyCheckpoint();
  const notices: string[] = [];
  const onNotice = (text: string) => notices.push(text);
  const { identity } = await resolve({ kind: "native", checkpoint: folder }, onNotice);
  await resolve(identity, onNotice);
  expect(notices).toEqual([]); // unknown, or the same
  cpSync(await saveTinyCheckpoint({}, 2), folder, { recursive: true });
  const changed = await resolve(identity, onNotice);
  expect(notices).toEqual([expect.stringMatching(/weights of native:.+ have changed .+goes on/)]);
  expect(changed.identity).not.toEqual(identity);
});

it.each([
  ["prompted", { kind: "prompted" }],
  ["native", { kind: "native" }],
  ["native:", { kind: "native" }],
  ["native:trainings/mine", { kind: "native", checkpoint: "trainings/mine" }],
  ["scripted-planner", createScriptedPlanner().identity],
  ["openai/gpt-6-sol", { kind: "prompted", planner: "openai/gpt-6-sol" }],
])("--conductor %s", (text, named) => {
  expect(parseConductorName(text)).toEqual(named);
});
