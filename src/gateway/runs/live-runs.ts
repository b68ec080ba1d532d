// Runs while they are performed here. The events of a run are kept once, and any number of readers follow them,
// each at its own pace and from any point: the client that asked, a repeat of the request that joined, the
// dashboard. A slow reader holds nothing up and has no buffer of its own, and what it is given at once is bounded.
// Pieces of text that follow one another are kept as one: a model may write a hundred thousand of them, and a reader
// that comes late, or is slow, wants the text.
// A run whose last reader has left is stopped, unless it is to go on.

import type { Run } from "../../perform/run.ts";
import { HAND_OVER } from "../../perform/stage.ts";
import type { RunEvent } from "../../store/types.ts";
import type { RunStream } from "../../tutti/tutti.ts";

/**
 * A client that was cut off comes back within this time and joins: the SDKs of OpenAI and Anthropic wait for 375 to
 * 500 ms before their first repeat. Upstream calls end within a second all the same.
 */
const PATIENCE_MS = 600;

/** A piece of text is joined to the one before it up to this length: each join copies what is there. */
const LONGEST_PIECE = 4_096;
/** What a reader is given at once, so that one far behind does not hold megabytes. */
const MOST_AT_ONCE = 64;

/** How far a reader has come: the event that it reads next, and how much it has of it, should that be text. */
export interface Place {
  index: number;
  characters: number;
}

export function createPlace(): Place {
  return { index: 0, characters: 0 };
}

type Stop = (reason?: symbol) => void;

export interface LiveRunOptions {
  /** It is performed to its end even when nobody reads: background, or an idempotency key. */
  goesOn: boolean;
  stop: Stop;
}

export class LiveRun {
  readonly runId: string;
  /** Settles when the run is over. Rejects where it could not even begin. */
  readonly result: Promise<Run>;
  /** Pieces of text joined. */
  readonly events: RunEvent[] = [];
  goesOn: boolean;
  #isOver = false;
  #isStopped = false;
  #waiting: (() => void)[] = [];
  #isWaking = false;
  #readers = 0;
  #leaving: NodeJS.Timeout | undefined;
  readonly #stop: Stop;

  constructor(stream: RunStream, { goesOn, stop }: LiveRunOptions) {
    this.runId = stream.runId;
    this.goesOn = goesOn;
    this.#stop = stop;
    this.result = this.#follow(stream);
    this.result.catch(() => {});
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The first event, as soon as it is there; undefined where there is none. */
  async first(): Promise<RunEvent | undefined> {
    await this.next(createPlace());
    return this.events[0];
  }

  /**
   * What comes after this place, which moves on: at least one event, and not all of them where there are many;
   * undefined when there is nothing more to come, or the reader has left.
   */
  async next(place: Place, left?: AbortSignal): Promise<readonly RunEvent[] | undefined> {
    for (;;) {
      if (left?.aborted) return undefined;
      const events = this.#take(place);
      if (events.length > 0) return events;
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #take(place: Place): RunEvent[] {
    const newest = this.events.length - 1;
    const begun = this.events[place.index];
    if (place.characters > 0 && begun && isPiece(begun) && begun.text.length === place.characters) {
      if (place.index === newest) return [];
      place.index++;
      place.characters = 0;
    }
    const events = this.events.slice(place.index, place.index + MOST_AT_ONCE);
    const [first] = events;
    if (!first) return [];
    const end = place.index + events.length - 1;
    const last = this.events[end]!;
    if (place.characters > 0 && isPiece(first))
      events[0] = { ...first, text: first.text.slice(place.characters) };
    // The newest piece of text may still grow.
    const mayGrow = end === newest && isPiece(last);
    place.index = mayGrow ? end : end + 1;
    place.characters = mayGrow ? last.text.length : 0;
    return events;
  }

  #keep(event: RunEvent): void {
    const last = this.events.at(-1);
    const joined = last && join(last, event);
    if (joined) this.events[this.events.length - 1] = joined;
    else this.events.push(event);
  }

  /** A reader begins to follow. Call what is returned when it is done or gone. */
  attach(): () => void {
    this.#readers++;
    clearTimeout(this.#leaving);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#readers--;
      if (this.#readers > 0 || this.#isOver || this.goesOn) return;
      this.#leaving = setTimeout(() => this.stop(), PATIENCE_MS);
    };
  }

  /** It was told to end: whoever asks the same now wants it whole. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop();
  }

  /** This gateway ends: another one goes on with it. */
  handOver(): void {
    this.#isStopped = true;
    this.#stop(HAND_OVER);
  }

  async #follow(stream: RunStream): Promise<Run> {
    try {
      for await (const event of stream) {
        this.#keep(event);
        this.wake();
      }
      return await stream.result;
    } finally {
      this.#isOver = true;
      clearTimeout(this.#leaving);
      this.wake();
    }
  }

  /** Readers look again, once for all that comes in one turn of the event loop. */
  wake(): void {
    if (this.#isWaking || this.#waiting.length === 0) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const resolve of waiting) resolve();
    });
  }
}

type TextPiece = Extract<RunEvent, { type: "step-delta" | "plan-delta" }>;

/** An empty one is like any other event: a reader has read it, or has not. */
export function isPiece(event: RunEvent): event is TextPiece {
  return (event.type === "step-delta" || event.type === "plan-delta") && event.text !== "";
}

/** Both as one, where they are the text of the same attempt in the same channel. */
function join(last: RunEvent, event: RunEvent): RunEvent | undefined {
  if (!isPiece(last) || !isPiece(event) || last.text.length + event.text.length > LONGEST_PIECE)
    return undefined;
  if (last.runId !== event.runId || last.round !== event.round || last.attempt !== event.attempt)
    return undefined;
  const text = last.text + event.text;
  if (last.type === "plan-delta") return event.type === "plan-delta" ? { ...last, text } : undefined;
  if (event.type === "plan-delta") return undefined;
  const isSame = last.step === event.step && last.channel === event.channel && last.answer === event.answer;
  return isSame ? { ...last, text } : undefined;
}

/** A run that is over, as if it ended just now: its answer comes at once, after the events that are given. */
export function replay(run: Run, events: readonly RunEvent[] = []): LiveRun {
  async function* again(): AsyncGenerator<RunEvent> {
    yield* events;
  }
  const stream = { runId: run.id, result: Promise.resolve(run), [Symbol.asyncIterator]: again };
  return new LiveRun(stream, { goesOn: true, stop: () => {} });
}

/** Those that are running, by the id of the run. */
export class LiveRuns {
  readonly #byId = new Map<string, LiveRun>();

  add(run: LiveRun): LiveRun {
    this.#byId.set(run.runId, run);
    const forget = () => {
      if (this.#byId.get(run.runId) === run) this.#byId.delete(run.runId);
    };
    run.result.then(forget, forget);
    return run;
  }

  find(runId: string): LiveRun | undefined {
    return this.#byId.get(runId);
  }

  /** Ends it, if it is performed here: what it has so far is its answer. */
  async stop(runId: string): Promise<void> {
    const live = this.#byId.get(runId);
    live?.stop();
    await live?.result.catch(() => {});
  }

  get size(): number {
    return this.#byId.size;
  }

  all(): LiveRun[] {
    return [...this.#byId.values()];
  }
}
