// Lets an event stream through in whole lines. Half a line is of no use to a client until the rest is there,
// and a stream that breaks off can only be ended with an error event where no half line has been sent.

export type LineBuffer = ReturnType<typeof createLineBuffer>;

const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/** A line longer than `maxBytes` goes through in pieces: what is held back is bounded. */
export function createLineBuffer(maxBytes = 1_048_576) {
  let held: Buffer[] = [];
  let heldBytes = 0;

  function release(last: Buffer): Buffer {
    if (held.length === 0) return last;
    const all = Buffer.concat([...held, last]);
    held = [];
    heldBytes = 0;
    return all;
  }

  return {
    /** What may be sent on. Empty while a line is incomplete. */
    push(chunk: Buffer): Buffer {
      const end = chunk.lastIndexOf(LINE_FEED) + 1;
      // Servers send an event at a time, so this is what nearly always happens.
      if (end === chunk.length) return release(chunk);
      const lines = end > 0 ? release(chunk.subarray(0, end)) : NOTHING;
      const tail = chunk.subarray(end);
      held.push(tail);
      heldBytes += tail.length;
      if (heldBytes <= maxBytes) return lines;
      return lines.length > 0 ? Buffer.concat([lines, release(NOTHING)]) : release(NOTHING);
    },
    /** The line that was not ended, once the stream is over. */
    rest: () => release(NOTHING),
  };
}
