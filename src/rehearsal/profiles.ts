// Profiles of the simulated workers, measured as those of real ones would be: each answers problems
// alone and is graded. The problems come from a seed used for nothing else. Made at first use, once a process.

import type { Calibration } from "../calibration/types.ts";
import type { Profile, Topic } from "../worker/types.ts";
import { PLAYERS, type Player } from "./players.ts";
import { FAMILIES, generateProblems, gradeProblem } from "./questions.ts";
import { replyTo } from "./reply.ts";
import { delayOf } from "./workers.ts";

/** Enough to tell good from bad in well under a tenth of a second; more for finer estimates. */
const TASKS_PER_TOPIC = 24;
const CALIBRATION = "calibration of the rehearsal workers";

interface MeasuredPlayers {
  calibration: Omit<Calibration, "tasks"> & { tasks: readonly { text: string; topic: Topic }[] };
  /** By player, in the order of the list. */
  delays: number[][];
  profiles?: ReadonlyMap<string, Profile>;
}

/** By the list of players itself: the same list again gets the same profiles at once. */
const measured = new WeakMap<readonly Player[], Map<number, MeasuredPlayers>>();

/** By id of the worker. Delays are in simulated time. */
export function measureProfiles(
  tasksPerTopic: number = TASKS_PER_TOPIC,
  players: readonly Player[] = PLAYERS,
): ReadonlyMap<string, Profile> {
  const found = measure(tasksPerTopic, players);
  found.profiles ??= new Map(toProfiles(found, tasksPerTopic));
  return found.profiles;
}

/** The same measured tasks one by one, so that a profile can be made for one question. */
export function rehearsalCalibration(
  tasksPerTopic: number = TASKS_PER_TOPIC,
  players: readonly Player[] = PLAYERS,
): Calibration {
  return measure(tasksPerTopic, players).calibration;
}

function measure(tasksPerTopic: number, players: readonly Player[]): MeasuredPlayers {
  const known = measured.get(players) ?? new Map<number, MeasuredPlayers>();
  measured.set(players, known);
  const found = known.get(tasksPerTopic) ?? askAll(tasksPerTopic, players);
  known.set(tasksPerTopic, found);
  return found;
}

function askAll(tasksPerTopic: number, players: readonly Player[]): MeasuredPlayers {
  const tasks: { text: string; topic: Topic }[] = [];
  const scores: number[][] = [];
  const delays: number[][] = players.map(() => []);
  for (const topic of new Set(FAMILIES.map((family) => family.topic))) {
    const families = FAMILIES.filter((family) => family.topic === topic).map(({ id }) => id);
    const problems = generateProblems({ count: tasksPerTopic, seed: CALIBRATION, families });
    for (const [seed, problem] of problems.entries()) {
      tasks.push({ text: problem.question, topic });
      scores.push(
        players.map((player, number) => {
          const reply = replyTo(player, problem, { seed });
          delays[number]!.push(delayOf(player, reply, seed).totalMs);
          return gradeProblem(problem, reply).score;
        }),
      );
    }
  }
  const source = `simulated, ${tasksPerTopic} tasks a topic`;
  const workers = players.map(({ id }) => id);
  return { calibration: { workers, tasks, scores, byLength: true, source }, delays };
}

function toProfiles({ calibration, delays }: MeasuredPlayers, tasksPerTopic: number): [string, Profile][] {
  const { workers, tasks, scores, source } = calibration;
  return workers.map((id, number) => {
    const right: Partial<Record<Topic, number>> = {};
    let total = 0;
    for (const [task, { topic }] of tasks.entries()) {
      const score = scores[task]![number]!;
      right[topic] = (right[topic] ?? 0) + score;
      total += score;
    }
    const topics = Object.entries(right).map(([topic, count]) => [topic, round(count / tasksPerTopic)]);
    const delayMs = Math.round(delays[number]!.sort((a, b) => a - b)[Math.floor(tasks.length / 2)]!);
    return [
      id,
      {
        success: round(total / tasks.length),
        tasks: tasks.length,
        topics: Object.fromEntries(topics),
        delayMs,
        source,
      },
    ];
  });
}

function round(rate: number): number {
  return Math.round(rate * 1000) / 1000;
}
