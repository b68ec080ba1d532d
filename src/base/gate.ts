// At most so many pieces of work at the same time, whoever asks for them. First come, first served.

export interface Gate {
  readonly running: number;
  readonly waiting: number;
  enter<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(most: number): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiting.length;
    },
    async enter(work) {
      // Whoever leaves hands its place over, so that nobody slips in between.
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else running++;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running--;
      }
    },
  };
}
