// Runs that other gateways perform, read along here from the journal: a client may come to any gateway, and follows a run as if
// it were performed there. What is appended is asked for five times a second, for all such runs in one question, and only
// while somebody reads. Text of an answer is in the journal a second after it was written; plans and thoughts that are being
// written are told where they are written only. Notifications would tell it sooner, but each of them holds up all others that
// commit on that database.

import { TuttiError } from "../../base/errors.ts";
import { EventQueue } from "../../perform/queue.ts";
import { type Run, toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { PostgresConnection } from "../../store/postgres/connection.ts";
import { readTails } from "../../store/postgres/tail.ts";
import type { RunEvent, Store } from "../../store/types.ts";
import { LiveRun } from "../runs/live-runs.ts";
import { openAttempts, toTurns } from "../runs/turns.ts";

const LOOK_MS = 200;
/** A run without news for so many looks: is it still performed? */
const QUIET_LOOKS = 15;
/** A run whose gateway has died is gone on with by another one within this time, if at all. */
const LEFT_MS = 60_000;

interface Followed {
  runId: string;
  after: number;
  /** All that the journal has of it. */
  events: RunEvent[];
  queue: EventQueue<RunEvent>;
  live: LiveRun;
  quiet: number;
  /** Since when nobody performs it. */
  leftAt: number | undefined;
  settle(run: Run): void;
  fail(error: unknown): void;
}

export class RemoteRuns {
  readonly #connection: PostgresConnection;
  readonly #openStore: () => Promise<Pick<Store, "listRuns">>;
  readonly #followed = new Map<string, Followed>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(connection: PostgresConnection, openStore: () => Promise<Pick<Store, "listRuns">>) {
    this.#connection = connection;
    this.#openStore = openStore;
  }

  /** Undefined where nobody performs it. */
  async find(runId: string): Promise<LiveRun | undefined> {
    const [found] = await (await this.#openStore()).listRuns({ idPrefix: runId, nested: true, limit: 1 });
    return found?.id === runId && found.state === "running" ? this.follow(runId) : undefined;
  }

  /** From the beginning of its last turn to the end of it. Rejects where there is no such run. */
  async follow(runId: string): Promise<LiveRun> {
    const followed = this.#followed.get(runId) ?? this.#begin(runId);
    if (followed.after === 0) {
      await this.#looking;
      if (followed.after === 0) await this.#look();
    }
    if (followed.after > 0) return followed.live;
    const error = unknownRun(runId);
    this.#end(followed, error);
    throw error;
  }

  close(): void {
    for (const followed of this.#followed.values()) this.#end(followed);
  }

  #begin(runId: string): Followed {
    const queue = new EventQueue<RunEvent>();
    let settle: (run: Run) => void = () => {};
    let fail: (error: unknown) => void = () => {};
    const result = new Promise<Run>((resolve, reject) => {
      settle = resolve;
      fail = reject;
    });
    result.catch(() => {});
    const stop = () => this.#end(followed);
    const stream = { runId, result, [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() };
    const live = new LiveRun(stream, { goesOn: false, stop });
    const followed: Followed = {
      ...{ runId, after: 0, events: [], queue, live, quiet: 0, leftAt: undefined, settle, fail },
    };
    this.#followed.set(runId, followed);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS);
    return followed;
  }

  /** Nobody reads any more, or there is nothing more to read. */
  #end(followed: Followed, error?: unknown): void {
    if (this.#followed.get(followed.runId) !== followed) return;
    this.#followed.delete(followed.runId);
    const state = fold(followed.events);
    if (error === undefined && state) followed.settle(toRun(state));
    else followed.fail(error ?? unknownRun(followed.runId));
    followed.queue.close();
    if (this.#followed.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookAll().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookAll(): Promise<void> {
    const all = [...this.#followed.values()];
    try {
      const rows = await readTails(
        this.#connection,
        all.map(({ runId, after }) => ({ run: runId, after })),
      );
      for (const followed of all) {
        const own = rows.filter(({ run }) => run === followed.runId);
        if (own.length > 0)
          this.#take(
            followed,
            own.at(-1)!.seq,
            own.flatMap(({ events }) => events),
          );
        else if (++followed.quiet % QUIET_LOOKS === 0) await this.#checkLives(followed);
      }
    } catch (error) {
      for (const followed of all) this.#end(followed, error);
    }
  }

  #take(followed: Followed, seq: number, events: readonly RunEvent[]): void {
    const isFirst = followed.after === 0;
    followed.quiet = 0;
    followed.leftAt = undefined;
    // Its content was deleted: what is left was written anew.
    if (!isFirst && events.some(({ type }) => type === "run-start")) {
      this.#end(followed, new TuttiError("conflict", "What this run has said was not kept, as it asked."));
      return;
    }
    const before = followed.events;
    followed.after = seq;
    followed.events = [...before, ...events];
    const told = isFirst ? openAttempts(toTurns(events).at(-1)?.events ?? []) : events;
    for (const event of told) {
      if (!isFirst && beginsAnew(before, event)) {
        this.#end(followed, askedAnew());
        return;
      }
      followed.queue.push(event);
    }
    if (events.some(({ type }) => type === "run-end") && fold(followed.events)?.ended) this.#end(followed);
  }

  async #checkLives(followed: Followed): Promise<void> {
    const [found] = await (await this.#openStore()).listRuns({
      idPrefix: followed.runId,
      nested: true,
      limit: 1,
    });
    if (!found || followed.after === 0) return this.#end(followed, unknownRun(followed.runId));
    if (found.state !== "interrupted") {
      followed.leftAt = undefined;
      return;
    }
    followed.leftAt ??= performance.now();
    if (performance.now() - followed.leftAt > LEFT_MS) this.#end(followed);
  }
}

/** Text of the answer that comes after other text of it, which was cut off: nobody can take back what was read. */
function beginsAnew(before: readonly RunEvent[], event: RunEvent): boolean {
  if (event.type !== "step-delta" || !event.answer) return false;
  const last = before.findLast((each) => each.type === "step-delta" && each.answer);
  return (
    last?.type === "step-delta" &&
    (last.round !== event.round || last.step !== event.step || last.attempt !== event.attempt)
  );
}

function unknownRun(runId: string): TuttiError {
  return new TuttiError("not-found", `There is no run "${runId}".`);
}

function askedAnew(): TuttiError {
  return new TuttiError(
    "interrupted",
    "The gateway that wrote this answer ended in the middle of it, and another one has begun it anew. Read the response again.",
  );
}
