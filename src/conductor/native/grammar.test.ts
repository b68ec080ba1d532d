import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom, type Random } from "../../base/random.ts";
import { createTinyLanguage } from "../../testing/learn/tiny-language.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import type { Pool } from "../../worker/types.ts";
import { checkTeam, toDecision } from "../text.ts";
import { createGrammar } from "./grammar.ts";

const language = createTinyLanguage();
const MOST_TOKENS = 200;

interface Setting {
  kinds: ("model" | "tool")[];
  maxSteps: number;
  minSteps?: number;
  previousSteps: number;
  handOffs: boolean;
}

function poolOf({ kinds }: Pick<Setting, "kinds">): Pool {
  return toPool(kinds.map((kind, i) => scriptedWorker(`w${i}`, "", kind)));
}

/** Decodes under the mask, the likeliest token of random probabilities each time. */
function decode(setting: Setting, random: Random, favour: (token: number) => number = () => 1): number[] {
  const { kinds, ...rest } = setting;
  const isModel = (slot: number) => kinds[slot] === "model";
  const grammar = createGrammar(language, { ...rest, isModel, slots: kinds.length, maxWords: 4 });
  const tokens: number[] = [];
  while (tokens.at(-1) !== language.end) {
    const isAllowed = grammar(tokens);
    let [best, highest] = [-1, -1];
    // Slots that are not there are offered too, as padding would.
    for (let token = 0; token < language.vocabulary + kinds.length + 3; token++) {
      const probability = favour(token) * random.next();
      if (probability > highest && isAllowed(token)) [best, highest] = [token, probability];
    }
    expect(best, `nothing may follow ${tokens}`).toBeGreaterThanOrEqual(0);
    tokens.push(best);
    expect(tokens.length).toBeLessThan(MOST_TOKENS);
  }
  return tokens;
}

function decide(setting: Setting, tokens: number[]) {
  const { maxSteps, previousSteps } = setting;
  const earlier = { workflow: { steps: [] }, replies: Array<string>(previousSteps).fill("x") };
  const rounds = previousSteps > 0 ? [earlier] : [];
  return toDecision(language.toText(tokens, Number), { pool: poolOf(setting), maxSteps, rounds });
}

const settings: fc.Arbitrary<Setting> = fc.record({
  kinds: fc
    .array(fc.constantFrom("model", "tool"), { minLength: 0, maxLength: 4 })
    .chain((others) => fc.shuffledSubarray(["model" as const, ...others], { minLength: others.length + 1 })),
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

describe("the corners", () => {
  const workers = (token: number) => (token >= language.vocabulary ? 10 : 1);
  const texts = (setting: Setting, favour: (token: number) => number = workers) =>
    Array.from({ length: 60 }, (_, seed) => decide(setting, decode(setting, createRandom(seed), favour)));
  const teams = (setting: Setting) =>
    texts(setting).flatMap((decision) =>
      decision.type === "workflow" ? [decision.workflow.steps.map(({ worker }) => worker)] : [],
    );

  test("one worker, one step: it is asked", () => {
    const setting: Setting = { kinds: ["model"], maxSteps: 1, previousSteps: 0, handOffs: true };
    expect(new Set(teams(setting).map(String))).toEqual(new Set(["0"]));
  });

  test("a single step is never a tool, and a first round never accepts", () => {
    const setting: Setting = {
      kinds: ["tool", "model", "tool"],
      maxSteps: 1,
      previousSteps: 0,
      handOffs: true,
    };
    const found = teams(setting);
    expect(found.length).toBe(60);
    expect(new Set(found.map(String))).toEqual(new Set(["1"]));
  });

  test("later rounds may accept, which ends the text at once", () => {
    const setting: Setting = { kinds: ["model"], maxSteps: 5, previousSteps: 1, handOffs: true };
    const accepts = texts(setting, (token) => (token === language.accept ? 2 : 1));
    expect(accepts.some(({ type }) => type === "accept")).toBe(true);
  });

  test("a tool may come first where the round before has two replies, and a model must follow", () => {
    const setting: Setting = { kinds: ["tool", "model"], maxSteps: 2, previousSteps: 2, handOffs: true };
    const first = teams(setting).filter(([worker]) => worker === 0);
    expect(first.length).toBeGreaterThan(0);
    expect(first.every((team) => team.length === 2 && team[1] === 1)).toBe(true);
    expect(teams({ ...setting, previousSteps: 1 }).some(([worker]) => worker === 0)).toBe(false);
    expect(teams({ ...setting, maxSteps: 1 }).some(([worker]) => worker === 0)).toBe(false);
  });

  test("a subtask never begins blank, and never is", () => {
    const setting: Setting = { kinds: ["model"], maxSteps: 2, previousSteps: 0, handOffs: true };
    const blank = (token: number) => (language.isBlank(token) ? 100 : 1);
    for (const decision of texts(setting, blank)) expect(decision.type).toBe("workflow");
  });

  test("no subtask is longer than is allowed", () => {
    const setting: Setting = { kinds: ["model"], maxSteps: 3, previousSteps: 0, handOffs: true };
    const tokens = decode(setting, createRandom(1), (token) => (language.isWord(token) ? 100 : 1));
    const inside = tokens.slice(tokens.indexOf(language.subtasks) + 1, tokens.indexOf(language.access));
    for (const run of inside.join().split(String(language.nextSubtask)))
      expect(run.split(",").filter(Boolean).length).toBeLessThanOrEqual(4);
  });
});
