import { describe, expect, test } from "vitest";
import { createRandom, hashSeed } from "../base/random.ts";
import { findBaseline } from "../baseline/all.ts";
import { measureBaseline, openRehearsalTest, performPlans } from "../bench/test-sets.ts";
import { saveCheckpoint } from "../conductor/native/checkpoint.ts";
import type { WrittenStep } from "../conductor/native/language.ts";
import { FEATURES } from "../conductor/native/reading.ts";
import { loadRepertoire } from "../instruction/repertoire.ts";
import type { Model } from "../nn/model.ts";
import { createWeights } from "../nn/transformer.ts";
import { createTinyLanguage, say } from "../testing/learn/tiny-language.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { createJoinedWorld } from "../world/joined.ts";
import { createRecordingWorld } from "../world/recording.ts";
import { createRehearsalWorld } from "../world/rehearsal.ts";
import { createContender, evaluateTrained, openTrained, writeTestPlans } from "./evaluate-trained.ts";
import { openTrainingFolder } from "./folder.ts";
import { trainNative } from "./native/learner.ts";
import type { Policy } from "./native/stage.ts";

const files = createFiles();
const language = createTinyLanguage();
const { signal } = new AbortController();
const measuring = { seed: 3, signal };

/** A policy that writes what it is told, question by question; the second round is its second call. */
function recite(write: (question: number, call: number) => WrittenStep[] | "nonsense"): Policy {
  let call = -1;
  const writer: Pick<Model, "generate"> = {
    async generate(prefixes) {
      call++;
      return prefixes.map((_, question) => {
        const steps = write(question, call);
        const tokens = steps === "nonsense" ? [language.close, language.end] : language.toTokens(steps);
        const zeros = tokens.map(() => 0);
        return [{ tokens, logps: zeros, entropies: zeros }];
      });
    },
  };
  return { model: writer as Model, language, choices: {} };
}

const ask = (worker: number): WrittenStep[] => [{ worker, saying: say(language), access: [] }];

describe("plans for test tasks", () => {
  const fitted = openRehearsalTest({ count: 60, seed: 8 });

  test("belong to their tasks and say whether they can be performed", async () => {
    const policy = recite((question) => (question % 3 === 0 ? "nonsense" : ask(question % 7)));
    const plans = await writeTestPlans(fitted, policy, { rounds: 1, ...measuring });
    expect(plans.map(({ task }) => task)).toEqual(fitted.test);
    expect(plans.map(({ isValid }) => isValid)).toEqual(fitted.test.map((_, i) => i % 3 !== 0));
    const rows = await performPlans(fitted, plans, { name: "x", ...measuring });
    const ids = fitted.pool.members.map(({ worker }) => worker.id);
    expect(rows.map(({ asked }) => asked)).toEqual(
      fitted.test.map((_, i) => (i % 3 === 0 ? [] : [ids[i % 7]])),
    );
  });

  test("come out as they did when they were written: right where that was right, in the second round too", async () => {
    const policy = recite((question, call) => (call === 0 ? ask(6) : question % 2 === 0 ? [] : ask(0)));
    const plans = await writeTestPlans(fitted, policy, { rounds: 2, ...measuring });
    const rows = await performPlans(fitted, plans, { name: "x", ...measuring });
    const first = await measureBaseline(fitted, findBaseline("single:rehearsal/piccolo"), measuring);
    expect(rows.map(({ rounds }) => rounds)).toEqual(fitted.test.map((_, i) => (i % 2 === 0 ? 1 : 2)));
    expect(rows.map(({ calls }) => calls)).toEqual(fitted.test.map((_, i) => (i % 2 === 0 ? 1 : 2)));
    // What was accepted at once keeps the answer of the first round.
    for (const [i, row] of rows.entries()) if (i % 2 === 0) expect(row.asked).toEqual(first[i]!.asked);
  });
});

const shape = {
  vocabulary: language.vocabulary,
  width: 32,
  layers: 1,
  heads: 1,
  hidden: 32,
  features: FEATURES,
};

async function saveUntrained(): Promise<string> {
  const folder = `${files.folder}/untrained`;
  await saveCheckpoint(folder, {
    card: {
      ...{ name: "untrained", shape, limits: { workers: 64, rounds: 2 }, handOffs: true, about: {} },
      training: {
        ...{ world: "none", isSimulated: true, command: "", seed: 0, iterations: 0, engine: "", date: "" },
      },
    },
    weights: createWeights(shape, 1),
    language,
  });
  return folder;
}

describe("the table after a training", () => {
  test("has the trained Conductor first, wrong where it writes no workflow, and the others beside it", async () => {
    const checkpoint = await saveUntrained();
    const rows = await evaluateTrained({
      checkpoint,
      worlds: [{ kind: "rehearsal" }],
      count: 30,
      seed: 8,
      signal,
    });
    expect(rows.map(({ name }) => name)).toEqual([
      ...["trained Conductor", "best-single", "lookup-category", "lookup-subtask", "neighbours", "vote-3"],
      ...["vote-all", "mixture-of-agents", "self-reflection", "random-workflow", "scripted-planner"],
    ]);
    expect(rows[0]).toMatchObject({ accuracy: 0, calls: 0, note: "0.0 % valid" });
    expect(rows.find(({ name }) => name === "mixture-of-agents")!.calls).toBe(13);
    const best = rows[1]!;
    expect(best.accuracy).toBeGreaterThan(0.4);
    expect(best.low).toBeLessThan(best.accuracy);
    expect(best.high).toBeGreaterThan(best.accuracy);
    expect(best.costUsd).toBeGreaterThan(0);
  });

  /** Two sets of sixty questions. */
  function writeRecording(): string {
    const tasks: object[] = [];
    const outcomes: object[] = [];
    for (const set of ["one", "two"])
      for (let i = 0; i < 60; i++) {
        const id = `${set}/${i}`;
        tasks.push({
          id,
          set,
          category: "c",
          subtask: "s",
          prompt: `Question ${id} of many?`,
          answer: "yes",
        });
        for (const [number, worker] of ["bad", "good", "fair"].entries()) {
          const score = createRandom(hashSeed(id, worker)).next() < [0.1, 0.9, 0.5][number]! ? 1 : 0;
          outcomes.push({ task: id, worker, sample: 0, answer: score ? "yes" : "no", score, tokens: 3 });
        }
      }
    files.writeRows("recording/tasks.jsonl", ...tasks);
    files.writeRows("recording/outcomes.jsonl", ...outcomes);
    return `${files.folder}/recording`;
  }

  test("leaves out of recordings who hands work on, and tells sets apart in the note", async () => {
    const checkpoint = await saveUntrained();
    const recordings = [{ folder: writeRecording() }];
    const rows = await evaluateTrained({
      checkpoint,
      worlds: [{ kind: "recording", recordings }],
      count: 10,
      signal,
    });
    expect(rows.map(({ name }) => name)).toEqual([
      ...["trained Conductor", "best-single", "lookup-category", "lookup-subtask", "neighbours", "vote-3"],
      "vote-all",
    ]);
    expect(rows[0]!.note).toBe("0.0 % valid; one 0.0, two 0.0");
    expect(rows[1]!.accuracy).toBeGreaterThan(0.7);
    const [, one, two] = /^one (.+), two (.+)$/.exec(rows[1]!.note!)!;
    expect((Number(one) + Number(two)) / 200).toBeCloseTo(rows[1]!.accuracy, 5);
  });

  test("has each of several worlds apart, with its own baselines", async () => {
    const checkpoint = await saveUntrained();
    const recordings = [{ folder: writeRecording() }];
    const rows = await evaluateTrained({
      checkpoint,
      worlds: [{ kind: "rehearsal" }, { kind: "recording", recordings }],
      ...{ count: 30, seed: 8, signal },
    });
    const alone = await evaluateTrained({
      checkpoint,
      worlds: [{ kind: "rehearsal" }],
      ...{ count: 30, seed: 8, signal },
    });
    const simulated = { name: "rehearsal (simulated)", isSimulated: true };
    expect(rows.slice(0, 11)).toEqual(alone.map((row) => ({ ...row, world: simulated })));
    const recorded = rows.slice(11);
    expect(recorded.map(({ name }) => name)).toEqual([
      ...["trained Conductor", "best-single", "lookup-category", "lookup-subtask", "neighbours", "vote-3"],
      "vote-all",
    ]);
    for (const { world } of recorded) expect(world).toEqual({ name: "one + two", isSimulated: false });
  });

  test("a training in both worlds keeps one checkpoint that hands off where the pool allows it", async () => {
    const world = createJoinedWorld(
      [
        createRehearsalWorld({ seed: 1, pools: "random", calibrationTasks: 6, validation: 6 }),
        await createRecordingWorld({
          ...{ recordings: [{ folder: writeRecording() }], seed: 1, pools: "random", validationPerSet: 3 },
        }),
      ],
      [0.6, 0.4],
    );
    const folder = openTrainingFolder(`${files.folder}/both`);
    const result = await trainNative({
      ...{ world, seed: 1, iterations: 3, warmUp: 2, rounds: 1, group: 2, questions: 4, costPerCall: 0 },
      ...{ distilled: 0, repertoire: loadRepertoire(), shape: { width: 32, layers: 1 }, threads: 1 },
      ...{ folder, resume: false, command: "none", signal, onEvent() {} },
    });
    folder.close();
    const { validation, checkpoint } = result;
    const [rehearsal, recorded] = ["rehearsal (simulated)", "one + two"].map(
      (name) => validation!.parts![name]!,
    );
    expect(rehearsal!.tasks).toBe(recorded!.tasks);
    expect(validation!.tasks).toBe(2 * rehearsal!.tasks);
    expect(validation!.calls).toBeCloseTo((rehearsal!.calls + recorded!.calls) / 2, 9);
    const { card } = openTrained(checkpoint);
    expect(card).toMatchObject({
      ...{ name: "joined", handOffs: "by-pool", choices: { first: [1, 2, 3, 4, 5] } },
      closing: "\n\nEnd with a line “Answer: …” that states the final answer alone.",
      training: { world: "rehearsal (simulated) + one + two", isSimulated: true },
    });
  });

  test("can be of a warm-up alone: a training without iterations keeps it", async () => {
    const folder = openTrainingFolder(`${files.folder}/warm-up`);
    const result = await trainNative({
      world: createRehearsalWorld({ seed: 1, pools: "random", calibrationTasks: 6, validation: 4 }),
      ...{ seed: 1, iterations: 0, warmUp: 2, rounds: 1, group: 2, questions: 2, costPerCall: 0 },
      ...{ distilled: 0, repertoire: loadRepertoire(), shape: { width: 32, layers: 1 }, threads: 1 },
      ...{ folder, resume: false, command: "none", signal, onEvent() {} },
    });
    folder.close();
    expect(result).toMatchObject({ iterations: 2, validation: { stage: "warm-up", isBest: true, tasks: 4 } });
    const { card } = openTrained(result.checkpoint);
    expect(card.training).toMatchObject({ iterations: 2, isSimulated: true });
  });

  test("has a Conductor that decides in turns measured on the same tasks as the others", async () => {
    const fitted = openRehearsalTest({ count: 60, seed: 8 });
    const conductor = fitted.fit(findBaseline("best-single"));
    const rows = await createContender({ conductor, rounds: 1 }).measure(fitted, measuring);
    const beside = await measureBaseline(fitted, findBaseline("best-single"), measuring);
    expect(rows).toEqual(
      beside.map((row) => ({ ...row, conductor: "trained Conductor", durationMs: expect.any(Number) })),
    );
  });

  test("opens TRINITY where the card says so", async () => {
    files.write("trinity/card.json", JSON.stringify({ format: "tutti-trinity" }));
    const evaluated = evaluateTrained({
      ...{
        checkpoint: `${files.folder}/trinity`,
        worlds: [{ kind: "rehearsal" }],
        count: 30,
        seed: 8,
        signal,
      },
    });
    await expect(evaluated).rejects.toThrow("TRINITY");
  });

  test("needs a checkpoint", () => {
    expect(() => openTrained(`${files.folder}/nowhere`)).toThrow("card.json cannot be read");
  });
});
