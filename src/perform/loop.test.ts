// A tool loop that decides its turns: who takes the next one, when the Conductor is asked, how an answer is verified.

import { describe, expect, it } from "vitest";
import { playedConductor, scriptedWorker, step, toPool, toStage, toStart } from "../testing/stage.ts";
import type { TrajectorySettings } from "../trajectory/types.ts";
import type { PoolMember, Profile, Usage, Worker, WorkerEvent, WorkerRequest } from "../worker/types.ts";
import { performRun, resumeRun } from "./driver.ts";
import { type Run, toRun } from "./run.ts";
import { fold } from "./state.ts";

const TOOLS = { tools: [{ name: "run", inputSchema: { type: "object" } }] };
const TRAJECTORY: TrajectorySettings = { worthUsd: 1, verify: "never", switches: true, canAsk: false };
const FAILED = "1 failing\nTypeError: x is not a function\nexit code 1";

function usage(input: number, cached: number): Usage {
  return { inputTokens: input, outputTokens: 50, cachedInputTokens: cached, reasoningTokens: 0 };
}

/** Calls the tool in every turn but the last, in a conversation of so many tokens that its provider keeps. */
function caller(id: string, turns: number, tokens = 10_000) {
  return scriptedWorker(id, (_, __, call): WorkerEvent[] => {
    const read = usage(tokens + call * 100, call === 0 ? 0 : tokens);
    if (call >= turns)
      return [
        { type: "text-delta", text: `The answer of ${id}.` },
        { type: "finish", usage: read, reason: "stop" },
      ];
    return [
      { type: "reasoning-part", text: "hm", metadata: { anthropic: { signature: id } } },
      { type: "text-delta", text: "I try." },
      { type: "tool-call", id: `${id}${call}`, name: "run", input: `{"n":${call}}` },
      { type: "finish", usage: read, reason: "tool-calls" },
    ];
  });
}

function member(
  worker: Worker,
  success: number,
  inputUsd: number,
  cachedInputUsd = inputUsd / 10,
): PoolMember {
  const profile: Profile = { success, tasks: 100, topics: {} };
  return { worker, profile, price: { inputUsd, outputUsd: 5 * inputUsd, cachedInputUsd } };
}

/** Begins a run and answers every call of a tool by `results`, until it ends otherwise. */
async function loop(
  members: PoolMember[],
  results: (turn: number) => string,
  {
    trajectory = TRAJECTORY,
    conductor = playedConductor({ steps: [step(0, "")] }),
    settings = {},
  }: {
    trajectory?: TrajectorySettings;
    conductor?: ReturnType<typeof playedConductor>;
    settings?: Parameters<typeof toStart>[1];
  } = {},
) {
  const pool = toPool(members);
  const stage = toStage(pool, conductor);
  const start = toStart(pool, { ...settings, trajectory });
  let run: Run = toRun(await performRun({ ...start, task: { ...start.task, output: TOOLS } }, stage));
  for (let turn = 0; run.stopReason === "tool-calls" && turn < 30; turn++) {
    const { toolCalls = [] } = run.steps.at(-1)!;
    const toolResults = toolCalls.map(({ id }) => ({ toolCallId: id, content: results(turn) }));
    run = toRun(await resumeRun(await stage.store.loadRun("r_test"), stage, { toolResults }));
  }
  expect(toRun(fold(await stage.store.loadRun("r_test"))!)).toEqual(run);
  return { run, events: await stage.store.loadRun("r_test"), stage };
}

const kinds = (run: Run) => run.steps.flatMap(({ decisions = [] }) => decisions.map(({ kind }) => kind));
const texts = (request: WorkerRequest) => request.messages.map(({ content }) => JSON.stringify(content));

describe("the next turn of a tool loop", () => {
  it("stays with its worker while nothing is gained by a change, and says what it costs", async () => {
    const cheap = caller("cheap", 3);
    const { run } = await loop(
      [member(cheap, 0.8, 1), member(caller("dear", 0), 0.85, 10)],
      (n) => `ok ${n}`,
    );
    expect(run).toMatchObject({ stopReason: "done", answer: "The answer of cheap." });
    expect(kinds(run)).toEqual(["stay", "stay", "stay"]);
    const [decision] = run.steps[0]!.decisions!;
    expect(decision).toMatchObject({ kind: "stay", worker: 0, usd: expect.any(Number) });
  });

  it("goes to a stronger worker once failures make it worth the cache miss, without the thoughts of another", async () => {
    const cheap = caller("cheap", 30);
    const strong = caller("strong", 1);
    const { run } = await loop([member(cheap, 0.5, 1), member(strong, 0.9, 3)], (n) =>
      n < 8 ? FAILED : "ok",
    );
    expect(run.answer).toBe("The answer of strong.");
    const change = run.steps[0]!.decisions!.find(({ kind }) => kind === "switch");
    expect(change).toMatchObject({ kind: "switch", worker: 1, from: 0 });
    expect(change?.kind === "switch" && change.missUsd).toBeGreaterThan(0);
    const [first] = strong.requests;
    expect(JSON.stringify(first!.messages)).not.toContain("signature");
    expect(first!.messages.filter(({ role }) => role === "tool").length).toBeGreaterThan(0);
    // Its own thoughts come back to it.
    expect(JSON.stringify(strong.requests[1]!.messages)).toContain('"signature":"strong"');
  });

  it("is not changed for a gain that is smaller than reading the conversation anew", async () => {
    const cheap = () => member(caller("cheap", 4, 200_000), 0.8, 1);
    const other = () => member(caller("other", 4, 200_000), 0.95, 1);
    const settled = await loop([cheap(), other()], (n) => `ok ${n}`);
    expect(kinds(settled.run)).not.toContain("switch");
    const ignoring = await loop([cheap(), other()], (n) => `ok ${n}`, {
      trajectory: { ...TRAJECTORY, ignoresCache: true },
    });
    expect(kinds(ignoring.run)).toContain("switch");
  });

  it("that goes to another worker has its answer verified by somebody else than that one", async () => {
    const pool = ["a", "b", "c"].map((id, number) => member(caller(id, 30), 0.6 + 0.02 * number, 1));
    const { run } = await loop(pool, (n) => (n < 9 ? FAILED : "ok"), {
      trajectory: { ...TRAJECTORY, verify: "worth-it", worthUsd: 10 },
    });
    const taken = run.steps.flatMap(({ decisions = [] }) => decisions);
    const checked = taken.flatMap((turn) =>
      "check" in turn && turn.check ? [[turn.worker, turn.check.worker]] : [],
    );
    expect(taken.map(({ kind }) => kind)).toContain("switch");
    expect(checked.length).toBeGreaterThan(0);
    for (const [worker, verifier] of checked) expect(verifier).not.toBe(worker);
  });

  it("is not handed back and forth: who takes over is not blamed for what another has failed at, who left still is", async () => {
    const pool = ["a", "b"].map((id) => member(caller(id, 30), 0.7, 1));
    const { run } = await loop(pool, (n) => (n < 9 ? FAILED : "ok"));
    const decisions = run.steps[0]!.decisions!;
    const failures = [0, 0];
    let [current, switches] = [0, 0];
    for (const decision of decisions.slice(0, 9)) {
      failures[current]!++;
      if (decision.kind !== "switch") continue;
      switches++;
      expect(failures[decision.worker]!, "the other has failed more").toBeLessThan(failures[decision.from]!);
      current = decision.worker;
    }
    expect(switches).toBeGreaterThan(0);
  });

  it("that a changed worker cannot take goes back to the one before it", async () => {
    const strong = scriptedWorker("strong", () => new Error("gone"));
    const cheap = caller("cheap", 6);
    const { run } = await loop([member(cheap, 0.5, 1), member(strong, 0.95, 2)], () => FAILED, {
      settings: { retries: 0 },
    });
    expect(strong.requests.length).toBeGreaterThan(0);
    expect(run).toMatchObject({ stopReason: "done", answer: "The answer of cheap." });
  });
});

describe("a loop that is stuck", () => {
  const ASKING = { ...TRAJECTORY, switches: false, canAsk: true };

  it("has the Conductor asked, with all that tools returned, and goes on with help at the end of its conversation", async () => {
    const sticky = caller("sticky", 5);
    const helper = scriptedWorker("helper", "Import it from the other module.");
    const conductor = playedConductor(
      { steps: [step(0, "")] },
      { steps: [step(1, "find the cause"), step(0, "go on", "all")] },
    );
    const { run, stage } = await loop([member(sticky, 0.7, 1), member(helper, 0.7, 1)], () => FAILED, {
      trajectory: ASKING,
      conductor,
    });
    expect(run).toMatchObject({ stopReason: "done", answer: "The answer of sticky." });
    expect(conductor.requests).toHaveLength(2);
    expect(conductor.requests[1]).toMatchObject({ stuck: "same-error" });
    expect(JSON.stringify(conductor.requests[1]!.task.messages)).toContain("is not a function");
    expect(texts(helper.requests[0]!).join()).toContain("is not a function");
    // What it had read before is byte for byte the same, and the help stands at the end.
    const before = texts(sticky.requests[2]!);
    const after = texts(sticky.requests[3]!);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.at(-1)).toContain("Import it from the other module.");
    // It stays there in later turns.
    expect(texts(sticky.requests[4]!).slice(0, after.length)).toEqual(after);
    expect(stage.events.some(({ type }) => type === "run-end")).toBe(true);
    expect(run.rounds[1]!.turn).toMatchObject({ kind: "ask-conductor", because: "same-error" });
  });

  it("goes on with its worker where the Conductor fails, or finds nothing to do", async () => {
    for (const play of [new Error("no plan"), { type: "accept" } as const]) {
      const sticky = caller("sticky", 5);
      const conductor = playedConductor({ steps: [step(0, "")] }, play);
      const { run } = await loop([member(sticky, 0.7, 1)], () => FAILED, {
        trajectory: ASKING,
        conductor,
        settings: { retries: 0 },
      });
      expect(run).toMatchObject({ stopReason: "done", answer: "The answer of sticky." });
    }
  });
});

describe("the final answer of a loop", () => {
  const VERIFYING: TrajectorySettings = { worthUsd: 5, verify: "worth-it", switches: false, canAsk: false };
  const judge = (verdict: string) => scriptedWorker("judge", verdict);
  const streaming = { settings: { streaming: true } };

  it("is verified with the results of tools in sight, and given when it is accepted", async () => {
    const verifier = judge("VERDICT: ACCEPT");
    const { run, stage } = await loop(
      [member(caller("a", 2), 0.5, 1), member(verifier, 0.9, 1)],
      (n) => `result ${n}`,
      { trajectory: VERIFYING, ...streaming },
    );
    expect(run).toMatchObject({ stopReason: "done", answer: "The answer of a.", answerStep: { round: 0 } });
    expect(texts(verifier.requests[0]!).join()).toContain("result 1");
    expect(texts(verifier.requests[0]!).join()).toContain("The answer of a.");
    expect(run.rounds.map(({ turn }) => turn?.kind)).toEqual([undefined, "verify", "keep-answer"]);
    // Nothing of it was streamed as the answer before it was verified, and nothing of the verifier's ever.
    const shown = stage.events.filter((event) => event.type === "step-delta" && event.answer);
    expect(JSON.stringify(shown)).not.toContain("The answer of a.");
    expect(JSON.stringify(shown)).not.toContain("VERDICT");
  });

  it("goes back once with the diagnosis, and the same worker may call tools again", async () => {
    const worker = scriptedWorker("a", (_, __, call): WorkerEvent[] => {
      const calls = call === 0 || call === 2;
      return [
        { type: "text-delta", text: calls ? "I try." : call === 1 ? "All tests pass." : "Mended." },
        ...(calls ? [{ type: "tool-call" as const, id: `c${call}`, name: "run", input: "{}" }] : []),
        { type: "finish", usage: usage(5_000, 0), reason: calls ? "tool-calls" : "stop" },
      ];
    });
    const verifier = judge("VERDICT: REVISE\nDIAGNOSIS: no test was run");
    const { run } = await loop([member(worker, 0.5, 1), member(verifier, 0.9, 1)], (n) => `result ${n}`, {
      trajectory: VERIFYING,
      ...streaming,
    });
    expect(run).toMatchObject({ stopReason: "done", answer: "Mended." });
    expect(verifier.requests).toHaveLength(1);
    expect(texts(worker.requests[2]!).at(-1)).toContain("no test was run");
    expect(texts(worker.requests[2]!).at(-2)).toContain("All tests pass.");
    expect(run.rounds.map(({ turn }) => turn?.kind)).toEqual([undefined, "verify", "send-back"]);
  });

  it("is given as it was where nobody can say how it is, or the second attempt fails", async () => {
    const failing = scriptedWorker("judge", () => new Error("gone"));
    const kept = await loop([member(caller("a", 1), 0.5, 1), member(failing, 0.9, 1)], () => "ok", {
      trajectory: VERIFYING,
      settings: { retries: 0 },
    });
    expect(kept.run).toMatchObject({ stopReason: "done", answer: "The answer of a." });
    const breaking = scriptedWorker("a", (_, __, call): WorkerEvent[] | Error =>
      call > 1
        ? new Error("gone")
        : [
            { type: "text-delta", text: call === 0 ? "I try." : "First." },
            ...(call === 0 ? [{ type: "tool-call" as const, id: "c", name: "run", input: "{}" }] : []),
            { type: "finish", usage: usage(5_000, 0), reason: call === 0 ? "tool-calls" : "stop" },
          ],
    );
    const refused = await loop(
      [member(breaking, 0.5, 1), member(judge("VERDICT: REVISE\nDIAGNOSIS: wrong"), 0.9, 1)],
      () => "ok",
      { trajectory: VERIFYING, settings: { retries: 0 } },
    );
    expect(refused.run).toMatchObject({ hasAnswer: true, answer: "First." });
  });

  it("is not verified where tests have passed, and streams then", async () => {
    const verifier = judge("VERDICT: ACCEPT");
    const { run, stage } = await loop(
      [member(caller("a", 1), 0.9, 1), member(verifier, 0.9, 1)],
      () => "ℹ pass 3\nℹ fail 0\nexit code 0",
      { trajectory: { ...VERIFYING, worthUsd: 0.1 }, ...streaming },
    );
    expect(run.answer).toBe("The answer of a.");
    expect(verifier.requests).toEqual([]);
    const shown = stage.events.filter((event) => event.type === "step-delta" && event.answer);
    expect(JSON.stringify(shown)).toContain("The answer of a.");
  });
});
