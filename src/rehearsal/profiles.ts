// Profiles of the simulated workers, measured as those of real ones would be: each answers problems
// alone and is graded. The problems come from a seed used for nothing else. Made at first use, once a process.

import type { Profile, Topic } from "../worker/types.ts";
import { PLAYERS, type Player } from "./players.ts";
import { FAMILIES, generateProblems, gradeProblem } from "./questions.ts";
import { replyTo } from "./reply.ts";
import { delayOf } from "./workers.ts";

/** Enough to tell good from bad in well under a tenth of a second; more for finer figures. */
const TASKS_PER_TOPIC = 24;
const CALIBRATION = "calibration of the rehearsal workers";

const measured = new Map<number, ReadonlyMap<string, Profile>>();

/** By id of the worker. Delays are in simulated time. */
export function measureProfiles(tasksPerTopic = TASKS_PER_TOPIC): ReadonlyMap<string, Profile> {
  const profiles =
    measured.get(tasksPerTopic) ?? new Map(toProfiles(collectScores(tasksPerTopic), tasksPerTopic));
  measured.set(tasksPerTopic, profiles);
  return profiles;
}

interface Scores {
  right: Partial<Record<Topic, number>>;
  delays: number[];
}

function collectScores(tasksPerTopic: number): Map<Player, Scores> {
  const scores = new Map(PLAYERS.map((player): [Player, Scores] => [player, { right: {}, delays: [] }]));
  for (const topic of new Set(FAMILIES.map((family) => family.topic))) {
    const families = FAMILIES.filter((family) => family.topic === topic).map(({ id }) => id);
    const problems = generateProblems({ count: tasksPerTopic, seed: CALIBRATION, families });
    for (const [seed, problem] of problems.entries()) {
      for (const [player, { right, delays }] of scores) {
        const reply = replyTo(player, problem, { seed });
        right[topic] = (right[topic] ?? 0) + gradeProblem(problem, reply).score;
        delays.push(delayOf(player, reply, seed).totalMs);
      }
    }
  }
  return scores;
}

function toProfiles(scores: Map<Player, Scores>, tasksPerTopic: number): [string, Profile][] {
  return [...scores].map(([{ id }, { right, delays }]) => {
    const tasks = delays.length;
    const total = Object.values(right).reduce((sum, count) => sum + count, 0);
    const topics = Object.entries(right).map(([topic, count]) => [topic, round(count / tasksPerTopic)]);
    const delayMs = Math.round(delays.sort((a, b) => a - b)[Math.floor(tasks / 2)]!);
    const source = `simulated, ${tasksPerTopic} tasks a topic`;
    return [
      id,
      { success: round(total / tasks), tasks, topics: Object.fromEntries(topics), delayMs, source },
    ];
  });
}

function round(rate: number): number {
  return Math.round(rate * 1000) / 1000;
}
