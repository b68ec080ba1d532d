// Trains the weights that ship, one folder for each seed: separable CMA-ES on exact replays of the training questions, worth
// over all prices. What is kept is the best on the validation split, its beginning (look-ahead) among the candidates.
// Part of experiments/turns.mjs: node experiments/turns.mjs --only train --seeds 1,2,3 --out DIR

import { join } from "node:path";
import { fromVector } from "../../dist/conductor/trinity/policy.js";
import { replayTurns } from "../../dist/learn/evolution/exact-replay.js";
import { openLearner } from "../../dist/learn/evolution/learner.js";
import { openTrinityPolicy } from "../../dist/learn/evolution/trinity-policy.js";
import { performAsked } from "../../dist/learn/perform.js";
import { openSets, SETS } from "./sets.mjs";

const EVERY = 4;
const TURNS = 5;
/** Prices of the fronts that are told, from which the shipped one is chosen. */
const SHOWN = [0.02, 0.01, 0.005, 0.002];

export async function trainSeeds({
  recorded,
  split,
  seeds,
  iterations,
  questions,
  population,
  out,
  costPerCall,
  command,
}) {
  const sets = SETS.filter(({ isUnseen, hasFamilies }) => !isUnseen && (split !== "family" || hasFamilies));
  const world = await openSets(sets, { recorded, split, pools: "random" });
  const replays = { train: world.replays("train"), validation: world.replays("validation") };
  const opened = { ...world, replays: (name) => replays[name] };
  const { signal } = new AbortController();
  const results = [];
  for (const seed of seeds) {
    const settings = { world, hasRoles: false, turns: TURNS, costPerCall, seed, command };
    const policy = openTrinityPolicy(settings);
    const learner = openLearner({
      ...{ policy, world: opened, seed, algorithm: "evolution", questions, replications: 1, population },
      ...{ sigma: 0.2, costPerCall },
    });
    const schedule = learner.schedule(iterations);
    const toValue = (vector) => policy.evaluate(vector, replays.validation).value;
    const start = toValue(policy.start);
    let best = { value: start, iteration: 0, vector: policy.start, runs: 0 };
    const curve = [{ iteration: 0, value: start }];
    for (let iteration = 0; iteration < iterations; iteration++) {
      const { runs } = await performAsked(learner.iterate(schedule.at(iteration), signal), opened, signal);
      if ((iteration + 1) % EVERY !== 0) continue;
      const value = toValue(learner.vector);
      curve.push({ iteration: iteration + 1, value });
      process.stderr.write(
        `seed ${seed}, ${iteration + 1}: ${value.toFixed(4)} (look-ahead ${start.toFixed(4)})\n`,
      );
      if (value > best.value)
        best = { value, iteration: iteration + 1, vector: learner.vector.slice(), runs };
    }
    const fronts = toFronts(best.vector, replays.validation);
    const at = fronts.find((front) => front.price === costPerCall) ?? fronts[1];
    await policy.save(join(out, `seed-${seed}`), best.vector, {
      ...{ iterations: best.iteration, runs: best.runs, algorithm: "evolution" },
      validation: { accuracy: at.accuracy, calls: at.calls, tasks: replays.validation.length },
    });
    results.push({
      seed,
      start,
      best: best.value,
      iteration: best.iteration,
      curve,
      fronts,
      look: toFronts(policy.start, replays.validation),
    });
  }
  return results;
}

/** By price: the mean over the sets, and each of them. */
function toFronts(vector, questions) {
  return SHOWN.map((price) => {
    const options = { policy: fromVector(vector), hasRoles: false, maxTurns: TURNS, costPerCall: price };
    const bySet = {};
    for (const question of questions) {
      const { isRight, calls } = replayTurns(question, options);
      bySet[question.set] ??= { right: 0, calls: 0, count: 0 };
      bySet[question.set].right += Number(isRight);
      bySet[question.set].calls += calls;
      bySet[question.set].count++;
    }
    const own = Object.entries(bySet).map(([set, { right, calls, count }]) => ({
      set,
      accuracy: right / count,
      calls: calls / count,
    }));
    const mean = (value) => own.reduce((sum, each) => sum + value(each), 0) / own.length;
    return {
      price,
      accuracy: mean(({ accuracy }) => accuracy),
      calls: mean(({ calls }) => calls),
      sets: own,
    };
  });
}
