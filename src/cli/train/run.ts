// One go at a training, watched: progress on standard error, the page kept up to date, and an end at Ctrl-C
// that loses nothing. Apart from the verb so that tests can train with something quicker than a network.

import { isTuttiError } from "../../base/errors.ts";
import type { TrainingFolder } from "../../learn/folder.ts";
import type { TrainOptions } from "../../learn/native/learner.ts";
import type { TrainResult } from "../../learn/train.ts";
import type { TrainEvent } from "../../learn/types.ts";
import type { Store } from "../../store/types.ts";
import type { World } from "../../world/types.ts";
import type { TrainSettings } from "./input.ts";
import { toResumeLine, writePage } from "./print.ts";
import { createTrainProgress, type TrainProgress } from "./progress.ts";

export const INTERRUPTED = 130;
/** Whoever looks at the page while it trains reloads it now and then. */
const PAGE_MS = 20_000;

export interface TrainRun {
  train: (options: TrainOptions) => Promise<TrainResult>;
  settings: TrainSettings;
  world: World;
  folder: TrainingFolder;
  resume: boolean;
  command: string;
  /** No progress, for machines. */
  isQuiet: boolean;
  journal?: Store;
}

/** What is used of the process. */
export interface Host {
  stderr: NodeJS.WriteStream;
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(code: number): void;
}

export async function performTraining(
  run: TrainRun,
  host: Host,
  now: () => number = Date.now,
): Promise<TrainResult> {
  const { train, folder, world } = run;
  const silent: TrainProgress = { update() {}, end() {} };
  const progress = run.isQuiet
    ? silent
    : createTrainProgress(
        host.stderr,
        { isSimulated: world.isSimulated, minutes: run.settings.minutes },
        now,
      );
  const controller = new AbortController();
  const interrupt = () => {
    progress.end();
    if (controller.signal.aborted) {
      folder.close();
      host.stderr.write(`Ended at once. ${toResumeLine(folder.path)}\n`);
      host.exit(INTERRUPTED);
      return;
    }
    controller.abort();
    if (!run.isQuiet) host.stderr.write("Stopping after this iteration. Ctrl-C again ends at once.\n");
  };
  host.on("SIGINT", interrupt);
  host.on("SIGTERM", interrupt);
  let pageAt = now();
  const onEvent = (event: TrainEvent) => {
    progress.update(event);
    if (event.type !== "validation" || now() - pageAt < PAGE_MS) return;
    pageAt = now();
    writePage(folder);
  };
  try {
    const result = await train(toTrainOptions(run, controller.signal, onEvent));
    folder.describe({ state: result.isStopped ? "stopped" : "done", endedAt: now() });
    return result;
  } catch (error) {
    const problem = isTuttiError(error) ? error.message : String(error);
    leave(() => folder.describe({ state: "failed", problem, endedAt: now() }));
    leave(() => writePage(folder));
    throw error;
  } finally {
    progress.end();
    host.off("SIGINT", interrupt);
    host.off("SIGTERM", interrupt);
  }
}

function toTrainOptions(run: TrainRun, signal: AbortSignal, onEvent: TrainOptions["onEvent"]): TrainOptions {
  const { settings, world, folder, resume, command, journal } = run;
  const { world: _, width, layers, pools: __, ...rest } = settings;
  const shape = { width, layers };
  return { ...rest, shape, world, folder, resume, command, signal, onEvent, journal };
}

/** Where a training has failed, for a full disk perhaps, its own error is the one to tell. */
function leave(write: () => void): void {
  try {
    write();
  } catch {
    // Nothing can be written any more.
  }
}
