// A trained Conductor of somebody else's: its card, its weights, its tokenizer.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { loadCard, loadCheckpoint } from "../../src/conductor/native/checkpoint.ts";
import { fromSafetensors, toSafetensors } from "../../src/nn/safetensors.ts";
import { fromTokenizerJson } from "../../src/nn/tokenizer.ts";
import { type FuzzTarget, must, toText } from "../target.ts";

const folder = mkdtempSync(join(tmpdir(), "tutti-fuzz-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export const card: FuzzTarget = {
  name: "card",
  tokens: [
    '"layers":',
    '"shape":{',
    '"vocabulary":',
    "1000000000",
    '"choices":{"first":[',
    '"about":{',
    '"version":1',
  ],
  inputs: fc.json(),
  check(input) {
    writeFileSync(join(folder, "card.json"), input);
    const { shape } = loadCard(folder);
    must(shape.layers <= 256, "more layers than are taken");
    writeFileSync(
      join(folder, "tokenizer.json"),
      '{"format":"tutti-tokenizer","version":1,"literals":[],"merges":[]}',
    );
    writeFileSync(join(folder, "weights.safetensors"), "");
    loadCheckpoint(folder);
  },
};

export const weights: FuzzTarget = {
  name: "weights",
  tokens: ['"dtype":"F32"', '"shape":[', '"data_offsets":[0,4]', "__metadata__", "\0\0\0\0\0\0\0\0"],
  check(input) {
    const { weights: read, metadata } = fromSafetensors(input);
    const again = fromSafetensors(toSafetensors(read, metadata)).weights;
    must(again.size === read.size, "a tensor was lost");
  },
};

export const tokenizer: FuzzTarget = {
  name: "tokenizer",
  tokens: ['"merges":[', "[0,1]", "[256,256]", '"literals":["', '"version":1'],
  inputs: fc
    .array(fc.tuple(fc.nat(300), fc.nat(300)), { maxLength: 40 })
    .map((merges) => JSON.stringify({ format: "tutti-tokenizer", version: 1, literals: ["<a>"], merges })),
  check(input) {
    let json: unknown;
    try {
      json = JSON.parse(toText(input));
    } catch {
      return;
    }
    const read = fromTokenizerJson(json);
    const text = "Hello <a> 12345 world";
    must(read.decode(read.encode(text)) === text, "a text does not come back");
  },
};
