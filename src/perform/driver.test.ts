import { afterEach, describe, expect, it, vi } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { RunEvent } from "../store/types.ts";
import { playedConductor, scriptedWorker, step, toPool, toStage, toStart } from "../testing/stage.ts";
import { performRun, resumeRun } from "./driver.ts";
import { toRun } from "./run.ts";

const DOWN = new TuttiError("provider-error", "500 from upstream", { retryable: true, retryAfterMs: 0 });
const REFUSED = new TuttiError("auth", "401: the key was refused");

describe("a run whose lease was lost to another process", () => {
  it("is left as it is: nothing more is asked, and nothing is kept to be written later", async () => {
    const store = createMemoryStore();
    let isLost = false;
    const append = (events: RunEvent[]) => {
      if (isLost) throw new TuttiError("run-busy", "Another process performs this run now.");
      return store.append(events);
    };
    const first = scriptedWorker("first", () => {
      isLost = true;
      return "late";
    });
    const second = scriptedWorker("second", "never");
    const pool = toPool([first, second]);
    const workflow = { steps: [step(0, "a"), step(1, "b", "all")] };
    const unwritten: RunEvent[] = [];
    const stage = toStage(pool, playedConductor(workflow), {
      store: { ...store, append },
      onUnwritten: (events) => unwritten.push(...events),
    });
    const state = await performRun(toStart(pool), stage);
    expect(state.ended).toBeUndefined();
    expect(second.requests).toHaveLength(0);
    expect(unwritten).toEqual([]);
    expect((await store.loadRun("r_test")).at(-1)?.type).toBe("step-start");
  });
});

describe("a run that is gone on with", () => {
  const workflow = { steps: [step(0, "a"), step(1, "b", "all")] };

  async function leaveAfter(type: RunEvent["type"]) {
    const store = createMemoryStore();
    const pool = toPool([scriptedWorker("first", "one"), scriptedWorker("second", "two")]);
    await performRun(toStart(pool), toStage(pool, playedConductor(workflow), { store }));
    const events = await store.loadRun("r_test");
    return { events, kept: events.slice(0, events.findIndex((event) => event.type === type) + 1) };
  }

  it("is read again under its lease: its process may have written to the last", async () => {
    const { kept } = await leaveAfter("step-end");
    const store = createMemoryStore();
    await store.append(kept);
    const first = scriptedWorker("first", "again");
    const pool = toPool([first, scriptedWorker("second", "two")]);
    const state = await resumeRun(kept.slice(0, -1), toStage(pool, playedConductor(workflow), { store }));
    expect(toRun(state)).toMatchObject({ answer: "two", stopReason: "done" });
    expect(first.requests).toHaveLength(0);
  });

  it("is left alone where it has ended meanwhile", async () => {
    const { events, kept } = await leaveAfter("step-end");
    const store = createMemoryStore();
    await store.append(events);
    const pool = toPool([scriptedWorker("first", "again"), scriptedWorker("second", "again")]);
    const state = await resumeRun(kept, toStage(pool, playedConductor(workflow), { store }));
    expect(toRun(state).answer).toBe("two");
    expect(await store.loadRun("r_test")).toHaveLength(events.length);
  });
});

describe("a process that was frozen for longer than its lease", () => {
  afterEach(() => vi.restoreAllMocks());

  it("looks whether the run is still its own before it asks", async () => {
    const store = createMemoryStore();
    const clock = vi.spyOn(performance, "now");
    const claims: boolean[] = [];
    const claim: typeof store.claim = async (...args) => {
      claims.push(claims.length === 0 && (await store.claim(...args)));
      return claims.at(-1)!;
    };
    const append = async (events: RunEvent[]) => {
      await store.append(events);
      // Frozen when what it is about to do was just written down.
      if (events.some(({ type }) => type === "step-start")) clock.mockReturnValue(1e9);
    };
    const worker = scriptedWorker("worker", "never");
    const pool = toPool([worker]);
    const workflow = { steps: [step(0, "a")] };
    const stage = toStage(pool, playedConductor(workflow), { store: { ...store, append, claim } });
    const state = await performRun(toStart(pool), stage);
    expect(claims).toEqual([true, false]);
    expect(worker.requests).toHaveLength(0);
    expect(state.ended).toBeUndefined();
  });
});

describe("a journal that takes a while", () => {
  const workflow = { steps: [step(0, "a"), step(1, "b", "all")] };

  async function performWith(refuse: (events: RunEvent[]) => boolean) {
    const store = createMemoryStore();
    const written: RunEvent[][] = [];
    const append = async (events: RunEvent[]) => {
      if (refuse(events)) throw new TuttiError("journal-failed", "The disk is full.");
      await new Promise((done) => setImmediate(done));
      await store.append(events);
      written.push(events);
    };
    const known = () => written.flat().map(({ type }) => type);
    const asked: string[][] = [];
    const ask = (reply: string) => () => {
      asked.push(known());
      return reply;
    };
    /** Of each event that was told: whether it was in the journal by then. */
    const told: [type: string, isKnown: boolean][] = [];
    const pool = toPool([scriptedWorker("first", ask("one")), scriptedWorker("second", ask("two"))]);
    const stage = toStage(pool, playedConductor(workflow), {
      store: { ...store, append },
      onEvent: (event) => {
        if (!event.type.endsWith("-delta")) told.push([event.type, written.flat().includes(event)]);
      },
    });
    const run = toRun(await performRun(toStart(pool), stage));
    return { run, asked, told, appends: written.map((events) => events.map(({ type }) => type).join(" ")) };
  }

  it("is given what a step brought together with what it leads to, before anybody is asked or told", async () => {
    const { run, asked, told, appends } = await performWith(() => false);
    expect(run).toMatchObject({ answer: "two", stopReason: "done" });
    expect(appends).toEqual([
      "run-start",
      "plan-start",
      "plan-end step-start",
      "step-end step-start",
      "step-end round-end",
      "run-end",
    ]);
    expect(asked[1]).toEqual(["run-start", "plan-start", "plan-end", "step-start", "step-end", "step-start"]);
    expect(told).toEqual(appends.flatMap((types) => types.split(" ")).map((type) => [type, true]));
  });

  it("and fails then: what was paid for is in the answer, nothing more is asked", async () => {
    const { run, asked } = await performWith((events) => events.some(({ type }) => type === "step-end"));
    expect(run).toMatchObject({ stopReason: "journal-failed", calls: 1 });
    expect(run.steps[0]).toMatchObject({ reply: "one" });
    expect(asked).toHaveLength(1);
  });
});

describe("a workflow", () => {
  it("is performed in order of access, and its last reply is the answer", async () => {
    const plan = scriptedWorker("plan", "think of 42");
    const solve = scriptedWorker("solve", (request) => `saw: ${request.brief!.visible.map((v) => v.reply)}`);
    const pool = toPool([plan, solve]);
    const workflow = { steps: [step(0, "plan it"), step(1, "solve it", [0])] };
    const stage = toStage(pool, playedConductor(workflow));
    const run = toRun(await performRun(toStart(pool), stage));
    expect(run).toMatchObject({
      answer: "saw: think of 42",
      stopReason: "done",
      calls: 2,
      conductorCalls: 0,
    });
    expect(run.rounds[0]!.workflow).toEqual(workflow);
    expect(run.steps.map((each) => each.state)).toEqual(["done", "done"]);
    expect(stage.events.map((event) => event.type)).toEqual([
      ..."run-start plan-start plan-delta plan-end step-start step-delta step-end".split(" "),
      ..."step-start step-delta step-end round-end run-end".split(" "),
    ]);
  });

  it("runs steps that do not see each other at the same time, and the last after all others", async () => {
    const running: string[] = [];
    let most = 0;
    const slow = (id: string) =>
      scriptedWorker(id, async () => {
        running.push(id);
        most = Math.max(most, running.length);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running.splice(running.indexOf(id), 1);
        return id;
      });
    const last = scriptedWorker("last", () => `with ${running.length} running`);
    const pool = toPool([slow("a"), slow("b"), slow("c"), last]);
    // The last step may see only step 0; it waits for the others all the same.
    const workflow = { steps: [step(0, "a"), step(1, "b"), step(2, "c"), step(3, "end", [0])] };
    const run = toRun(await performRun(toStart(pool), toStage(pool, playedConductor(workflow))));
    expect(most).toBe(3);
    expect(run.answer).toBe("with 0 running");
  });

  it("takes the last non-empty reply when the last one is empty", async () => {
    const pool = toPool([scriptedWorker("a", "something"), scriptedWorker("b", "")]);
    const workflow = { steps: [step(0, "a"), step(1, "b", "all")] };
    const run = toRun(await performRun(toStart(pool), toStage(pool, playedConductor(workflow))));
    expect(run.answer).toBe("something");
  });

  it("journals every reply before it is used", async () => {
    const store = createMemoryStore();
    const first = scriptedWorker("first", "paid for");
    const second = scriptedWorker("second", async () => {
      const journal = await store.loadRun("r_test");
      const ends = journal.filter((event) => event.type === "step-end");
      return ends.map((event) => event.reply.text).join();
    });
    const pool = toPool([first, second]);
    const workflow = { steps: [step(0, "a"), step(1, "b", "all")] };
    const run = toRun(await performRun(toStart(pool), toStage(pool, playedConductor(workflow), { store })));
    expect(run.answer).toBe("paid for");
    expect((await store.loadRun("r_test")).at(-1)!.type).toBe("run-end");
  });
});

describe("plans that are no workflow", () => {
  const formatError = {
    type: "format-error" as const,
    error: { code: "nothing-found" as const, message: "no lists" },
  };

  it("are sampled again twice, with the error shown to the Conductor", async () => {
    const pool = toPool([scriptedWorker("a", "fine")]);
    const conductor = playedConductor(formatError, formatError, { steps: [step(0, "go")] });
    const run = toRun(await performRun(toStart(pool), toStage(pool, conductor)));
    expect(run.answer).toBe("fine");
    expect(run.rounds[0]!.planErrors).toHaveLength(2);
    expect(conductor.requests[2]!.errors.at(-1)!.message).toBe("no lists");
    expect(new Set(conductor.requests.map((request) => request.seed)).size).toBe(3);
  });

  it("give way to one step with the strongest worker, and the trace says so", async () => {
    const profile = (success: number) => ({ success, tasks: 10, topics: {} });
    const pool = toPool([
      { worker: scriptedWorker("weak", "weak"), profile: profile(0.3) },
      { worker: scriptedWorker("strong", "strong"), profile: profile(0.9) },
    ]);
    const conductor = playedConductor(formatError);
    const run = toRun(await performRun(toStart(pool), toStage(pool, conductor)));
    expect(conductor.requests).toHaveLength(3);
    expect(run.answer).toBe("strong");
    expect(run.rounds[0]!.fallback).toMatch(/no usable plan after 3 attempts: no lists/);
  });

  it("also when the Conductor itself is out of reach", async () => {
    const pool = toPool([scriptedWorker("a", "still an answer")]);
    const conductor = playedConductor(REFUSED);
    const run = toRun(await performRun(toStart(pool), toStage(pool, conductor)));
    expect(conductor.requests).toHaveLength(1);
    expect(run).toMatchObject({ answer: "still an answer", stopReason: "done" });
    expect(run.rounds[0]!.fallback).toMatch(/401/);
  });
});

describe("workers that fail", () => {
  it("are asked again when that may help", async () => {
    const flaky = scriptedWorker("flaky", (_, __, call) => (call < 2 ? DOWN : "third time"));
    const pool = toPool([flaky]);
    const run = toRun(
      await performRun(toStart(pool), toStage(pool, playedConductor({ steps: [step(0, "go")] }))),
    );
    expect(run.answer).toBe("third time");
    expect(run.calls).toBe(3);
    expect(run.steps[0]!.failures.map((failure) => failure.error.code)).toEqual([
      "provider-error",
      "provider-error",
    ]);
  });

  it("are replaced by the next best one, and the trace says so", async () => {
    const pool = toPool([scriptedWorker("shut", () => REFUSED), scriptedWorker("open", "instead")]);
    const run = toRun(
      await performRun(toStart(pool), toStage(pool, playedConductor({ steps: [step(0, "go")] }))),
    );
    expect(run.answer).toBe("instead");
    expect(run.steps[0]).toMatchObject({ workerId: "open", insteadOf: "shut" });
    expect(run.steps[0]!.failures[0]).toMatchObject({ worker: "shut", error: { code: "auth" } });
  });

  it("that say by themselves that they were stopped have failed, and are not asked for ever", async () => {
    const quitter = scriptedWorker("quitter", () => {
      throw new TuttiError("aborted", "quitter was stopped");
    });
    const pool = toPool([quitter, scriptedWorker("b", "fine")]);
    const run = toRun(
      await performRun(toStart(pool), toStage(pool, playedConductor({ steps: [step(0, "go")] }))),
    );
    expect(run).toMatchObject({ answer: "fine", stopReason: "done" });
    expect(quitter.requests).toHaveLength(1);
  });

  it("are not asked first again while their circuit is open", async () => {
    const shut = scriptedWorker("shut", () => REFUSED);
    const pool = toPool([shut, scriptedWorker("open", "instead")]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    await performRun(toStart(pool), stage);
    await performRun({ ...toStart(pool), runId: "r_second" }, stage);
    expect(shut.requests).toHaveLength(1);
  });

  it("leave an inner step empty but not the answer, when nobody can do it", async () => {
    const pool = toPool([
      scriptedWorker("broken", (request) => (request.brief!.isLast ? "answer" : REFUSED)),
    ]);
    const workflow = { steps: [step(0, "inner"), step(0, "last", "all")] };
    const run = toRun(await performRun(toStart(pool), toStage(pool, playedConductor(workflow))));
    expect(run).toMatchObject({ answer: "answer", stopReason: "done" });
    expect(run.steps[0]!.state).toBe("failed");
  });

  it("end the run with an earlier reply and a reason when the last step fails", async () => {
    const pool = toPool([scriptedWorker("half", (request) => (request.brief!.isLast ? REFUSED : "a draft"))]);
    const workflow = { steps: [step(0, "draft"), step(0, "last", "all")] };
    const run = toRun(await performRun(toStart(pool), toStage(pool, playedConductor(workflow))));
    expect(run).toMatchObject({ answer: "a draft", stopReason: "worker-failed", error: { code: "auth" } });
  });

  it("end the run without an answer when nobody replies at all", async () => {
    const pool = toPool([scriptedWorker("a", () => REFUSED), scriptedWorker("b", () => REFUSED)]);
    const run = toRun(
      await performRun(toStart(pool), toStage(pool, playedConductor({ steps: [step(0, "go")] }))),
    );
    expect(run).toMatchObject({ answer: "", stopReason: "failed", error: { code: "auth" } });
  });

  it("are waited for as long as they ask when there is nobody else, and replaced when there is", async () => {
    const later = new TuttiError("rate-limited", "429", { retryable: true, retryAfterMs: 60_000 });
    const workflow = { steps: [step(0, "go")] };
    const alone = toPool([scriptedWorker("busy", () => later)]);
    const stage = toStage(alone, playedConductor(workflow));
    const start = toStart(alone, { limits: { deadlineMs: 20_000 } });
    // Beyond the deadline nobody waits: the run fails at once and says why.
    expect(toRun(await performRun(start, stage))).toMatchObject({
      stopReason: "failed",
      error: { message: "429" },
    });
    const waiting = toStage(alone, playedConductor(workflow));
    const controller = new AbortController();
    const onEvent = (event: RunEvent) => {
      if (event.type === "step-wait") controller.abort();
    };
    const patient = { ...waiting, onEvent, signal: controller.signal };
    expect(toRun(await performRun(toStart(alone), patient)).steps[0]!.state).toBe("waiting");
    const both = toPool([scriptedWorker("busy", () => later), scriptedWorker("free", "at once")]);
    expect(toRun(await performRun(toStart(both), toStage(both, playedConductor(workflow)))).answer).toBe(
      "at once",
    );
  });

  it("that use up their tokens without a word are replaced, and paid", async () => {
    const usage = { inputTokens: 10, outputTokens: 1000, cachedInputTokens: 0, reasoningTokens: 1000 };
    const thinker = scriptedWorker("thinker", () => [{ type: "finish", usage, reason: "length" }]);
    const pool = toPool([thinker, scriptedWorker("talker", "a word")], { inputUsd: 0, outputUsd: 1 });
    const run = toRun(
      await performRun(toStart(pool), toStage(pool, playedConductor({ steps: [step(0, "go")] }))),
    );
    expect(run).toMatchObject({ answer: "a word", stopReason: "done" });
    expect(run.steps[0]!.failures[0]).toMatchObject({
      worker: "thinker",
      error: { code: "empty-reply" },
      costUsd: 0.001,
    });
  });

  it("that fall silent are left behind and asked again", async () => {
    const forever = () => new Promise<string>(() => {});
    const hanging = scriptedWorker("hanging", (_, __, call) => (call === 0 ? forever() : "awake"));
    const pool = toPool([hanging]);
    const timeouts = { stepMs: 60_000, firstTokenMs: 500, idleMs: 20_000 };
    const start = toStart(pool, { timeouts });
    const run = toRun(await performRun(start, toStage(pool, playedConductor({ steps: [step(0, "go")] }))));
    expect(run.answer).toBe("awake");
    expect(run.steps[0]!.failures[0]!.error).toMatchObject({
      code: "timeout",
      message: "hanging did not begin within 0.5 s",
    });
  });
});

describe("a stream that is cut", () => {
  const cut = (text: string) => [{ type: "text-delta" as const, text }];

  it("is asked again for an inner step", async () => {
    const worker = scriptedWorker("w", (request, _, call) =>
      call === 0 ? cut("half a") : request.brief!.subtask,
    );
    const pool = toPool([worker]);
    const workflow = { steps: [step(0, "inner"), step(0, "last", "all")] };
    const start = toStart(pool, { streaming: true });
    const run = toRun(await performRun(start, toStage(pool, playedConductor(workflow))));
    expect(run).toMatchObject({ answer: "last", stopReason: "done" });
    expect(run.steps[0]!.failures[0]!.error.code).toBe("stream-cut");
  });

  it("is an error once a part of the answer has reached the user", async () => {
    const worker = scriptedWorker("w", () => cut("The answer is"));
    const pool = toPool([worker, scriptedWorker("other", "never asked")]);
    const start = toStart(pool, { streaming: true });
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    const run = toRun(await performRun(start, stage));
    expect(run).toMatchObject({
      answer: "The answer is",
      stopReason: "answer-cut",
      error: { code: "stream-cut" },
    });
    expect(worker.requests).toHaveLength(1);
  });

  it("is asked again for the last step when nobody has seen it yet", async () => {
    const worker = scriptedWorker("w", (_, __, call) => (call === 0 ? cut("The ans") : "The answer"));
    const pool = toPool([worker]);
    const run = toRun(
      await performRun(toStart(pool), toStage(pool, playedConductor({ steps: [step(0, "go")] }))),
    );
    expect(run).toMatchObject({ answer: "The answer", stopReason: "done" });
  });
});

describe("stopping", () => {
  it("a cancelled run aborts what is running and keeps what has arrived", async () => {
    const controller = new AbortController();
    let upstream: AbortSignal | undefined;
    const slow = {
      id: "slow",
      kind: "model" as const,
      async *ask(_: unknown, signal: AbortSignal) {
        upstream = signal;
        yield { type: "text-delta" as const, text: "so far" };
        controller.abort();
        await new Promise(() => {});
      },
    };
    const pool = toPool([slow]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }), { signal: controller.signal });
    const run = toRun(await performRun(toStart(pool), stage));
    expect(run).toMatchObject({ answer: "so far", stopReason: "cancelled" });
    expect(upstream!.aborted).toBe(true);
    expect(run.usage.outputTokens).toBeGreaterThan(0);
  });

  it("a deadline ends the run with the best answer so far", async () => {
    const pool = toPool([
      scriptedWorker("quick", "a draft"),
      scriptedWorker("slow", () => new Promise(() => {})),
    ]);
    const workflow = { steps: [step(0, "draft"), step(1, "polish", "all")] };
    // Long enough for the draft, also on a busy machine.
    const start = toStart(pool, { limits: { deadlineMs: 2_000 } });
    const run = toRun(await performRun(start, toStage(pool, playedConductor(workflow))));
    expect(run).toMatchObject({ answer: "a draft", stopReason: "deadline" });
  });

  it("a journal that cannot be written stops the asking, and shows what was paid for", async () => {
    const memory = createMemoryStore();
    const failing = {
      ...memory,
      append: (events: RunEvent[]) => {
        if (events.some((event) => event.type === "step-end"))
          throw new TuttiError("journal-failed", "disk full");
        return memory.append(events);
      },
    };
    const second = scriptedWorker("second", "never");
    const pool = toPool([scriptedWorker("first", "paid for"), second]);
    const workflow = { steps: [step(0, "a"), step(1, "b", "all")] };
    const stage = toStage(pool, playedConductor(workflow), { store: failing });
    const run = toRun(await performRun(toStart(pool), stage));
    expect(run).toMatchObject({
      answer: "paid for",
      stopReason: "journal-failed",
      error: { message: "disk full" },
    });
    expect(second.requests).toHaveLength(0);
  });
});

describe("a plan under review", () => {
  const pool = toPool([scriptedWorker("a", "A"), scriptedWorker("b", "B")]);
  const workflow = { steps: [step(0, "go")] };
  const settings = { review: true };

  it("is not performed when a person refuses it", async () => {
    const review = async () => ({ type: "refuse" as const });
    const run = toRun(
      await performRun(toStart(pool, settings), toStage(pool, playedConductor(workflow), { review })),
    );
    expect(run).toMatchObject({ answer: "", stopReason: "refused", calls: 0 });
  });

  it("is performed as edited", async () => {
    const review = async () => ({ type: "edit" as const, workflow: { steps: [step(1, "rather you")] } });
    const run = toRun(
      await performRun(toStart(pool, settings), toStage(pool, playedConductor(workflow), { review })),
    );
    expect(run).toMatchObject({ answer: "B", stopReason: "done" });
    expect(run.rounds[0]).toMatchObject({ review: "edited", workflow: { steps: [{ worker: 1 }] } });
  });
});
