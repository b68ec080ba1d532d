import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { Language, toLiterals } from "../../conductor/native/language.ts";
import { readSayable } from "../../conductor/native/sayable.ts";
import { toDecision } from "../../conductor/text.ts";
import { renderSaying } from "../../instruction/render.ts";
import { loadRepertoire } from "../../instruction/repertoire.ts";
import { trainTokenizer } from "../../nn/tokenizer.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import { createSelfWorker } from "../../worker/self.ts";
import type { Pool } from "../../worker/types.ts";
import { MAX_STEPS } from "../../workflow/types.ts";
import { GENERIC_REPERTOIRE } from "./generic-repertoire.ts";
import { sampleWorkflow, type WorkflowOptions } from "./random-workflow.ts";

const repertoire = loadRepertoire();
const toLanguage = (own = repertoire) =>
  new Language(trainTokenizer(["What is asked?"], { size: 600, literals: toLiterals(own) }), own);
const language = toLanguage();

const QUESTIONS = [
  "A floor is 12 m long and 8 m wide. How many tiles does the border take, and what do they cost?",
  "Wer war schneller, “Anna” oder “Ben”, und um wie viele Minuten?",
  "…",
];
const toSampling = (pool: Pool, question = QUESTIONS[0]!, own = language) => ({
  ...{ pool, language: own, handOffs: true, previousSteps: 0 },
  workers: [...pool.members.keys()],
  sayable: readSayable(question, own.repertoire),
});

const pools = fc
  .array(fc.constantFrom("model", "tool", "conductor"), { maxLength: 5 })
  .map((kinds) => [
    "model" as const,
    ...kinds.filter((kind, i) => kind !== "conductor" || kinds.indexOf(kind) === i),
  ])
  .map((kinds) =>
    toPool(
      kinds.map((kind, i) => (kind === "conductor" ? createSelfWorker() : scriptedWorker(`w${i}`, "", kind))),
    ),
  );

describe("random workflows", () => {
  test("are always valid, of the size that is wanted, and come back from their tokens with their sentences", () => {
    fc.assert(
      fc.property(
        pools,
        fc.nat(),
        fc.option(fc.integer({ min: 1, max: MAX_STEPS }), { nil: undefined }),
        fc.nat({ max: MAX_STEPS }),
        fc.boolean(),
        fc.constantFrom(...QUESTIONS),
        (pool, seed, size, previousSteps, handOffs, question) => {
          const sampling = toSampling(pool, question);
          const { sayable, workers } = sampling;
          const steps = sampleWorkflow({
            ...{ ...sampling, handOffs, previousSteps, size, random: createRandom(seed) },
          });
          const rounds =
            previousSteps > 0
              ? [{ workflow: { steps: [] }, replies: Array<string>(previousSteps).fill("") }]
              : [];
          const tokens = language.toTokens(steps);
          expect(language.toSteps(tokens)).toEqual(steps);
          const text = language.toText(tokens, { workerOf: Number, workers: workers.length, sayable });
          const decision = toDecision(text, { pool, maxSteps: MAX_STEPS, rounds });
          const expected = steps.map(({ worker, saying, access }) => {
            const said = language.toSaying(saying, { workers: workers.length, parts: sayable.parts })!;
            return { worker, subtask: renderSaying(said, sayable.language), access };
          });
          expect(decision).toEqual({ type: "workflow", workflow: { steps: expected } });
          expect(steps.length).toBe(size ?? steps.length);
          for (const { worker, access } of steps) {
            const { kind } = pool.members[worker]!.worker;
            expect(kind).not.toBe("conductor");
            if (kind === "model" && !handOffs) expect(access).toEqual([]);
          }
        },
      ),
      { numRuns: 300, seed: 9 },
    );
  });

  test("do not prefer any worker, so nothing is taught about who is good", () => {
    const pool = toPool(
      [..."abcd"].map((id) => scriptedWorker(id, "")).concat(scriptedWorker("vote", "", "tool")),
    );
    for (const handOffs of [true, false]) {
      const random = createRandom("uniform");
      const counts = [0, 0, 0, 0, 0];
      for (let i = 0; i < 2000; i++)
        for (const { worker } of sampleWorkflow({ ...toSampling(pool), handOffs, random })) counts[worker]!++;
      const models = counts.slice(0, 4);
      const mean = models.reduce((sum, count) => sum + count, 0) / 4;
      // Five standard deviations of a fair choice.
      for (const count of models) expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean));
      expect(counts[4]).toBeGreaterThan(0);
    }
  });

  test("ask nobody twice while others are left", () => {
    const pool = toPool([..."abcdef"].map((id) => scriptedWorker(id, "")));
    for (let seed = 0; seed < 100; seed++) {
      const sampling = { ...toSampling(pool), random: createRandom(seed) };
      const team = sampleWorkflow(sampling).map(({ worker }) => worker);
      expect(new Set(team).size).toBe(team.length);
    }
  });

  test("differ in size, sayings and access, and repeat for a seed", () => {
    const pool = toPool([..."ab"].map((id) => scriptedWorker(id, "")));
    const sample = (seed: number) => sampleWorkflow({ ...toSampling(pool), random: createRandom(seed) });
    const many = Array.from({ length: 200 }, (_, seed) => sample(seed));
    expect(new Set(many.map((steps) => steps.length))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(new Set(many.flatMap((steps) => steps.map(({ saying }) => saying.join()))).size).toBeGreaterThan(
      10,
    );
    expect(sample(5)).toEqual(sample(5));
  });
});

describe("what their steps are told", () => {
  const pool = toPool([..."abcde"].map((id) => scriptedWorker(id, "")));
  /** Of many workflows each step, with what it is told and where it stands. */
  function sample(parts: Partial<WorkflowOptions> = {}, question = QUESTIONS[0]!, own = language) {
    const sampling = { ...toSampling(pool, question, own), random: createRandom("told"), ...parts };
    const { workers, sayable } = sampling;
    return Array.from({ length: 600 }, () => {
      const steps = sampleWorkflow(sampling);
      return steps.map(({ saying, access }, position) => ({
        ...own.toSaying(saying, { workers: workers.length, parts: sayable.parts })!,
        ...{ seesOthers: access.length > 0, opensTeam: position === 0 && steps.length > 1, position },
      }));
    }).flat();
  }

  test("are all instructions, works, parts and forms that there are", () => {
    const steps = sample();
    const found = <Entry>(entries: (Entry | undefined)[]) =>
      new Set(entries.filter((entry) => entry !== undefined));
    expect(found(steps.map(({ instruction }) => instruction))).toEqual(new Set(repertoire.instructions));
    expect(found(steps.map(({ work }) => work))).toEqual(new Set(repertoire.works));
    expect(found(steps.map(({ form }) => form))).toEqual(new Set(repertoire.forms));
    const { parts } = readSayable(QUESTIONS[0]!, repertoire);
    expect(parts.length).toBeGreaterThan(1);
    expect(found(steps.map(({ part }) => part))).toEqual(new Set(parts));
  });

  test("only who opens a team plans, in half of the teams", () => {
    const plans = (steps: ReturnType<typeof sample>) =>
      steps.filter(({ instruction }) => instruction.role === "plan").length / steps.length;
    const steps = sample();
    expect(plans(steps.filter(({ opensTeam }) => opensTeam))).toBeCloseTo(1 / 2, 1);
    expect(plans(steps.filter(({ opensTeam }) => !opensTeam))).toBe(0);
  });

  test("nobody checks, compares or follows a plan who sees nothing", () => {
    for (const { instruction, seesOthers } of [...sample(), ...sample({ previousSteps: 2 })])
      if (!seesOthers) expect(instruction.needs).toBe("nothing");
    const blind = sample({ handOffs: false });
    expect(new Set(blind.map(({ instruction }) => instruction.needs))).toEqual(new Set(["nothing"]));
    const later = sample({ previousSteps: 2 }).filter(({ position }) => position === 0);
    expect(later.some(({ instruction }) => instruction.needs === "answer")).toBe(true);
  });

  test("is work that the question speaks of, mostly, and any other now and then", () => {
    const { works } = readSayable(QUESTIONS[0]!, repertoire);
    const named = sample().flatMap(({ work }) => (work ? [work] : []));
    const share = named.filter((work) => works.has(work)).length / named.length;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.95);
  });

  test("names no part where the question has none", () => {
    const steps = sample({}, "…");
    expect(steps.some(({ part, instruction }) => part || instruction.slots.includes("part"))).toBe(false);
    expect(steps.length).toBeGreaterThan(600);
  });

  test("is one and the same where words are generic, and plans are as valid", () => {
    const generic = toLanguage(GENERIC_REPERTOIRE);
    const said = sample({}, QUESTIONS[0]!, generic).map((saying) => renderSaying(saying, "en"));
    expect(new Set(said)).toEqual(new Set(["Answer the question."]));
  });
});
