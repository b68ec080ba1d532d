// Does the look of a reply tell whether it is right? On replies that nobody fitted on, five folds:
// node experiments/reply-features.mjs --recorded ../shared/recorded [--json]
//
// Two recordings have texts: MBPP of routerbench (11 workers, replies cannot be compared) and routerarena (2 workers, every
// kind of question). Measured: AUC and log-loss of "this reply is right" by the expected probability alone and with the look of
// the reply; picking one of the three strongest workers' replies by it; and vote, cascade and look-ahead through the performer.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "../dist/base/random.js";
import { pairedDifference } from "../dist/base/statistics.js";
import { findBaseline } from "../dist/baseline/all.js";
import { shiftProbability, toReplyShift } from "../dist/belief/reply-reading.js";
import { fitSet } from "../dist/bench/fitting.js";
import { createLookAhead } from "../dist/bench/trinity.js";
import { modelsOf } from "../dist/worker/kinds.js";
import { performTask } from "../dist/world/perform-task.js";
import { openRecordedSets } from "../dist/world/recorded-sets.js";
import { readScores } from "../dist/world/sets.js";
import { promptHash } from "../dist/world/split.js";

const FOLDS = 5;
const STRONGEST = 3;
const SETS = [
  { folder: "routerbench", set: "routerbench", category: "mbpp" },
  { folder: "routerarena", set: "routerarena-sub10" },
];
/** Votes and rules are given the profiles for the question, so that only the look of replies differs. */
const CONTENDERS = [
  ...["vote-3", "cascade", "ask-until-sure"].map((id) => findBaseline(id)),
  ...[0.05, 0.01, 0.002].map((cost) => createLookAhead(`look-ahead@${cost}`, cost)),
];

const { values } = parseArgs({
  options: {
    recorded: { type: "string", default: "../shared/recorded" },
    json: { type: "boolean", default: false },
  },
});

const mean = (list) => list.reduce((sum, each) => sum + each, 0) / list.length;

function groupBy(rows, field) {
  const groups = new Map();
  for (const row of rows) groups.set(row[field], [...(groups.get(row[field]) ?? []), row]);
  return groups;
}

function auc(rows, read) {
  const sorted = rows.map((row) => [read(row), row.right]).sort((a, b) => a[0] - b[0]);
  let [below, pairs, wrong, i] = [0, 0, 0, 0];
  while (i < sorted.length) {
    let j = i;
    let [r, w] = [0, 0];
    for (; j < sorted.length && sorted[j][0] === sorted[i][0]; j++) sorted[j][1] ? r++ : w++;
    below += r * wrong + (r * w) / 2;
    pairs += r;
    wrong += w;
    i = j;
  }
  return below / (pairs * wrong);
}

const logLoss = (rows, read) =>
  -mean(rows.map((row) => Math.log(Math.max(1e-6, row.right ? read(row) : 1 - read(row)))));

const withoutReading = ({ members }) => ({
  members: members.map((member) => ({
    ...member,
    profile: member.profile && { ...member.profile, reading: undefined },
  })),
});

async function measure({ folder, set: id, category }) {
  const [opened] = await openRecordedSets([{ folder: join(values.recorded, folder), set: id }]);
  const tasks = opened.tasks.filter((task) => category === undefined || task.category === category);
  const set = { ...opened, tasks };
  // Twins stay together.
  const random = createRandom(1);
  const folds = new Map();
  for (const task of tasks)
    if (!folds.has(promptHash(task))) folds.set(promptHash(task), random.integer(0, FOLDS - 1));
  // Of MBPP only scores and texts were kept, and programs are not compared.
  const canCompare = category !== "mbpp";
  const replies = [];
  const picked = [];
  const performed = new Map(CONTENDERS.map(({ id }) => [id, []]));
  for (let fold = 0; fold < FOLDS; fold++) {
    const isHeld = (task) => folds.get(promptHash(task)) === fold;
    const held = tasks.filter(isHeld);
    const training = readScores(
      tasks.filter((task) => !isHeld(task)),
      set.pool,
      set,
    );
    const fitted = fitSet(set, training, held, 0);
    const conductors = canCompare ? CONTENDERS.map((baseline) => [baseline, fitted.fit(baseline)]) : [];
    for (const task of held) {
      const pool = fitted.poolFor(task);
      const own = modelsOf(pool).flatMap(({ worker, profile }) => {
        const features = set.recordedFeatures(task.id, worker.id);
        if (!features) return [];
        const { probability, reading } = profile;
        const shift = reading ? toReplyShift(reading, features) : 0;
        const read = shiftProbability(probability, shift);
        const vote = shiftProbability(probability, shift * (reading?.between ?? 0));
        const right = set.recorded(task.id, worker.id)[0];
        return [
          { task: task.id, worker: worker.id, right, probability, read, vote, success: profile.success },
        ];
      });
      replies.push(...own);
      const strongest = [...own].sort((a, b) => b.success - a.success).slice(0, STRONGEST);
      if (strongest.length > 1) {
        const best = (by) => strongest.reduce((a, b) => (b[by] > a[by] ? b : a)).right;
        picked.push({ plain: best("probability"), read: best("read"), vote: best("vote") });
      }
      for (const [baseline, conductor] of conductors) {
        const scores = [];
        for (const given of [withoutReading(pool), pool]) {
          const end = await performTask(set, { task, pool: given }, conductor, {
            rounds: baseline.rounds,
            seed: 1,
            signal: new AbortController().signal,
          });
          const { score, calls } = end.performed;
          scores.push({ right: score >= 0.99 ? 1 : 0, calls });
        }
        performed.get(baseline.id).push(scores);
      }
    }
  }
  const strong = [...groupBy(replies, "worker")]
    .map(([worker, own]) => [worker, mean(own.map(({ right }) => right))])
    .sort((a, b) => b[1] - a[1])
    .slice(0, 6)
    .map(([worker]) => worker);
  const among = replies.filter(({ worker }) => strong.includes(worker));
  const compare = (plain, read) => ({
    plain: mean(plain),
    read: mean(read),
    ...pairedDifference(read, plain, { seed: 1 }),
  });
  // The interval of a difference of AUCs: by resampling tasks.
  const byTask = [...groupBy(replies, "task").values()];
  const gains = Array.from({ length: 300 }, () => {
    const sample = byTask.flatMap(() => byTask[random.integer(0, byTask.length - 1)]);
    return auc(sample, ({ read }) => read) - auc(sample, ({ probability }) => probability);
  }).sort((a, b) => a - b);
  return {
    set: category ? `${id} ${category}` : id,
    tasks: tasks.length,
    replies: replies.length,
    auc: {
      plain: auc(replies, (row) => row.probability),
      read: auc(replies, (row) => row.read),
      low: gains[7],
      high: gains[292],
    },
    aucOfSix: { plain: auc(among, (row) => row.probability), read: auc(among, (row) => row.read) },
    logLoss: { plain: logLoss(replies, (row) => row.probability), read: logLoss(replies, (row) => row.read) },
    pickAlone: compare(
      picked.map(({ plain }) => plain),
      picked.map(({ read }) => read),
    ),
    pick: compare(
      picked.map(({ plain }) => plain),
      picked.map(({ vote }) => vote),
    ),
    performed: Object.fromEntries(
      [...performed]
        .filter(([, rows]) => rows.length > 0)
        .map(([id, rows]) => [
          id,
          {
            ...compare(
              rows.map(([a]) => a.right),
              rows.map(([, b]) => b.right),
            ),
            calls: [mean(rows.map(([a]) => a.calls)), mean(rows.map(([, b]) => b.calls))],
          },
        ]),
    ),
  };
}

const percent = (share) => (100 * share).toFixed(1);
const gain = ({ mean, low, high }) => `${percent(mean)} (${percent(low)} … ${percent(high)})`;
const results = [];
for (const set of SETS) results.push(await measure(set));
if (values.json) console.log(JSON.stringify(results, undefined, 2));
else
  for (const { set, tasks, replies, auc, aucOfSix, logLoss, pickAlone, pick, performed } of results) {
    console.log(`\n${set}: ${tasks} tasks, ${replies} replies\n`);
    console.log("| measure | expected alone | with the look of the reply | difference |\n|---|---|---|---|");
    console.log(
      `| AUC | ${auc.plain.toFixed(3)} | ${auc.read.toFixed(3)} | ${(auc.read - auc.plain).toFixed(3)} (${auc.low.toFixed(3)} … ${auc.high.toFixed(3)}) |`,
    );
    console.log(
      `| AUC among the six strongest | ${aucOfSix.plain.toFixed(3)} | ${aucOfSix.read.toFixed(3)} | |`,
    );
    console.log(`| log-loss | ${logLoss.plain.toFixed(3)} | ${logLoss.read.toFixed(3)} | |`);
    console.log(
      `| one of the three strongest, picked by all of it | ${percent(pickAlone.plain)} | ${percent(pickAlone.read)} | ${gain(pickAlone)} |`,
    );
    console.log(
      `| one of the three strongest, picked by what is left between replies | ${percent(pick.plain)} | ${percent(pick.read)} | ${gain(pick)} |`,
    );
    for (const [id, row] of Object.entries(performed))
      console.log(
        `| ${id}, calls ${row.calls.map((each) => each.toFixed(2)).join(" → ")} | ${percent(row.plain)} | ${percent(row.read)} | ${gain(row)} |`,
      );
  }
