// Somebody who builds with the library: TypeScript with every check on, a worker of their own, streaming, stopReason.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const PROGRAM = `import { createTutti, isTuttiError, type Worker } from "tutti";

const adder: Worker = {
  id: "mine/adder",
  kind: "model",
  async *ask({ messages }) {
    const numbers = JSON.stringify(messages).match(/\\d+/g) ?? [];
    yield { type: "text-delta", text: "Answer: " };
    yield { type: "text-delta", text: String(Number(numbers[0]) + Number(numbers[1])) };
    yield { type: "finish", usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 }, reason: "stop" };
  },
};
const tutti = createTutti({ workers: [{ worker: adder, price: { inputUsd: 0, outputUsd: 0 } }], store: "memory", consensus: false });
const stream = tutti.stream("17 plus 25");
let pieces = 0;
for await (const event of stream) if (event.type === "step-delta" && event.answer) pieces++;
const run = await stream.result;
console.log(run.answer, run.stopReason, pieces > 0);
await tutti.close();
const error = await tutti.ask("again").catch((reason: unknown) => reason);
console.log(isTuttiError(error), error instanceof Error && error.message);
`;

export function library(folder) {
  writeFileSync(join(folder, "mine.mts"), PROGRAM);
  const options =
    "--ignoreConfig --strict --skipLibCheck false --module NodeNext --moduleResolution NodeNext --target ES2023 --types node";
  return {
    name: "the library",
    steps: [
      {
        run: `npx tsc ${options} --rootDir . --outDir built --noEmit false --declaration false mine.mts`,
        never: [/error TS/],
      },
      {
        run: "node built/mine.mjs",
        says: [/Answer: 42 answered true|Answer: 42 \S+ true/, /true This Tutti is closed/],
      },
    ],
  };
}
