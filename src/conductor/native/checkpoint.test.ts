import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isTuttiError } from "../../base/errors.ts";
import { toSafetensors } from "../../nn/safetensors.ts";
import { trainTokenizer } from "../../nn/tokenizer.ts";
import { createWeights } from "../../nn/transformer.ts";
import { createTinyLanguage } from "../../testing/learn/tiny-language.ts";
import { type CardDraft, loadCard, loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { choiceTensors, createChoices } from "./choice.ts";
import { EARLIER_FEATURES, FEATURES, PLAIN_FEATURES } from "./reading.ts";

const language = createTinyLanguage();
const shape = {
  vocabulary: language.vocabulary,
  width: 8,
  layers: 1,
  heads: 2,
  hidden: 16,
  features: FEATURES,
};
const weights = createWeights(shape, 3);
const card: CardDraft = {
  name: "test-1",
  shape,
  limits: { workers: 64, rounds: 2 },
  nll: { threshold: 3.5, median: 2, share: 0.98 },
  handOffs: true,
  training: {
    ...{ world: "made up", isSimulated: true, command: "tutti train", seed: 1 },
    ...{ iterations: 8, engine: "none", date: "2026-01-01" },
  },
  about: { note: "for tests" },
};

const home = mkdtempSync(join(tmpdir(), "tutti-checkpoint-"));
const good = join(home, "good");
let copies = 0;
beforeAll(() => saveCheckpoint(good, { card, weights, language }));
afterAll(() => rmSync(home, { recursive: true }));

/** A copy that can be broken. */
function copy(): string {
  const folder = join(home, `copy-${copies++}`);
  cpSync(good, folder, { recursive: true });
  return folder;
}

function refusalOf(folder: string): string {
  try {
    loadCheckpoint(folder);
  } catch (error) {
    if (!isTuttiError(error)) throw error;
    expect(error.code).toBe("bad-checkpoint");
    expect(error.message).toContain(`No trained Conductor in ${folder}: `);
    return error.message.slice(error.message.indexOf(folder) + folder.length + 2);
  }
  throw new Error("It was loaded");
}

function changeCard(change: Record<string, unknown>): string {
  const folder = copy();
  const json = JSON.parse(readFileSync(join(folder, "card.json"), "utf8"));
  writeFileSync(join(folder, "card.json"), JSON.stringify({ ...json, ...change }));
  return folder;
}

test("comes back as it was saved, bit by bit", () => {
  const loaded = loadCheckpoint(good);
  expect(loaded.card).toEqual({ format: "tutti-conductor", version: 1, ...card });
  expect([...loaded.weights.keys()].sort()).toEqual([...weights.keys()].sort());
  for (const [name, { dims, data }] of weights) expect(loaded.weights.get(name)).toEqual({ dims, data });
  expect(loaded.language.question("Solve the equations", 56)).toEqual(
    language.question("Solve the equations", 56),
  );
  expect(loaded.language.vocabulary).toBe(language.vocabulary);
});

test("a card of before 0.2, which said surprise for the negative log-likelihood, is still read", () => {
  const folder = changeCard({ nll: undefined, surprise: card.nll });
  expect(loadCard(folder).nll).toEqual(card.nll);
});

test("that hands off where the pool allows it says so", () => {
  expect(loadCard(changeCard({ handOffs: "by-pool" })).handOffs).toBe("by-pool");
  expect(() => loadCard(changeCard({ handOffs: "maybe" }))).toThrow("handOffs");
});

test("in half precision it is half as large and close", async () => {
  const folder = join(home, "half");
  await saveCheckpoint(folder, { card, weights, language }, { dtype: "F16" });
  const [half, whole] = [folder, good].map((each) => readFileSync(join(each, "weights.safetensors")).length);
  expect(half!).toBeLessThan(0.6 * whole!);
  const loaded = loadCheckpoint(folder);
  for (const [name, { data }] of weights) {
    const found = loaded.weights.get(name)!.data;
    const far = data.filter((value, i) => Math.abs(found[i]! - value) > Math.abs(value) / 2048 + 1e-7);
    expect([...far], name).toEqual([]);
  }
});

describe("is refused, and says why", () => {
  test("a version of the future", () => {
    expect(refusalOf(changeCard({ version: 2 }))).toMatch(/version 2, and this Tutti reads version 1/);
  });

  test("something else of that name", () => {
    expect(refusalOf(changeCard({ format: "other" }))).toMatch(/card\.json: format/);
    expect(refusalOf(changeCard({ limits: { workers: 0, rounds: 1 } }))).toMatch(
      /card\.json: limits\.workers/,
    );
  });

  test.each(["card.json", "tokenizer.json", "weights.safetensors"])("%s is missing, or empty", (name) => {
    const folder = copy();
    writeFileSync(join(folder, name), "");
    expect(refusalOf(folder)).not.toBe("");
    rmSync(join(folder, name));
    expect(refusalOf(folder)).toContain(`${name} cannot be read`);
  });

  test("no folder at all", () => {
    expect(refusalOf(join(home, "nowhere"))).toContain("card.json cannot be read");
  });

  test("weights that were cut off, wherever", () => {
    const size = readFileSync(join(good, "weights.safetensors")).length;
    for (const share of [0, 0.0001, 0.01, 0.5, 0.999]) {
      const folder = copy();
      truncateSync(join(folder, "weights.safetensors"), Math.floor(share * size));
      expect(refusalOf(folder)).toContain("the weights cannot be read");
    }
  });

  test("a card that was cut off", () => {
    const folder = copy();
    truncateSync(join(folder, "card.json"), 40);
    expect(refusalOf(folder)).toContain("card.json is no JSON, or cut off");
  });

  test("a tokenizer without the words of the format", () => {
    const folder = copy();
    const other = trainTokenizer(["a b c"], { size: 300, literals: ["x"] });
    writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(other.toJson()));
    expect(refusalOf(folder)).toContain('no literal "model_id = ["');
  });

  test("weights of another shape, or one too few", () => {
    const folder = copy();
    const others = createWeights({ ...shape, hidden: 24 }, 3);
    writeFileSync(join(folder, "weights.safetensors"), toSafetensors(others, {}));
    expect(refusalOf(folder)).toContain('weight "0.mlp.gate" is [8, 24], and [8, 16] is needed');
    const fewer = new Map(weights);
    fewer.delete("norm");
    writeFileSync(join(folder, "weights.safetensors"), toSafetensors(fewer, {}));
    expect(refusalOf(folder)).toContain('weight "norm" is missing, and [8] is needed');
  });

  test("features of workers that this Tutti does not make", () => {
    const folder = changeCard({ shape: { ...shape, features: FEATURES + 1 } });
    expect(refusalOf(folder)).toContain(`it describes workers by ${FEATURES + 1} features`);
  });
});

test.each(EARLIER_FEATURES)(
  "one from when workers had %d features is widened, and gives later ones no weight",
  async (features) => {
    const earlier = { ...shape, features };
    const older = createWeights(earlier, 3);
    const folder = join(home, `earlier-${features}`);
    const choices = createChoices({ later: [0, 2] }, language.vocabulary);
    const learned = choiceTensors(choices, { isLearning: false }).get("choice.later.worth")!;
    const columns = learned.dims[1]! - (features === PLAIN_FEATURES ? 4 : 2);
    const added = Array.from({ length: learned.dims[1]! - columns }, () => 0);
    const worth = { dims: [2, columns], data: Float32Array.from({ length: 2 * columns }, (_, i) => i) };
    await saveCheckpoint(folder, {
      card: { ...card, shape: earlier, choices: { later: [0, 2] } },
      weights: new Map([
        ...older,
        ["choice.later.worth", worth],
        ["choice.later.calls", { dims: [3], data: new Float32Array(3) }],
      ]),
      language,
    });
    const opened = loadCheckpoint(folder);
    expect(opened.card.shape.features).toBe(FEATURES);
    const { dims, data } = opened.weights.get("slot")!;
    expect(dims).toEqual([FEATURES, shape.width]);
    expect([...data.slice(0, features * shape.width)]).toEqual([...older.get("slot")!.data]);
    expect(data.slice(features * shape.width).every((weight) => weight === 0)).toBe(true);
    const wide = choiceTensors(opened.choices, { isLearning: false }).get("choice.later.worth")!;
    expect(wide.dims).toEqual(learned.dims);
    const [row] = [wide.data.slice(0, learned.dims[1]! + 1)];
    expect([...row]).toEqual([...worth.data.slice(0, columns), ...added, columns]);
  },
);

test("a disk that fills while saving leaves the last good one", async () => {
  const folder = copy();
  const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  const better = createWeights(shape, 4);
  const system = {
    rename,
    unlink,
    open: async (path: string, flags: string) => {
      const file = await open(path, flags);
      const fail = async () => {
        throw full;
      };
      return { writeFile: fail, sync: () => file.sync(), close: () => file.close() };
    },
  };
  const saving = saveCheckpoint(folder, { card, weights: better, language }, { system });
  await expect(saving).rejects.toThrow(/weights\.safetensors could not be written: the disk is full/);
  expect(loadCheckpoint(folder).weights.get("embedding")!.data).toEqual(weights.get("embedding")!.data);
});
