// A terminal for tests: takes what is written, obeys the few sequences that we use, and shows what a
// person would see. Anything else that begins with ESC stays visible, so that a test can find it.

const ESC = "\u001b";
const SEQUENCE = new RegExp(String.raw`${ESC}\[(\?25[lh]|\d*A|J|[\d;]*m)`, "y");

export class TestScreen {
  readonly isTTY = true;
  columns: number;
  rows = 30;
  /** Everything that was written, sequences included. */
  raw = "";
  #lines: string[] = [""];
  #row = 0;

  constructor(columns = 80) {
    this.columns = columns;
  }

  write(text: string): boolean {
    this.raw += text;
    for (let at = 0; at < text.length; ) {
      SEQUENCE.lastIndex = at;
      const sequence = SEQUENCE.exec(text);
      if (sequence) {
        this.#obey(sequence[1]!);
        at += sequence[0].length;
      } else this.#put(text[at++]!);
    }
    return true;
  }

  get lines(): string[] {
    return this.#lines.map((line) => line.trimEnd());
  }

  #obey(command: string): void {
    if (command.endsWith("A")) this.#row = Math.max(0, this.#row - Number(command.slice(0, -1) || 1));
    if (command === "J") this.#lines = [...this.#lines.slice(0, this.#row), ""];
  }

  #put(character: string): void {
    if (character === "\r") return; // Only ever written before the cursor goes up.
    if (character === "\n") {
      this.#row++;
      this.#lines[this.#row] ??= "";
    } else this.#lines[this.#row] += character;
  }
}
