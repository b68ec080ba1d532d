// The answer on standard output, as it is written or all at once: sanitised, and ended by a line feed.

import { createSanitiser } from "../terminal/sanitise.ts";

export class AnswerPrinter {
  readonly #stream: { write(text: string): unknown };
  readonly #sanitiser = createSanitiser();
  #received = "";
  #lastWritten = "";

  constructor(stream: { write(text: string): unknown }) {
    this.#stream = stream;
  }

  get hasBegun(): boolean {
    return this.#received !== "";
  }

  push(text: string): void {
    this.#received += text;
    this.#write(this.#sanitiser.push(text));
  }

  /** Writes what of the answer has not been written yet. Nothing at all for an empty answer. */
  end(answer: string): void {
    if (answer.startsWith(this.#received)) this.push(answer.slice(this.#received.length));
    else {
      // What was shown is not how the answer begins: better twice than not at all.
      this.#write("\n\n");
      this.push(answer);
    }
    this.#write(this.#sanitiser.end());
    if (this.#lastWritten !== "" && this.#lastWritten !== "\n") this.#write("\n");
  }

  #write(text: string): void {
    if (text === "") return;
    this.#lastWritten = text.at(-1)!;
    this.#stream.write(text);
  }
}
