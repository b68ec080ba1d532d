// Opens the recorded sets with what may be fitted on and what is tested, and lets everybody conduct the tests.
// Part of experiments/recordings.mjs.

import { setMaxListeners } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createRandom, hashSeed } from "../../dist/base/random.js";
import { findBaseline } from "../../dist/baseline/all.js";
import { createOracle } from "../../dist/baseline/oracle.js";
import { changePools, fitSet } from "../../dist/bench/fitting.js";
import { DiskFolder } from "../../dist/bench/folder.js";
import { crossFit } from "../../dist/bench/folds.js";
import { measureBaseline, performPlans } from "../../dist/bench/test-sets.js";
import { openTrained, writeTestPlans } from "../../dist/learn/evaluate-trained.js";
import { loadRecording } from "../../dist/recording/load.js";
import { openRecordedSets, splitSets } from "../../dist/world/recorded-sets.js";
import { createRecordedSet, readScores } from "../../dist/world/sets.js";
import { promptHash, sampleTasks } from "../../dist/world/split.js";

const TRAINED = [
  { folder: "reasoning-gym", set: "reasoning-gym-hard" },
  { folder: "reasoning-gym", set: "reasoning-gym-easy" },
  { folder: "mmlu-pro", set: "mmlu-pro" },
];
/** Nothing of these is trained on. The o1 models are so far ahead there that nothing is left to choose. */
const UNSEEN = { folder: "zeroeval", sets: ["zeroeval-math-l5", "zeroeval-crux"], without: "o1" };
const FOLDS = 5;

export const BASELINES = [
  ...["random-worker", "best-single", "lookup-category", "lookup-subtask", "neighbours", "router"],
  ...["vote-3", "vote-5", "vote-all", "neighbours-vote-3", "neighbours-vote-5", "cascade", "ask-until-sure"],
];

/** Each set with its fittedSets: one, or one for each fold where it is cross-fitted. */
export async function openSets({ recorded, split, splitSeed, seed, limit }) {
  const folderOf = (name) => join(recorded, name);
  const opened = splitSets(
    await openRecordedSets(TRAINED.map(({ folder, set }) => ({ folder: folderOf(folder), set }))),
    { splitBy: split, splitSeed },
  );
  const trained = opened.map(({ set, splits }) =>
    toSet(set, [{ fit: splits.train, test: splits.test }], true, { seed, limit }),
  );
  const recording = await loadRecording(folderOf(UNSEEN.folder), { sets: UNSEEN.sets });
  const unseen = UNSEEN.sets.map((id) => {
    const workers = recording.workersOf(id).filter((worker) => !worker.includes(UNSEEN.without));
    const set = createRecordedSet(recording, id, workers);
    return toSet(set, crossFit(set.tasks, FOLDS, splitSeed), false, { seed, limit });
  });
  refuseSeen(opened, unseen);
  return [...trained, ...unseen];
}

function toSet(set, parts, isTrainedOn, { seed, limit }) {
  const fittedSets = parts.map(({ fit, test }) => {
    const fitted = fitSet(set, readScores(fit, set.pool, set.recorded), test, seed);
    return { ...fitted, test: sampleTasks(test, limit && Math.ceil(limit / parts.length)) };
  });
  const sum = (of) => fittedSets.reduce((total, fitted) => total + of(fitted), 0);
  return {
    name: set.id,
    isTrainedOn,
    fittedSets,
    folds: parts.length,
    fitted: Math.round(parts.reduce((total, { fit }) => total + fit.length, 0) / parts.length),
    tests: sum(({ test }) => test.length),
    workers: set.pool.members.filter(({ worker }) => worker.kind === "model").map(({ worker }) => worker.id),
  };
}

/** A question of an unseen set must not be one that was trained on under another name. */
function refuseSeen(opened, unseen) {
  const seen = new Set(
    opened.flatMap(({ splits: { train, validation } }) =>
      [...train, ...validation].map((task) => promptHash(task)),
    ),
  );
  for (const { name, fittedSets } of unseen) {
    const twin = fittedSets.flatMap(({ test }) => test).find((task) => seen.has(promptHash(task)));
    if (twin) throw new Error(`Task ${twin.id} of ${name} asks what was trained on: it is not unseen`);
  }
}

// ---- Baselines --------------------------------------------------------------------------------------

/** Rows of all baselines, the oracle last. Those that were measured before are read from `out`. */
export async function measureBaselines({ name, fittedSets, workers }, options) {
  const { out, split, splitSeed, seed, limit } = options;
  const [{ set }] = fittedSets;
  const key = [name, split, splitSeed, seed, ...(limit ? [`limit-${limit}`] : [])].join("-");
  const folder = new DiskFolder(join(out, key), {
    ...{ set: name, split, splitSeed, seed, limit: limit ?? null, workers, tasks: set.tasks.length },
    bytes: readdirSync(set.source).reduce((sum, file) => sum + statSync(join(set.source, file)).size, 0),
  });
  const oracle = createOracle((task, worker) => set.recorded(task, worker)[0] === 1);
  const { signal } = new AbortController();
  try {
    const file = folder.file("rows");
    for (const baseline of [...BASELINES.map(findBaseline), oracle]) {
      const kept = new Set(
        file.rows.filter(({ conductor }) => conductor === baseline.id).map(({ task }) => task),
      );
      for (const fitted of fittedSets) {
        const test = fitted.test.filter(({ id }) => !kept.has(id));
        if (test.length === 0) continue;
        for (const row of await measureBaseline({ ...fitted, test }, baseline, { seed, signal }))
          file.append(row);
      }
    }
    return [...file.rows];
  } finally {
    folder.close();
  }
}

// ---- The trained Conductor --------------------------------------------------------------------------

/** Its rows on each set, with the pool in its own order and once shuffled. */
export async function measureTrained(sets, checkpoint, { seed }, tell) {
  const { policy, card } = openTrained(checkpoint);
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const {
    limits: { rounds },
    size,
    cost,
  } = card;
  const bySet = new Map();
  for (const { name, fittedSets } of sets) {
    const measured = { rows: [], shuffled: [] };
    for (const fitted of fittedSets) {
      for (const [order, each] of [
        ["rows", fitted],
        ["shuffled", shufflePool(fitted, hashSeed("order", seed, name))],
      ]) {
        const plans = await writeTestPlans(each, policy, { rounds, size, cost, seed, signal });
        measured[order].push(...(await performPlans(each, plans, { name: "trained", seed, signal })));
      }
    }
    bySet.set(name, measured);
    tell(`  ${name}`);
  }
  return { folder: checkpoint, card, bySet };
}

/** The same shuffle for all tasks: numbers in a workflow mean positions in one pool. */
function shufflePool(fitted, seed) {
  const order = createRandom(seed).shuffle([...fitted.pool.members.keys()]);
  return changePools(fitted, ({ members }) => ({ members: order.map((number) => members[number]) }));
}
