import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isTuttiError } from "../../base/errors.ts";
import { toRepertoireYaml } from "../../instruction/repertoire.ts";
import type { Repertoire, Work } from "../../instruction/types.ts";
import { toSafetensors } from "../../nn/safetensors.ts";
import { trainTokenizer } from "../../nn/tokenizer.ts";
import { createWeights } from "../../nn/transformer.ts";
import { createTinyLanguage, say } from "../../testing/learn/tiny-language.ts";
import { type CardDraft, loadCard, loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { FEATURES } from "./reading.ts";

const language = createTinyLanguage();
const { repertoire } = language;
const ids = {
  instructions: repertoire.instructions.map(({ id }) => id),
  works: repertoire.works.map(({ id }) => id),
  forms: repertoire.forms.map(({ id }) => id),
};
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
  expect(loaded.card).toEqual({ format: "tutti-conductor", version: 2, repertoire: ids, ...card });
  expect([...loaded.weights.keys()].sort()).toEqual([...weights.keys()].sort());
  for (const [name, { dims, data }] of weights) expect(loaded.weights.get(name)).toEqual({ dims, data });
  expect(loaded.language.question("Solve the equations", 56)).toEqual(
    language.question("Solve the equations", 56),
  );
  expect(loaded.language.vocabulary).toBe(language.vocabulary);
  expect(loaded.language.repertoire).toEqual(repertoire);
});

describe("the repertoire", () => {
  const name = "repertoire.yaml";
  const change = (folder: string, edit: (text: string) => string) => {
    const path = join(folder, name);
    const before = readFileSync(path, "utf8");
    const after = edit(before);
    expect(after).not.toBe(before);
    writeFileSync(path, after);
    return folder;
  };
  const { instructions, works, forms } = repertoire;
  const write = (parts: Partial<Repertoire>) => (_: string) => toRepertoireYaml({ ...repertoire, ...parts });

  test("is read in the order of the card, which is that of the tokens, however the file is ordered", () => {
    const folder = copy();
    const parts = [...instructions].reverse();
    change(folder, write({ instructions: parts, works: [...works].reverse(), forms: [...forms].reverse() }));
    const loaded = loadCheckpoint(folder).language;
    expect(loaded.repertoire).toEqual(repertoire);
    for (const [i, instruction] of loaded.repertoire.instructions.entries())
      expect(loaded.entry(instruction)).toBe(language.entry(instructions[i]!));
  });

  test("is a file that people change: the new sentence is said", () => {
    const folder = change(copy(), (text) => text.replace("Answer the question.", "Say it in a word."));
    const loaded = loadCheckpoint(folder).language;
    const tokens = language.toTokens([{ worker: 0, saying: say(language), access: [] }]);
    const sayable = { parts: [], works: new Set<Work>(), language: "en" as const };
    const text = loaded.toText(tokens, { workerOf: Number, workers: 1, sayable });
    expect(text).toContain('["Say it in a word."]');
  });

  test("says nothing of what people add: it has no token until it is trained with", () => {
    const added = { ...instructions[0]!, id: "added" };
    const folder = change(copy(), write({ instructions: [added, ...instructions] }));
    expect(loadCheckpoint(folder).language.repertoire).toEqual(repertoire);
  });

  test.each([
    ["answer", { instructions: instructions.filter(({ id }) => id !== "answer" && id !== "solve") }],
    ["sums", { works: works.filter(({ id }) => id !== "sums") }],
    ["name", { forms: forms.filter(({ id }) => id !== "name") }],
  ])("without the entry %s is refused, and says which", (id, parts) => {
    const enough = { ...instructions[1]!, id: "other", slots: [], text: { en: "Do it." } };
    const rest = "instructions" in parts ? [...parts.instructions, instructions[1]!, enough] : instructions;
    const folder = change(copy(), write({ ...parts, instructions: rest }));
    expect(refusalOf(folder)).toBe(`${name} has no entry "${id}", which the weights were trained with.`);
  });

  test("that is no repertoire is refused, and says where", () => {
    expect(refusalOf(change(copy(), () => "instructions: ["))).toContain(`${name} is no YAML`);
    expect(refusalOf(change(copy(), (text) => text.replace("{part}", "{thing}")))).toContain(
      'unknown slot "{thing}" (there are: {work}, {part}, {form})',
    );
    const folder = copy();
    rmSync(join(folder, name));
    expect(refusalOf(folder)).toContain(`${name} cannot be read`);
  });
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
    expect(refusalOf(changeCard({ version: 3 }))).toMatch(/version 3, and this Tutti reads version 2/);
  });

  test("one that wrote its own words: it says what to do", () => {
    expect(refusalOf(changeCard({ version: 1, repertoire: undefined }))).toBe(
      "it is of version 1, and this Tutti reads version 2: train it again, or use the Tutti that made it.",
    );
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
