import { describe, expect, it } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import type { PoolMember, Worker } from "../../worker/types.ts";
import { checkPool } from "./check.ts";

const usage = { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 0, reasoningTokens: 0 };
const price = { inputUsd: 1, outputUsd: 10 };
const member = (id: string, ask: Worker["ask"], kind: Worker["kind"] = "model"): PoolMember => ({
  worker: { id, kind, ask },
  price,
});

const ready = member("ready", async function* () {
  yield { type: "text-delta", text: "ready" };
  yield { type: "finish", usage, reason: "stop" };
});
const refused = member("refused", async function* () {
  yield* [];
  throw new TuttiError("auth", 'Worker "refused": its key was refused (401)');
});
const silent = member("silent", async function* (_request, signal) {
  yield* [];
  await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
});
const vote = member("consensus", async function* () {}, "tool");

describe("checkPool", () => {
  it("tells who replies, at what cost, and who does not and why", async () => {
    const checks = await checkPool({ members: [ready, refused, silent, vote] }, 50);
    expect(checks.map(({ id, ok }) => [id, ok])).toEqual([
      ["ready", true],
      ["refused", false],
      ["silent", false],
    ]);
    expect(checks[0]!.costUsd).toBeCloseTo(0.002);
    expect(checks[1]!.error).toMatchObject({
      code: "auth",
      message: 'Worker "refused": its key was refused (401)',
    });
    expect(checks[2]!.error).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("within 0.05 seconds"),
    });
  });
});
