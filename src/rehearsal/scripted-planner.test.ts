import { describe, expect, test } from "vitest";
import type { ComposedRound, ComposeRequest } from "../conductor/types.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { Pool, PoolMember, Worker } from "../worker/types.ts";
import type { Decision, Workflow } from "../workflow/types.ts";
import { createRehearsalPool } from "./pool.ts";
import { generateProblems } from "./questions.ts";
import { kindOf } from "./reading.ts";
import { createScriptedPlanner } from "./scripted-planner.ts";

const rehearsal = createRehearsalPool({ delayScale: 0 });
const consensus: PoolMember = { worker: createConsensusWorker() };
const withVote: Pool = { members: [consensus, ...rehearsal.members] };

async function compose(question: string, change: Partial<ComposeRequest> = {}) {
  const request: ComposeRequest = {
    task: { messages: [{ role: "user", content: question }] },
    pool: rehearsal,
    rounds: [],
    errors: [],
    maxSteps: 5,
    seed: 1,
    ...change,
  };
  const texts: string[] = [];
  let decision: Decision | undefined;
  let text = "";
  for await (const event of createScriptedPlanner().compose(request, new AbortController().signal)) {
    if (event.type === "plan-delta") texts.push(event.text);
    else ({ decision, text } = event);
  }
  expect(texts.join("")).toBe(text);
  expect(texts.length).toBeGreaterThan(3);
  return { decision: decision!, text };
}

async function plan(question: string, change: Partial<ComposeRequest> = {}): Promise<Workflow> {
  const { decision } = await compose(question, change);
  if (decision.type !== "workflow") throw new Error(`expected a workflow, got ${JSON.stringify(decision)}`);
  return decision.workflow;
}

const questionOf = (family: string, difficulty: 1 | 2 | 3) =>
  generateProblems({ count: 1, seed: 11, families: [family], difficulties: [difficulty] })[0]!.question;
const kinds = ({ steps }: Workflow) => steps.map(({ subtask }) => kindOf(subtask));
const ids = ({ steps }: Workflow, pool: Pool) => steps.map(({ worker }) => pool.members[worker]!.worker.id);

describe("the shape follows the difficulty", () => {
  test("easy: one step with a cheap worker that is about as good as the best", async () => {
    const workflow = await plan(questionOf("capitals", 1));
    expect(kinds(workflow)).toEqual(["solve"]);
    const member = rehearsal.members[workflow.steps[0]!.worker]!;
    const rates = rehearsal.members.map(({ profile }) => profile!.topics.facts!);
    expect(member.profile!.topics.facts!).toBeGreaterThanOrEqual(Math.max(...rates) - 0.05);
    for (const other of rehearsal.members) {
      const isAsGood = other.profile!.topics.facts! >= Math.max(...rates) - 0.05;
      if (isAsGood) expect(member.price!.outputUsd).toBeLessThanOrEqual(other.price!.outputUsd);
    }
  });

  test("medium: three on their own and a vote, or two and a comparison where there is none", async () => {
    const workflow = await plan(questionOf("equations", 2), { pool: withVote });
    expect(workflow.steps.map(({ access }) => access)).toEqual([[], [], [], [0, 1, 2]]);
    expect(new Set(ids(workflow, withVote)).size).toBe(4);
    expect(ids(workflow, withVote)[3]).toBe("consensus");
    const without = await plan(questionOf("equations", 2));
    expect(kinds(without)).toEqual(["solve", "solve", "compare"]);
  });

  test("hard: plan, solve, check by another one who sees all", async () => {
    const workflow = await plan(questionOf("gardens", 3));
    expect(kinds(workflow)).toEqual(["plan", "solve", "check"]);
    expect(workflow.steps.map(({ access }) => access)).toEqual([[], [0], "all"]);
    expect(ids(workflow, rehearsal)[0]).toBe("rehearsal/cello");
    expect(ids(workflow, rehearsal)[1]).toBe("rehearsal/piano");
    expect(workflow.steps[2]!.worker).not.toBe(workflow.steps[1]!.worker);
  });

  test("unknown: still an answer and a check", async () => {
    expect(kinds(await plan("Should I learn the oboe?"))).toEqual(["solve", "check"]);
  });

  test("few steps allowed: the shape shrinks", async () => {
    for (const difficulty of [1, 2, 3] as const) {
      for (const maxSteps of [1, 2, 3, 4]) {
        const { steps } = await plan(questionOf("gardens", difficulty), { maxSteps, pool: withVote });
        expect(steps.length).toBeLessThanOrEqual(maxSteps);
      }
    }
  });
});

describe("any pool will do", () => {
  const stranger = (id: string): PoolMember => {
    const worker: Worker = {
      id,
      kind: "model",
      ask: () => rehearsal.members[0]!.worker.ask({} as never, {} as never),
    };
    return { worker };
  };

  test("a shuffled pool is answered in its own numbers", async () => {
    const reversed: Pool = { members: rehearsal.members.toReversed() };
    const question = questionOf("gardens", 3);
    expect(ids(await plan(question, { pool: reversed }), reversed)).toEqual(
      ids(await plan(question), rehearsal),
    );
  });

  test("strangers without profiles are taken in their order", async () => {
    const pool: Pool = { members: [consensus, stranger("a"), stranger("b")] };
    for (const difficulty of [1, 2, 3] as const) {
      const workflow = await plan(questionOf("gardens", difficulty), { pool });
      expect(workflow.steps.length).toBeGreaterThan(0);
    }
    expect(ids(await plan("Who are you?", { pool }), pool)).toEqual(["a", "b"]);
  });

  test("one worker alone solves", async () => {
    const pool: Pool = { members: [stranger("a")] };
    expect(kinds(await plan(questionOf("gardens", 3), { pool }))).toEqual(["solve"]);
  });
});

describe("later rounds", () => {
  const workflow = { steps: [0, 1].map((worker) => ({ worker, subtask: "Solve it.", access: [] })) };
  const round = (...replies: string[]): ComposedRound => ({ workflow, replies });
  const question = questionOf("equations", 2);

  test("agreement is accepted, also beside a plan", async () => {
    const agreeing = [round("Answer: 4", "Answer: 4.0")];
    expect((await compose(question, { rounds: agreeing })).decision).toEqual({ type: "accept" });
    const planned = [round("Plan:\n1. add", "Answer: 4")];
    expect((await compose(question, { rounds: planned })).decision).toEqual({ type: "accept" });
  });

  test("disagreement brings somebody new and a comparison that sees all", async () => {
    const corrective = await plan(question, { rounds: [round("Answer: 4", "Answer: 5")] });
    expect(kinds(corrective)).toEqual(["solve", "compare"]);
    expect([0, 1]).not.toContain(corrective.steps[0]!.worker);
    expect(corrective.steps[1]!.access).toBe("all");
  });

  test("one correction is enough", async () => {
    const rounds = [round("Answer: 4", "Answer: 5"), round("Answer: 6", "Answer: 7")];
    expect((await compose(question, { rounds })).decision).toEqual({ type: "accept" });
  });

  test("silence is tried again", async () => {
    expect((await plan(question, { rounds: [round("", "")] })).steps.length).toBeGreaterThan(0);
  });
});

test("an abort stops the writing", async () => {
  const stop = new AbortController();
  stop.abort();
  const request = { task: { messages: [] }, pool: rehearsal, rounds: [], errors: [], maxSteps: 5, seed: 1 };
  const events = createScriptedPlanner().compose(request, stop.signal);
  await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "aborted" });
});
