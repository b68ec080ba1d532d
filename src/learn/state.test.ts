import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isTuttiError } from "../base/errors.ts";
import { createRandom } from "../base/random.ts";
import type { WriteSystem } from "../files/write-safely.ts";
import type { Weights } from "../nn/types.ts";
import { loadState, saveState, type TrainerState } from "./state.ts";
import type { AlgorithmState } from "./types.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-state-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const toState = (iteration: number): TrainerState => ({
  ...{ name: "made up", iteration, secondsOfFirst: [0.5, 0.25] },
});

function toAlgorithm(seed: number): AlgorithmState {
  const random = createRandom(seed);
  const numbers = (count: number) => Float32Array.from({ length: count }, () => random.normal());
  const tensors: Weights = new Map([
    ["b", { dims: [40, 50], data: numbers(2000) }],
    ["a", { dims: [7], data: numbers(7) }],
  ]);
  return { tensors, values: { words: ["one", "two"], nested: { seed } } };
}

const save = (iteration: number, system?: WriteSystem) =>
  saveState(folder, toState(iteration), toAlgorithm(iteration), system);

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
  const best = { type: "validation", stage: "rounds", iteration: 39, reward: 0.7, isBest: true };
  const state = { ...toState(40), best: best as never, isEvaluationDue: true, iterations: 120 };
  await saveState(folder, state, toAlgorithm(40));
  const loaded = (await loadState(folder))!;
  expect(loaded.state).toEqual(state);
  expect(loaded.algorithm.values).toEqual(toAlgorithm(40).values);
  expect([...loaded.algorithm.tensors.keys()].sort()).toEqual(["a", "b"]);
  expectSame(loaded.algorithm.tensors, toAlgorithm(40).tensors);
});

test("a state of before 0.2 is upgraded: its algorithm's values stood in the pointer and beside it", async () => {
  await save(40);
  const best = { type: "tune", stage: "teams", iteration: 24, reward: 0.5, isBest: true };
  const values = {
    shape: { width: 8 },
    choices: { first: [1, 2] },
    tokenizer: { format: "tutti-tokenizer" },
  };
  const { tokenizer, ...inPointer } = values;
  rmSync(join(folder, "40", "values.json"));
  writeFileSync(join(folder, "40", "tokenizer.json"), JSON.stringify(tokenizer));
  const old = { version: 1, folder: "40", iteration: 40, best, look: "teams", iterations: 9, ...inPointer };
  writeFileSync(join(folder, "latest.json"), JSON.stringify({ ...old, secondsOfFirst: [1] }));
  const { state, algorithm } = (await loadState(folder))!;
  expect(algorithm.values).toEqual(values);
  expectSame(algorithm.tensors, toAlgorithm(40).tensors);
  expect(state).toEqual({
    ...{ name: "native", iteration: 40, best: { ...best, type: "validation" }, isEvaluationDue: true },
    ...{ iterations: 9, secondsOfFirst: [1] },
  });
});

test("only the last one is kept", async () => {
  for (const iteration of [20, 40, 60]) await save(iteration);
  expect(readdirSync(folder).sort()).toEqual(["60", "latest.json"]);
  expect((await loadState(folder))!.state.iteration).toBe(60);
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
    [2, "values.json"],
    [3, "latest.json"],
  ])("at file %i, the last good state survives, and the next save mends all", async (file, name) => {
    await save(20);
    const error = await save(40, fullAt(file)).catch((reason: unknown) => reason);
    expect(isTuttiError(error) && error.code).toBe("write-failed");
    expect((error as Error).message).toMatch(
      new RegExp(`${name.replace(".", "\\.")} could not be written: the disk is full`),
    );
    const survived = (await loadState(folder))!;
    expect(survived.state.iteration).toBe(20);
    expectSame(survived.algorithm.tensors, toAlgorithm(20).tensors);
    await save(60);
    expect(readdirSync(folder).sort()).toEqual(["60", "latest.json"]);
  });

  test("the same iteration saved again leaves the first one whole", async () => {
    await save(20);
    await expect(save(20, fullAt(1))).rejects.toThrow("the disk is full");
    expect((await loadState(folder))!.state.iteration).toBe(20);
  });
});

test("killed between the files of a save, the last good one is loaded", async () => {
  await save(20);
  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  await save(40);
  // What a kill before the pointer is written leaves: both folders, and the old pointer.
  cpSync(join(folder, "40"), join(copy, "40"), { recursive: true });
  expect((await loadState(copy))!.state.iteration).toBe(20);
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
    await save(20);
    const file = join(folder, "latest.json");
    const latest = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...latest, version: 3 }));
    expect(await refusal()).toMatch(/^latest\.json is damaged, or of a version after 2: version/);
    writeFileSync(file, JSON.stringify({ ...latest, folder: "../elsewhere" }));
    expect(await refusal()).toMatch(/^latest\.json is damaged.*folder/);
    writeFileSync(file, JSON.stringify(latest).slice(0, 30));
    expect(await refusal()).toMatch(/JSON/);
  });

  test("whose weights were cut off is refused", async () => {
    await save(20);
    truncateSync(join(folder, "20", "state.safetensors"), 5000);
    expect(await refusal()).toMatch(/cut off/);
  });
});
