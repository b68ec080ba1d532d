// Trainings as data: those in trainings/ of TUTTI_HOME and of the folder that the gateway was started in. A name is
// looked up in what was found there and never made into a path, so no name leads elsewhere. `oursId` is the training
// that this gateway has started, if one is running.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { TuttiError } from "../../base/errors.ts";
import { toTuttiHome } from "../../config/home.ts";
import {
  EVENT_FILES,
  type ListedTraining,
  listTrainings,
  readTraining,
  type Training,
} from "../../learn/folder.ts";
import type { TrainingReport, TrainingSummary } from "../dashboard/types.ts";
import type { Folders } from "./reads.ts";

/** Before the names of those that lie in the folder that the gateway was started in. */
const HERE = "here:";
const MOST_LISTED = 200;

export function summariseTrainings(folders: Folders, oursId: string | undefined): TrainingSummary[] {
  return findTrainings(folders)
    .slice(0, MOST_LISTED)
    .map((listed) => summarise(listed, oursId));
}

export function summariseTraining(folders: Folders, id: string, oursId: string | undefined): TrainingSummary {
  return summarise(findTraining(folders, id), oursId);
}

/** What came after this iteration. */
export function showTraining(
  folders: Folders,
  id: string,
  after: number,
  oursId: string | undefined,
): TrainingReport {
  const listed = findTraining(folders, id);
  const training = readTraining(listed.path);
  const isLater = ({ iteration }: { iteration: number }) => iteration > after;
  const { notices, engine } = training.statement;
  return {
    object: "training",
    summary: toSummary(listed, training, oursId),
    notices,
    engine,
    iterations: training.iterations.filter(isLater),
    validations: training.validations.filter(isLater),
    samples: training.samples.filter(isLater),
    results: training.results,
  };
}

// ---- Finding ------------------------------------------------------------------------------------

function findTrainings({ env, cwd }: Folders): ListedTraining[] {
  const home = resolve(toTuttiHome(env));
  const here = home === resolve(cwd) ? [] : listTrainings(cwd);
  const all = [...listTrainings(home), ...here.map((listed) => ({ ...listed, id: `${HERE}${listed.id}` }))];
  return all.sort((a, b) => b.statement.startedAt - a.statement.startedAt);
}

function findTraining(folders: Folders, id: string): ListedTraining {
  const found = findTrainings(folders).find((each) => each.id === id);
  if (found) return found;
  throw new TuttiError("not-found", `There is no training "${id.slice(0, 80)}".`);
}

/** A training that nobody writes any more is read once for all lists. */
const known = new Map<string, { mark: string; training: Training }>();
const MOST_KNOWN = 500;

function summarise(listed: ListedTraining, oursId: string | undefined): TrainingSummary {
  const mark = EVENT_FILES.map((name) => markOf(join(listed.path, name))).join(" ");
  const before = known.get(listed.path);
  if (before?.mark === mark) return toSummary(listed, before.training, oursId);
  const { iterations, validations, ...training } = readTraining(listed.path);
  const kept = { ...training, iterations, validations, samples: [], results: [] };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(listed.path, { mark, training: kept });
  return toSummary(listed, kept, oursId);
}

function markOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.size} ${stats.mtimeMs}` : "";
}

function toSummary(
  { id, statement }: ListedTraining,
  { iterations, validations }: Pick<Training, "iterations" | "validations">,
  oursId: string | undefined,
): TrainingSummary {
  const { world, isSimulated, seed, command, startedAt, endedAt, state, problem } = statement;
  const last = iterations.at(-1);
  const best = validations.findLast(({ isBest }) => isBest);
  return {
    ...{ id, world, isSimulated, seed, command, startedAt, endedAt, state, problem },
    iterations: iterations.length,
    stage: last?.stage,
    total: last?.isTiming ? undefined : last?.total,
    best: best && {
      ...{ accuracy: best.accuracy, low: best.low, high: best.high },
      ...{ iteration: best.iteration, calls: best.calls },
    },
    isOurs: id === oursId,
  };
}
