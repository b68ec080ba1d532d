// `tutti train`: what is refused and why, by a process of its own where that is what scripts rely on; and a
// training from its flags to its page, with a made-up trainer that takes no time.

import { EventEmitter } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import { loadRepertoire } from "../../instruction/repertoire.ts";
import { openTrainingFolder, readTraining } from "../../learn/folder.ts";
import type { TrainOptions } from "../../learn/native/learner.ts";
import type { TrainResult } from "../../learn/train.ts";
import { createHome, runTutti } from "../../testing/command.ts";
import { toStatement, toTrainEvents, toValidation } from "../../testing/learn/train-events.ts";
import type { World } from "../../world/types.ts";
import {
  addTrainFlags,
  type NativeSettings,
  type TrainFlags,
  toNativeSettings,
  toResumedSettings,
  toSavedSettings,
  toSettings,
} from "./input.ts";
import { showResults, toCostLines, toOutcomeLines } from "./print.ts";
import { type Host, performTraining, type WatchedOptions } from "./run.ts";
import { toNativeOptions } from "./trainer.ts";

let home: string;
beforeAll(() => {
  home = createHome();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

let count = 0;
const newPath = () => join(home, `training-${count++}`);

function flagsOf(...args: string[]): TrainFlags {
  const command = addTrainFlags(new Command().exitOverride().configureOutput({ writeErr() {} }));
  return command.parse(args, { from: "user" }).opts();
}
const settingsOf = (...args: string[]) => toSettings(flagsOf(...args));
const trinityOf = (...args: string[]) => toSettings(flagsOf(...args), "trinity");

describe("settings", () => {
  it("have defaults for everything, and begin with the rehearsal", () => {
    expect(settingsOf()).toEqual(settingsOf("--rehearsal"));
    expect(settingsOf()).toMatchObject({
      ...{ world: { kind: "rehearsal" }, iterations: 300, seed: 0, rounds: 1, pools: "random" },
      ...{ costPerCall: 0.02, distilled: 0, words: "free" },
      repertoire: undefined,
    });
    expect(settingsOf("--recording", "recordings/mine")).toMatchObject({ costPerCall: 0 });
    expect(settingsOf("--cost", "0")).toMatchObject({ costPerCall: 0 });
    expect(settingsOf("--minutes", "2.5")).toMatchObject({ minutes: 2.5 });
    expect(settingsOf("--minutes", "2.5").iterations).toBeUndefined();
  });

  it("take what is given", () => {
    const args =
      "--iterations 9 --seed 7 --rounds 2 --pools fixed --group 4 --questions 3 --cost 0.05 --distill 12";
    expect(
      settingsOf(
        ...args.split(" "),
        "--words",
        "generic",
        "--width",
        "64",
        "--layers",
        "2",
        "--threads",
        "1",
      ),
    ).toEqual({
      ...{
        what: "native",
        world: { kind: "rehearsal" },
        iterations: 9,
        seed: 7,
        rounds: 2,
        pools: "fixed",
        group: 4,
        questions: 3,
      },
      ...{
        costPerCall: 0.05,
        distilled: 12,
        proposals: 0,
        words: "generic",
        width: 64,
        layers: 2,
        threads: 1,
      },
    });
  });

  it("distil so many iterations where no number is given, also in joined worlds", () => {
    expect(settingsOf("--distill")).toMatchObject({ distilled: 100, world: { kind: "rehearsal" } });
    expect(settingsOf("--distill", "7", "--rehearsal", "--recording", "a")).toMatchObject({ distilled: 7 });
    // It took the place of the supervised stage.
    expect(() => flagsOf("--supervised")).toThrow("unknown option '--supervised'");
  });

  it("begin with a checkpoint that is named, and leave to it what it has settled", () => {
    const shipped = (settingsOf("--from", "conductor") as NativeSettings).from!;
    expect(existsSync(join(shipped, "card.json"))).toBe(true);
    expect(settingsOf("--from", shipped)).toMatchObject({ from: shipped });
    for (const other of [["--width", "64"], ["--layers", "1"], ["--words", "generic"], ["--distill"]])
      expect(() => settingsOf("--from", "conductor", ...other)).toThrow(
        `${other[0]} cannot be given with --from: a checkpoint goes on with its own size and its own instructions`,
      );
    expect(() => trinityOf("--from", "conductor")).toThrow(
      "--from goes with tutti train native, not with trinity",
    );
  });

  it("say what can be said: what is shipped, a file of one's own, or one sentence for all", () => {
    const watched = { world: {}, onEvent() {} } as unknown as WatchedOptions;
    const said = (...args: string[]) =>
      toNativeOptions(settingsOf(...args) as NativeSettings, "tutti train", watched).repertoire;
    expect(said()).toBe(loadRepertoire());
    expect(said("--words", "generic").instructions.map(({ text }) => text.en)).toEqual([
      "Answer the question.",
    ]);
    const path = `${newPath()}.yaml`;
    writeFileSync(
      path,
      'extends: shipped\ninstructions:\n  - { id: own, role: solve, text: { en: "Solve it our way: {work}." } }\n',
    );
    const own = said("--repertoire", path);
    expect(own.instructions.at(-1)).toMatchObject({ id: "own", slots: ["work"] });
    expect(own.instructions.length).toBe(loadRepertoire().instructions.length + 1);
    // Kept with its whole path, for it may go on from another folder.
    expect(settingsOf("--repertoire", "r.yaml")).toMatchObject({ repertoire: resolve("r.yaml") });
    expect(() => said("--repertoire", "/nowhere.yaml")).toThrow(
      "The repertoire /nowhere.yaml cannot be read",
    );
  });

  it.each([
    [["--recording", "a"], ["a"], []],
    [["--recording", "a", "--recording", "b"], ["a", "b"], []],
    [
      ["--recording", "a", "--set", "x", "--recording", "b", "--set", "y"],
      ["a", "b"],
      ["x", "y"],
    ],
    [
      ["--recording", "a", "--set", "x", "--set", "y"],
      ["a", "a"],
      ["x", "y"],
    ],
  ])("pair recordings with sets: %j", (args, folders, sets) => {
    expect(settingsOf(...args).world).toEqual({ kind: "recording", folders, sets, splitBy: "prompt" });
  });

  it("join the rehearsal and recordings where both are given, half and half unless a share is", () => {
    const both = ["--rehearsal", "--recording", "a", "--set", "x", "--set", "y"];
    const joined = { kind: "joined", folders: ["a", "a"], sets: ["x", "y"], splitBy: "prompt" };
    expect(settingsOf(...both).world).toEqual({ ...joined, share: 0.5 });
    const shared = settingsOf(...both, "--share", "0.6");
    expect(shared.world).toEqual({ ...joined, share: 0.6 });
    const saved = JSON.parse(JSON.stringify(toSavedSettings(shared)));
    expect(toResumedSettings(flagsOf("--resume", "d"), saved, "d").world).toEqual({
      ...{ ...joined, share: 0.6 },
      folders: [resolve("a"), resolve("a")],
    });
  });

  it("are kept with whole paths, so that a training can go on from another folder", () => {
    const kept = (...args: string[]) => toSavedSettings(settingsOf(...args)).world;
    const [family, known] = [
      ["--split-by", "family"],
      ["--tasks", "no-file", "--budget-usd", "1"],
    ];
    expect(kept("--recording", "a", ...family)).toEqual({
      ...{ kind: "recording", folders: [resolve("a")], sets: [], splitBy: "family" },
    });
    expect(kept(...known, "--config", "c.yaml")).toMatchObject({
      tasks: "no-file",
      config: resolve("c.yaml"),
    });
    expect(kept("--tasks", "package.json", "--budget-usd", "1")).toMatchObject({
      tasks: resolve("package.json"),
    });
    expect(kept()).toEqual({ kind: "rehearsal" });
  });

  it("of a training on recordings that was begun before families could be split by go on by prompt", () => {
    const { world, ...rest } = settingsOf("--recording", "a");
    const { splitBy: _, ...older } = world as Extract<typeof world, { kind: "recording" }>;
    expect(toResumedSettings(flagsOf("--resume", "d"), { ...rest, world: older }, "d").world).toEqual(world);
  });

  it("know a live pool with its budget", () => {
    const { world } = settingsOf("--tasks", "t.jsonl", "--budget-usd", "2.5", "--pool", "team", "--set", "s");
    expect(world).toEqual({ kind: "tasks", tasks: "t.jsonl", budgetUsd: 2.5, pool: "team", set: "s" });
    const named = settingsOf("--live", "--tasks", "t.jsonl", "--budget-usd", "1").world;
    expect(named).toMatchObject({ kind: "tasks", tasks: "t.jsonl" });
  });

  it.each([
    [["--rehearsal", "--share", "0.5"], "--share goes with --rehearsal and --recording together"],
    [["--recording", "a", "--share", "0.5"], "--share goes with --rehearsal and --recording together"],
    [
      ["--rehearsal", "--recording", "a", "--share", "1"],
      '--share must be a number from 0.01 to 0.99, not "1"',
    ],
    [
      ["--rehearsal", "--recording", "a", "--tasks", "t", "--budget-usd", "1"],
      "--rehearsal and --recording and --tasks exclude each other",
    ],
    [["--rehearsal", "--recording", "a", "--pool", "p"], "--pool goes with --tasks"],
    [["--recording", "a", "--tasks", "t", "--budget-usd", "1"], "--recording and --tasks exclude each other"],
    [["--live"], "say on which tasks, with --tasks FILE"],
    [["--live", "--rehearsal"], "--rehearsal and --live exclude each other"],
    [["--set", "x"], "--set goes with --recording or --tasks"],
    [["--split-by", "family"], "--split-by goes with --recording"],
    [["--feedback"], "--feedback goes with --tasks"],
    [["--allow-inside-grades"], "--allow-inside-grades goes with --recording or --tasks"],
    [["--recording", "a", "--split-by", "day"], '--split-by must be prompt or family, not "day"'],
    [
      ["--recording", "a", "--recording", "b", "--set", "x"],
      "--recording is given 2 times and --set 1 times",
    ],
    [["--recording", "a", "--recording", "b", "--set", "x", "--set", "y", "--set", "z"], "--set 3 times"],
    [["--tasks", "t"], "say how much it may, with --budget-usd 5"],
    [["--tasks", "t", "--budget-usd", "none"], "--budget-usd must be an amount in dollars"],
    [["--tasks", "t", "--budget-usd", "1", "--set", "x", "--set", "y"], "--tasks takes one --set, not 2"],
    [["--budget-usd", "1"], "--budget-usd goes with --tasks"],
    [["--recording", "a", "--pool", "p"], "--pool goes with --tasks"],
    [["--minutes", "1", "--iterations", "1"], "--minutes and --iterations exclude each other"],
    [["--minutes", "0"], '--minutes must be a number from 0.1 to 100000, not "0"'],
    [["--iterations", "1.5"], '--iterations must be a whole number from 1 to 1000000, not "1.5"'],
    [["--rounds", "3"], '--rounds must be 1 or 2, not "3"'],
    [["--pools", "all"], '--pools must be fixed or random, not "all"'],
    [["--distill", "0"], '--distill must be a whole number from 1 to 1000000, not "0"'],
    [["--recording", "a", "--distill"], "--distill goes with --rehearsal: only simulated questions"],
    [["--tasks", "t", "--budget-usd", "1", "--distill", "5"], "--distill goes with --rehearsal"],
    [["--words", "generic", "--repertoire", "f"], "--repertoire and --words generic exclude each other"],
    [["--words", "none"], '--words must be free or generic, not "none"'],
    [["--group", "1"], '--group must be a whole number from 2 to 256, not "1"'],
    [["--cost", "-1"], '--cost must be a number from 0 to 1, not "-1"'],
    [["--cost", "2"], '--cost must be a number from 0 to 1, not "2"'],
    [["--width", "100"], "--width must be a multiple of 32, not 100"],
    [["--threads", "0"], '--threads must be a whole number from 1 to 256, not "0"'],
    [["--seed", "x"], '--seed must be a whole number from 0 to 4294967295, not "x"'],
  ])("that make no sense are refused with a sentence: %j", (args, message) => {
    expect(() => settingsOf(...args)).toThrow(message);
    try {
      settingsOf(...args);
    } catch (error) {
      expect((error as TuttiError).code).toBe("usage");
    }
  });

  it("of a training that goes on are its own; threads and a larger budget may be given", () => {
    const live = settingsOf("--tasks", "t", "--budget-usd", "1", "--seed", "5");
    const saved = JSON.parse(JSON.stringify(live));
    const resumed = (...args: string[]) => toResumedSettings(flagsOf("--resume", "d", ...args), saved, "d");
    expect(resumed("--json", "--yes")).toEqual(live);
    expect(resumed("--threads", "3", "--budget-usd", "9")).toEqual({
      ...live,
      threads: 3,
      world: { ...live.world, budgetUsd: 9 },
    });
    expect(() => resumed("--seed", "6")).toThrow(
      "--seed cannot be given with --resume: the training in d goes on",
    );
    expect(() => resumed("--budget-usd", "none")).toThrow("--budget-usd must be an amount in dollars");
    const free = JSON.parse(JSON.stringify(settingsOf()));
    expect(() => toResumedSettings(flagsOf("--resume", "d", "--budget-usd", "9"), free, "d")).toThrow(
      "--budget-usd goes with",
    );
    expect(() => toResumedSettings(flagsOf("--resume", "d"), { group: 1 }, "d")).toThrow(
      "d was not made by tutti train",
    );
  });
});

describe("settings of TRINITY", () => {
  it("have defaults for everything", () => {
    expect(trinityOf()).toEqual({
      ...{ what: "trinity", world: { kind: "rehearsal" }, iterations: 60, seed: 0, pools: "random" },
      ...{ questions: 16, costPerCall: 0.01, algorithm: "evolution", hasRoles: true, turns: 5 },
      ...{ replications: 1, sigma: 0.3, diversityBonus: 0, turnBonus: 0 },
    });
    expect(trinityOf("--minutes", "3")).toMatchObject({ minutes: 3, iterations: undefined });
  });

  it("take what is given", () => {
    const args = "--algorithm reinforce --no-roles --turns 3 --population 32 --replications 2 --sigma 0.03";
    const bonuses =
      "--diversity-bonus 0.15 --turn-bonus 0.1 --cost 0.02 --questions 8 --seed 3 --pools fixed";
    expect(trinityOf(...`${args} ${bonuses}`.split(" "))).toMatchObject({
      ...{ algorithm: "reinforce", hasRoles: false, turns: 3, population: 32, replications: 2, sigma: 0.03 },
      ...{ diversityBonus: 0.15, turnBonus: 0.1, costPerCall: 0.02, questions: 8, seed: 3, pools: "fixed" },
    });
  });

  it("have no roles in recordings, which hold answers alone", () => {
    expect(trinityOf("--recording", "a")).toMatchObject({ hasRoles: false });
    expect(() => trinityOf("--recording", "a", "--roles")).toThrow("a recording holds answers, no plans");
    expect(() => trinityOf("--rehearsal", "--recording", "a")).toThrow(
      "--rehearsal and --recording exclude each other for TRINITY",
    );
  });

  it("are kept, and go on whether or not the kind is said again", () => {
    const begun = trinityOf("--algorithm", "supervised", "--iterations", "9");
    const saved = JSON.parse(JSON.stringify(toSavedSettings(begun)));
    const resumed = (what?: "native" | "trinity", ...args: string[]) =>
      toResumedSettings(flagsOf("--resume", "d", ...args), saved, "d", what);
    expect(resumed()).toEqual(begun);
    expect(resumed("trinity", "--json")).toEqual(begun);
    expect(() => resumed("native")).toThrow("d holds a training of trinity, not of native");
    expect(() => resumed(undefined, "--threads", "2")).toThrow("--threads goes with tutti train native");
    expect(() => resumed(undefined, "--turn-bonus", "0.1")).toThrow(
      "--turn-bonus cannot be given with --resume: the training in d goes on",
    );
  });

  it("of a training of before TRINITY are native's", () => {
    const { what: _, ...older } = settingsOf();
    expect(toResumedSettings(flagsOf("--resume", "d"), older, "d")).toEqual(settingsOf());
  });
});

describe("the command", () => {
  const train = (...args: string[]) => runTutti(["train", ...args], { cwd: home, env: { TUTTI_HOME: home } });

  it("exits with 2 and one line for bad usage, before anything is made", async () => {
    const full = newPath();
    mkdirSync(full);
    writeFileSync(join(full, "mine.txt"), "");
    const held = newPath();
    const done = newPath();
    for (const [path, state] of [
      [held, "stopped"],
      [done, "done"],
    ] as const) {
      const folder = openTrainingFolder(path);
      folder.describe(toStatement({ state, settings: settingsOf() }));
      folder.close();
    }
    mkdirSync(join(home, "one"));
    const task = { id: "1", set: "s", category: "c", subtask: "u", prompt: "1?", answer: "1" };
    const outcome = { task: "1", worker: "a", sample: 0, answer: "1", score: 1, tokens: 1 };
    writeFileSync(join(home, "one/tasks.jsonl"), JSON.stringify(task));
    writeFileSync(join(home, "one/outcomes.jsonl"), JSON.stringify(outcome));
    const cases: [string[], string][] = [
      [["--live"], "say on which tasks, with --tasks FILE"],
      [["--live", "--rehearsal"], "--rehearsal and --live exclude each other"],
      [["--set", "x"], "--set goes with --recording or --tasks"],
      [["--out", "a", "--resume", "b"], "--out and --resume exclude each other"],
      [["--resume", "nowhere"], "nowhere is not a folder of a training: it has no training.json"],
      [["--resume", done], "is done: there is nothing to go on with"],
      [["--resume", held, "--seed", "1"], "--seed cannot be given with --resume"],
      [["--out", held], "holds a training already: go on with it by --resume"],
      [["--out", full], "is not empty"],
      [["--out", join(full, "mine.txt")], "is not a folder"],
      [["--recording", "nowhere"], "There is no recording nowhere"],
      [["--recording", "one"], 'Only a answered every task of "s": a Conductor needs two workers or more'],
      [["--rehearsal", "--recording", "nowhere"], "There is no recording nowhere"],
      [["--rehearsal", "--share", "0.4"], "--share goes with --rehearsal and --recording together"],
      [["--tasks", "nowhere.jsonl", "--budget-usd", "1"], "nowhere.jsonl"],
    ];
    await Promise.all(
      cases.map(async ([args, message]) => {
        const { code, stdout, stderr } = await train(...args);
        expect(stderr).toContain(message);
        expect([args, code, stdout, stderr.trim().split("\n").length]).toEqual([args, 2, "", 1]);
      }),
    );
    expect(existsSync(join(home, "nowhere"))).toBe(false);
    expect(existsSync(join(home, "trainings"))).toBe(false);
  });

  it("does not train where another process trains, and says as JSON what is wrong", async () => {
    const path = newPath();
    const folder = openTrainingFolder(path);
    folder.describe(toStatement({ state: "running", settings: settingsOf() }));
    const { code, stdout } = await train("--resume", path, "--json");
    expect(JSON.parse(stdout).error.message).toContain("is in use by another training");
    expect(code).toBe(1);
    folder.close();
    writeFileSync(join(path, "training.json"), '{"version":9}');
    const other = await train("--resume", path);
    expect(other.stderr).toContain("is of another version of Tutti: its format is 9, not 1");
    expect(other.code).toBe(1);
  });

  it("asks nobody of a live pool without a yes", async () => {
    const price = { inputUsd: 1, outputUsd: 4 };
    const worker = { id: "m", model: "openai-compatible/m", baseUrl: "http://127.0.0.1:9", price };
    writeFileSync(join(home, "tutti.config.json"), JSON.stringify({ workers: [worker] }));
    const rows = Array.from({ length: 30 }, (_, i) => JSON.stringify({ prompt: `${i}+1?`, answer: i + 1 }));
    writeFileSync(join(home, "own.jsonl"), `${rows.join("\n")}\n`);
    const path = newPath();
    const { code, stderr } = await train("--tasks", "own.jsonl", "--budget-usd", "2", "--out", path);
    expect(stderr).toContain("30 tasks. An iteration makes up to 768 asks: about $");
    expect(stderr).toContain("At the most $2.00.");
    expect(stderr).toContain("nobody can be asked whether this cost is all right: say so with --yes");
    expect(code).toBe(2);
    expect(existsSync(path)).toBe(false);
  });
});

// ---- A made-up trainer ------------------------------------------------------------------------

const world = { name: "made up", isSimulated: false } as World;

class TestHost extends EventEmitter implements Host {
  said = "";
  exits: number[] = [];
  stderr = { isTTY: false, write: (text: string) => (this.said += text) } as unknown as NodeJS.WriteStream;
  exit(code: number): void {
    this.exits.push(code);
  }
}

function perform(train: (options: TrainOptions) => Promise<TrainResult>, now?: () => number) {
  const path = newPath();
  const folder = openTrainingFolder(path);
  folder.describe(toStatement({ state: "running" }));
  const host = new TestHost();
  const settings = toNativeSettings(
    flagsOf("--iterations", "9", "--width", "64", "--rounds", "2", "--cost", "0.1"),
  );
  const run = {
    train: (watched: WatchedOptions) => train(toNativeOptions(settings, "tutti train", watched)),
    ...{ minutes: settings.minutes, world, folder, resume: false, isQuiet: false },
  };
  const finished = performTraining(run, host, now).finally(() => folder.close());
  return { path, folder, host, finished };
}

const result = (change: Partial<TrainResult> = {}): TrainResult => ({
  ...{ checkpoint: "best", iterations: 9, isStopped: false, validation: undefined },
  ...change,
});

describe("a training that is watched", () => {
  it("gets the settings, and its folder says how it stands in the end", async () => {
    let given: TrainOptions | undefined;
    const { path, finished, host } = perform(async (options) => {
      given = options;
      return result();
    });
    await finished;
    expect(given).toMatchObject({
      ...{ iterations: 9, rounds: 2, costPerCall: 0.1, group: 16, questions: 16, distilled: 0, seed: 0 },
      repertoire: loadRepertoire(),
      ...{ shape: { width: 64 }, resume: false, command: "tutti train", world },
    });
    expect(given?.minutes).toBeUndefined();
    expect(given!.signal.aborted).toBe(false);
    expect(readTraining(path).statement).toMatchObject({ state: "done", endedAt: expect.any(Number) });
    expect(host.listenerCount("SIGINT") + host.listenerCount("SIGTERM")).toBe(0);
  });

  it("keeps its page up to date while it goes on, but not at every evaluation", async () => {
    let clock = 0;
    const pages: boolean[] = [];
    const { finished } = perform(
      async ({ folder, onEvent }) => {
        for (const event of toTrainEvents(60)) {
          clock += 1_000;
          folder.append(event);
          onEvent(event);
          const page = join(folder.path, "report.html");
          if (event.type === "validation") {
            pages.push(existsSync(page));
            rmSync(page, { force: true });
          }
        }
        return result();
      },
      () => clock,
    );
    await finished;
    expect(pages[0]).toBe(false);
    expect(pages).toContain(true);
    expect(pages.filter(Boolean).length).toBeLessThan(pages.length / 2);
  });

  it("stops at the first Ctrl-C when the trainer does, and stays resumable", async () => {
    const { path, host, finished } = perform(
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve(result({ isStopped: true })));
          setImmediate(() => host.emit("SIGINT"));
        }),
    );
    expect(await finished).toMatchObject({ isStopped: true });
    expect(host.said).toContain("Ctrl-C again ends at once");
    expect(host.exits).toEqual([]);
    expect(readTraining(path).statement.state).toBe("stopped");
  });

  it("ends at once at the second Ctrl-C, gives the folder free and says how to go on", async () => {
    let end = () => {};
    const { path, host, finished } = perform(() => new Promise((resolve) => (end = () => resolve(result()))));
    host.emit("SIGINT");
    expect(host.exits).toEqual([]);
    host.emit("SIGINT");
    expect(host.exits).toEqual([130]);
    expect(host.said).toContain(`Go on with: tutti train --resume ${path}`);
    expect(readTraining(path).statement.state).toBe("stopped");
    openTrainingFolder(path).close();
    end();
    await finished;
  });

  it("says in its folder and on its page why it failed, and fails", async () => {
    const { path, finished } = perform(async () => {
      throw new TuttiError("no-engine", "There is no engine: install one");
    });
    await expect(finished).rejects.toThrow("There is no engine");
    expect(readTraining(path).statement).toMatchObject({
      state: "failed",
      problem: "There is no engine: install one",
    });
    expect(readFileSync(join(path, "report.html"), "utf8")).toContain(
      "it failed. There is no engine: install one",
    );
  });
});

describe("what is told", () => {
  it("results are printed as a table and put into the page", () => {
    const path = newPath();
    const folder = openTrainingFolder(path);
    folder.describe(toStatement());
    let printed = "";
    const stdout = {
      isTTY: false,
      write: (text: string) => (printed += text),
    } as unknown as NodeJS.WriteStream;
    const rows = [
      {
        name: "trained",
        accuracy: 0.742,
        low: 0.711,
        high: 0.772,
        calls: 1.93,
        costUsd: 0.0042,
        note: "one \u001b[31mseed",
      },
      { name: "best single", accuracy: 0.681, low: 0.649, high: 0.712, calls: 1, costUsd: 0.0061 },
    ];
    showResults(rows, folder, { stdout, env: {} });
    expect(printed).toMatch(/^\nON TEST TASKS +ACC % +95 % +CALLS +SIM\. \$ \/ 1,000 +NOTE\n/);
    expect(printed).toMatch(/^trained +74\.2 +71\.1 – 77\.2 +1\.93 +\$4\.20 +one seed$/m);
    expect(readFileSync(join(path, "report.html"), "utf8")).toContain("71.1 – 77.2");
    expect(readTraining(path).results).toEqual(rows);
    folder.close();
  });

  it("results of joined worlds are a table each, in simulated dollars only where that is true", () => {
    const folder = openTrainingFolder(newPath());
    const parts = [
      { name: "rehearsal (simulated)", isSimulated: true },
      { name: "exam", isSimulated: false },
    ];
    folder.describe(toStatement({ isSimulated: true, parts, world: "rehearsal (simulated) + exam" }));
    let printed = "";
    const write = (text: string) => (printed += text);
    const stdout = { isTTY: false, write } as unknown as NodeJS.WriteStream;
    const row = { name: "trained", accuracy: 0.7, low: 0.6, high: 0.8, calls: 2, costUsd: 0.004 };
    const rows = parts.map((world, i) => ({ ...row, accuracy: 0.7 + 0.1 * i, world }));
    showResults(rows, folder, { stdout, env: {} });
    const tables = printed.split("\n\n");
    expect(tables[0]).toMatch(/In rehearsal \(simulated\):\nON TEST TASKS .+SIM\. \$ .+\ntrained +70\.0 /);
    expect(tables[1]).toMatch(/^In exam:\nON TEST TASKS +ACC % +95 % +CALLS +\$ .+\ntrained +80\.0 /);
    const page = readFileSync(join(folder.path, "report.html"), "utf8");
    expect(page).toContain(
      "what it reaches in rehearsal (simulated) says nothing about a real model; exam does",
    );
    expect(page).toContain("<h3>exam</h3>");
    folder.close();
  });

  it("the best of joined worlds is told together and apart", () => {
    const folder = openTrainingFolder(newPath());
    const part = { tasks: 10, accuracy: 0.5, low: 0.4, high: 0.6, calls: 3, validShare: 1 };
    const validation = toValidation(9, { tasks: 20, accuracy: 0.7, calls: 2, parts: { exam: part } });
    const [, best] = toOutcomeLines(result({ validation }), folder);
    expect(best).toMatch(
      /^Best on 20 validation questions, .+ 70\.0 % right .+ In exam 50\.0 %, 3\.00 calls\.$/,
    );
    folder.close();
  });

  it("the cost of a live pool is told for an iteration, in all where that is known, and at the most", () => {
    const estimate = { asks: 768, usd: 0.5, highestUsd: 2, unpriced: ["odd"], isSimulated: false, tasks: 30 };
    const [first, , last] = toCostLines(estimate, settingsOf("--iterations", "10"), 7);
    expect(first).toContain(
      "about $0.50, and $2.00 should only the most expensive worker be asked; 10 iterations: about $5.00.",
    );
    expect(last).toBe("At the most $7.00, and odd of unknown price.");
    expect(toCostLines(estimate, settingsOf("--minutes", "10"), 7)[0]).toMatch(/be asked\.$/);
  });
});
