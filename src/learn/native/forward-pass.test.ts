// The plain forward pass against the engine's graphs, on the weights that ship: the same logits on real prompts and the
// same plans. Without an engine there is nothing to compare with, and the tests are skipped.

import { describe, expect, test } from "vitest";
import { loadCheckpoint } from "../../conductor/native/checkpoint.ts";
import { PLAN_TOKENS } from "../../conductor/native/opened.ts";
import { findShipped } from "../../conductor/native/shipped.ts";
import { ForwardModel } from "../../nn/forward/model.ts";
import { Model } from "../../nn/model.ts";
import type { ChooseToken, TextModel } from "../../nn/text-model.ts";
import { createWeights } from "../../nn/transformer.ts";
import { openTestEngine } from "../../testing/learn/engines.ts";
import { createRehearsalWorld } from "../../world/rehearsal.ts";
import { type Policy, settleSize, toPrompt, writePlans } from "./stage.ts";

const { name, engine } = await openTestEngine();
const QUESTIONS = 208;
const world = createRehearsalWorld({
  ...{ seed: 7, pools: "random", calibrationTasks: 12, validation: QUESTIONS },
});

/** Both write the same tokens, and what each is told of all tokens is kept. */
async function logProbabilities(model: TextModel, policy: Policy, plans: number[][], count: number) {
  const seen: number[][] = [];
  const { language } = policy;
  const prompts = world.validation.slice(0, count).map((question) => toPrompt(policy, question));
  const choose: ChooseToken = (probabilities, question, _, tokens) => {
    // Slots that pad a batch of the engine cannot be chosen.
    const own = probabilities.subarray(
      0,
      language.vocabulary + prompts[question]!.reading.prefix.slots.length,
    );
    seen.push(Array.from(own, Math.log));
    return plans[question]![tokens.length] ?? language.end;
  };
  const options = { group: 1, length: PLAN_TOKENS, start: language.start, end: language.end, choose };
  for (const [question, { reading }] of prompts.entries())
    await model.generate([reading.prefix], {
      ...options,
      choose: (probabilities, _, rollout, tokens) => choose(probabilities, question, rollout, tokens),
    });
  return seen;
}

function farthest(a: number[][], b: number[][]): number {
  let most = 0;
  // Below e^-80 a float has no digits left to compare.
  for (const [row, values] of a.entries())
    for (const [i, value] of values.entries())
      if (value > -80) most = Math.max(most, Math.abs(value - b[row]![i]!));
  return most;
}

describe.skipIf(!engine)(`the forward pass beside ${name}`, () => {
  test.each(["conductor", "two million new weights"])(
    "%s",
    async (which) => {
      const folder = findShipped(which);
      const { card, weights, language, choices } = loadCheckpoint(folder ?? findShipped("conductor")!);
      const shape = folder ? card.shape : { ...card.shape, width: 192, heads: 6, layers: 4, hidden: 512 };
      const own = folder ? weights : createWeights(shape, 1);
      const forward = new ForwardModel(shape, own);
      const graphs = new Model(engine!, shape, own);
      const of = (model: TextModel): Policy => ({ model, language, choices });
      // New weights write nothing but noise, of the full length.
      const count = folder ? QUESTIONS : 8;
      const prompts = world.validation
        .slice(0, count)
        .map((question) => settleSize(of(forward), toPrompt(of(forward), question), card.cost ?? 0));
      const texts = async (model: TextModel) =>
        (await writePlans(of(model), prompts, { group: 1 })).flat().map(({ text }) => text);
      const plans = (await writePlans(of(forward), prompts, { group: 1 })).flat();
      if (folder) expect(await texts(graphs)).toEqual(plans.map(({ text }) => text));
      const tokens = plans.map((plan) => plan.tokens);
      const [ours, theirs] = [
        await logProbabilities(forward, of(forward), tokens, 8),
        await logProbabilities(graphs, of(forward), tokens, 8),
      ];
      expect(ours.length).toBeGreaterThan(8 * 8);
      expect(farthest(theirs, ours)).toBeLessThan(1e-4);
      const prefixes = prompts.slice(0, 8).map(({ reading }) => reading.prefix);
      const [nll, expected] = [
        await forward.negativeLogLikelihood(prefixes),
        await graphs.negativeLogLikelihood(prefixes),
      ];
      for (const [i, value] of nll.entries()) expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-4);
      await graphs.close();
    },
    120_000,
  );
});
