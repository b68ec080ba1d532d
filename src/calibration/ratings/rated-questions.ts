// Which rated questions are like this one: the cosine of their words, rare ones weighing more. Apart from TextIndex, which
// wants hundreds of questions: words of more than half of them, or of one alone, say nothing there, and here there may be ten.

import { countFeatures } from "../text-features.ts";

/** Of a word that no two rated questions have: it links nothing, and says a little that the question is another one. */
const LONE = 0.7;

export interface RatedQuestions {
  /** 0..1, in the order of the texts; 0 where there is none. */
  similarities(text: string): Float32Array;
}

/** `counts`: features of each text; undefined where it is not kept. */
export function indexRatedQuestions(
  counts: readonly (ReadonlyMap<number, number> | undefined)[],
): RatedQuestions {
  const lists = new Map<number, { at: number[]; count: number[] }>();
  for (const [at, features] of counts.entries())
    for (const [feature, count] of features ?? []) {
      const list = lists.get(feature) ?? { at: [], count: [] };
      if (list.at.length === 0) lists.set(feature, list);
      list.at.push(at);
      list.count.push(count);
    }
  const weigh = (feature: number, count: number) => {
    const seen = lists.get(feature)?.at.length ?? 0;
    const rarity = seen < 2 ? LONE : Math.log(1 + counts.length / (1 + seen));
    return (1 + Math.log(count)) * rarity;
  };
  const lengthOf = (features: ReadonlyMap<number, number>) => {
    let square = 0;
    for (const [feature, count] of features) square += weigh(feature, count) ** 2;
    return Math.sqrt(square);
  };
  const lengths = counts.map((features) => (features ? lengthOf(features) : 0));
  return {
    similarities(text) {
      const found = new Float32Array(counts.length);
      const features = countFeatures(text);
      const length = lengthOf(features);
      for (const [feature, count] of features) {
        const list = lists.get(feature);
        if (!list) continue;
        const weight = weigh(feature, count) / length;
        for (const [i, at] of list.at.entries())
          found[at]! += (weight * weigh(feature, list.count[i]!)) / lengths[at]!;
      }
      return found;
    },
  };
}
