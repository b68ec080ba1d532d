// Where calibrations are kept: files of this machine (file.ts) or a table that several gateways share (table.ts).

import { loadCalibration, loadCalibrations, saveCalibration } from "./file.ts";
import type { Calibration, SavedCalibration } from "./types.ts";

export interface LoadedCalibrations {
  /** Absent where nothing was measured yet. */
  calibration?: Calibration;
  /** What could not be read, and why. */
  problems: string[];
}

export interface CalibrationShelf {
  /** What this machine has saved under the name. Throws "bad-file" for what is no calibration. */
  load(name: string): Promise<SavedCalibration | undefined>;
  /** Returns where it is, for people. What this machine has saved under the name before is replaced as a whole. */
  save(name: string, calibration: SavedCalibration): Promise<string>;
  /**
   * All together; of a worker that was measured several times the newest counts. `encoder`: whose embeddings are wanted;
   * without it there are none. Never rejects: a question must not fail because of numbers it can do without.
   */
  loadAll(encoder?: string): Promise<LoadedCalibrations>;
  close(): Promise<void>;
}

export function createCalibrationFolder(home: string): CalibrationShelf {
  return {
    load: (name) => loadCalibration(home, name),
    save: (name, calibration) => saveCalibration(home, name, calibration),
    loadAll: (encoder) => loadCalibrations(home, encoder),
    async close() {},
  };
}
