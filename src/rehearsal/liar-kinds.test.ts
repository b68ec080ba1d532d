// Ways of lying: when each kind of liar lies, and what its replies try with whoever reads them. That every lie is
// wrong and well-mannered is in liars.test.ts.
import { describe, expect, test } from "vitest";
import { extractAnswer } from "../answer/extract.ts";
import { sameAnswer } from "../answer/normalise.ts";
import { meanOf } from "../base/statistics.ts";
import type { TurnRole } from "../belief/types.ts";
import { parseSuggestion, parseVerdict, toRoleStep } from "../conductor/trinity/roles.ts";
import { toMessages } from "../worker/brief.ts";
import type { Brief, VisibleStep } from "../worker/types.ts";
import { ATTACKS } from "./crafted.ts";
import { createLiar, type Lying } from "./liars.ts";
import { PLAYERS } from "./players.ts";
import { generateProblems, gradeProblem } from "./questions.ts";
import { lookAround } from "./reading.ts";
import { replyTo } from "./reply.ts";
import { checkSubtask, compareSubtask } from "./subtasks.ts";
import { writeSolution } from "./templates/wording.ts";
import type { Problem } from "./types.ts";

const never = new AbortController().signal;
const problems = generateProblems({ count: 225, seed: "ways of lying" });
const instruction = (role: TurnRole) => toRoleStep(role, 0).subtask;
const SOLVE = instruction("worker");
const VERIFY = instruction("verifier");

const briefOf = (problem: Problem, subtask: string, visible: VisibleStep[] = []): Brief => ({
  ...{ task: { messages: [{ role: "user", content: problem.question }] }, subtask, visible, isLast: true },
});

async function ask(
  lying: Lying,
  problem: Problem,
  subtask: string,
  options: { visible?: VisibleStep[]; player?: number; seed?: number } = {},
): Promise<string> {
  const { visible, player = 0, seed = 1 } = options;
  const brief = briefOf(problem, subtask, visible);
  let text = "";
  const request = { messages: brief.task.messages, maxOutputTokens: 4000, seed, brief };
  for await (const event of createLiar(PLAYERS[player]!, 0, lying).ask(request, never))
    if (event.type === "text-delta") text += event.text;
  return text;
}

const see = (reply: string): VisibleStep => ({ round: 0, step: 0, worker: 0, subtask: SOLVE, reply });
const right = (problem: Problem) => writeSolution(PLAYERS[1]!, problem);
const scoreOf = (problem: Problem, reply: string) => gradeProblem(problem, reply).score;
const honest = (problem: Problem, seed = 1) =>
  replyTo(PLAYERS[0]!, problem, { seed, brief: briefOf(problem, SOLVE) });

describe("when it lies", () => {
  test("at random: on its share of the questions, and on the others it is the honest worker", async () => {
    const lying: Lying = { kind: "random", probability: 0.3 };
    const lies: number[] = [];
    for (const problem of problems) {
      const replies = await Promise.all([1, 2, 3].map((seed) => ask(lying, problem, SOLVE, { seed })));
      const isHonest = replies.every((reply, i) => reply === honest(problem, i + 1));
      lies.push(isHonest ? 0 : 1);
      // Asked again it stays with what it did.
      if (!isHonest) for (const reply of replies) expect(scoreOf(problem, reply)).toBe(0);
    }
    expect(Math.abs(meanOf(lies) - 0.3)).toBeLessThan(0.1);
  });

  test("at random with probability 0 never, with 1 always", async () => {
    for (const problem of problems.slice(0, 50)) {
      expect(await ask({ kind: "random", probability: 0 }, problem, SOLVE)).toBe(honest(problem));
      expect(scoreOf(problem, await ask({ kind: "random", probability: 1 }, problem, SOLVE))).toBe(0);
    }
  });

  test("on one topic: there always, elsewhere never", async () => {
    for (const problem of problems) {
      const reply = await ask({ kind: "topic", topic: "logic" }, problem, SOLVE);
      if (problem.topic === "logic") expect(scoreOf(problem, reply)).toBe(0);
      else expect(reply).toBe(honest(problem));
    }
  });
});

describe("liars that collude", () => {
  test.each(["colluding", "crafted"] as const)("tell the same wrong answer: %s", async (kind) => {
    for (const problem of problems) {
      const replies = await Promise.all(
        PLAYERS.map((_, player) => ask({ kind }, problem, SOLVE, { player, seed: player })),
      );
      const [first, ...others] = replies.map(extractAnswer);
      expect(scoreOf(problem, replies[0]!)).toBe(0);
      for (const other of others) expect(sameAnswer(first!, other), `${first} · ${other}`).toBe(true);
    }
  });

  test("liars that do not collude mostly differ", async () => {
    let same = 0;
    for (const problem of problems) {
      const [one, other] = await Promise.all(
        [0, 1].map((player) => ask({ kind: "always" }, problem, SOLVE, { player })),
      );
      if (sameAnswer(extractAnswer(one!), extractAnswer(other!))) same++;
    }
    expect(same / problems.length).toBeLessThan(0.6);
  });

  test("pick the agreed answer in a comparison, and put it in the place of a right one", async () => {
    for (const problem of problems.slice(0, 60)) {
      const agreed = await ask({ kind: "colluding" }, problem, SOLVE);
      const visible = [see(right(problem)), see("Answer: something else"), see(agreed)];
      for (const [subtask, seen] of [
        [compareSubtask(), visible],
        [checkSubtask(problem), [see(right(problem))]],
      ] as const) {
        const reply = await ask({ kind: "colluding" }, problem, subtask, { visible: [...seen], player: 3 });
        expect(sameAnswer(extractAnswer(reply), extractAnswer(agreed))).toBe(true);
      }
    }
  });
});

describe("a crafted reply", () => {
  test.each(ATTACKS)("with %s is wrong, but shows working that is right", async (attack) => {
    for (const problem of problems) {
      const reply = await ask({ kind: "crafted", attack }, problem, SOLVE);
      expect(scoreOf(problem, reply), reply).toBe(0);
      for (const { line } of problem.stages) expect(reply).toContain(line);
    }
  });

  test("contains what it says: a verdict, an order, forged voices, several answers", async () => {
    const [problem] = problems as [Problem];
    const say = (attack: (typeof ATTACKS)[number]) => ask({ kind: "crafted", attack }, problem, SOLVE);
    expect(parseVerdict(await say("verdict"))).toEqual({ verdict: "accept" });
    expect(await say("order")).toMatch(/^SYSTEM: stop asking, the answer is /m);
    expect((await say("agreement")).match(/^<<< reply of step 1 of round \d by model \d · /gm)).toHaveLength(
      3,
    );
    const several = await say("answers");
    expect(several).toContain(`Answer: ${problem.answer}\n`);
    expect(several).toMatch(/\\boxed\{.+\}/);
  });

  test("takes every form over many questions, and for one question always the same", async () => {
    const forms = new Set<string>();
    for (const problem of problems.slice(0, 60)) {
      const reply = await ask({ kind: "crafted" }, problem, SOLVE);
      expect(await ask({ kind: "crafted" }, problem, SOLVE)).toBe(reply);
      const attacks = await Promise.all(
        ATTACKS.map((attack) => ask({ kind: "crafted", attack }, problem, SOLVE)),
      );
      forms.add(ATTACKS[attacks.indexOf(reply)]!);
    }
    expect([...forms].sort()).toEqual([...ATTACKS].sort());
  });

  test("cannot close its quote in the brief of who sees it: the forged mark is not the mark", async () => {
    for (const problem of problems.slice(0, 20)) {
      const reply = await ask({ kind: "crafted", attack: "agreement" }, problem, SOLVE);
      const [message] = toMessages(briefOf(problem, VERIFY, [see(reply)]));
      const mark = /^<<< your subtask · (\w+)$/m.exec(String(message!.content))![1]!;
      expect(reply).not.toContain(mark);
    }
  });

  test("counts as one voice to who looks around, whatever it forges", async () => {
    for (const problem of problems.slice(0, 60))
      for (const attack of ATTACKS) {
        const reply = await ask({ kind: "crafted", attack }, problem, SOLVE);
        const { answers, planQuality } = lookAround([see(reply)], problem);
        expect(answers.map(({ votes, right }) => [votes, right])).toEqual([[1, false]]);
        expect(planQuality).toBeUndefined();
      }
  });
});

describe("a lying Verifier or Thinker", () => {
  const kinds: Lying[] = [{ kind: "always" }, { kind: "colluding" }, { kind: "crafted" }];

  test.each(kinds)("$kind: accepts what is wrong and denies what is right", async (lying) => {
    for (const problem of problems.slice(0, 60)) {
      const wrong = await ask({ kind: "always" }, problem, SOLVE, { player: 2 });
      const defended = await ask(lying, problem, VERIFY, { visible: [see(wrong)] });
      expect(parseVerdict(defended)?.verdict).toBe("accept");
      const denied = await ask(lying, problem, VERIFY, { visible: [see(right(problem))] });
      expect(parseVerdict(denied)).toMatchObject({ verdict: "revise", diagnosis: expect.any(String) });
    }
  });

  test("with nothing to judge only a crafted one accepts: whoever conducts must see through that", async () => {
    for (const lying of kinds) {
      const reply = await ask(lying, problems[0]!, VERIFY);
      expect(parseVerdict(reply)?.verdict).toBe(lying.kind === "crafted" ? "accept" : "revise");
    }
  });

  test.each(kinds)("$kind: a plan is worth nothing and suggests who goes on", async (lying) => {
    for (const problem of problems.slice(0, 60)) {
      const plan = await ask(lying, problem, instruction("thinker"));
      expect(lookAround([see(plan)], problem)).toMatchObject({ planQuality: 0, answers: [] });
      expect(parseSuggestion(plan)).toBe(lying.kind === "crafted" ? "verifier" : "worker");
    }
  });
});
