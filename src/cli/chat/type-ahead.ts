// What is typed while an answer is written: kept for the next prompt instead of being echoed into the answer, where it would
// also move the lines that are drawn again and again. The terminal is in raw mode for that, so Ctrl-C and Ctrl-Z are passed
// on to the process by hand.

export interface Key {
  name?: string;
  sequence?: string;
  ctrl?: boolean;
}

export interface HeldKey {
  text: string | undefined;
  key: Key;
}

export class TypeAhead {
  readonly #stdin: NodeJS.ReadStream;
  #held: HeldKey[] = [];
  #isHolding = false;
  #isPasting = false;

  constructor(stdin: NodeJS.ReadStream) {
    this.#stdin = stdin;
  }

  /** From now on keys are kept. Those of a chunk whose first line was just read, too. */
  hold(): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.#stdin.on("keypress", this.#keep);
    process.on("SIGCONT", this.#wake);
    this.#wake();
  }

  /** Gives the terminal back as it was: for a prompt, an editor, the end. */
  release(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.#stdin.off("keypress", this.#keep);
    process.off("SIGCONT", this.#wake);
    this.#stdin.setRawMode?.(false);
    this.#stdin.pause();
  }

  /** The first of the keys that were kept, and no longer kept. */
  next(): HeldKey | undefined {
    return this.#held.shift();
  }

  readonly #wake = () => {
    this.#stdin.setRawMode?.(true);
    this.#stdin.resume();
  };

  readonly #keep = (text: string | undefined, key: Key = {}) => {
    const { name, ctrl } = key;
    if (ctrl && name === "c") {
      // Who stops an answer does not want what was typed for the time after it.
      this.#held = [];
      process.kill(process.pid, "SIGINT");
    } else if (ctrl && name === "z") {
      this.#stdin.setRawMode?.(false);
      process.kill(process.pid, "SIGTSTP");
    } else if (name === "paste-start" || name === "paste-end") this.#isPasting = name === "paste-start";
    else {
      // Pasted lines stay together, as at the prompt.
      if (this.#isPasting && (name === "return" || name === "enter"))
        this.#held.push({ text: "\\", key: {} });
      this.#held.push({ text, key });
    }
  };
}
