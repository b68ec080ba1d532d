// What the policy is made of, number by number: the head's features and the few numbers of the belief. One flat vector for
// whoever searches, with the point where every search begins: exactly looking ahead.

import type { TrinityPolicy } from "./types.ts";

/** The features of an option. Those of `stop` are 0 but for its own. */
export const FEATURES = [
  "net", // gain − price
  "gain", // by looking ahead
  "price",
  "ask", // 1 for every ask: what it must earn beyond its price
  "ask-best", // probability of the likeliest answer so far
  "ask-none", // probability that nobody is right so far
  "ask-used", // share of the turns that are used
  "ask-dispute", // there are two answers or more
  "probability", // of this worker for this question
  "behind", // how far it is behind the best that could be asked
  "known-gain", // gain, by how similar the nearest measured question is
  "dispute-gain",
  "first-gain", // gain of the second ask: the first answer may be believed too easily
  "none-gain", // gain, by the probability that nobody is right so far
  "used-gain", // gain, by the share of the turns that are used
  "agreed-gain", // gain where two or more said the likeliest answer
  "seconds", // its usual delay, in tens of seconds
  "again", // it has replied before in this run
  "thinker",
  "thinker-none",
  "thinker-planned", // there is a plan already
  "thinker-suggested",
  "verifier",
  "verifier-best",
  "verifier-again", // there is a verdict on this answer already
  "verifier-suggested",
  "sees",
  "sees-plan",
  "sees-revised", // a Verifier sent the latest answer back
  "stop-accepted", // a Verifier accepted the likeliest answer
  "stop-agreed", // two or more said it
  "stop-revised",
] as const;
export type FeatureName = (typeof FEATURES)[number];

/** Numbers of the belief: where they begin, and how far a search strides. */
const BELIEF = {
  /** Weight of the common difficulty. */
  difficulty: { start: 1.2, scale: 1 },
  /** By how much the logit of measured coincidences is shifted: where there are two options to choose from, nearly all stay. */
  coincidence: { start: -0.6, scale: 1 },
  /** The logit of a worker's probability is scaled and shifted. */
  slope: { start: 1, scale: 0.5 },
  shift: { start: 0, scale: 0.5 },
  /** What a plan adds to the logit of a Worker that sees it. */
  planned: { start: 0.4, scale: 0.5 },
  /** Logits, for a Verifier of probability one half. */
  sensitivity: { start: 2, scale: 1 },
  specificity: { start: 0.5, scale: 1 },
  /** What a Verifier's own logit adds to that of its specificity. */
  judgement: { start: 0.3, scale: 0.3 },
  /** Logit: that a Worker who saw a wrong answer, being wrong, repeats it. */
  followed: { start: 0.5, scale: 0.5 },
} as const;
export type BeliefName = keyof typeof BELIEF;

const BELIEF_NAMES = Object.keys(BELIEF) as BeliefName[];
const FEATURE_NUMBERS = Object.fromEntries(FEATURES.map((name, number) => [name, number])) as Record<
  FeatureName,
  number
>;

/** Differences of worth are hundredths: the head strides in such steps. */
const HEAD_SCALE: Partial<Record<FeatureName, number>> = {
  net: 1,
  gain: 1,
  price: 1,
  "known-gain": 1,
  "dispute-gain": 1,
  "first-gain": 1,
  "none-gain": 1,
  "used-gain": 1,
  "agreed-gain": 1,
};
const USUAL_SCALE = 0.05;

export function toFeatures(values: Partial<Record<FeatureName, number>>): Float64Array {
  const features = new Float64Array(FEATURES.length);
  for (const name in values) {
    const known = name as FeatureName;
    features[FEATURE_NUMBERS[known]] = values[known]!;
  }
  return features;
}

export function beliefNumber({ belief }: TrinityPolicy, name: BeliefName): number {
  return belief[BELIEF_NAMES.indexOf(name)]!;
}

/** Looks ahead and does nothing else; asks for roles only where they pay by the belief. */
export function createStartPolicy(): TrinityPolicy {
  return {
    head: toFeatures({ net: 1, thinker: -0.05 }),
    belief: Float64Array.from(BELIEF_NAMES, (name) => BELIEF[name].start),
  };
}

export function toVector({ head, belief }: TrinityPolicy): Float64Array {
  return Float64Array.of(...head, ...belief);
}

/** Throws where the vector is of another length: it belongs to another version. */
export function fromVector(vector: ArrayLike<number>): TrinityPolicy {
  const wanted = FEATURES.length + BELIEF_NAMES.length;
  if (vector.length !== wanted) throw new RangeError(`a policy has ${wanted} numbers, not ${vector.length}`);
  const all = Float64Array.from(vector);
  return { head: all.slice(0, FEATURES.length), belief: all.slice(FEATURES.length) };
}

/** How far a search strides in each number; 0 for those that shall stay. */
export function toScales(isMoved: (name: string) => boolean = () => true): Float64Array {
  const head = FEATURES.map((name) => HEAD_SCALE[name] ?? USUAL_SCALE);
  const all = [...head, ...BELIEF_NAMES.map((name) => BELIEF[name].scale)];
  return Float64Array.from(toNames(), (name, number) => (isMoved(name) ? all[number]! : 0));
}

/** For cards and reports: what each number is called. */
export function toNames(): string[] {
  return [...FEATURES, ...BELIEF_NAMES];
}
