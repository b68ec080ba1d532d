// The text of a plan while its tokens are written: pieces that never change again, as soon as they are there.

/** Yields the text in pieces, and returns all tokens once they are written. */
export async function* streamText(
  toText: (tokens: readonly number[]) => string,
  write: (onToken: (tokens: readonly number[]) => void) => Promise<number[]>,
): AsyncGenerator<{ text: string }, number[]> {
  let soFar: readonly number[] = [];
  let isOver = false;
  let wake = () => {};
  const finished = write((tokens) => {
    soFar = [...tokens];
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  // Whoever stops listening in the middle must not leave an unhandled failure behind.
  finished.catch(() => {});
  let sent = 0;
  while (!isOver) {
    const seen = soFar;
    // A character whose bytes are not all there yet is shown as U+FFFD, and would change.
    const text = seen.length === 0 ? "" : toText(seen).replace(/\uFFFD+$/, "");
    if (text.length > sent) {
      yield { text: text.slice(sent) };
      sent = text.length;
    }
    if (!isOver && soFar === seen)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  const tokens = await finished;
  const text = toText(tokens);
  if (text.length > sent) yield { text: text.slice(sent) };
  return tokens;
}
