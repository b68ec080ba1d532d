// Trainings as data: those in trainings/ of TUTTI_HOME and of the folder that the gateway was started in. A name is
// looked up in what was found there and never made into a path, so no name leads elsewhere.

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
import type { GatewayContext } from "../context.ts";
import type { TrainingReport, TrainingSettings, TrainingSummary } from "../dashboard/types.ts";
import { ObjectReader } from "../http/object-reader.ts";
import { readBody, readWhole } from "../http/route.ts";
import type { Handler } from "../types.ts";

/** Before the names of those that lie in the folder that the gateway was started in. */
const HERE = "here:";
const MOST_LISTED = 200;
const MOST_ITERATIONS = 100_000;
const USUAL_ITERATIONS = 60;

export const listAllTrainings: Handler = async (context, visit) => {
  const data = findTrainings(context)
    .slice(0, MOST_LISTED)
    .map((listed) => summarise(context, listed));
  visit.connection.json(200, { object: "list", data });
};

export const showTraining: Handler = async (context, visit) => {
  const after = readWhole(visit.query.after, "after", 0, Number.MAX_SAFE_INTEGER) ?? -1;
  const listed = findTraining(context, visit.id);
  const training = readTraining(listed.path);
  const isLater = ({ iteration }: { iteration: number }) => iteration > after;
  const { notices, engine } = training.statement;
  const report: TrainingReport = {
    object: "training",
    summary: toSummary(context, listed, training),
    notices,
    engine,
    iterations: training.iterations.filter(isLater),
    validations: training.validations.filter(isLater),
    samples: training.samples.filter(isLater),
    results: training.results,
  };
  visit.connection.json(200, report);
};

export const startTraining: Handler = async (context, visit) => {
  const body = new ObjectReader(await readBody(context, visit));
  const settings: TrainingSettings = {
    iterations:
      body.number("iterations", { min: 1, max: MOST_ITERATIONS, isWhole: true }) ?? USUAL_ITERATIONS,
    seed: body.number("seed", { min: 0, max: 2 ** 32 - 1, isWhole: true }) ?? 0,
    size: body.choice("size", ["small", "usual"]) ?? "usual",
  };
  const id = await context.trainer.start(settings);
  visit.connection.json(201, summarise(context, findTraining(context, id)));
};

export const stopTraining: Handler = async (context, visit) => {
  const { id } = visit;
  const listed = findTraining(context, id);
  if (!context.trainer.stop(id))
    throw new TuttiError(
      "conflict",
      `The training "${id}" was not started by this gateway, so it cannot be stopped here. Ctrl-C stops it where it runs.`,
    );
  visit.connection.json(202, summarise(context, listed));
};

// ---- Finding ------------------------------------------------------------------------------------

function findTrainings({ env, cwd }: GatewayContext): ListedTraining[] {
  const home = resolve(toTuttiHome(env));
  const here = home === resolve(cwd) ? [] : listTrainings(cwd);
  const all = [...listTrainings(home), ...here.map((listed) => ({ ...listed, id: `${HERE}${listed.id}` }))];
  return all.sort((a, b) => b.statement.startedAt - a.statement.startedAt);
}

function findTraining(context: GatewayContext, id: string): ListedTraining {
  const found = findTrainings(context).find((each) => each.id === id);
  if (found) return found;
  throw new TuttiError("not-found", `There is no training "${id.slice(0, 80)}".`);
}

/** A training that nobody writes any more is read once for all lists. */
const known = new Map<string, { mark: string; training: Training }>();
const MOST_KNOWN = 500;

function summarise(context: GatewayContext, listed: ListedTraining): TrainingSummary {
  const mark = EVENT_FILES.map((name) => markOf(join(listed.path, name))).join(" ");
  const before = known.get(listed.path);
  if (before?.mark === mark) return toSummary(context, listed, before.training);
  const { iterations, validations, ...training } = readTraining(listed.path);
  const kept = { ...training, iterations, validations, samples: [], results: [] };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(listed.path, { mark, training: kept });
  return toSummary(context, listed, kept);
}

function markOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.size} ${stats.mtimeMs}` : "";
}

function toSummary(
  { trainer }: GatewayContext,
  { id, statement }: ListedTraining,
  { iterations, validations }: Pick<Training, "iterations" | "validations">,
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
    isOurs: trainer.isOurs(id),
  };
}
