// From a run to the response of one client: streamed as it happens, or whole at the end. Every reader has its own
// position in the run's events, and reads on only when its client can take more.

import type { TuttiError } from "../../base/errors.ts";
import type { Connection } from "../../http/connection.ts";
import type { Run } from "../../perform/run.ts";
import type { RunEvent } from "../../store/types.ts";
import { openStream } from "../dialect/open-stream.ts";
import type { Dialect, StreamEncoder } from "../types.ts";
import type { LiveReply } from "./dispatch-request.ts";
import { createPlace } from "./live-runs.ts";
import { failureOf, toOutcome, toOverheadMs } from "./outcome.ts";
import { createProgress } from "./progress.ts";

/** Until then a failure still has a status of its own; after it the stream begins with what there is. */
const BEGIN_MS = 2_000;
const KEEP_ALIVE_MS = 5_000;
/** Node's fetch drops a response that has not begun after 300 s, and its client then pays for all of it again. */
const LATE_MS = 200_000;

export const SSE = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export interface Responded {
  /** Why there is no answer; not sent yet where nothing was written. */
  error?: TuttiError;
  run?: Run;
  firstTokenMs?: number;
}

export async function respondWhole(
  connection: Connection,
  dialect: Dialect,
  { live, head, turn, before, isShort }: LiveReply,
): Promise<Responded> {
  const leave = live.attach();
  connection.gone.addEventListener("abort", leave);
  // White space may stand before JSON: it keeps the connection without promising an answer yet.
  let beat: NodeJS.Timeout | undefined;
  const late = setTimeout(() => {
    connection.begin(200, { "content-type": "application/json" });
    const blank = () => void connection.write(" ").catch(() => {});
    blank();
    beat = setInterval(blank, KEEP_ALIVE_MS * 3);
  }, LATE_MS);
  try {
    const run = await live.result;
    const progress = head.request.showsProgress ? linesOf(live.events, before) : [];
    const error = await failureOf(run, isShort);
    if (error && !connection.hasBegun) return { error, run };
    const outcome = toOutcome(run, head, turn, progress, before);
    const body = error ? dialect.toError(error).body : dialect.toReply(outcome);
    if (connection.hasBegun) connection.end(JSON.stringify(body));
    else connection.json(200, body, toRunHeaders(run, outcome.costUsd));
    return { run, error };
  } finally {
    clearTimeout(late);
    clearInterval(beat);
    leave();
  }
}

export async function respondStreamed(
  connection: Connection,
  dialect: Dialect,
  reply: LiveReply,
): Promise<Responded> {
  const { live, head, turn, before, isShort } = reply;
  const leave = live.attach();
  connection.gone.addEventListener("abort", leave);
  const writer = new StreamWriter(connection, openStream(dialect, head), head.runId);
  const progress: string[] = [];
  const lineOf = createProgress(before);
  try {
    for (const place = createPlace(); ; ) {
      const events = await live.next(place, connection.gone);
      if (!events || connection.isGone) break;
      // All that has come meanwhile is one write: a slow client gets fewer and larger ones.
      const pieces: Piece[] = [];
      for (const event of events) {
        if (event.type === "step-delta") {
          if (event.answer && event.runId === head.runId) pieces.push({ type: "text", text: event.text });
        } else if (head.request.showsProgress) {
          const text = lineOf(event);
          if (text !== undefined) {
            progress.push(text);
            pieces.push({ type: "progress", text });
          }
        }
      }
      await writer.write(pieces);
    }
    const run = await live.result;
    const error = await failureOf(run, isShort);
    const { firstTokenMs } = writer;
    if (error && !connection.hasBegun) return { error, run };
    await writer.end(error ?? toOutcome(run, head, turn, progress, before));
    return { run, error, firstTokenMs };
  } finally {
    writer.close();
    leave();
  }
}

type Piece = { type: "text" | "progress"; text: string };

/** Begins the stream when there is something to say, keeps it alive in silence, and joins small pieces. */
class StreamWriter {
  readonly #connection: Connection;
  readonly #encoder: StreamEncoder;
  readonly #runId: string;
  readonly #beat: NodeJS.Timeout;
  readonly #late: NodeJS.Timeout;
  #isWriting = false;
  #wroteAt = performance.now();
  firstTokenMs: number | undefined;

  constructor(connection: Connection, encoder: StreamEncoder, runId: string) {
    this.#connection = connection;
    this.#encoder = encoder;
    this.#runId = runId;
    this.#late = setTimeout(() => void this.#put("").catch(() => {}), BEGIN_MS);
    this.#beat = setInterval(() => this.#keepAlive(), KEEP_ALIVE_MS);
  }

  async write(pieces: Piece[]): Promise<void> {
    if (pieces.length === 0) return;
    const begun = this.#begin();
    let text = begun;
    for (let at = 0; at < pieces.length; at++) {
      const { type, text: first } = pieces[at]!;
      if (type === "progress") {
        text += this.#encoder.progress(first);
        continue;
      }
      let joined = first;
      while (pieces[at + 1]?.type === "text") joined += pieces[++at]!.text;
      this.firstTokenMs ??= performance.now() - this.#connection.startedAt;
      text += this.#encoder.text(joined);
    }
    await this.#put(text);
  }

  async end(outcome: Parameters<StreamEncoder["end"]>[0] | TuttiError): Promise<void> {
    const begun = this.#begin();
    const isError = outcome instanceof Error;
    if (!isError) this.firstTokenMs ??= performance.now() - this.#connection.startedAt;
    await this.#put(begun + (isError ? this.#encoder.fail(outcome) : this.#encoder.end(outcome)));
    this.#connection.end();
  }

  close(): void {
    clearTimeout(this.#late);
    clearInterval(this.#beat);
  }

  #begin(): string {
    if (this.#connection.hasBegun) return "";
    this.#connection.begin(200, { ...SSE, "x-tutti-run-id": this.#runId });
    return this.#encoder.begin();
  }

  async #put(text: string): Promise<void> {
    const whole = this.#begin() + text;
    if (whole === "") return;
    this.#isWriting = true;
    this.#wroteAt = performance.now();
    try {
      await this.#connection.write(whole);
    } finally {
      this.#isWriting = false;
    }
  }

  #keepAlive(): void {
    const isQuiet = performance.now() - this.#wroteAt >= KEEP_ALIVE_MS * 0.9;
    if (this.#connection.hasBegun && !this.#isWriting && isQuiet)
      void this.#put(this.#encoder.keepAlive()).catch(() => {});
  }
}

export function linesOf(events: readonly RunEvent[], before?: Run): string[] {
  const lineOf = createProgress(before);
  return events.flatMap((event) => lineOf(event) ?? []);
}

function toRunHeaders(run: Run, costUsd: number): Record<string, string> {
  return {
    "x-tutti-run-id": run.id,
    "x-tutti-cost-usd": toPlainNumber(costUsd),
    "x-tutti-overhead-ms": toOverheadMs(run).toFixed(1),
    ...(run.isSimulated && { "x-tutti-simulated": "true" }),
  };
}

/** Without an exponent: not every reader of headers knows 1e-7. */
export function toPlainNumber(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, "");
}
