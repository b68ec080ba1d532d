// What was measured of each worker on which tasks, and who turns it into profiles for one question. Apart,
// because the pool of a live run, the bench, training and the baselines all read the same rates.

import type { ReplyFeatures } from "../belief/reply-features.ts";
import type { Pool, Topic } from "../worker/types.ts";

/** A table of right and wrong: tasks down, workers across. */
export interface Calibration {
  /** Ids. */
  workers: readonly string[];
  tasks: readonly CalibrationTask[];
  /** `scores[task][worker]`, 0..1; undefined: not measured. */
  scores: readonly (readonly (number | undefined)[])[];
  /** `answers[task][worker]`: equal numbers are equal answers of that task; undefined: no answer that could be compared. */
  answers?: readonly (readonly (number | undefined)[])[];
  /** `replies[task][worker]`: what the reply looked like; undefined: not kept. */
  replies?: readonly (readonly (ReplyFeatures | undefined)[])[];
  /** What an encoder of one's own made of the tasks' texts. */
  embeddings?: QuestionEmbeddings;
  /** By worker: the median delay of a whole reply, where replies were timed. */
  delaysMs?: readonly (number | undefined)[];
  /** By worker: mean dollars of one ask, where they are known. */
  callsUsd?: readonly (number | undefined)[];
  /**
   * Questions of one kind that are longer are also harder: neighbours have about the same length. So it is with
   * generated questions; with questions of people it was not tried.
   */
  byLength?: boolean;
  /** Where the rates come from, for people: "simulated, 24 tasks a topic". */
  source: string;
}

/** Vectors of one encoder, in the order of the tasks. */
export interface QuestionEmbeddings {
  /** Its id. */
  encoder: string;
  /** Numbers of a vector. */
  dimension: number;
  /** Of unit length; undefined: not embedded. */
  vectors: readonly (Float32Array | undefined)[];
}

export interface CalibrationTask {
  /** What the user would have written. */
  text: string;
  topic?: Topic;
  /** Which kind of task it is, in the words of its set. A question has none: it is recognised by such tasks. */
  category?: string;
  /** The same more finely: one template or subject. */
  family?: string;
}

/** As it is kept on disk. */
export interface SavedCalibration extends Calibration {
  /** By worker: when it was asked last, as an ISO date. */
  measuredAt: readonly string[];
}

interface ProfilerOptions {
  /**
   * The number of a calibration task to leave out: a question that is trained on must not be its own
   * neighbour. Its twins, which have the same text, are left out too.
   */
  without?: number;
  /** What the encoder of the calibration made of the text; it has the profiler's `dimension`. */
  vector?: Float32Array;
}

export interface Profiler {
  /** Numbers of the vector that a question may bring; absent where enough measured questions have none. */
  dimension?: number;
  /**
   * The pool with profiles for this question: the same members in the same order. Who is not in the
   * calibration keeps the profile it has.
   */
  poolFor(pool: Pool, text: string, options?: ProfilerOptions): Pool;
}
