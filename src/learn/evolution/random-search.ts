// Random search: samples around the start, the best of them kept. What evolution must beat at the same number of runs.
// The best so far is a candidate of every generation, so that it is compared on the same questions.

import { createRandom, hashSeed } from "../../base/random.ts";
import { defaultPopulation, type Search, type SearchOptions, type SearchState } from "./types.ts";

export function createRandomSearch(options: SearchOptions, saved?: SearchState): Search {
  const { start, scales, seed, sigma } = options;
  const { population = defaultPopulation(start.length) } = options;
  let generation = saved?.generation ?? 0;
  let best: Float64Array = saved ? Float64Array.from(saved.vectors.best!) : start.slice();

  const ask = (): Float64Array[] => [
    best,
    ...Array.from({ length: population - 1 }, (_, number) => {
      const random = createRandom(hashSeed(seed, "sample", generation, number));
      return start.map((value, i) => value + sigma * scales[i]! * random.normal());
    }),
  ];

  return {
    get mean() {
      return best;
    },
    sigma,
    ask,
    tell(fitness) {
      if (fitness.length !== population)
        throw new TypeError(`${fitness.length} values of fitness for ${population} candidates`);
      // Strictly better: of equal ones the first stays.
      let winner = 0;
      for (const [number, value] of fitness.entries()) {
        const highest = fitness[winner]!;
        if (value > highest || (Number.isNaN(highest) && !Number.isNaN(value))) winner = number;
      }
      best = ask()[winner]!;
      generation++;
    },
    save: () => ({ generation, sigma, vectors: { best: [...best] } }),
  };
}
