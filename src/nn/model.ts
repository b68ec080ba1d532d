// A model that writes and learns: weights, an engine, and the compiled graphs for the shapes that occurred. What only
// writes needs no engine: `forward/model.ts`.

import { type Prefix, prefixTensors, shapeOf, Written } from "./batch.ts";
import { type BatchShape, type Objective, prefixGraph, stepGraph, trainingGraph } from "./model-graphs.ts";
import { type Completion, entropyOf, type GenerateOptions, type TextModel } from "./text-model.ts";
import { maskValue, rotaryTables, weightDims } from "./transformer.ts";
import type { CompiledGraph, Engine, ModelShape, Tensors, Weights } from "./types.ts";

/** A rollout to learn from, with a weight for each of its tokens. */
export interface TrainingExample {
  tokens: readonly number[];
  weights: ArrayLike<number>;
  /** For the policy objective. */
  logps?: ArrayLike<number>;
  advantage?: number;
  /** Weight of the entropy at each token. */
  exploration?: ArrayLike<number>;
}

export interface LossOptions {
  objective: Objective;
  start: number;
  /** Rollouts a question; fewer are padded. */
  group: number;
  /** Weight of each token of the questions' own text. */
  textWeight: number;
  /** Questions in one run of the graph: the rest follow, and gradients add up. */
  microBatch: number;
}

export interface LossAndGradients {
  gradients: Weights;
  loss: number;
  /** Mean entropy where exploration was weighted, in nats. */
  entropy: number;
}

const MAX_SESSIONS = 24;

export class Model implements TextModel {
  readonly shape: ModelShape;
  readonly weights: Weights;
  readonly engine: Engine;
  readonly #sessions = new Map<string, Promise<CompiledGraph>>();

  constructor(engine: Engine, shape: ModelShape, weights: Weights) {
    this.engine = engine;
    this.shape = shape;
    this.weights = weights;
  }

  async generate(prefixes: readonly Prefix[], options: GenerateOptions): Promise<Completion[][]> {
    const { group, length, start, end, choose, signal } = options;
    const { shape } = this;
    const batch = shapeOf(prefixes, group, length);
    const { text, slots } = batch;
    const { inputs, outputs } = await this.#read(prefixes, batch);
    const session = await this.#session("step", batch, () => stepGraph(shape, batch));
    const count = prefixes.length * group;
    const size = shape.width / shape.heads;
    const caches = this.#caches(batch);
    const ownMask = new Float32Array(batch.length).fill(maskValue(true));
    const written = new Written(shape, batch, group);
    for (let row = 0; row < count; row++) written.set(row, prefixes[Math.floor(row / group)]!.start ?? start);
    const rollouts = Array.from(
      { length: count },
      (): Completion => ({ tokens: [], logps: [], entropies: [] }),
    );
    const ended = new Uint8Array(count);
    let open = count;
    const feeds: Tensors = {
      ...this.#weightInputs(),
      ...caches,
      "prefix.seen": inputs["prefix.seen"]!,
      "slots.absent": inputs["slots.absent"]!,
      "slots.keys": outputs["slots.keys"]!,
      "slots.rows": outputs["slots.rows"]!,
      "own.mask": { dims: [1, 1, 1, batch.length], data: ownMask },
    };
    for (let number = 0; number < shape.layers; number++)
      for (const kind of ["keys", "values"]) feeds[`${kind}.${number}`] = outputs[`${kind}.${number}`]!;
    for (let at = 0; at < length && open > 0 && !signal?.aborted; at++) {
      const [cosine, sine] = rotaryTables([text + 1 + at], size);
      Object.assign(feeds, written.toTensors(), {
        cosine: { dims: [1, 1, 1, size], data: cosine },
        sine: { dims: [1, 1, 1, size], data: sine },
      });
      const result = await session.run(feeds);
      const probabilities = result.probabilities!.data as Float32Array;
      const width = shape.vocabulary + slots;
      for (let row = 0; row < count; row++) {
        written.carry(row, row);
        if (ended[row]) continue;
        const { tokens, logps, entropies } = rollouts[row]!;
        const view = probabilities.subarray(row * width, (row + 1) * width);
        const token = choose(view, Math.floor(row / group), row % group, tokens);
        tokens.push(token);
        logps.push(Math.log(Math.max(view[token]!, 1e-12)));
        entropies.push(entropyOf(view));
        written.set(row, token);
        if (token !== end) continue;
        ended[row] = 1;
        open--;
      }
      this.#remember(caches, result, batch, at);
      ownMask[at] = 0;
    }
    return prefixes.map((_, q) => rollouts.slice(q * group, (q + 1) * group));
  }

  async negativeLogLikelihood(prefixes: readonly Prefix[]): Promise<number[]> {
    const batch = shapeOf(prefixes, 1, 1);
    const { outputs } = await this.#read(prefixes, batch);
    const logp = outputs["text.logp"]!.data as Float32Array;
    return prefixes.map(({ tokens }, q) => {
      const count = Math.max(1, tokens.length - 1);
      const own = logp.subarray(q * batch.text, (q + 1) * batch.text);
      return -own.reduce((sum, value) => sum + value, 0) / count;
    });
  }

  /** Gradients of the loss over all examples of all prefixes. */
  async computeGradients(
    rows: readonly { prefix: Prefix; examples: readonly TrainingExample[] }[],
    options: LossOptions,
  ): Promise<LossAndGradients> {
    const { objective, group, microBatch } = options;
    const longest = ({ examples }: { examples: readonly TrainingExample[] }) =>
      Math.max(...examples.map(({ tokens }) => tokens.length));
    // Those of about the same length together: less padding.
    const ordered = [...rows].sort((a, b) => longest(a) - longest(b));
    const key = `training ${objective.kind} ${objective.clip}`;
    const gradients: Weights = new Map();
    let loss = 0;
    let entropy = 0;
    let explored = 0;
    for (let first = 0; first < ordered.length; first += microBatch) {
      const part = ordered.slice(first, first + microBatch);
      const prefixes = part.map(({ prefix }) => prefix);
      const batch = { ...shapeOf(prefixes, group, longest(part.at(-1)!)), questions: microBatch };
      const session = await this.#session(key, batch, () => trainingGraph(this.shape, batch, objective));
      const inputs = this.#exampleTensors(part, batch, options);
      const outputs = await session.run({ ...this.#weightInputs(), ...inputs });
      loss += outputs.loss!.data[0]!;
      const where = inputs.exploration!.data;
      // The likelihood objective has none.
      const each = outputs.entropy?.data ?? [];
      for (let i = 0; i < each.length; i++) {
        if (where[i] === 0) continue;
        entropy += each[i]!;
        explored++;
      }
      for (const [name, dims] of weightDims(this.shape)) {
        const data = outputs[`gradient.${name}`]!.data as Float32Array;
        const sum = gradients.get(name)?.data;
        if (!sum) gradients.set(name, { dims, data });
        else for (let i = 0; i < data.length; i++) sum[i]! += data[i]!;
      }
    }
    return { gradients, loss, entropy: explored === 0 ? 0 : entropy / explored };
  }

  async close(): Promise<void> {
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of open) await (await session).close();
  }

  async #read(prefixes: readonly Prefix[], batch: BatchShape) {
    const reading: BatchShape = { ...batch, group: 1, length: 8 };
    const session = await this.#session("prefix", reading, () => prefixGraph(this.shape, reading));
    const inputs = prefixTensors(prefixes, this.shape, batch);
    return { inputs, outputs: await session.run({ ...this.#weightInputs(), ...inputs }) };
  }

  #exampleTensors(
    rows: readonly { prefix: Prefix; examples: readonly TrainingExample[] }[],
    batch: BatchShape,
    { start, textWeight }: LossOptions,
  ): Tensors {
    const { questions, group, length, text } = batch;
    const count = questions * group * length;
    const written = new Written(this.shape, batch, group * length);
    const targets = new Int32Array(count).fill(-1);
    const columns = () => new Float32Array(count);
    const [weight, advantages, sampled, exploration] = [columns(), columns(), columns(), columns()];
    for (const [q, { prefix, examples }] of rows.entries()) {
      for (const [g, example] of examples.entries()) {
        const base = (q * group + g) * length;
        written.set(base, prefix.start ?? start);
        for (const [t, token] of example.tokens.entries()) {
          targets[base + t] = token;
          weight[base + t] = example.weights[t]!;
          advantages[base + t] = example.advantage ?? 0;
          sampled[base + t] = example.logps?.[t] ?? 0;
          exploration[base + t] = example.exploration?.[t] ?? 0;
          if (t + 1 === example.tokens.length) break;
          written.carry(base + t, base + t + 1);
          written.set(base + t + 1, token);
        }
      }
    }
    const of = (data: Float32Array) => ({ dims: [questions, group * length, 1], data });
    const prefixes = rows.map(({ prefix }) => prefix);
    const described = prefixTensors(prefixes, this.shape, batch);
    const textWeights = Float32Array.from(described["text.targets"]!.data, (token) =>
      token < 0 ? 0 : textWeight,
    );
    return {
      ...described,
      ...written.toTensors(),
      targets: { dims: [questions, group * length], data: targets },
      weight: of(weight),
      advantage: of(advantages),
      "sampled.logp": of(sampled),
      exploration: of(exploration),
      "text.weight": { dims: [questions, text, 1], data: textWeights },
    };
  }

  #caches({ questions, group, length }: BatchShape): Tensors {
    const { layers, heads, width } = this.shape;
    const dims = [questions * group, heads, length, width / heads];
    const size = questions * group * length * width;
    const caches: Tensors = {};
    for (let number = 0; number < layers; number++)
      for (const kind of ["keys", "values"])
        caches[`own.${kind}.${number}`] = { dims, data: new Float32Array(size) };
    return caches;
  }

  #remember(caches: Tensors, result: Tensors, { questions, group, length }: BatchShape, at: number): void {
    const { layers, heads, width } = this.shape;
    const size = width / heads;
    for (let number = 0; number < layers; number++) {
      for (const kind of ["keys", "values"]) {
        const cache = caches[`own.${kind}.${number}`]!.data;
        const fresh = result[`new.${kind}.${number}`]!.data;
        for (let row = 0; row < questions * group * heads; row++) {
          const to = (row * length + at) * size;
          const from = row * size;
          for (let i = 0; i < size; i++) cache[to + i] = fresh[from + i]!;
        }
      }
    }
  }

  #weightInputs(): Tensors {
    return Object.fromEntries(this.weights);
  }

  /** The least recently used one makes room. */
  #session(kind: string, batch: BatchShape, build: () => Uint8Array): Promise<CompiledGraph> {
    const { questions, text, slots, group, length } = batch;
    const key = [kind, questions, text, slots, group, length].join(" ");
    let session = this.#sessions.get(key);
    if (session) this.#sessions.delete(key);
    else session = this.engine.load(build());
    this.#sessions.set(key, session);
    if (this.#sessions.size > MAX_SESSIONS) {
      const [oldest, unused] = this.#sessions.entries().next().value!;
      this.#sessions.delete(oldest);
      void unused.then((each) => each.close()).catch(() => {});
    }
    return session;
  }
}
