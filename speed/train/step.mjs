// Decoding and the training step of the large model: tokens a second, and GFLOPS beside those of OpenBLAS, which
// multiplies in turns with the step, so that both see the same machine.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createRandom } from "../../dist/base/random.js";
import { toPrompt } from "../../dist/learn/native/stage.js";
import { shapeOf } from "../../dist/nn/batch.js";
import { Model } from "../../dist/nn/model.js";
import { AdamW } from "../../dist/nn/optimiser.js";
import { createWeights } from "../../dist/nn/transformer.js";
import { GROUP, LARGE, language, MICRO_BATCH, median, ms, QUESTIONS, show, time, world } from "./lab.mjs";

const LENGTH = 48;
const NOT_THERE = 3;

export async function measureDecodingAndStep(engine, { repeats, threads, products, blas }) {
  const model = new Model(engine, LARGE, createWeights(LARGE, 1));
  const prompts = Array.from({ length: QUESTIONS }, (_, i) => toPrompt({ model, language }, world.sample(i)));
  const prefixes = prompts.map(({ reading }) => reading.prefix);
  const written = await measureDecoding(model, prefixes, repeats);
  const peer = () => measureSgemm([threads, products, ...(blas === undefined ? [] : [blas])]);
  await measureStep(model, prefixes, written, repeats, peer);
  await model.close();
}

async function measureDecoding(model, prefixes, repeats) {
  const { start, end } = language;
  const writing = { group: GROUP, length: LENGTH, start, end, choose: sample(createRandom(1)) };
  const compiling = await time(() => model.generate(prefixes, writing));
  const seconds = [];
  let written;
  for (let i = 0; i < repeats; i++)
    seconds.push(
      await time(async () => {
        written = await model.generate(prefixes, writing);
      }),
    );
  const rate = (QUESTIONS * GROUP * LENGTH) / median(seconds);
  show(
    "decoding",
    `${Math.round(rate).toLocaleString("en")} tokens/s   ${QUESTIONS} × ${GROUP} rollouts of ${LENGTH} in ${median(seconds).toFixed(2)} s (${compiling.toFixed(1)} s with compiling)`,
  );
  return written;
}

/** Sampled, as in training; but never the end, since all rollouts are to be of full length. */
function sample(random) {
  return (probabilities) => {
    let rest = random.next();
    for (let token = 0; token < probabilities.length; token++) {
      rest -= probabilities[token];
      if (rest < 0 && token !== language.end) return token;
    }
    return 0;
  };
}

async function measureStep(model, prefixes, written, repeats, measurePeer) {
  const optimiser = new AdamW(model.weights);
  const scale = 1 / (QUESTIONS * GROUP);
  const weights = new Float32Array(LENGTH).fill(scale);
  const toExample = ({ tokens, logps }, g) => ({
    ...{ tokens, logps, weights, exploration: weights, advantage: g % 2 === 0 ? 0.25 : -0.25 },
  });
  const rows = prefixes.map((prefix, q) => ({ prefix, examples: written[q].map(toExample) }));
  const learning = { start: language.start, group: GROUP, textWeight: 0.02 * scale, microBatch: MICRO_BATCH };
  const objective = { kind: "policy", clip: 0.2 };
  let optimising = 0;
  const step = async () => {
    const { gradients } = await model.computeGradients(rows, { ...learning, objective });
    optimising = await time(() => optimiser.step(gradients, { learningRate: 1e-6, maxNorm: 1 }));
  };
  await step();
  const [seconds, peers] = [[], []];
  for (let i = 0; i < repeats; i++) {
    peers.push(measurePeer());
    seconds.push(await time(step));
  }
  let [own, whole] = [0, 0];
  for (let first = 0; first < QUESTIONS; first += MICRO_BATCH) {
    const batch = shapeOf(prefixes.slice(first, first + MICRO_BATCH), GROUP, LENGTH);
    const { counted, apart } = multiplyAdds(model.shape, batch);
    own += counted;
    whole += counted + apart;
  }
  const gflops = (multiplied) => (2 * multiplied) / median(seconds) / 1e9;
  show(
    "training step",
    `${median(seconds).toFixed(2)} s   ${gflops(own).toFixed(1)} GFLOPS; ${gflops(whole).toFixed(1)} with look-ups and positions that are written as products   (AdamW: ${ms(optimising)} of it)`,
  );
  if (!peers[0]) {
    const how = "apt-get install libopenblas0-pthread python3, or name its file with --blas";
    return show("OpenBLAS sgemm", `not there, so there is no share: ${how}`);
  }
  const peer = median(peers.map((each) => each.gflops));
  const share = (multiplied) => `${((100 * gflops(multiplied)) / peer).toFixed(0)} %`;
  show("OpenBLAS sgemm", `${peer.toFixed(1)} GFLOPS   1024³, in turns with the step (${peers[0].config})`);
  show("share of OpenBLAS", `${share(own)}; ${share(whole)} with the latter`);
}

/**
 * Multiply-adds of the matrix products of a training graph, for Q questions of T tokens of text and S slots
 * (P = T + S), each with R = G · L rows of rollouts; width W, heads of d, MLP of M, V tokens, F features, Y layers:
 *   forward    Q · [ Y · ((P+R) · (4W² + 3WM) + 2W · (P² + RP + RL)) + (T+R) · VW + (R+S) · W² + RW · (S+1) ]
 *   backward   twice that: to either side of every product
 * and, apart, what the graph writes as products though it multiplies by nothing but 0, 1 and −1, or by features:
 *   positions  Q · Y · 4 · (P+R) · W · d               queries and keys turned by a matrix, there and back
 *   look-ups   Q · ((T+R) · VW + 2 · (RSW + SFW))      embeddings (back), slots (there and back)
 */
function multiplyAdds(shape, { questions: Q, text: T, slots: S, group, length: L }) {
  const { vocabulary: V, width: W, hidden: M, layers: Y, heads, features: F } = shape;
  const [P, R] = [T + S, group * L];
  const perLayer = (P + R) * (4 * W ** 2 + 3 * W * M) + 2 * W * (P ** 2 + R * P + R * L);
  const forward = Q * (Y * perLayer + (T + R) * V * W + (R + S) * W ** 2 + R * W * (S + 1));
  const positions = Q * Y * 4 * (P + R) * W * (W / heads);
  const lookUps = Q * ((T + R) * V * W + 2 * (R * S * W + S * F * W));
  return { counted: 3 * forward, apart: positions + lookUps };
}

/** Nothing where OpenBLAS or Python is not there; a wrong product is told. */
function measureSgemm(args) {
  const script = fileURLToPath(new URL("sgemm.py", import.meta.url));
  try {
    const text = execFileSync("python3", [script, ...args.map(String)], { encoding: "utf8", stdio: "pipe" });
    const [gflops, ...config] = text.trim().split(" ");
    return { gflops: Number(gflops), config: config.slice(0, 2).join(" ") };
  } catch (error) {
    if (error.status !== NOT_THERE && error.code !== "ENOENT") throw error;
    return undefined;
  }
}
