import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { createGate } from "../base/gate.ts";
import { createLog } from "../http/log.ts";
import { add, toMember } from "../testing/learn/small-world.ts";
import {
  BAD,
  createSumsFinder,
  GOOD,
  planFor,
  type SumsFinder,
  sumLabel,
} from "../testing/learn/sums-finder.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { RolloutDesk } from "./desk.ts";
import { createRolloutMetrics, type RolloutMetrics } from "./metrics.ts";
import { openRolloutJournal, type RolloutJournal } from "./rollout-journal.ts";
import type { FailureRewards } from "./types.ts";

const files = createFiles();
const opened: RolloutJournal[] = [];
let count = 0;
afterEach(() => {
  for (const journal of opened.splice(0)) journal.close();
});

interface Bench {
  desk: RolloutDesk;
  metrics: RolloutMetrics;
  journal: RolloutJournal;
  lines: string[];
  /** Waits that were asked for, in order. */
  waits: number[];
  file: string;
}

/** Waits end when `passes` says so; the clock moves with them. */
async function openDesk(
  finder: SumsFinder,
  options: {
    file?: string;
    most?: number;
    failureRewards?: FailureRewards;
    patienceMs?: number;
    passes?: (ms: number) => boolean;
  } = {},
): Promise<Bench> {
  const file = options.file ?? join(files.folder, `${count++}`, "rollouts.jsonl");
  const journal = await openRolloutJournal(file);
  opened.push(journal);
  const gate = createGate(options.most ?? 64);
  const [lines, waits]: [string[], number[]] = [[], []];
  let now = 0;
  const metrics = createRolloutMetrics({ isSimulated: true, gate, now: () => now });
  const desk = new RolloutDesk({
    ...{ finder, journal, gate, metrics },
    log: createLog({ write: (line) => lines.push(line) }),
    failureRewards: options.failureRewards ?? { budget: 0, other: 0 },
    patienceMs: options.patienceMs ?? 60_000,
    now: () => now,
    async wait(ms) {
      if (!(options.passes?.(ms) ?? ms < DEADLINE_MS)) return new Promise(() => {});
      waits.push(ms);
      now += ms;
    },
  });
  return { desk, metrics, journal, lines, waits, file };
}
const DEADLINE_MS = 170_000;

function submit({ desk }: Bench, number: number, completion: string) {
  return desk.score("openrlhf", { label: sumLabel(number), completion }, DEADLINE_MS);
}

describe("rewards", () => {
  test("1 right, 0.5 wrong, 0 for what is no workflow, through the parser and the performer", async () => {
    const bench = await openDesk(createSumsFinder());
    expect((await submit(bench, 1, planFor(GOOD))).reward).toBe(1);
    expect((await submit(bench, 1, planFor(BAD))).reward).toBe(0.5);
    expect((await submit(bench, 1, "I would ask the good one.")).reward).toBe(0);
    expect((await submit(bench, 1, "")).reward).toBe(0);
    expect(bench.metrics.snapshot()).toMatchObject({ performed: 4, reward: 0.375, validShare: 0.5 });
  });

  test("a second round is performed after the first, which its label has", async () => {
    const finder = createSumsFinder();
    const { desk } = await openDesk(finder);
    const mend = { label: sumLabel(1, { before: [planFor(BAD)] }), completion: planFor(GOOD) };
    expect((await desk.score("slime", mend, DEADLINE_MS)).reward).toBe(1);
    const accept = { ...mend, completion: "model_id = []\nsubtasks = []\naccess_list = []" };
    expect((await desk.score("slime", accept, DEADLINE_MS)).reward).toBe(0.5);
  });
});

describe("nothing is performed twice", () => {
  test("256 at once, each sent four times: retries join what runs", async () => {
    const finder = createSumsFinder();
    const bench = await openDesk(finder, { most: 8 });
    const answers = await Promise.all(
      Array.from({ length: 1024 }, (_, i) => submit(bench, i % 256, planFor(GOOD))),
    );
    expect(answers.every(({ reward }) => reward === 1)).toBe(true);
    expect(finder.asked()).toBe(256);
    expect(bench.metrics.snapshot()).toMatchObject({ performed: 256, joined: 768, kept: 0 });
  });

  test("what was performed is kept: for the next time, and for the next process", async () => {
    const finder = createSumsFinder();
    const first = await openDesk(finder);
    await submit(first, 1, planFor(GOOD));
    await submit(first, 1, planFor(GOOD));
    expect(first.metrics.snapshot()).toMatchObject({ performed: 1, kept: 1 });
    first.journal.close();
    opened.length = 0;
    const second = await openDesk(finder, { file: first.file });
    expect((await submit(second, 1, planFor(GOOD))).reward).toBe(1);
    expect(finder.asked()).toBe(1);
    expect(second.metrics.snapshot()).toMatchObject({ performed: 0, kept: 1 });
  });

  test("another label or another completion is another rollout", async () => {
    const finder = createSumsFinder();
    const bench = await openDesk(finder);
    await Promise.all([submit(bench, 1, planFor(GOOD)), submit(bench, 2, planFor(GOOD))]);
    await submit(bench, 1, planFor(GOOD, "Add them"));
    expect(finder.asked()).toBe(3);
  });

  test("no more at the same time than the gate lets in", async () => {
    let [now, most] = [0, 0];
    const slow = toMember(
      "slow",
      async (request) => {
        most = Math.max(most, ++now);
        await new Promise(setImmediate);
        now--;
        return add(request);
      },
      0.5,
    );
    const bench = await openDesk(createSumsFinder([slow], { isInstant: false }), { most: 3 });
    await Promise.all(Array.from({ length: 20 }, (_, i) => submit(bench, i, planFor(0))));
    expect(most).toBe(3);
  });
});

test("simulated rollouts leave room for what else happens, though they never wait", async () => {
  const bench = await openDesk(createSumsFinder());
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(Array.from({ length: 50 }, (_, i) => submit(bench, i, planFor(GOOD))));
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(50);
});

describe("failures are no rewards", () => {
  const fault = () => new TuttiError("unreachable", "Down", { retryable: true });

  test("a pool that is down for a minute is waited for, and the reward is the true one", async () => {
    let asked = 0;
    const member = toMember("flaky", (request) => (++asked <= 6 ? fault() : add(request)), 0.5);
    const bench = await openDesk(createSumsFinder([member]), { patienceMs: 90_000 });
    expect((await submit(bench, 1, planFor(0))).reward).toBe(1);
    expect(bench.waits).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    expect(bench.metrics.snapshot().failures.outage).toBe(0);
  });

  test("one that stays down is an outage: counted apart, told, not kept, tried anew when it is asked for", async () => {
    let isDown = true;
    const member = toMember("down", (request) => (isDown ? fault() : add(request)), 0.5);
    const bench = await openDesk(createSumsFinder([member]), { failureRewards: { budget: 0, other: 0.25 } });
    const answer = await submit(bench, 1, planFor(0));
    expect(answer).toMatchObject({ reward: 0.25, verdict: { type: "failure", failure: "outage" } });
    expect(bench.metrics.snapshot()).toMatchObject({ performed: 0, failures: { outage: 1 } });
    expect(bench.lines.at(-1)).toMatch(/"level":"warn".*no true reward.*"failure":"outage".*"answered":0.25/);
    isDown = false;
    expect((await submit(bench, 1, planFor(0))).reward).toBe(1);
  });

  test("before the engine hangs up it gets a number; the work goes on and is kept for the next time", async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const member = toMember("slow", (request) => held.then(() => add(request)), 0.5);
    const finder = createSumsFinder([member]);
    const bench = await openDesk(finder, { passes: (ms) => ms === DEADLINE_MS });
    const late = await submit(bench, 1, planFor(0));
    expect(late).toMatchObject({ reward: 0, verdict: { failure: "late" } });
    expect(bench.desk.underWay).toBe(1);
    finish();
    while (bench.desk.underWay > 0) await new Promise(setImmediate);
    expect((await submit(bench, 1, planFor(0))).reward).toBe(1);
    expect(finder.asked()).toBe(1);
    expect(bench.metrics.snapshot()).toMatchObject({ performed: 1, kept: 1, failures: { late: 1 } });
  });

  test("money that is spent has a reward of its own, and what is no workflow is still told for nothing", async () => {
    const spent = () => new TuttiError("budget-spent", "Spent", { status: 402 });
    const finder = createSumsFinder([toMember("expensive", spent, 0.5)]);
    const bench = await openDesk(finder, { failureRewards: { budget: 0.5, other: 0 } });
    expect(await submit(bench, 1, planFor(0))).toMatchObject({ reward: 0.5, verdict: { failure: "budget" } });
    expect(await submit(bench, 1, "babble")).toMatchObject({ reward: 0, verdict: { type: "reward" } });
    expect(bench.waits).toEqual([]);
  });

  test("an unknown label and a prompt that cannot be told apart ask nobody", async () => {
    const finder = createSumsFinder();
    const { desk } = await openDesk(finder);
    const score = (label: unknown, completion: string | undefined) =>
      desk.score("openrlhf", { label, completion }, DEADLINE_MS);
    expect(await score("nobody wrote this", planFor(0))).toMatchObject({ verdict: { failure: "label" } });
    expect(await score(sumLabel(1), undefined)).toMatchObject({ verdict: { failure: "unreadable" } });
    expect(finder.asked()).toBe(0);
  });

  test("a grader that breaks is our fault, not the policy's", async () => {
    const grade = () => {
      throw new Error("the sandbox is gone");
    };
    const bench = await openDesk(createSumsFinder(undefined, { grade }));
    expect(await submit(bench, 1, planFor(GOOD))).toMatchObject({ verdict: { failure: "fault" } });
    expect(bench.lines.some((line) => line.includes("the sandbox is gone"))).toBe(true);
  });

  test("a grade that cannot be given is waited for like an outage", async () => {
    const grade = () => ({ score: 0, why: "the judge is down", ungraded: true });
    const bench = await openDesk(createSumsFinder(undefined, { grade }));
    expect(await submit(bench, 1, planFor(GOOD))).toMatchObject({ verdict: { failure: "outage" } });
  });

  test("a journal that cannot be written gives no reward: it would be paid again after a restart", async () => {
    const bench = await openDesk(createSumsFinder());
    bench.journal.close();
    opened.length = 0;
    expect(await submit(bench, 1, planFor(GOOD))).toMatchObject({ verdict: { failure: "fault" } });
  });
});
