// One go at a training, watched: progress on standard error, the page kept up to date, and an end at Ctrl-C
// that loses nothing. Apart from the verb so that tests can train with something quicker than a network.

import { isTuttiError } from "../../base/errors.ts";
import { toDelay, toMoney, toPercent } from "../../base/format.ts";
import { finiteMean } from "../../base/statistics.ts";
import type { TrainingFolder } from "../../learn/folder.ts";
import { toProposalLine } from "../../learn/report/instructions.ts";
import type { TrainerOptions, TrainResult } from "../../learn/train.ts";
import type { IterationMetrics, ScheduleEntry, TrainEvent, ValidationMetrics } from "../../learn/types.ts";
import type { Store } from "../../store/types.ts";
import type { World } from "../../world/types.ts";
import { createChangingLine } from "../terminal/changing-line.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";
import { toResumeLine, writePage } from "./print.ts";

export const INTERRUPTED = 130;
/** Whoever looks at the page while it trains reloads it now and then. */
const PAGE_MS = 20_000;

/** What every training is given, whatever it trains. */
export type WatchedOptions = Pick<
  TrainerOptions<ScheduleEntry>,
  "world" | "folder" | "resume" | "journal" | "hasTest" | "signal" | "onEvent"
>;

export interface TrainRun {
  train: (options: WatchedOptions) => Promise<TrainResult>;
  /** How long it shall take, where that was said. */
  minutes?: number;
  /** It is tested afterwards, within the minutes. */
  hasTest?: boolean;
  world: World;
  folder: TrainingFolder;
  resume: boolean;
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
  const { train, folder, world, resume, journal, hasTest } = run;
  const silent: TrainProgress = { update() {}, end() {} };
  const progress = run.isQuiet
    ? silent
    : createTrainProgress(host.stderr, { isSimulated: world.isSimulated, minutes: run.minutes }, now);
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
    const result = await train({
      world,
      folder,
      resume,
      journal,
      hasTest,
      signal: controller.signal,
      onEvent,
    });
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

/** Where a training has failed, for a full disk perhaps, its own error is the one to tell. */
function leave(write: () => void): void {
  try {
    write();
  } catch {
    // Nothing can be written any more.
  }
}

// ---- Progress ------------------------------------------------------------------------------------

// How far a training is, how well it does at the moment, and how long it still takes: one changing line.

/** Single iterations jump: the line shows the mean of the last few of this stage. */
const CALM = 10;
/** Stages differ in speed, so only the last iterations tell how long the rest takes. */
const RECENT = 30;
/** Before this nothing can be said about the rest. */
const WARM_UP_MS = 1_500;
const BAR_CELLS = 12;

export interface TrainProgress {
  update(event: TrainEvent): void;
  /** Takes the line away. */
  end(): void;
}

export function createTrainProgress(
  stderr: NodeJS.WriteStream,
  { isSimulated, minutes = Number.POSITIVE_INFINITY }: { isSimulated: boolean; minutes?: number | undefined },
  now: () => number = Date.now,
): TrainProgress {
  const endsAt = now() + minutes * 60_000;
  const line = createChangingLine(stderr, now);
  const style = createStyle(stderr, process.env);
  let last: IterationMetrics[] = [];
  let ticks: { at: number; iteration: number }[] = [];
  let validation: ValidationMetrics | undefined;
  let costUsd = 0;

  const leftMs = (): number | undefined => {
    const [first, latest] = [ticks[0], ticks.at(-1)];
    if (!first || !latest || latest.at - first.at < WARM_UP_MS || latest.iteration === first.iteration)
      return undefined;
    const eachMs = (latest.at - first.at) / (latest.iteration - first.iteration);
    const leftMs = eachMs * (last.at(-1)!.total - latest.iteration - 1);
    // How many iterations the minutes are is not known at first; how many minutes are left is.
    return now() < endsAt ? Math.min(leftMs, endsAt - now()) : undefined;
  };

  const toParts = (): string[] => {
    const { stage, iteration, total, isTiming, asked } = last.at(-1)!;
    const of = (value: (metrics: IterationMetrics) => number) => finiteMean(last.map(value));
    const left = leftMs();
    // Evolution has none: it tries whole policies.
    const entropy = of(({ decisionEntropy }) => decisionEntropy);
    const rollouts = () => [
      `reward ${of(({ reward }) => reward).toFixed(2)}`,
      `${toPercent(of(({ accuracy }) => accuracy))} right`,
      `${toPercent(of(({ validShare }) => validShare))} valid`,
      ...(Number.isFinite(entropy) ? [`entropy ${entropy.toFixed(2)}`] : []),
      `${of(({ calls }) => calls).toFixed(1)} calls`,
    ];
    const bar = stderr.isTTY && !isTiming ? `${toBar((iteration + 1) / total)} ` : "";
    const count = (iteration + 1).toLocaleString("en");
    return [
      isTiming ? `${stage} ${count}, timing` : `${stage} ${bar}${count} of ${total.toLocaleString("en")}`,
      ...(left === undefined ? [] : [`${toDelay(left)} left`]),
      // Where nobody is asked, as in the warm-up, the loss is all there is.
      ...(asked ? rollouts() : [`loss ${of(({ loss }) => loss).toFixed(2)}`]),
      ...(validation ? [`validation ${toPercent(validation.accuracy)}`] : []),
      ...(costUsd > 0 ? [toMoney(costUsd, isSimulated)] : []),
    ];
  };

  return {
    update(event) {
      if (event.type === "notice") {
        line.end();
        stderr.write(`${style.dim(toOneLine(event.text))}\n`);
      } else if (event.type === "validation") validation = event;
      else if (event.type === "iteration") {
        if (event.proposal) {
          line.end();
          stderr.write(`${toOneLine(toProposalLine(event.proposal))}\n`);
        }
        if (last.at(-1)?.stage !== event.stage) last = [];
        last = [...last, event].slice(-CALM);
        ticks = [...ticks, { at: now(), iteration: event.iteration }].slice(-RECENT);
        costUsd += Number.isFinite(event.costUsd) ? event.costUsd : 0;
        line.show(toParts);
      }
    },
    end: () => line.end(),
  };
}

function toBar(share: number): string {
  const full = Math.min(BAR_CELLS, Math.max(0, Math.round(share * BAR_CELLS)));
  return "█".repeat(full) + "░".repeat(BAR_CELLS - full);
}
