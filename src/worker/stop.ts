// Stop sequences, kept by us: some models (OpenAI's reasoning models, everything on its Responses API)
// refuse or ignore them, and a client that set one must never read past it.

/** Takes text in pieces and gives back what may be shown. Text that could begin a stop sequence is held back. */
export interface StopFilter {
  push(piece: string): string;
  /** What was held back, once the text is over. Empty after a stop. */
  end(): string;
  readonly stopped: boolean;
  /** The sequence that has stopped it. */
  readonly stoppedBy: string | undefined;
}

export function createStopFilter(stop: string[]): StopFilter {
  const sequences = stop.filter((sequence) => sequence !== "");
  let held = "";
  let stopped = false;
  let stoppedBy: string | undefined;
  return {
    get stopped() {
      return stopped;
    },
    get stoppedBy() {
      return stoppedBy;
    },
    push(piece) {
      if (stopped) return "";
      const text = held + piece;
      const at = Math.min(...sequences.map((sequence) => indexOrEnd(text, sequence)));
      if (at < text.length) {
        stopped = true;
        stoppedBy = sequences.find((sequence) => text.startsWith(sequence, at));
        held = "";
        return text.slice(0, at);
      }
      const keep = Math.max(0, ...sequences.map((sequence) => overlap(text, sequence)));
      held = text.slice(text.length - keep);
      return text.slice(0, text.length - keep);
    },
    end() {
      const rest = held;
      held = "";
      return rest;
    },
  };
}

function indexOrEnd(text: string, sequence: string): number {
  const at = text.indexOf(sequence);
  return at === -1 ? text.length : at;
}

/** How long the longest end of `text` is that begins `sequence`. */
function overlap(text: string, sequence: string): number {
  let length = Math.min(text.length, sequence.length - 1);
  while (length > 0 && !text.endsWith(sequence.slice(0, length))) length -= 1;
  return length;
}
