// How far a bench is and how long it still takes.

import { toDelay, toMoney } from "../../base/format.ts";
import type { BenchProgress } from "../../bench/bench.ts";
import { createChangingLine } from "../terminal/changing-line.ts";
import { toOneLine } from "../terminal/sanitise.ts";

/** Before this nothing can be said about the rest. */
const WARM_UP_MS = 1_500;

export interface ProgressLine {
  update(progress: BenchProgress): void;
  /** Takes the line away. */
  end(): void;
}

function createProgressLine(
  stderr: NodeJS.WriteStream,
  isSimulated: boolean,
  now: () => number = Date.now,
): ProgressLine {
  const startedAt = now();
  const line = createChangingLine(stderr, now);
  let firstDone: number | undefined;
  return {
    update({ what, done, total, spentUsd }) {
      firstDone ??= done;
      const made = done - firstDone;
      const takenMs = now() - startedAt;
      const leftMs = made > 0 && takenMs > WARM_UP_MS ? (takenMs / made) * (total - done) : undefined;
      line.show(() => [
        `${done.toLocaleString("en")} of ${total.toLocaleString("en")} runs`,
        toOneLine(what),
        ...(spentUsd > 0 ? [toMoney(spentUsd, isSimulated)] : []),
        ...(leftMs === undefined ? [] : [`${toDelay(leftMs)} left`]),
      ]);
    },
    end: () => line.end(),
  };
}

/** With a progress line, and an end at Ctrl-C that keeps what there is. */
export async function watched<T>(
  { json = false }: { json?: boolean },
  isSimulated: boolean,
  work: (signal: AbortSignal, line: ProgressLine) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const silent: ProgressLine = { update() {}, end() {} };
  const line = json && !process.stderr.isTTY ? silent : createProgressLine(process.stderr, isSimulated);
  const stop = () => controller.abort();
  process.once("SIGINT", stop);
  try {
    return await work(controller.signal, line);
  } finally {
    process.off("SIGINT", stop);
    line.end();
  }
}
