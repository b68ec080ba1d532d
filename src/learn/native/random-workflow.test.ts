import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { Language, LITERALS } from "../../conductor/native/language.ts";
import { toDecision } from "../../conductor/text.ts";
import { trainTokenizer } from "../../nn/tokenizer.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import { createSelfWorker } from "../../worker/self.ts";
import { MAX_STEPS } from "../../workflow/types.ts";
import { allSubtasks, sampleSubtask, sampleWorkflow, toVocabulary } from "./random-workflow.ts";

const WORKS = ["sums", "critical path", "equations"];
const vocabulary = toVocabulary("What is the length of the critical path?", WORKS, "free");
const language = new Language(trainTokenizer(allSubtasks(WORKS), { size: 600, literals: LITERALS }));

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
  test("are always valid, of the size that is wanted, and come back from their tokens", () => {
    fc.assert(
      fc.property(
        pools,
        fc.nat(),
        fc.option(fc.integer({ min: 1, max: MAX_STEPS }), { nil: undefined }),
        fc.nat({ max: MAX_STEPS }),
        fc.boolean(),
        (pool, seed, size, previousSteps, handOffs) => {
          const steps = sampleWorkflow({
            ...{ pool, vocabulary, handOffs, previousSteps, size, random: createRandom(seed) },
          });
          const rounds =
            previousSteps > 0
              ? [{ workflow: { steps: [] }, replies: Array<string>(previousSteps).fill("") }]
              : [];
          const text = language.toText(language.toTokens(steps), Number);
          const decision = toDecision(text, { pool, maxSteps: MAX_STEPS, rounds });
          if (steps.length === 0) {
            expect(previousSteps).toBeGreaterThan(0);
            expect(decision).toEqual({ type: "accept" });
            return;
          }
          expect(decision).toEqual({ type: "workflow", workflow: { steps } });
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
        for (const { worker } of sampleWorkflow({ pool, vocabulary, handOffs, previousSteps: 0, random }))
          counts[worker]!++;
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
      const sampling = { pool, vocabulary, handOffs: true, previousSteps: 0, random: createRandom(seed) };
      const team = sampleWorkflow(sampling).map(({ worker }) => worker);
      expect(new Set(team).size).toBe(team.length);
    }
  });

  test("differ in size, words and access, and repeat for a seed", () => {
    const pool = toPool([..."ab"].map((id) => scriptedWorker(id, "")));
    const sample = (seed: number) =>
      sampleWorkflow({ pool, vocabulary, handOffs: true, previousSteps: 0, random: createRandom(seed) });
    const many = Array.from({ length: 200 }, (_, seed) => sample(seed));
    expect(new Set(many.map((steps) => steps.length))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(new Set(many.flatMap((steps) => steps.map(({ subtask }) => subtask))).size).toBeGreaterThan(10);
    expect(sample(5)).toEqual(sample(5));
  });
});

describe("subtasks", () => {
  const places = [true, false].flatMap((seesOthers) =>
    [true, false].map((opensTeam) => ({ seesOthers, opensTeam })),
  );
  const sample = (words: "free" | "generic", place = places[0]!) => {
    const random = createRandom(1);
    return Array.from({ length: 300 }, () => sampleSubtask({ ...vocabulary, words }, place, random));
  };

  test("all that are sampled are known to the tokenizer, and name works of the world", () => {
    const known = new Set(allSubtasks(WORKS));
    const sampled = places.flatMap((place) => sample("free", place));
    expect(sampled.filter((subtask) => !known.has(subtask))).toEqual([]);
    expect(new Set(sampled)).toEqual(known);
  });

  test("only who opens a team plans, mostly, and nobody checks who sees nothing", () => {
    for (const place of places) {
      const said = sample("free", place);
      const plans =
        said.filter((subtask) => /^(?:Plan the|List the steps)/.test(subtask)).length / said.length;
      if (place.opensTeam) expect(plans).toBeCloseTo(1 / 2, 1);
      else expect(plans).toBe(0);
      expect(/Check|Verify|Review|Compare|Follow/.test(said.join())).toBe(place.seesOthers);
      expect(said.join()).toMatch(/Solve the/);
    }
  });

  test("where words are generic all are told the same", () => {
    expect(new Set(sample("generic")).size).toBe(1);
  });
});
