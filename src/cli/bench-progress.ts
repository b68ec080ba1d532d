// How far a bench is and how long it still takes, on standard error: one line that changes on a terminal,
// a line now and then where nobody watches.

import type { BenchProgress } from "../bench/bench.ts";
import { toDelay, toMoney } from "./format.ts";
import { toOneLine } from "./sanitise.ts";
import { columnsOf } from "./style.ts";
import { cut } from "./text-width.ts";

const TERMINAL_MS = 100;
const PLAIN_MS = 5_000;
/** Before this nothing can be said about the rest. */
const WARM_UP_MS = 1_500;

export interface ProgressLine {
  update(progress: BenchProgress): void;
  /** Takes the line away. */
  end(): void;
}

export function createProgressLine(
  stderr: NodeJS.WriteStream,
  isSimulated: boolean,
  now: () => number = Date.now,
): ProgressLine {
  const startedAt = now();
  const everyMs = stderr.isTTY ? TERMINAL_MS : PLAIN_MS;
  let shownAt = stderr.isTTY ? 0 : startedAt;
  let firstDone: number | undefined;
  let isShown = false;
  return {
    update({ what, done, total, spentUsd }) {
      firstDone ??= done;
      const at = now();
      if (at - shownAt < everyMs) return;
      shownAt = at;
      const made = done - firstDone;
      const leftMs =
        made > 0 && at - startedAt > WARM_UP_MS ? ((at - startedAt) / made) * (total - done) : undefined;
      const parts = [
        `${done.toLocaleString("en")} of ${total.toLocaleString("en")} runs`,
        toOneLine(what),
        ...(spentUsd > 0 ? [toMoney(spentUsd, isSimulated)] : []),
        ...(leftMs === undefined ? [] : [`${toDelay(leftMs)} left`]),
      ];
      const line = parts.join(" · ");
      if (stderr.isTTY) stderr.write(`\r\u001b[K${cut(line, columnsOf(stderr) - 1)}`);
      else stderr.write(`${line}\n`);
      isShown = true;
    },
    end() {
      if (isShown && stderr.isTTY) stderr.write("\r\u001b[K");
    },
  };
}
