// Trainings for the dashboard (reads/training-folders.ts), and one in the rehearsal that it starts and stops.

import { TuttiError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import type { TrainingSettings } from "../dashboard/types.ts";
import { ObjectReader } from "../http/object-reader.ts";
import { readWhole } from "../http/route.ts";
import type { Handler } from "../types.ts";

const MOST_ITERATIONS = 100_000;
const USUAL_ITERATIONS = 60;

export const listAllTrainings: Handler = async ({ reader, trainer }, { connection, key }) => {
  connection.jsonBytes(200, await reader.bytes(key, "listTrainings", trainer.runningId()));
};

export const showTraining: Handler = async ({ reader, trainer }, { connection, key, id, query }) => {
  const after = readWhole(query.after, "after", 0, Number.MAX_SAFE_INTEGER) ?? -1;
  connection.jsonBytes(200, await reader.bytes(key, "showTraining", id, after, trainer.runningId()));
};

export const startTraining: Handler = async (context, { connection, key }) => {
  const { reader, trainer, uploads } = context;
  const body = new ObjectReader((await uploads.read(connection, key)).body);
  const settings: TrainingSettings = {
    iterations:
      body.number("iterations", { min: 1, max: MOST_ITERATIONS, isWhole: true }) ?? USUAL_ITERATIONS,
    seed: body.number("seed", { min: 0, max: 2 ** 32 - 1, isWhole: true }) ?? 0,
    size: body.choice("size", ["small", "usual"]) ?? "usual",
  };
  const id = await trainer.start(settings);
  connection.jsonBytes(201, await reader.bytes(key, "summariseTraining", id, trainer.runningId()));
};

export const stopTraining: Handler = async ({ reader, trainer }, { connection, key, id }) => {
  // Before it is stopped: one that is not there is another error than one that is not ours.
  const summary = await reader.bytes(key, "summariseTraining", id, trainer.runningId());
  if (!trainer.stop(id))
    throw new TuttiError(
      "conflict",
      `The training "${shorten(id)}" was not started by this gateway, so it cannot be stopped here. Ctrl-C stops it where it runs.`,
    );
  connection.jsonBytes(202, summary);
};
