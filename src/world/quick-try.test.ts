import { describe, expect, it } from "vitest";
import { createRandom } from "../base/random.ts";
import { Language, toLiterals } from "../conductor/native/language.ts";
import { readSayable } from "../conductor/native/sayable.ts";
import { toDecision } from "../conductor/text.ts";
import type { ComposedRound } from "../conductor/types.ts";
import { loadRepertoire } from "../instruction/repertoire.ts";
import { sampleWorkflow } from "../learn/native/random-workflow.ts";
import { trainTokenizer } from "../nn/tokenizer.ts";
import { handsOff } from "../worker/kinds.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import { tryQuickly } from "./quick-try.ts";
import { createRehearsalWorld } from "./rehearsal.ts";
import { performTexts } from "./rollout.ts";
import type { Question } from "./types.ts";

const signal = new AbortController().signal;
const world = createRehearsalWorld({
  ...{ seed: 5, pools: "random", calibrationTasks: 8, validation: 4, liars: 0.3, alone: 0.2 },
});
const language = new Language(
  trainTokenizer(["a question"], { size: 700, literals: toLiterals(loadRepertoire()) }),
  loadRepertoire(),
);

/** A random workflow for this question, as text. */
function write({ task, pool }: Question, seed: number, previousSteps = 0): string {
  const sayable = readSayable(task.prompt, language.repertoire);
  const workers = [...pool.members.keys()];
  const random = createRandom(seed);
  const steps = sampleWorkflow({
    ...{ pool, language, sayable, workers, handOffs: handsOff(pool), random, previousSteps },
  });
  const wording = { workerOf: (slot: number) => slot, workers: workers.length, sayable };
  return language.toText(language.toTokens(steps), wording);
}

function readWorkflow({ pool }: Question, text: string, rounds: ComposedRound[] = []) {
  const decision = toDecision(text, { pool, maxSteps: MAX_STEPS, rounds });
  if (decision.type !== "workflow") throw new Error(`no workflow: ${text}`);
  return decision.workflow;
}

describe("another try of a plan", () => {
  it("says, in every step, what the real performer's workers say under the same seed", async () => {
    let compared = 0;
    for (let number = 0; number < 150; number++) {
      const question = world.sample(number);
      const text = write(question, number);
      const asked = { question, texts: [text], seed: 900 + number };
      const run = await performTexts({ ...asked, world, signal });
      const workflow = readWorkflow(question, text);
      const tried = await tryQuickly(world, { ...asked, workflow }, signal);
      if (!tried) continue;
      compared++;
      expect(tried).toEqual({ ...run, costUsd: 0, rounds: tried.rounds });
      expect(tried.rounds.map(({ replies }) => replies)).toEqual(run.rounds.map(({ replies }) => replies));
    }
    expect(compared).toBeGreaterThan(100);
  });

  it("goes on from the rounds before as the performer does", async () => {
    let compared = 0;
    for (let number = 0; number < 60; number++) {
      const question = world.sample(number);
      const first = write(question, number);
      const before = await performTexts({ world, question, texts: [first], seed: number, signal });
      if (!before.isValid || before.isOutage) continue;
      const text = write(question, 5_000 + number, before.rounds[0]!.workflow.steps.length);
      const texts = [first, text];
      const run = await performTexts({ world, question, texts, seed: number, signal });
      const workflow = readWorkflow(question, text, before.rounds);
      const tried = await tryQuickly(world, { question, texts, workflow, seed: number, before }, signal);
      if (!tried || !run.isValid) continue;
      compared++;
      expect(tried).toEqual({ ...run, costUsd: before.costUsd, rounds: tried.rounds });
      expect(tried.rounds.map(({ replies }) => replies)).toEqual(run.rounds.map(({ replies }) => replies));
    }
    expect(compared).toBeGreaterThan(20);
  });

  it("leaves to the performer what a worker refuses", async () => {
    const alone = createRehearsalWorld({
      ...{ seed: 5, pools: "random", calibrationTasks: 8, validation: 4, alone: 1 },
    });
    const question = alone.sample(1);
    const model = question.pool.members.findIndex(({ worker }) => worker.kind === "model");
    const steps = [
      { worker: model, subtask: "Solve it.", access: [] },
      { worker: model, subtask: "Check it.", access: "all" as const },
    ];
    const tried = await tryQuickly(alone, { question, workflow: { steps }, texts: [""], seed: 1 }, signal);
    expect(tried).toBeUndefined();
  });
});
