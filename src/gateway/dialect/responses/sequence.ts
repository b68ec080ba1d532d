// The numbers of the events of a Responses stream. Usually one after the other. Of a response in the background, whose stream may
// be read again behind any event, they are the same whoever tells it and however its text is cut: a piece of text has the
// number of its last character, and the answer begins at a number of its own, whatever was told of the way to it.

import type { ReplyHead } from "../../types.ts";

const ANSWER = 100_000;

export interface Sequence {
  /** Of the next event; undefined where its reader has seen it. */
  next(): number | undefined;
  /** Of a piece of text, and what of it the reader has not seen. */
  text(piece: string): { number: number; unseen: string };
  /** What follows is the answer, or comes after it. */
  beginAnswer(): void;
  /** Of an event that only says that there will be more. */
  alive(): number;
}

export function createSequence({ request, startingAfter }: ReplyHead): Sequence {
  if (!request.isBackground) return createPlain();
  const seen = startingAfter ?? -1;
  let next = 0;
  return {
    next() {
      const number = next++;
      return number > seen ? number : undefined;
    },
    text(piece) {
      const from = next;
      next += piece.length;
      return { number: next - 1, unseen: piece.slice(Math.max(0, seen + 1 - from)) };
    },
    beginAnswer() {
      next = Math.max(next, ANSWER);
    },
    alive: () => Math.max(seen, next - 1, 0),
  };
}

function createPlain(): Sequence {
  let next = 0;
  return {
    next: () => next++,
    text: (piece) => ({ number: next++, unseen: piece }),
    beginAnswer() {},
    alive: () => next++,
  };
}
