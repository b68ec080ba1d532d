// Where the calibrations of a config are kept: with its journal where several gateways share that, else in the home.

import { type CalibrationShelf, createCalibrationFolder } from "../calibration/shelf.ts";
import { createCalibrationTable } from "../calibration/table.ts";
import { type Environment, isPostgresAddress, toStorePath, toTuttiHome } from "./home.ts";

export function openCalibrations(store: string | undefined, env: Environment): CalibrationShelf {
  const home = toTuttiHome(env);
  const path = toStorePath(store, env);
  return isPostgresAddress(path) ? createCalibrationTable(path, { home }) : createCalibrationFolder(home);
}
