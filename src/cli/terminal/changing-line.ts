// How far long work is, on standard error: one line that changes on a terminal, a line now and then where
// nobody watches.

import { columnsOf } from "./style.ts";
import { cut } from "./text-width.ts";

const TERMINAL_MS = 100;
const PLAIN_MS = 5_000;

export interface ChangingLine {
  /** Asks for the parts only when it is time to show them again. */
  show(parts: () => string[]): void;
  /** Takes the line away. */
  end(): void;
}

export function createChangingLine(stderr: NodeJS.WriteStream, now: () => number = Date.now): ChangingLine {
  const everyMs = stderr.isTTY ? TERMINAL_MS : PLAIN_MS;
  let shownAt = stderr.isTTY ? 0 : now();
  let isShown = false;
  return {
    show(parts) {
      if (now() - shownAt < everyMs) return;
      shownAt = now();
      isShown = true;
      const line = parts().join(" · ");
      stderr.write(stderr.isTTY ? `\r\u001b[K${cut(line, columnsOf(stderr) - 1)}` : `${line}\n`);
    },
    end() {
      if (isShown && stderr.isTTY) stderr.write("\r\u001b[K");
    },
  };
}
