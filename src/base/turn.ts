// Streams give way to everybody else. A fast server fills a socket as quickly as it is emptied, and what arrives is handled
// in one turn of the event loop, however much it is: a health check then waits for megabytes of somebody's reply.

/** What all streams together may take of one turn. */
const MOST_MS = 5;

interface Pausable {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
}

/** A reply this small holds up nobody, and there are thousands of them: they are let through without a look at the clock. */
const SMALL_BYTES = 65_536;

/** When the first piece of a stream was handled in this turn. */
let startedAt: number | undefined;

/**
 * Call it after each piece that was handled, with how much of this stream there has been: the rest waits for the next
 * turn when this one has been long enough.
 */
export function giveWay(stream: Pausable, bytes: number): void {
  if (bytes < SMALL_BYTES) return;
  if (startedAt === undefined) {
    startedAt = performance.now();
    setImmediate(() => {
      startedAt = undefined;
    });
  } else if (!stream.paused && performance.now() - startedAt > MOST_MS) {
    stream.pause();
    setImmediate(() => stream.resume());
  }
}
