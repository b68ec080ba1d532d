// The three graphs of a model. `prefix` reads the questions once; `step` writes one more token for every
// rollout of every question; `training` goes over whole rollouts and gives the gradients. In all three
// the rollouts of a question share its prefix: a text, right-aligned, then the slots, then the rollouts.

import { Graph, gradientsOf, type Value } from "./graph.ts";
import {
  add,
  concat,
  exp,
  gather,
  greater,
  logSoftmax,
  matmul,
  multiply,
  negate,
  oneHot,
  reshape,
  rmsNorm,
  shift,
  slice,
  softmax,
  split,
  subtract,
  sum,
  sumAll,
  transpose,
  transposeLast,
} from "./operations.ts";
import {
  declareWeights,
  type Heads,
  layer,
  logitsOf,
  maskValue,
  type Pointing,
  pick,
  rotationAt,
  slotRows,
  textLogits,
  turnOf,
  weightDims,
} from "./transformer.ts";
import type { ModelShape } from "./types.ts";

/** What a batch is padded to. */
export interface BatchShape {
  questions: number;
  /** Tokens of text, right-aligned. */
  text: number;
  slots: number;
  /** Rollouts a question. */
  group: number;
  /** Tokens of a rollout. */
  length: number;
}

interface Build {
  graph: Graph;
  shape: ModelShape;
  batch: BatchShape;
  weights: Map<string, Value>;
}

function begin(shape: ModelShape, batch: BatchShape): Build {
  const graph = new Graph();
  return { graph, shape, batch, weights: declareWeights(graph, shape) };
}

/** Text at 0…, all slots at one position (so their order says nothing), rollouts behind. */
function positionsOf({ text, slots, group, length }: BatchShape): {
  prefix: number[];
  rollouts: number[];
} {
  const prefix = Array.from({ length: text + slots }, (_, i) => Math.min(i, text));
  const rollouts = Array.from({ length: group * length }, (_, i) => text + 1 + (i % length));
  return { prefix, rollouts };
}

function prefixInputs({ graph, shape, batch, weights }: Build) {
  const { questions, text, slots } = batch;
  const size = text + slots;
  const tokens = graph.input("text", [questions, text], "int32");
  const features = graph.input("features", [questions, slots, shape.features]);
  const described = slotRows(features, weights);
  return {
    described,
    x: concat([gather(pick(weights, "embedding"), tokens), described], 1),
    /** 0 where a position of the prefix may be seen from another, else a large negative number. */
    mask: graph.input("prefix.mask", [questions, 1, size, size]),
  };
}

/** [questions, positions, heads, size] → [questions, heads, positions, size]. */
function byHead(a: Value): Value {
  return transpose(a, [0, 2, 1, 3]);
}

function attendPrefix({ queries, keys, values }: Heads, mask: Value): Value {
  const scores = add(matmul(byHead(queries), transpose(keys, [0, 2, 3, 1])), mask);
  return byHead(matmul(softmax(scores), byHead(values)));
}

// ---- Reading ----------------------------------------------------------------------------------------

/**
 * In: text, features, masks. Out: `keys.N` and `values.N` of each layer, `slots.keys`, `slots.rows`, and
 * `text.logp`, how likely each token of the text was to the model.
 */
export function prefixGraph(shape: ModelShape, batch: BatchShape): Uint8Array {
  const build = begin(shape, batch);
  const { graph, weights } = build;
  const { questions, text, slots } = batch;
  const { x: read, mask, described } = prefixInputs(build);
  let x = read;
  const rotation = rotationAt(graph, positionsOf(batch).prefix, shape.width / shape.heads);
  for (let number = 0; number < shape.layers; number++) {
    const attend = (heads: Heads) => {
      graph.output(`keys.${number}`, byHead(heads.keys));
      graph.output(`values.${number}`, byHead(heads.values));
      return attendPrefix(heads, mask);
    };
    x = layer(x, weights, number, { heads: shape.heads, rotation, attend });
  }
  const normed = rmsNorm(x, pick(weights, "norm"));
  graph.output("slots.keys", slotKeys(slice(normed, 1, text, text + slots), build));
  graph.output("slots.rows", described);
  const targets = graph.input("text.targets", [questions, text], "int32");
  graph.output("text.logp", textLogp(slice(normed, 1, 0, text), targets, build));
  return graph.toModel();
}

function slotKeys(slots: Value, { weights }: Build): Value {
  return matmul(slots, pick(weights, "pointer.key"));
}

/** [questions, text, 1]: the log-probability of each next token; 0 where there is no target. */
function textLogp(x: Value, targets: Value, { shape, weights }: Build): Value {
  const logp = logSoftmax(textLogits(x, weights));
  return sum(multiply(logp, oneHot(targets, shape.vocabulary)), [2]);
}

// ---- Writing ----------------------------------------------------------------------------------------

/** What a rollout has written last: a token of text, or a slot (then the row of the slot stands for it). */
function writtenRows({ graph, batch, weights }: Build, count: number, described: Value): Value {
  const { questions, slots } = batch;
  const tokens = graph.input("tokens", [questions, count], "int32");
  const isText = graph.input("tokens.text", [questions, count, 1]);
  const chosen = graph.input("tokens.slots", [questions, count, slots]);
  return add(multiply(gather(pick(weights, "embedding"), tokens), isText), matmul(chosen, described));
}

function pointing({ graph, batch }: Build, count: number, keys: Value): Pointing {
  const { questions, slots } = batch;
  const absent = graph.input("slots.absent", [questions, 1, slots]);
  return { keys, absent, again: graph.input("again", [questions, count, slots]) };
}

/**
 * One token for each of `group` rollouts of each question. In: what was written last, the keys and values of
 * the prefix and of the rollout so far (`own.keys.N`, [questions · group, heads, length, size], with `own.mask`).
 * Out: `probabilities` of the next token and the keys and values of this one.
 */
export function stepGraph(shape: ModelShape, batch: BatchShape): Uint8Array {
  const build = begin(shape, batch);
  const { graph, weights } = build;
  const { questions, text, slots, group, length } = batch;
  const { width, heads, layers } = shape;
  const size = width / heads;
  const prefix = text + slots;
  const described = graph.input("slots.rows", [questions, slots, width]);
  const pointer = pointing(build, group, graph.input("slots.keys", [questions, slots, width]));
  const seen = graph.input("prefix.seen", [questions, 1, 1, prefix]);
  const ownMask = graph.input("own.mask", [1, 1, 1, length]);
  const rotation = {
    cosine: graph.input("cosine", [1, 1, 1, size]),
    sine: graph.input("sine", [1, 1, 1, size]),
    turn: turnOf(graph, size),
  };
  let x = writtenRows(build, group, described);
  for (let number = 0; number < layers; number++) {
    const keys = graph.input(`keys.${number}`, [questions, heads, prefix, size]);
    const values = graph.input(`values.${number}`, [questions, heads, prefix, size]);
    const ownKeys = graph.input(`own.keys.${number}`, [questions * group, heads, length, size]);
    const ownValues = graph.input(`own.values.${number}`, [questions * group, heads, length, size]);
    const attend = (now: Heads) => {
      const each = (a: Value) => reshape(a, [questions * group, heads, 1, size]);
      const [query, key, value] = [each(now.queries), each(now.keys), each(now.values)] as const;
      graph.output(`new.keys.${number}`, key);
      graph.output(`new.values.${number}`, value);
      const toPrefix = add(matmul(byHead(now.queries), transposeLast(keys)), seen);
      const perRollout = reshape(transpose(toPrefix, [0, 2, 1, 3]), [questions * group, heads, 1, prefix]);
      const toOwn = add(matmul(query, transposeLast(ownKeys)), ownMask);
      const toSelf = matmul(query, transposeLast(key));
      const shares = softmax(concat([perRollout, toOwn, toSelf], 3));
      const inPrefix = slice(shares, 3, 0, prefix);
      const perQuestion = transpose(reshape(inPrefix, [questions, group, heads, prefix]), [0, 2, 1, 3]);
      const fromPrefix = reshape(byHead(matmul(perQuestion, values)), [questions * group, heads, 1, size]);
      const fromOwn = matmul(slice(shares, 3, prefix, prefix + length), ownValues);
      const fromSelf = multiply(slice(shares, 3, prefix + length, prefix + length + 1), value);
      return reshape(add(add(fromPrefix, fromOwn), fromSelf), [questions, group, heads, size]);
    };
    x = layer(x, weights, number, { heads, rotation, attend });
  }
  graph.output("probabilities", softmax(logitsOf(rmsNorm(x, pick(weights, "norm")), weights, pointer)));
  return graph.toModel();
}

// ---- Learning ---------------------------------------------------------------------------------------

export interface Objective {
  /** likelihood: what was written becomes likelier. policy: what was better than its group does (GRPO). */
  kind: "likelihood" | "policy";
  /** How far the probability of a token may move from what it was sampled with, in one batch. */
  clip: number;
}

/**
 * The loss over whole rollouts and its gradients (`gradient.<weight>`). Sums are weighted by the inputs
 * `weight` (tokens written), `exploration` (entropy of decisions) and `text.weight` (tokens of the question),
 * so that batches in parts add up to the same as in one.
 */
export function trainingGraph(shape: ModelShape, batch: BatchShape, objective: Objective): Uint8Array {
  const build = begin(shape, batch);
  const { graph, weights } = build;
  const { questions, text, slots, group, length } = batch;
  const { heads, width } = shape;
  const prefix = text + slots;
  const count = group * length;
  const { x: read, mask, described } = prefixInputs(build);
  const seen = graph.input("prefix.seen", [questions, 1, 1, prefix]);
  let x = concat([read, writtenRows(build, count, described)], 1);
  const positions = positionsOf(batch);
  const rotation = rotationAt(graph, [...positions.prefix, ...positions.rollouts], width / heads);
  const attend = attendShared(build, mask, seen);
  for (let number = 0; number < shape.layers; number++)
    x = layer(x, weights, number, { heads, rotation, attend });
  const normed = rmsNorm(x, pick(weights, "norm"));
  const [readText, readSlots, written] = split(normed, 1, [text, slots, count]) as [Value, Value, Value];
  const keys = slotKeys(readSlots, build);
  const logp = logSoftmax(logitsOf(written, weights, pointing(build, count, keys)));
  const targets = graph.input("targets", [questions, count], "int32");
  const chosen = sum(multiply(logp, oneHot(targets, shape.vocabulary + slots)), [2]);
  const column = (name: string) => graph.input(name, [questions, count, 1]);
  const isPolicy = objective.kind === "policy";
  const gain = isPolicy ? clippedGain(chosen, column, objective.clip) : chosen;
  let reward = sumAll(multiply(gain, column("weight")));
  if (isPolicy) {
    const entropy = negate(sum(multiply(exp(logp), logp), [2]));
    graph.output("entropy", entropy);
    reward = add(reward, sumAll(multiply(entropy, column("exploration"))));
  }
  const textWeight = graph.input("text.weight", [questions, text, 1]);
  const textTargets = graph.input("text.targets", [questions, text], "int32");
  const likelihood = sumAll(multiply(textLogp(readText, textTargets, build), textWeight));
  const loss = negate(add(reward, likelihood));
  graph.output("loss", loss);
  graph.output("logp", chosen);
  const named = weightDims(shape).map(([name]) => name);
  const one = graph.constant(Float32Array.of(1), []);
  const gradients = gradientsOf(
    loss,
    named.map((name) => pick(weights, name)),
    one,
  );
  for (const [i, name] of named.entries()) graph.output(`gradient.${name}`, gradients[i]!);
  return graph.toModel();
}

/** min(r·A, clip(r)·A): where the clip holds, no gradient passes. */
function clippedGain(logp: Value, column: (name: string) => Value, clip: number): Value {
  const { graph } = logp;
  const advantage = column("advantage");
  const ratio = exp(subtract(logp, column("sampled.logp")));
  const limit = (value: number) => graph.constant(Float32Array.of(value), []);
  const zero = limit(0);
  const tooHigh = multiply(greater(ratio, limit(1 + clip)), greater(advantage, zero));
  const tooLow = multiply(greater(limit(1 - clip), ratio), greater(zero, advantage));
  const isFree = shift(negate(add(tooHigh, tooLow)), 1);
  return multiply(multiply(ratio, advantage), isFree);
}

/** Positions of the prefix see the prefix; those of a rollout see the prefix and what the rollout wrote before. */
function attendShared({ graph, shape, batch }: Build, mask: Value, seen: Value): (heads: Heads) => Value {
  const { questions, text, slots, group, length } = batch;
  const { heads, width } = shape;
  const size = width / heads;
  const prefix = text + slots;
  const count = group * length;
  const causal = graph.constant(
    Float32Array.from({ length: length * length }, (_, i) => maskValue(i % length > Math.floor(i / length))),
    [1, 1, 1, length, length],
  );
  return ({ queries, keys, values }) => {
    const parts = (a: Value) => split(a, 1, [prefix, count]) as [Value, Value];
    const [prefixQueries, ownQueries] = parts(queries);
    const [prefixKeys, ownKeys] = parts(keys);
    const [prefixValues, ownValues] = parts(values);
    const read = attendPrefix({ queries: prefixQueries, keys: prefixKeys, values: prefixValues }, mask);
    const toPrefix = add(matmul(byHead(ownQueries), transpose(prefixKeys, [0, 2, 3, 1])), seen);
    const perRollout = (a: Value) => reshape(byHead(a), [questions, heads, group, length, size]);
    const toOwn = add(matmul(perRollout(ownQueries), transposeLast(perRollout(ownKeys))), causal);
    const shares = softmax(concat([toPrefix, reshape(toOwn, [questions, heads, count, length])], 3));
    const [inPrefix, inRollout] = split(shares, 3, [prefix, length]) as [Value, Value];
    const fromPrefix = matmul(inPrefix, byHead(prefixValues));
    const inOwn = reshape(inRollout, [questions, heads, group, length, length]);
    const fromOwn = reshape(matmul(inOwn, perRollout(ownValues)), [questions, heads, count, size]);
    return concat([read, byHead(add(fromPrefix, fromOwn))], 1);
  };
}
