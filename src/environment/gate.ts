// How many rollouts are performed at the same time, whoever asks for them: an engine sends hundreds at once,
// and providers refuse so many. First come, first served.

export interface RolloutGate {
  readonly running: number;
  readonly waiting: number;
  enter<T>(work: () => Promise<T>): Promise<T>;
}

export function createRolloutGate(most: number): RolloutGate {
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
