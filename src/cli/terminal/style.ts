// Colours of the terminal, or none: decided once from the stream and the environment (NO_COLOR, TERM=dumb).

import type { Environment } from "../../config/home.ts";

type Paint = (text: string) => string;

export interface Style {
  bold: Paint;
  dim: Paint;
  italic: Paint;
  red: Paint;
  green: Paint;
  yellow: Paint;
  cyan: Paint;
  /** Each worker of a pool keeps its colour, in the steps and in the drawing. */
  worker(number: number, text: string): string;
}

const paint =
  (open: number, close: number): Paint =>
  (text) =>
    text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`;

const COLOURED = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  italic: paint(3, 23),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  cyan: paint(36, 39),
};
const WORKER_COLOURS = [36, 35, 33, 34, 32, 95, 94, 96].map((open) => paint(open, 39));

const none: Paint = (text) => text;
export const PLAIN: Style = {
  bold: none,
  dim: none,
  italic: none,
  red: none,
  green: none,
  yellow: none,
  cyan: none,
  worker: (_number, text) => text,
};
const STYLED: Style = {
  ...COLOURED,
  worker: (number, text) => WORKER_COLOURS[number % WORKER_COLOURS.length]!(text),
};

/** A terminal that can move its cursor. */
export function isLive(stream: { isTTY?: boolean }, env: Environment): boolean {
  return stream.isTTY === true && env.TERM !== "dumb";
}

export function createStyle(stream: { isTTY?: boolean }, env: Environment): Style {
  return isLive(stream, env) && !env.NO_COLOR ? STYLED : PLAIN;
}

/** Room for a line: the terminal's, or a readable default where there is none. */
export function columnsOf(stream: { isTTY?: boolean; columns?: number }): number {
  return stream.isTTY ? Math.max(stream.columns || 80, 20) : 100;
}
