// A whole training with proposals, of a tiny model in a world where every edit by rule is better: killed among them and
// resumed, it ends with the same sentences and weights, to the bit.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createRandom, hashSeed } from "../../../base/random.ts";
import { loadCheckpoint } from "../../../conductor/native/checkpoint.ts";
import type { Repertoire } from "../../../instruction/types.ts";
import { openTestEngine } from "../../../testing/learn/engines.ts";
import { add, createSmallWorld, toMember, toSum } from "../../../testing/learn/small-world.ts";
import type { WorkerRequest } from "../../../worker/types.ts";
import type { World } from "../../../world/types.ts";
import { openTrainingFolder } from "../../folder.ts";
import type { ProposalMetrics, TrainEvent } from "../../types.ts";
import { trainNative } from "../learner.ts";

const home = mkdtempSync(join(tmpdir(), "tutti-propose-"));
afterAll(() => rmSync(home, { recursive: true }));
const { name: engine, engine: opened } = await openTestEngine();

/** Little to choose from, so that a tiny model soon writes plans that can be performed. */
const repertoire: Repertoire = {
  instructions: [
    {
      id: "solve",
      role: "solve",
      needs: "nothing",
      slots: [],
      text: { en: "Solve it. Do it step by step." },
    },
  ],
  works: [{ id: "any", cues: [], text: { en: "work it out" } }],
  forms: [],
};
const [WARM_UP, PROPOSALS] = [100, 4];

/** Whoever is told no more than what is written by hand is right in a third of the tries. */
function createWorld(): World {
  const script = (request: WorkerRequest) => {
    const told = request.brief?.subtask ?? "";
    const isEdited =
      /Write down|reason|exactly|First say|once more|important|experts|quick|whole number|Anna|Think of|^Give/.test(
        told,
      );
    return createRandom(hashSeed(request.seed ?? 0, told)).next() < (isEdited ? 0.95 : 0.3)
      ? add(request)
      : "Answer: 0";
  };
  const members = ["one", "two"].map((id) => toMember(id, script, 0.5));
  const sample = (seed: number) => ({ task: toSum(createRandom(seed).integer(1, 5000)), pool: { members } });
  return createSmallWorld({
    ...{ sample, isInstant: false },
    validation: [6001, 6002].map((number) => ({ ...sample(number), task: toSum(number) })),
  });
}

async function run(path: string, resume: boolean, onEvent: (event: TrainEvent) => void = () => {}) {
  const folder = openTrainingFolder(path);
  const proposals: ProposalMetrics[] = [];
  try {
    const result = await trainNative({
      ...{
        world: createWorld(),
        seed: 1,
        iterations: 2,
        warmUp: WARM_UP,
        rounds: 1,
        size: 1,
        distilled: 0,
        repertoire,
      },
      ...{ group: 8, questions: 12, costPerCall: 0, learningRate: 1.5e-3, proposals: PROPOSALS, threads: 1 },
      ...{ shape: { width: 32, layers: 1 }, saveEvery: 1, evaluateEvery: 1000 },
      ...{ folder, resume, command: "tutti train", signal: new AbortController().signal },
      onEvent(event) {
        if (event.type === "iteration" && event.proposal) proposals.push(event.proposal);
        onEvent(event);
      },
    });
    return { ...result, proposals };
  } finally {
    folder.close();
  }
}

/** All that is on the disk, but for what the clock says. */
function stateOf(path: string) {
  const checkpoint = join(path, "checkpoint");
  const [state] = readdirSync(checkpoint).filter((name) => /^\d+$/.test(name));
  const bytes = (...parts: string[]) => readFileSync(join(path, ...parts)).toString("base64");
  return {
    values: JSON.parse(readFileSync(join(checkpoint, state!, "values.json"), "utf8")),
    tensors: bytes("checkpoint", state!, "state.safetensors"),
    best: bytes("best", "weights.safetensors"),
    repertoire: readFileSync(join(path, "best", "repertoire.yaml"), "utf8"),
    told: readFileSync(join(path, "iterations.jsonl"), "utf8").replace(/"seconds":[^,}]*/g, ""),
  };
}

test.skipIf(!opened)(
  `on ${engine}: what is kept is in the checkpoint, and a resumed training ends the same to the bit`,
  async () => {
    const whole = join(home, "whole");
    const copy = join(home, "killed");
    const first = await run(whole, false, (event) => {
      // Told, not saved yet: after at least one proposal was saved.
      if (event.type !== "iteration" || event.iteration !== WARM_UP + 2 + 2) return;
      cpSync(whole, copy, { recursive: true });
      rmSync(join(copy, "training.lock"), { force: true });
    });
    expect(first.proposals.length).toBe(PROPOSALS);
    const kept = first.proposals.filter((each) => each.end === "kept");
    expect(kept.length).toBeGreaterThan(0);
    const { language, card } = loadCheckpoint(first.checkpoint);
    for (const { id, text, gain } of kept.slice(-1)) {
      const own = language.repertoire.instructions.find((each) => each.id === id)!;
      expect(own).toMatchObject({
        text: { en: text },
        lineage: { gain, by: expect.stringContaining("(simulated)") },
      });
      expect(card.repertoire.instructions).toContain(id);
      expect(first.validation!.instructions!.map((each) => each.id)).toContain(id);
    }
    const resumed = await run(copy, true);
    expect(resumed.proposals.length).toBeLessThan(PROPOSALS);
    expect(stateOf(copy)).toEqual(stateOf(whole));
  },
  120_000,
);
