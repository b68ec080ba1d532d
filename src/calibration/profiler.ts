// Makes profiles belong to a question. What does not depend on it (overall, topics) is computed once; what does (similar
// questions, the probability to be right, shared mistakes) is remembered by text, since training and rounds ask the same again.

import { usageError } from "../base/errors.ts";
import type { ReplyReading } from "../belief/reply-reading.ts";
import type { Pool, Profile } from "../worker/types.ts";
import { createEstimator, type Estimator, FEWEST } from "./estimate.ts";
import {
  type AnswerRow,
  measureMistakes,
  type SharedMistakes,
  toCoincidence,
  USUAL_COINCIDENCE,
} from "./mistakes.ts";
import { estimateByNeighbours, type Neighbour } from "./neighbours.ts";
import type { LabelledQuestions } from "./question-model.ts";
import { countScores, measureProfiles, toRates } from "./rates.ts";
import { fitReplyReadings, type MeasuredReply } from "./reply-model.ts";
import { TextIndex } from "./text-index.ts";
import type { Calibration, Profiler } from "./types.ts";

/** Enough for all questions of a training split; the oldest go first. */
const REMEMBERED = 4096;
/** Longer texts are read anew each time, so that what is remembered stays small. */
const LONGEST_REMEMBERED = 8000;
/** Tasks whose replies are learned from: a handful of weights needs no more. */
const MOST_READ = 1200;
/** As much as so many identical questions. */
const ANSWERED_WEIGHT = 0.5;

export function createProfiler(calibration: Calibration): Profiler {
  const profiles = measureProfiles(calibration).map((profile) => profile && rounded(profile));
  const positions = new Map(calibration.workers.map((id, position) => [id, position]));
  /** By text, or by the number of the task that is left out, which has its own text. */
  const known = new Map<string | number, { text: string; isEmbedded: boolean; estimates: Estimates }>();
  // Only at the first question: whoever lists a pool never needs the index.
  let questions: LabelledQuestions | undefined;
  let estimator: Estimator | undefined;
  let mistakes: SharedMistakes | undefined;
  let readings: readonly (ReplyReading | undefined)[] | undefined;
  let twins: ReadonlyMap<string, number[]> | undefined;

  function twinsOf(task: number): number[] {
    const own = calibration.tasks[task];
    if (!own)
      throw usageError(
        `There is no calibration task ${task} to leave out (there are ${calibration.tasks.length}, from 0)`,
      );
    twins ??= groupTwins(calibration);
    return twins.get(toKey(own.text))!;
  }

  /** Fitted on what was expected of each worker for a task by measurements that leave that task out. */
  function fitReadings(): readonly (ReplyReading | undefined)[] {
    const { replies = [], tasks, scores, workers } = calibration;
    const measured = replies.slice(0, MOST_READ).flatMap((row, task): MeasuredReply[] => {
      if (row.every((features) => features === undefined)) return [];
      const { probabilities } = estimator!.estimate(tasks[task]!.text, twinsOf(task));
      return row.flatMap((features, worker) => {
        const score = scores[task]![worker];
        if (features === undefined || score === undefined) return [];
        return [{ task, worker, features, score, expected: probabilities[worker]! }];
      });
    });
    return fitReplyReadings(measured, workers.length);
  }

  function estimate(text: string, without: number | undefined, vector: Float32Array | undefined): Estimates {
    const key = without ?? text;
    const before = known.get(key);
    const isEmbedded = vector !== undefined;
    if (before?.text === text && before.isEmbedded === isEmbedded) return before.estimates;
    questions ??= toQuestions(calibration);
    const leftOut = without === undefined ? [] : twinsOf(without);
    const similar = estimateByNeighbours(questions, text, leftOut);
    // No question: whoever lists a pool needs no model of questions either.
    if (text === "") return { similar, probabilities: similar, errors: [], known: 0 };
    estimator ??= createEstimator(questions);
    const { probabilities, errors, similarity, neighbours } = estimator.estimate(text, leftOut, vector);
    const { answers, workers } = calibration;
    readings ??= fitReadings();
    if (answers) mistakes ??= measureMistakes(calibration.scores, answers, workers.length);
    const estimates = {
      ...{ similar, probabilities, errors, known: similarity },
      coincidence: mistakes?.rateFor(neighbours),
      agreed: mistakes?.agreementFor(neighbours),
      answered: answers && answeredShare(answers, neighbours),
    };
    if (text.length > LONGEST_REMEMBERED) return estimates;
    if (known.size >= REMEMBERED) known.delete(known.keys().next().value!);
    known.set(key, { text, isEmbedded, estimates });
    return estimates;
  }

  return {
    dimension: toDimension(calibration),
    poolFor({ members }: Pool, text, { without, vector } = {}): Pool {
      const { similar, probabilities, errors, known, coincidence, answered, agreed } = estimate(
        text,
        without,
        vector,
      );
      const repeats = (worker: number, other: string) => {
        const position = positions.get(other);
        return position === undefined || !mistakes || coincidence === undefined
          ? USUAL_COINCIDENCE
          : toCoincidence(coincidence, mistakes.ratio(worker, position));
      };
      return {
        members: members.map((member) => {
          const position = positions.get(member.worker.id);
          const measured = position === undefined ? undefined : profiles[position];
          if (!measured) return member;
          const forQuestion = {
            similar: round(similar[position!]!),
            probability: round(probabilities[position!]!),
            standardError: errors[position!] === undefined ? undefined : round(errors[position!]!),
            known: round(known),
            answered: answered === undefined ? undefined : round(answered),
            agreed: agreed === undefined ? undefined : round(agreed),
            reading: readings?.[position!],
            delayMs: member.profile?.delayMs ?? measured.delayMs,
          };
          return {
            ...member,
            profile: { ...measured, ...forQuestion },
            ...(mistakes && { repeats: (other: string) => repeats(position!, other) }),
          };
        }),
      };
    },
  };
}

/** What depends on the question, by position of the worker where it is a list. */
interface Estimates {
  similar: Float64Array;
  probabilities: Float64Array;
  errors: ArrayLike<number>;
  known: number;
  coincidence?: number;
  answered?: number;
  agreed?: number;
}

/** Shrunk towards all being answered: most are. */
function answeredShare(answers: readonly AnswerRow[], neighbours: readonly Neighbour[]): number {
  let [sum, count] = [ANSWERED_WEIGHT, ANSWERED_WEIGHT];
  for (const { task, weight } of neighbours) {
    const row = answers[task]!;
    sum += (weight * row.filter((answer) => answer !== undefined).length) / Math.max(1, row.length);
    count += weight;
  }
  return sum / count;
}

/** Where there are as many questions with a vector as an estimate needs. */
function toDimension({ embeddings }: Calibration): number | undefined {
  const count = embeddings?.vectors.filter((vector) => vector !== undefined).length ?? 0;
  return count < FEWEST ? undefined : embeddings?.dimension;
}

function toQuestions({ workers, tasks, scores, byLength, embeddings }: Calibration): LabelledQuestions {
  const all = [...workers.keys()];
  return {
    index: new TextIndex(tasks.map(({ text }) => text)),
    scores,
    texts: tasks.map(({ text }) => text),
    labels: [tasks.map(({ category }) => category), tasks.map(({ family }) => family)],
    rates: toRates(countScores(scores, workers.length, all), all),
    workers: all,
    lengths: byLength ? tasks.map(({ text }) => text.length) : undefined,
    embeddings,
  };
}

function groupTwins({ tasks }: Calibration): ReadonlyMap<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [task, { text }] of tasks.entries()) {
    const key = toKey(text);
    const group = groups.get(key);
    if (group) group.push(task);
    else groups.set(key, [task]);
  }
  return groups;
}

/** Case and spacing do not make another question. */
function toKey(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}

/** Profiles are journaled with every run; more digits than these mean nothing. */
function rounded({ success, topics, ...rest }: Profile): Profile {
  const ofTopics = Object.entries(topics).map(([topic, rate]) => [topic, round(rate)]);
  return { ...rest, success: round(success), topics: Object.fromEntries(ofTopics) };
}

function round(rate: number): number {
  return Math.round(rate * 10_000) / 10_000;
}
