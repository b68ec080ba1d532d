// Several calibrations as one table. Each worker comes from one of them as a whole, the one in which it was
// asked last, because rates from different days may be those of different models under one name.

import type { ReplyFeatures } from "../belief/reply-features.ts";
import type {
  Calibration,
  CalibrationTask,
  JudgeMeasurement,
  QuestionEmbeddings,
  SavedCalibration,
} from "./types.ts";

/** More different answers than one task can have. */
const LABELS = 100_000;

interface MergedRow {
  task: CalibrationTask;
  scores: (number | undefined)[];
  answers: (number | undefined)[];
  replies: (ReplyFeatures | undefined)[];
  vector?: Float32Array;
}

/** Undefined where nobody was measured. */
export function mergeCalibrations(calibrations: readonly SavedCalibration[]): Calibration | undefined {
  const newest = new Map<string, { calibration: SavedCalibration; column: number }>();
  for (const calibration of calibrations) {
    for (const [column, id] of calibration.workers.entries()) {
      const known = newest.get(id);
      const knownAt = known && known.calibration.measuredAt[known.column]!;
      if (knownAt === undefined || Date.parse(calibration.measuredAt[column]!) > Date.parse(knownAt))
        newest.set(id, { calibration, column });
    }
  }
  if (newest.size === 0) return undefined;
  const chosen = [...newest.values()];
  const rows = new Map<string, MergedRow>();
  const embeddings = chosen.find(({ calibration }) => calibration.embeddings)?.calibration.embeddings;
  for (const [place, calibration] of [...new Set(chosen.map((each) => each.calibration))].entries()) {
    const keys = toKeys(calibration.tasks);
    for (const [number, task] of calibration.tasks.entries()) {
      const row = rows.get(keys[number]!) ?? {
        task,
        scores: chosen.map(() => undefined),
        answers: [],
        replies: [],
      };
      rows.set(keys[number]!, row);
      if (isSameEncoder(calibration.embeddings, embeddings))
        row.vector ??= calibration.embeddings?.vectors[number];
      for (const [worker, { calibration: own, column }] of chosen.entries()) {
        if (own !== calibration) continue;
        row.scores[worker] = calibration.scores[number]![column];
        row.replies[worker] = calibration.replies?.[number]?.[column];
        const answer = calibration.answers?.[number]?.[column];
        // Numbers of two files do not mean the same answers.
        row.answers[worker] = answer === undefined ? undefined : place * LABELS + answer;
      }
    }
  }
  const measured = [...rows.values()].filter(({ scores }) => scores.some((score) => score !== undefined));
  const sources = new Set(chosen.map(({ calibration }) => calibration.source));
  return {
    workers: [...newest.keys()],
    tasks: measured.map(({ task }) => task),
    scores: measured.map(({ scores }) => scores),
    answers: chosen.every(({ calibration }) => calibration.answers)
      ? measured.map(({ answers }) => chosen.map((_, worker) => answers[worker]))
      : undefined,
    replies: chosen.some(({ calibration }) => calibration.replies)
      ? measured.map(({ replies }) => chosen.map((_, worker) => replies[worker]))
      : undefined,
    embeddings: embeddings && { ...embeddings, vectors: measured.map(({ vector }) => vector) },
    source: [...sources].join("; "),
    judges: newestJudges(calibrations),
    delaysMs: chosen.map(({ calibration, column }) => calibration.delaysMs?.[column]),
  };
}

/** Nothing of it counts any more: of each of its workers and judges there is a newer measurement among `all`. */
export function isSuperseded(calibration: SavedCalibration, all: readonly SavedCalibration[]): boolean {
  const others = all.filter((each) => each !== calibration);
  const isNewer = (at: string, found: readonly (string | undefined)[]) =>
    found.some((other) => other !== undefined && Date.parse(other) > Date.parse(at));
  return (
    calibration.workers.every((id, column) =>
      isNewer(
        calibration.measuredAt[column]!,
        others.map(({ workers, measuredAt }) => measuredAt[workers.indexOf(id)]),
      ),
    ) &&
    (calibration.judges ?? []).every(({ id, measuredAt }) =>
      isNewer(
        measuredAt,
        others.map(({ judges = [] }) => judges.find((judge) => judge.id === id)?.measuredAt),
      ),
    )
  );
}

function isSameEncoder(a: QuestionEmbeddings | undefined, b: QuestionEmbeddings | undefined): boolean {
  return a?.encoder === b?.encoder && a?.dimension === b?.dimension;
}

/** A judge counts as measured last, whichever set that was on. Undefined where nobody was measured as one. */
export function newestJudges(
  calibrations: readonly Pick<Calibration, "judges">[],
): JudgeMeasurement[] | undefined {
  const newest = new Map<string, JudgeMeasurement>();
  for (const judge of calibrations.flatMap(({ judges = [] }) => judges)) {
    const known = newest.get(judge.id);
    if (!known || Date.parse(judge.measuredAt) >= Date.parse(known.measuredAt)) newest.set(judge.id, judge);
  }
  return newest.size === 0 ? undefined : [...newest.values()];
}

/** Only these workers of a calibration; undefined where none is left. */
export function selectWorkers(
  calibration: Calibration,
  isWanted: (id: string) => boolean,
): Calibration | undefined {
  const columns = [...calibration.workers.keys()].filter((column) => isWanted(calibration.workers[column]!));
  if (columns.length === 0) return undefined;
  const { workers, scores, answers, replies, delaysMs } = calibration;
  return {
    ...calibration,
    workers: columns.map((column) => workers[column]!),
    scores: scores.map((row) => columns.map((column) => row[column])),
    answers: answers?.map((row) => columns.map((column) => row[column])),
    replies: replies?.map((row) => columns.map((column) => row[column])),
    delaysMs: delaysMs && columns.map((column) => delaysMs[column]),
  };
}

/** The same question in two files is one task; twice in one file it is two. */
function toKeys(tasks: readonly CalibrationTask[]): string[] {
  const seen = new Map<string, number>();
  return tasks.map(({ text }) => {
    const count = seen.get(text) ?? 0;
    seen.set(text, count + 1);
    return `${count} ${text}`;
  });
}
