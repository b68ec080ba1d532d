// How far a training is, how well it does at the moment, and how long it still takes: one changing line.

import { toDelay, toMoney, toPercent } from "../../base/format.ts";
import { finiteMean } from "../../base/statistics.ts";
import type { IterationMetrics, TrainEvent, ValidationMetrics } from "../../learn/types.ts";
import { createChangingLine } from "../terminal/changing-line.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";

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
    const rollouts = () => [
      `reward ${of(({ reward }) => reward).toFixed(2)}`,
      `${toPercent(of(({ accuracy }) => accuracy))} right`,
      `${toPercent(of(({ validShare }) => validShare))} valid`,
      `entropy ${of(({ decisionEntropy }) => decisionEntropy).toFixed(2)}`,
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
