// The training questions as tf-idf vectors, stored by feature (an inverted index): how similar a
// new question is to all of them is found by walking the few lists of its own features.

import { countFeatures } from "./text-features.ts";

/** Of unit length. Features of only one question link nothing, those of most questions say nothing. */
export interface Vector {
  features: Int32Array;
  weights: Float32Array;
}

export class TextIndex {
  readonly vectors: Vector[];
  readonly featureCount: number;
  readonly #numbers = new Map<number, number>();
  readonly #rarity: Float32Array;
  /** The list of feature f is at #starts[f] … #starts[f + 1] − 1. */
  readonly #starts: Int32Array;
  readonly #questions: Int32Array;
  readonly #weights: Float32Array;

  constructor(texts: readonly string[]) {
    const counted = texts.map(countFeatures);
    const seen = new Map<number, number>();
    for (const counts of counted) for (const hash of counts.keys()) seen.set(hash, (seen.get(hash) ?? 0) + 1);
    const rarity: number[] = [];
    for (const [hash, questions] of seen) {
      if (questions < 2 || questions > texts.length / 2) continue;
      this.#numbers.set(hash, rarity.length);
      rarity.push(Math.log(texts.length / questions));
    }
    this.featureCount = rarity.length;
    this.#rarity = Float32Array.from(rarity);
    this.vectors = counted.map((counts) => this.#toVector(counts));
    this.#starts = new Int32Array(rarity.length + 1);
    for (const { features } of this.vectors) for (const feature of features) this.#starts[feature + 1]! += 1;
    for (let i = 0; i < rarity.length; i++) this.#starts[i + 1]! += this.#starts[i]!;
    const next = this.#starts.slice();
    this.#questions = new Int32Array(this.#starts[rarity.length]!);
    this.#weights = new Float32Array(this.#questions.length);
    for (const [question, { features, weights }] of this.vectors.entries()) {
      for (const [i, feature] of features.entries()) {
        const at = next[feature]!++;
        this.#questions[at] = question;
        this.#weights[at] = weights[i]!;
      }
    }
  }

  /** Cosine with every training question, in their order. */
  similarities(text: string): Float32Array {
    return this.#compare(this.#toVector(countFeatures(text)));
  }

  /** Of one of them with every training question, itself included. */
  similaritiesOf(question: number): Float32Array {
    return this.#compare(this.vectors[question]!);
  }

  #compare({ features, weights }: Vector): Float32Array {
    const result = new Float32Array(this.vectors.length);
    for (let i = 0; i < features.length; i++) {
      const weight = weights[i]!;
      const end = this.#starts[features[i]! + 1]!;
      for (let at = this.#starts[features[i]!]!; at < end; at++) {
        result[this.#questions[at]!]! += weight * this.#weights[at]!;
      }
    }
    return result;
  }

  #toVector(counts: ReadonlyMap<number, number>): Vector {
    const features: number[] = [];
    const weights: number[] = [];
    let square = 0;
    for (const [hash, count] of counts) {
      const feature = this.#numbers.get(hash);
      if (feature === undefined) continue;
      const weight = (1 + Math.log(count)) * this.#rarity[feature]!;
      features.push(feature);
      weights.push(weight);
      square += weight * weight;
    }
    const length = Math.sqrt(square);
    return {
      features: Int32Array.from(features),
      weights: Float32Array.from(weights, (each) => each / length),
    };
  }
}
