// The last lines of a terminal, drawn again and again while something moves. What is finished is printed
// above and never touched again. Lines must fit the width; the terminal may be resized at any time.

import { widthOf } from "./text-width.ts";

const FRAME_MS = 80;
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";

export interface Screen {
  write(text: string): unknown;
  columns?: number;
  rows?: number;
}

export class LiveRegion {
  readonly #screen: Screen;
  readonly #render: () => string[];
  #drawn: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #restore = () => this.#screen.write(SHOW_CURSOR);

  constructor(screen: Screen, render: () => string[]) {
    this.#screen = screen;
    this.#render = render;
  }

  start(): void {
    if (this.#timer) return;
    this.#screen.write(HIDE_CURSOR);
    // Whatever ends the process, the user gets the cursor back.
    process.once("exit", this.#restore);
    this.#timer = setInterval(() => this.draw(), FRAME_MS);
    this.#timer.unref();
  }

  /** Prints lines for good, above the ones that move. */
  print(lines: readonly string[]): void {
    const text = this.#clear() + lines.map((line) => `${line}\n`).join("");
    this.#drawn = [];
    this.#screen.write(text);
    this.draw();
  }

  draw(): void {
    if (!this.#timer) return;
    // A region taller than the screen could not be cleared: its upper lines would have scrolled away.
    const lines = this.#render().slice(-Math.max(1, (this.#screen.rows ?? 24) - 1));
    if (lines.length === this.#drawn.length && lines.every((line, i) => line === this.#drawn[i])) return;
    const text = this.#clear() + lines.map((line) => `${line}\n`).join("");
    this.#drawn = lines;
    this.#screen.write(text);
  }

  /** Takes the moving lines away. */
  stop(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#screen.write(this.#clear() + SHOW_CURSOR);
    this.#drawn = [];
    process.removeListener("exit", this.#restore);
  }

  #clear(): string {
    if (this.#drawn.length === 0) return "";
    // A narrower terminal has broken the lines that were drawn when it was wider.
    const columns = this.#screen.columns || 80;
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return `\r\u001b[${rows}A\u001b[J`;
  }
}
