// What was proposed for which instruction, and earned nothing: saved with the training, so that nothing is tried twice and
// no instruction is tried to death.

/** After so many proposals in vain an instruction is left as it is. */
const MOST_TRIES = 6;

export class ProposalMemory {
  /** English sentences by the id of their parent; "" stands for what was refused. */
  readonly #tried: Map<string, string[]>;

  /** `saved` is what `toValues` gave. */
  constructor(saved: unknown = {}) {
    this.#tried = new Map(Object.entries(saved as Record<string, string[]>));
  }

  triedFor(parent: string): string[] {
    return (this.#tried.get(parent) ?? []).filter((text) => text !== "");
  }

  /** From 0, tried to death, to 1, never tried. */
  hopeOf(parent: string): number {
    const tries = this.#tried.get(parent)?.length ?? 0;
    return tries >= MOST_TRIES ? 0 : 1 / (1 + tries);
  }

  add(parent: string, text = ""): void {
    this.#tried.set(parent, [...(this.#tried.get(parent) ?? []), text]);
  }

  toValues(): Record<string, string[]> {
    return Object.fromEntries(this.#tried);
  }
}
