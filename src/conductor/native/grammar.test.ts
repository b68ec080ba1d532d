import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom, type Random } from "../../base/random.ts";
import { createTinyLanguage } from "../../testing/learn/tiny-language.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import type { Pool } from "../../worker/types.ts";
import { checkTeam, toDecision } from "../text.ts";
import { createGrammar } from "./grammar.ts";
import type { WrittenStep } from "./language.ts";
import { PLAN_TOKENS } from "./opened.ts";
import { readSayable } from "./sayable.ts";

const language = createTinyLanguage();
const { repertoire } = language;

/** With parts and a work of its own, with parts only, and with neither. */
const QUESTIONS = [
  "Anna paid $12 and Ben paid $30 for the red tiles. What is the sum of the two prices?",
  "Who is “Ada Lovelace”?",
  "…",
];

interface Setting {
  kinds: ("model" | "tool")[];
  question: string;
  maxSteps: number;
  minSteps?: number;
  previousSteps: number;
  handOffs: boolean;
}

function poolOf({ kinds }: Pick<Setting, "kinds">): Pool {
  return toPool(kinds.map((kind, i) => scriptedWorker(`w${i}`, "", kind)));
}

const sayableOf = ({ question }: Pick<Setting, "question">) => readSayable(question, repertoire);

/** Decodes under the mask, the likeliest token of random probabilities each time. */
function decode(setting: Setting, random: Random, favour: (token: number) => number = () => 1): number[] {
  const { kinds, ...rest } = setting;
  const isModel = (slot: number) => kinds[slot] === "model";
  const sayable = sayableOf(setting);
  const grammar = createGrammar(language, { ...rest, isModel, slots: kinds.length, sayable });
  const tokens: number[] = [];
  while (tokens.at(-1) !== language.end) {
    const isAllowed = grammar(tokens);
    let [best, highest] = [-1, -1];
    // Slots that are not there are offered too, as padding would.
    const offered = language.vocabulary + kinds.length + sayable.parts.length + 3;
    for (let token = 0; token < offered; token++) {
      const probability = favour(token) * random.next();
      if (probability > highest && isAllowed(token)) [best, highest] = [token, probability];
    }
    expect(best, `nothing may follow ${tokens}`).toBeGreaterThanOrEqual(0);
    tokens.push(best);
    expect(tokens.length).toBeLessThanOrEqual(PLAN_TOKENS);
  }
  return tokens;
}

function decide(setting: Setting, tokens: number[]) {
  const { maxSteps, previousSteps, kinds } = setting;
  const earlier = { workflow: { steps: [] }, replies: Array<string>(previousSteps).fill("x") };
  const rounds = previousSteps > 0 ? [earlier] : [];
  const wording = { workerOf: Number, workers: kinds.length, sayable: sayableOf(setting) };
  return toDecision(language.toText(tokens, wording), { pool: poolOf(setting), maxSteps, rounds });
}

const settings: fc.Arbitrary<Setting> = fc.record({
  kinds: fc
    .array(fc.constantFrom("model", "tool"), { minLength: 0, maxLength: 4 })
    .chain((others) => fc.shuffledSubarray(["model" as const, ...others], { minLength: others.length + 1 })),
  question: fc.constantFrom(...QUESTIONS),
  maxSteps: fc.integer({ min: 1, max: 5 }),
  previousSteps: fc.integer({ min: 0, max: 5 }),
  handOffs: fc.boolean(),
});

test("whatever the probabilities, what is decoded is a valid workflow of the pool", () => {
  fc.assert(
    fc.property(settings, fc.nat(), (setting, seed) => {
      const decision = decide(setting, decode(setting, createRandom(seed)));
      if (decision.type === "accept" && setting.previousSteps > 0) return;
      if (decision.type !== "workflow") return expect.fail(JSON.stringify(decision));
      const { steps } = decision.workflow;
      expect(steps.length).toBeLessThanOrEqual(setting.maxSteps);
      expect(checkTeam(decision.workflow, poolOf(setting), setting.previousSteps)).toBeUndefined();
      if (setting.handOffs) return;
      for (const { worker, access } of steps)
        if (setting.kinds[worker] === "model") expect(access).toEqual([]);
    }),
    { numRuns: 300, seed: 6 },
  );
});

test("a plan that is to have so many steps has them, and accepts nothing", () => {
  fc.assert(
    fc.property(settings, fc.nat(), (setting, seed) => {
      const exact = { ...setting, minSteps: setting.maxSteps };
      const decision = decide(exact, decode(exact, createRandom(seed)));
      if (decision.type !== "workflow") return expect.fail(JSON.stringify(decision));
      expect(decision.workflow.steps.length).toBe(setting.maxSteps);
    }),
    { numRuns: 200, seed: 7 },
  );
});

const PLAIN = { question: QUESTIONS[0]! };

describe("the corners", () => {
  const workers = (token: number) => (token >= language.vocabulary ? 10 : 1);
  const texts = (setting: Setting, favour: (token: number) => number = workers) =>
    Array.from({ length: 60 }, (_, seed) => decide(setting, decode(setting, createRandom(seed), favour)));
  const teams = (setting: Setting) =>
    texts(setting).flatMap((decision) =>
      decision.type === "workflow" ? [decision.workflow.steps.map(({ worker }) => worker)] : [],
    );

  test("one worker, one step: it is asked", () => {
    const setting: Setting = { kinds: ["model"], maxSteps: 1, previousSteps: 0, handOffs: true, ...PLAIN };
    expect(new Set(teams(setting).map(String))).toEqual(new Set(["0"]));
  });

  test("a single step is never a tool, and a first round never accepts", () => {
    const setting: Setting = {
      kinds: ["tool", "model", "tool"],
      maxSteps: 1,
      previousSteps: 0,
      handOffs: true,
      ...PLAIN,
    };
    const found = teams(setting);
    expect(found.length).toBe(60);
    expect(new Set(found.map(String))).toEqual(new Set(["1"]));
  });

  test("later rounds may accept, which ends the text at once", () => {
    const setting: Setting = { kinds: ["model"], maxSteps: 5, previousSteps: 1, handOffs: true, ...PLAIN };
    const accepts = texts(setting, (token) => (token === language.accept ? 2 : 1));
    expect(accepts.some(({ type }) => type === "accept")).toBe(true);
  });

  test("a tool may come first where the round before has two replies, and a model must follow", () => {
    const setting: Setting = {
      kinds: ["tool", "model"],
      maxSteps: 2,
      previousSteps: 2,
      handOffs: true,
      ...PLAIN,
    };
    const first = teams(setting).filter(([worker]) => worker === 0);
    expect(first.length).toBeGreaterThan(0);
    expect(first.every((team) => team.length === 2 && team[1] === 1)).toBe(true);
    expect(teams({ ...setting, previousSteps: 1 }).some(([worker]) => worker === 0)).toBe(false);
    expect(teams({ ...setting, maxSteps: 1 }).some(([worker]) => worker === 0)).toBe(false);
  });
});

describe("what steps are told", () => {
  /** All that was said in decoded plans of so many seeds, each with its place. */
  function said(setting: Setting, count = 150) {
    return Array.from({ length: count }, (_, seed) => {
      const steps = language.toSteps(decode(setting, createRandom(seed)));
      return (steps ?? []).map((step, position) => ({ ...step, position, ...read(setting, step) }));
    }).flat();
  }

  function read(setting: Setting, { saying }: WrittenStep) {
    const { parts } = sayableOf(setting);
    const found = language.toSaying(saying, { workers: setting.kinds.length, parts });
    return found ?? expect.fail(`${saying} is no instruction with its slots filled`);
  }

  test("is always whole, of the question's own parts and works, and makes sense to who sees so much", () => {
    fc.assert(
      fc.property(settings, fc.nat(), (setting, seed) => {
        const { works, parts } = sayableOf(setting);
        const steps = language.toSteps(decode(setting, createRandom(seed))) ?? [];
        for (const step of steps) {
          const { instruction, work, part } = read(setting, step);
          if (work) expect(works.has(work)).toBe(true);
          if (part) expect(parts).toContain(part);
          if (parts.length === 0) expect(instruction.slots).not.toContain("part");
          // A tool is told nothing that it heeds.
          if (setting.kinds[step.worker] === "tool") continue;
          if (instruction.needs !== "nothing") expect(step.access.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 300, seed: 8 },
    );
  });

  const setting: Setting = {
    ...{ kinds: ["model", "model", "model"], maxSteps: 4, previousSteps: 0, handOffs: true, ...PLAIN },
  };
  const ids = (all: ReturnType<typeof said>) => new Set(all.map(({ instruction }) => instruction.id));

  test("first is never to check or compare; later it may be", () => {
    const all = said(setting);
    expect(ids(all.filter(({ position }) => position === 0))).toEqual(new Set(["plan", "solve", "answer"]));
    expect(ids(all.filter(({ position }) => position > 0))).toEqual(
      new Set(["plan", "solve", "answer", "check", "compare"]),
    );
  });

  test("first of a later round may be to check what the round before said, and then it sees it", () => {
    const later = said({ ...setting, previousSteps: 2 }).filter(({ position }) => position === 0);
    expect(ids(later)).toContain("check");
    for (const { instruction, access } of later)
      if (instruction.needs !== "nothing") expect(access).toBe("all");
  });

  test("where nobody sees replies nobody checks, in no round", () => {
    for (const previousSteps of [0, 3])
      expect(ids(said({ ...setting, previousSteps, handOffs: false }))).toEqual(
        new Set(["plan", "solve", "answer"]),
      );
  });

  test("names only works that the question speaks of; where it speaks of none, those that fit any question", () => {
    const works = (question: string) =>
      new Set(said({ ...setting, question }).flatMap(({ work }) => (work ? [work.id] : [])));
    expect(works(QUESTIONS[0]!)).toEqual(new Set(["sums"]));
    expect(works(QUESTIONS[1]!)).toEqual(new Set(["any"]));
  });

  test("names any part that there is, and where there is none no part is spoken of", () => {
    const parts = (question: string) =>
      new Set(said({ ...setting, question }, 400).flatMap(({ part }) => (part ? [part] : [])));
    const { parts: own } = sayableOf(setting);
    expect(own.length).toBeGreaterThan(1);
    expect(parts(QUESTIONS[0]!)).toEqual(new Set(own));
    expect(sayableOf({ question: QUESTIONS[2]! }).parts).toEqual([]);
    expect(ids(said({ ...setting, question: QUESTIONS[2]! }))).toEqual(
      new Set(["plan", "answer", "compare"]),
    );
  });
});

test("the longest plan there can be fits, five steps with every slot filled", () => {
  const setting: Setting = {
    ...{ kinds: ["model", "model"], maxSteps: 5, minSteps: 5, previousSteps: 0, handOffs: true, ...PLAIN },
  };
  const solve = language.entry(repertoire.instructions.find(({ id }) => id === "solve")!);
  const tokens = decode(setting, createRandom(1), (token) => (token === solve ? 1000 : 1));
  expect(tokens.filter((token) => token === solve).length).toBe(5);
  expect(tokens.length).toBeLessThanOrEqual(PLAN_TOKENS);
});
