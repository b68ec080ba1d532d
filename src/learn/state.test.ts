import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isTuttiError } from "../base/errors.ts";
import { createChoices } from "../conductor/native/choice.ts";
import type { WriteSystem } from "../files/write-safely.ts";
import { AdamW } from "../nn/optimiser.ts";
import { createWeights } from "../nn/transformer.ts";
import type { Weights } from "../nn/types.ts";
import { createTinyLanguage } from "../testing/learn/tiny-language.ts";
import { loadState, saveState, type TrainingState } from "./state.ts";

const language = createTinyLanguage();
const shape = { vocabulary: language.vocabulary, width: 8, layers: 1, heads: 2, hidden: 16, features: 4 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-state-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function toState(iteration: number): TrainingState {
  const weights = createWeights(shape, iteration);
  const optimiser = new AdamW(weights);
  optimiser.step(createWeights(shape, 99), { learningRate: 0.01, maxNorm: 1 });
  const choices = createChoices({ first: [1, 2], later: [0, 1] }, shape.vocabulary);
  const moments = optimiser.toTensors();
  return { iteration, shape, weights, language, choices, moments, secondsOfFirst: [0.5, 0.25] };
}

/** Bitwise. */
function expectSame(found: Weights, expected: Weights): void {
  for (const [name, { dims, data }] of expected) {
    expect(found.get(name)!.dims).toEqual(dims);
    expect(Buffer.compare(Buffer.from(found.get(name)!.data.buffer), Buffer.from(data.buffer)), name).toBe(0);
  }
}

test("there is nothing before the first save", async () => {
  expect(await loadState(folder)).toBeUndefined();
  expect(await loadState(join(folder, "nowhere"))).toBeUndefined();
});

test("comes back bitwise, with all that a training needs to go on", async () => {
  const best = { type: "tune", stage: "rounds", iteration: 39, reward: 0.7, isBest: true };
  const state = { ...toState(40), best: best as never, look: "teams" as const, iterations: 120 };
  await saveState(folder, state);
  const { language: found, ...loaded } = (await loadState(folder))!;
  const { language: _, ...expected } = state;
  expect(found.tokenizer.toJson()).toEqual(language.tokenizer.toJson());
  for (const kind of ["weights", "moments"] as const) {
    expect([...loaded[kind]!.keys()].sort()).toEqual([...expected[kind]!.keys()].sort());
    expectSame(loaded[kind]!, expected[kind]!);
  }
  expect({ ...loaded, weights: 0, moments: 0 }).toEqual({ ...expected, weights: 0, moments: 0 });
});

test("a state without moments comes back without them", async () => {
  const { moments: _, ...state } = toState(1);
  await saveState(folder, state);
  expect(await loadState(folder)).not.toHaveProperty("moments");
});

test("only the last one is kept", async () => {
  for (const iteration of [20, 40, 60]) await saveState(folder, toState(iteration));
  expect(readdirSync(folder).sort()).toEqual(["60", "latest.json"]);
  expect((await loadState(folder))!.iteration).toBe(60);
});

/** The disk fills at the nth file. */
function fullAt(file: number): WriteSystem {
  let count = 0;
  return {
    rename,
    unlink,
    open: async (path, flags) => {
      const handle = await open(path, flags);
      return {
        writeFile: async (data) => {
          if (++count < file) return handle.writeFile(data);
          throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        },
        sync: () => handle.sync(),
        close: () => handle.close(),
      };
    },
  };
}

describe("when the disk fills", () => {
  test.each([
    [1, "state.safetensors"],
    [2, "tokenizer.json"],
    [3, "latest.json"],
  ])("at file %i, the last good state survives, and the next save mends all", async (file, name) => {
    await saveState(folder, toState(20));
    const error = await saveState(folder, toState(40), fullAt(file)).catch((reason: unknown) => reason);
    expect(isTuttiError(error) && error.code).toBe("write-failed");
    expect((error as Error).message).toMatch(
      new RegExp(`${name.replace(".", "\\.")} could not be written: the disk is full`),
    );
    const survived = (await loadState(folder))!;
    expect(survived.iteration).toBe(20);
    expectSame(survived.weights, toState(20).weights);
    await saveState(folder, toState(60));
    expect(readdirSync(folder).sort()).toEqual(["60", "latest.json"]);
  });

  test("the same iteration saved again leaves the first one whole", async () => {
    await saveState(folder, toState(20));
    await expect(saveState(folder, toState(20), fullAt(1))).rejects.toThrow("the disk is full");
    expect((await loadState(folder))!.iteration).toBe(20);
  });
});

test("killed between the files of a save, the last good one is loaded", async () => {
  await saveState(folder, toState(20));
  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  await saveState(folder, toState(40));
  // What a kill before the pointer is written leaves: both folders, and the old pointer.
  cpSync(join(folder, "40"), join(copy, "40"), { recursive: true });
  expect((await loadState(copy))!.iteration).toBe(20);
  rmSync(copy, { recursive: true });
});

describe("a state that cannot be read", () => {
  async function refusal(): Promise<string> {
    const error = await loadState(folder).catch((reason: unknown) => reason);
    expect(isTuttiError(error) && error.code).toBe("bad-checkpoint");
    expect((error as Error).message).toMatch(/^The training in .+ cannot go on: /);
    return (error as Error).message.split("cannot go on: ")[1]!;
  }

  test("of another version is refused, and so is a damaged one", async () => {
    await saveState(folder, toState(20));
    const file = join(folder, "latest.json");
    const latest = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...latest, version: 2 }));
    expect(await refusal()).toMatch(/^latest\.json is damaged, or of a version other than 1: version/);
    writeFileSync(file, JSON.stringify({ ...latest, folder: "../elsewhere" }));
    expect(await refusal()).toMatch(/^latest\.json is damaged.*folder/);
    writeFileSync(file, JSON.stringify(latest).slice(0, 30));
    expect(await refusal()).toMatch(/JSON/);
  });

  test("whose weights were cut off is refused", async () => {
    await saveState(folder, toState(20));
    truncateSync(join(folder, "20", "state.safetensors"), 5000);
    expect(await refusal()).toMatch(/cut off/);
  });
});
