// Joins what is wanted while a statement is under way into the next one: a database that answers slowly gets fewer of them.

/**
 * `work` gets what was added since it was called last, and gives a result for each. So many calls at a time as `lanes`.
 * `lingerMs`: the first waits so long for others, where nobody is in a hurry.
 */
export function createBatch<Item, Result>(
  work: (items: Item[]) => Promise<readonly Result[]>,
  { most = 500, lanes = 1, lingerMs = 0 } = {},
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item;
    resolve(result: Result): void;
    reject(error: unknown): void;
  }
  const waiting: Waiting[] = [];
  let working = 0;

  async function run(): Promise<void> {
    // Whatever is added in this turn of the event loop goes along.
    await new Promise<void>((resolve) => {
      if (lingerMs > 0) setTimeout(resolve, lingerMs);
      else setImmediate(resolve);
    });
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      try {
        const results = await work(batch.map(({ item }) => item));
        for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    working--;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (working === lanes) return;
      working++;
      void run();
    });
}
