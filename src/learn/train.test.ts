// A whole training of a tiny model: the same for a seed, and bitwise the same however often it was interrupted.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { loadCheckpoint } from "../conductor/native/checkpoint.ts";
import { createSmallWorld } from "../testing/learn/small-world.ts";
import { createTinyLanguage } from "../testing/learn/tiny-language.ts";
import type { World } from "../world/types.ts";
import { openTrainingFolder } from "./folder.ts";
import { type TrainOptions, trainNative } from "./native/learner.ts";
import type { TrainEvent } from "./types.ts";

// Each test is a training or two, on cores that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const { repertoire } = createTinyLanguage();
const home = mkdtempSync(join(tmpdir(), "tutti-train-"));
afterAll(() => rmSync(home, { recursive: true }));

const [WARM_UP, ITERATIONS, EVALUATE_EVERY] = [5, 8, 3];
const TOTAL = WARM_UP + ITERATIONS;
/** A copy of the folder as it was on the disk when this iteration had just been told, not saved yet. */
const killedAt = (name: string, iteration: number) => join(home, `${name}-killed-${iteration}`);

interface Watched {
  events: TrainEvent[];
  path: string;
}

async function run(
  name: string,
  options: Partial<TrainOptions> = {},
  {
    onEvent = () => {},
    abort = new AbortController(),
  }: { onEvent?: (event: TrainEvent) => unknown; abort?: AbortController } = {},
): Promise<Watched & Awaited<ReturnType<typeof trainNative>>> {
  const path = join(home, name);
  const folder = openTrainingFolder(path);
  const events: TrainEvent[] = [];
  try {
    const result = await trainNative({
      ...{ world: createSmallWorld(), seed: 1, iterations: ITERATIONS, warmUp: WARM_UP, rounds: 2 },
      ...{ group: 4, questions: 4, costPerCall: 0.01, distilled: 0, repertoire, threads: 1 },
      ...{ shape: { width: 32, layers: 1 }, saveEvery: 1, evaluateEvery: EVALUATE_EVERY },
      ...{ folder, resume: false, command: "tutti train", signal: abort.signal },
      onEvent: (event) => {
        events.push(event);
        onEvent(event);
      },
      ...options,
    });
    return { ...result, events, path };
  } finally {
    folder.close();
  }
}

/** The last state, the best weights, and what was told, without what the clock says. */
function resultOf(path: string) {
  const checkpoint = join(path, "checkpoint");
  const [state] = readdirSync(checkpoint).filter((name) => /^\d+$/.test(name));
  const rows = (name: string) =>
    readFileSync(join(path, name), "utf8")
      .trim()
      .split("\n")
      .map((line) => ({ ...JSON.parse(line), seconds: 0 }));
  const bytes = (...parts: string[]) => readFileSync(join(path, ...parts)).toString("base64");
  return {
    state: [state, bytes("checkpoint", state!, "state.safetensors")],
    best: bytes("best", "weights.safetensors"),
    card: JSON.parse(readFileSync(join(path, "best", "card.json"), "utf8")).about,
    iterations: rows("iterations.jsonl"),
    validations: rows("validation.jsonl"),
  };
}

let whole: Watched & Awaited<ReturnType<typeof trainNative>>;
let expected: ReturnType<typeof resultOf>;
beforeAll(async () => {
  whole = await run(
    "whole",
    {},
    {
      onEvent: (event) => {
        if (event.type !== "iteration") return;
        const copy = killedAt("whole", event.iteration);
        cpSync(join(home, "whole"), copy, { recursive: true });
        rmSync(join(copy, "training.lock"), { force: true });
      },
    },
  );
  expected = resultOf(whole.path);
}, 60_000);

describe("a training", () => {
  test("goes through its stages, is evaluated on the way, and keeps its best", () => {
    const iterations = whole.events.filter((event) => event.type === "iteration");
    expect(iterations.map(({ iteration }) => iteration)).toEqual(Array.from({ length: TOTAL }, (_, i) => i));
    expect([...new Set(iterations.map(({ stage }) => stage))]).toEqual([
      "warm-up",
      "selection",
      "teams",
      "rounds",
      "sizes",
    ]);
    expect(iterations.every(({ loss, total }) => Number.isFinite(loss) && total === TOTAL)).toBe(true);
    const evaluations = whole.events.filter((event) => event.type === "validation");
    expect(evaluations.map(({ iteration }) => iteration + 1)).toEqual([6, 9, 12, 13]);
    // Only the last stage can be the best.
    expect(evaluations.filter(({ isBest }) => isBest).every(({ stage }) => stage === "sizes")).toBe(true);
    expect(whole).toMatchObject({ iterations: TOTAL, isStopped: false, validation: { isBest: true } });
    const { card } = loadCheckpoint(whole.checkpoint);
    expect(card.training).toMatchObject({
      world: "sums",
      isSimulated: true,
      seed: 1,
      command: "tutti train",
    });
    expect(card.limits.rounds).toBe(2);
    // A question that is asked without it is read as if it had it.
    expect(card.closing).toBe("\n\nEnd with a line “Answer: …” that states the final answer alone.");
    expect(card).toMatchObject({ cost: 0.01, choices: { first: [1, 2, 3, 4, 5], later: [0, 1, 2, 3, 4] } });
  });

  test("begins with the weights and the words of a checkpoint where one is named", async () => {
    const own = await run("from", { from: whole.checkpoint, iterations: 5, shape: {}, evaluateEvery: 1 });
    const stages = own.events.flatMap((event) => (event.type === "iteration" ? [event.stage] : []));
    // What it knows is not taught again.
    expect([...new Set(stages)]).toEqual(["teams", "rounds", "sizes"]);
    const [before, after] = [loadCheckpoint(whole.checkpoint), loadCheckpoint(own.checkpoint)];
    expect(after.card.shape).toEqual(before.card.shape);
    expect(after.card.repertoire).toEqual(before.card.repertoire);
    expect(after.language.tokenizer.toJson()).toEqual(before.language.tokenizer.toJson());
    const moved = [...after.weights].map(([name, { data }]) => {
      const old = before.weights.get(name)!.data;
      return Math.max(...Array.from(data, (value, i) => Math.abs(value - old[i]!)));
    });
    // These are the old weights, at most a few small steps away: new ones would be others altogether.
    expect(Math.max(...moved)).toBeLessThan(0.02);
    await expect(run("from-nothing", { from: join(home, "nowhere") })).rejects.toThrow(
      "No trained Conductor in",
    );
  });

  test("is the same for its seed, and another for another", async () => {
    expect(resultOf((await run("again")).path)).toEqual(expected);
    const abort = new AbortController();
    const { events } = await run(
      "other",
      { seed: 2 },
      { abort, onEvent: ({ type }) => type === "iteration" && abort.abort() },
    );
    const lossOf = (list: TrainEvent[]) => list.find((event) => event.type === "iteration")!.loss;
    expect(lossOf(events)).not.toBe(lossOf(whole.events));
  });
});

test("tells that the total is not known until the minutes have become a count", async () => {
  const abort = new AbortController();
  const onEvent = (event: TrainEvent) => {
    if (event.type === "iteration" && !event.isTiming) abort.abort();
  };
  const timed = { iterations: undefined, minutes: 100, warmUp: 1, evaluateEvery: 1000 };
  const { events } = await run("timed", timed, { abort, onEvent });
  const told = events.filter((event) => event.type === "iteration");
  expect(told.map(({ isTiming = false }) => isTiming)).toEqual([true, true, true, true, true, true, false]);
  const notice = events.findLast((event) => event.type === "notice")!;
  expect(notice.text).toContain(`100 minutes are ${told.at(-1)!.total - 1} iterations here`);
});

describe("with distillation", () => {
  test("goes on from any iteration to the same result, and tells of a stage of its own", async () => {
    const distilled = { distilled: 3, iterations: 4 };
    const copy = join(home, "distilled-killed");
    const first = await run("distilled", distilled, {
      onEvent: (event) => {
        if (event.type !== "iteration" || event.iteration !== WARM_UP + 1) return;
        cpSync(join(home, "distilled"), copy, { recursive: true });
        rmSync(join(copy, "training.lock"), { force: true });
      },
    });
    const told = first.events.filter((event) => event.type === "iteration");
    expect(told.filter(({ stage }) => stage === "distillation").length).toBe(3);
    expect(told.length).toBe(WARM_UP + 3 + 4);
    await run("distilled-killed", { ...distilled, resume: true });
    expect(resultOf(copy)).toEqual(resultOf(first.path));
  });

  test("alone is kept where there is no reinforcement", async () => {
    const { validation } = await run("distilled-alone", { distilled: 2, warmUp: 2, iterations: 0 });
    expect(validation).toMatchObject({ stage: "distillation", isBest: true });
  });

  test("learns nothing where nothing is simulated", async () => {
    const world = createSmallWorld({ isSimulated: false });
    const { events } = await run("distilled-live", { world, distilled: 2, warmUp: 1, iterations: 0 });
    const told = events.filter((event) => event.type === "iteration");
    expect(told.map(({ stage, loss }) => [stage, loss]).slice(1)).toEqual([
      ["distillation", 0],
      ["distillation", 0],
    ]);
  });
});

test("the repertoire is kept with the state: a training goes on with its own, whatever it is given", async () => {
  const other = { ...repertoire, instructions: repertoire.instructions.slice(0, 2) };
  const path = killedAt("whole", 3);
  const copy = join(home, "other-repertoire");
  cpSync(path, copy, { recursive: true });
  await run("other-repertoire", { resume: true, repertoire: other });
  expect(loadCheckpoint(join(copy, "best")).language.repertoire).toEqual(repertoire);
});

test("keeps on the card what was kept together when tasks were split", async () => {
  const aboutOf = async (name: string, world: World) => {
    const { checkpoint } = await run(name, { world, iterations: 0, warmUp: 1 });
    return loadCheckpoint(checkpoint).card.about;
  };
  expect(await aboutOf("by-family", createSmallWorld({ splitBy: "family" }))).toHaveProperty(
    "splitBy",
    "family",
  );
  expect(await aboutOf("by-prompt", createSmallWorld())).not.toHaveProperty("splitBy");
});

describe("killed at any moment, and resumed", () => {
  // Before the first save, in the warm-up, before an evaluation, and before the last save.
  test.each([0, 3, 8, TOTAL - 1])("during iteration %i", async (iteration) => {
    const path = killedAt("whole", iteration);
    const resumed = await run(path.slice(home.length + 1), { resume: true });
    expect(resumed.iterations).toBe(TOTAL);
    expect(resultOf(path)).toEqual(expected);
  });

  test("with saves far apart", async () => {
    const copy = join(home, "rare-killed");
    const abort = new AbortController();
    await run(
      "rare",
      { saveEvery: 4 },
      {
        abort,
        onEvent: (event) => {
          if (event.type !== "iteration" || event.iteration !== 10) return;
          cpSync(join(home, "rare"), copy, { recursive: true });
          rmSync(join(copy, "training.lock"), { force: true });
          abort.abort();
        },
      },
    );
    const { events } = await run("rare-killed", { resume: true });
    expect(events.find((event) => event.type === "iteration")).toMatchObject({ iteration: 8 });
    expect(resultOf(copy)).toEqual(expected);
  });
});

describe("stopped, and resumed", () => {
  test("during an iteration", async () => {
    const abort = new AbortController();
    const onEvent = (event: TrainEvent) => {
      if (event.type === "iteration" && event.iteration === 6) abort.abort();
    };
    const stopped = await run("stopped", { saveEvery: 100 }, { abort, onEvent });
    expect(stopped).toMatchObject({ isStopped: true, iterations: 7 });
    await run("stopped", { resume: true });
    expect(resultOf(stopped.path)).toEqual(expected);
  });

  test.each([9, TOTAL])(
    "in the middle of the evaluation after iteration %i: it is made up for",
    async (at) => {
      const abort = new AbortController();
      const world = createSmallWorld();
      let told = 0;
      // An evaluation begins by asking for the validation questions.
      const stopping: World = {
        ...world,
        get validation() {
          if (told === at) abort.abort();
          return world.validation;
        },
      };
      const onEvent = (event: TrainEvent) => {
        if (event.type === "iteration") told = event.iteration + 1;
      };
      const name = `evaluation-${at}`;
      const stopped = await run(name, { world: stopping }, { abort, onEvent });
      expect(stopped).toMatchObject({ isStopped: true, iterations: at });
      expect(
        stopped.events.filter((event) => event.type === "validation").map(({ iteration }) => iteration + 1),
      ).not.toContain(at);
      const resumed = await run(name, { resume: true });
      expect(resumed.isStopped).toBe(false);
      expect(resultOf(stopped.path)).toEqual(expected);
      // What is done is done: going on once more changes nothing.
      const { events } = await run(name, { resume: true });
      expect(events.filter(({ type }) => type === "validation")).toEqual([]);
      expect(resultOf(stopped.path)).toEqual(expected);
    },
  );
});
