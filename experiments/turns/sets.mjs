// The sets of experiments/turns.mjs, opened as a world whose questions can be replayed exactly.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadRecording } from "../../dist/recording/load.js";
import { createRecordingWorld } from "../../dist/world/recording.js";

/** The o1 models are so far ahead on two sets that nothing is left to choose. Routerbench is never trained on. */
export const SETS = [
  { folder: "reasoning-gym", set: "reasoning-gym-hard", hasFamilies: true },
  { folder: "reasoning-gym", set: "reasoning-gym-easy", hasFamilies: true },
  { folder: "mmlu-pro", set: "mmlu-pro", hasFamilies: true },
  { folder: "zeroeval", set: "zeroeval-math-l5", without: "o1" },
  { folder: "zeroeval", set: "zeroeval-crux", without: "o1" },
  { folder: "zeroeval", set: "zeroeval-gsm" },
  { folder: "routerbench", set: "routerbench", isUnseen: true },
];

/** Undefined: all that answered every task. */
export async function workersOf({ folder, set, without }, recorded) {
  const recording = join(recorded, folder);
  if (!existsSync(recording)) throw new Error(`There is no recording ${recording}: see --recorded`);
  if (!without) return undefined;
  return (await loadRecording(recording, { sets: [set] }))
    .workersOf(set)
    .filter((id) => !id.includes(without));
}

export async function openSets(sets, { recorded, split, pools, seed = 1 }) {
  const recordings = [];
  for (const each of sets) {
    const workers = await workersOf(each, recorded);
    recordings.push({ folder: join(recorded, each.folder), set: each.set, workers });
  }
  return createRecordingWorld({ recordings, seed, pools, splitBy: split });
}
