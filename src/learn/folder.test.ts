import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toIteration, toSample, toStatement, toValidation } from "../testing/learn/train-events.ts";
import { chooseTrainingPath, listTrainings, openTrainingFolder, readTraining } from "./folder.ts";

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tutti-training-"));
  path = join(home, "trainings", "one");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const lines = (name: string) => readFileSync(join(path, name), "utf8").trimEnd().split("\n");

describe("a training's folder", () => {
  it("gives back what was told, by kind, and what was described", () => {
    const folder = openTrainingFolder(path);
    folder.describe(toStatement());
    const events = [
      toIteration(0),
      toValidation(0),
      toSample(0, "a"),
      toSample(0, "b"),
      toIteration(1),
    ] as const;
    for (const event of events) folder.append(event);
    folder.append({ type: "notice", text: "two threads" });
    folder.append({ type: "notice", text: "two threads" });
    folder.describe({ state: "done", endedAt: 9 });
    folder.keepResults([{ name: "trained", accuracy: 0.5, low: 0.4, high: 0.6, calls: 2, costUsd: 0.1 }]);
    folder.close();
    const training = readTraining(path);
    expect(training.iterations).toEqual([events[0], events[4]]);
    expect(training.validations).toEqual([events[1]]);
    expect(training.samples).toEqual([events[2], events[3]]);
    expect(training.results).toMatchObject([{ name: "trained", accuracy: 0.5 }]);
    expect(training.statement).toEqual({
      ...toStatement(),
      version: 1,
      state: "done",
      endedAt: 9,
      notices: ["two threads"],
    });
    expect(readdirSync(path).filter((name) => name.includes("lock"))).toEqual([]);
  });

  it("keeps a metric that there is none of apart from 0", () => {
    const folder = openTrainingFolder(path);
    folder.append(toIteration(0, { reward: Number.NaN, accuracy: 0 }));
    expect(folder.load().iterations[0]).toMatchObject({ reward: Number.NaN, accuracy: 0 });
    folder.close();
  });

  it("rewinds to any iteration, and goes on to the same curves as one that was never killed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 12 }),
        fc.nat(40),
        (total, at, cut) => {
          const [whole, killed] = [0, 1].map(() => mkdtempSync(join(home, "r-")));
          const tell = (target: string, from: number) => {
            const folder = openTrainingFolder(target);
            folder.rewind(from);
            for (let i = from; i < total; i++) {
              folder.append(toIteration(i));
              if (i % 3 === 0) folder.append(toValidation(i));
              folder.append(toSample(i, "a"));
            }
            const { iterations, validations, samples } = folder.load();
            folder.close();
            return { iterations, validations, samples };
          };
          const expected = tell(whole!, 0);
          tell(killed!, 0);
          const torn = JSON.stringify(toIteration(total)).slice(0, cut);
          appendFileSync(join(killed!, "iterations.jsonl"), torn);
          expect(tell(killed!, Math.min(at, total))).toEqual(expected);
        },
      ),
      { numRuns: 40, seed: 7 },
    );
  });

  it("of before 0.2 is read, and goes on: what it called tune is its validation", () => {
    const old = (iteration: number) => JSON.stringify({ ...toValidation(iteration), type: "tune" });
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "training.json"), JSON.stringify({ ...toStatement(), version: 1 }));
    writeFileSync(join(path, "tune.jsonl"), `${old(0)}\n${old(5)}\n`);
    expect(readTraining(path).validations).toEqual([toValidation(0), toValidation(5)]);
    const folder = openTrainingFolder(path);
    folder.rewind(5);
    folder.append(toValidation(8));
    expect(folder.load().validations).toEqual([toValidation(0), toValidation(8)]);
    folder.close();
    expect(readTraining(path).validations).toEqual([toValidation(0), toValidation(8)]);
  });

  it("does not glue the next line to half a one", () => {
    const first = openTrainingFolder(path);
    first.append(toIteration(0));
    first.close();
    appendFileSync(join(path, "iterations.jsonl"), '{"type":"iteration","iter');
    const second = openTrainingFolder(path);
    second.append(toIteration(1));
    expect(second.load().iterations.map(({ iteration }) => iteration)).toEqual([0, 1]);
    second.close();
    expect(lines("iterations.jsonl")).toHaveLength(2);
  });

  it("counts what was told twice once, as it was told last", () => {
    const folder = openTrainingFolder(path);
    folder.append(toIteration(0, { reward: 0.1 }));
    folder.append(toIteration(0, { reward: 0.2 }));
    expect(folder.load().iterations.map(({ reward }) => reward)).toEqual([0.2]);
    folder.close();
  });

  it("is written by one process at a time; a dead one's is taken over", () => {
    const folder = openTrainingFolder(path);
    expect(() => openTrainingFolder(path)).toThrow(/one is in use by another training.*training\.lock/);
    folder.close();
    writeFileSync(join(path, "training.lock"), JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }));
    openTrainingFolder(path).close();
  });

  it("names a file that it cannot write", () => {
    const folder = openTrainingFolder(path);
    mkdirSync(join(path, "validation.jsonl"));
    expect(() => folder.append(toValidation(0))).toThrow(/validation\.jsonl cannot be written: /);
    folder.close();
  });
});

describe("what is not a training of this version", () => {
  const open = () => openTrainingFolder(path).close();

  it("is refused with the file and the reason, and the folder is free again", () => {
    mkdirSync(path, { recursive: true });
    const file = join(path, "training.json");
    for (const [text, said] of [
      ["{", /training\.json cannot be read: it is not JSON/],
      ['{"version":2}', /another version of Tutti: its format is 2, not 1/],
      ["null", /its format is not stated, not 1/],
      [JSON.stringify({ ...toStatement(), version: 1, seed: "x" }), /cannot be read: seed /],
    ] as const) {
      writeFileSync(file, text);
      expect(open).toThrow(said);
      expect(existsSync(join(path, "training.lock"))).toBe(false);
    }
  });

  it("is no training when it has no statement", () => {
    open();
    expect(() => readTraining(path)).toThrow(/one is not a folder of a training/);
  });
});

describe("all trainings", () => {
  it("are listed newest first; one that was killed is not running, and other folders are left out", () => {
    for (const [name, startedAt, state] of [
      ["old", 1, "done"],
      ["killed", 3, "running"],
      ["held", 2, "running"],
    ] as const) {
      const folder = openTrainingFolder(join(home, "trainings", name));
      folder.describe({ ...toStatement(), startedAt, state });
      if (name !== "held") folder.close();
    }
    mkdirSync(join(home, "trainings", "other"));
    writeFileSync(join(home, "trainings", "other", "training.json"), "{");
    expect(listTrainings(home).map(({ id, statement }) => [id, statement.state])).toEqual([
      ["killed", "stopped"],
      ["held", "running"],
      ["old", "done"],
    ]);
    expect(listTrainings(join(home, "nowhere"))).toEqual([]);
  });

  it("get names that are free and harmless", () => {
    const first = chooseTrainingPath(home, "../a b/exam: hard", "2026-11-16");
    expect(first).toBe(join(home, "trainings", "exam-hard-2026-11-16"));
    mkdirSync(first, { recursive: true });
    expect(chooseTrainingPath(home, "exam: hard", "2026-11-16")).toBe(`${first}-2`);
  });
});
