// The order of test files: the longest first, so that none of them runs alone at the end while other cores idle.
// Apart from Vitest's own cache of durations, which a fresh clone and CI do not have.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of five seconds and more on two cores, the longest first. `test:quick` leaves out those marked so. */
export const SLOW_FILES: readonly { file: string; isInQuick: boolean }[] = [
  { file: "faults/faults.test.mjs", isInQuick: false },
  { file: "src/task/sets/bombs.test.ts", isInQuick: false },
  { file: "src/task/sandbox/quickjs.test.ts", isInQuick: false },
  { file: "src/cli/config/trust.test.ts", isInQuick: false },
  { file: "src/gateway/packed.test.ts", isInQuick: false },
  { file: "src/gateway/load.test.ts", isInQuick: false },
  { file: "web/e2e/everywhere.test.ts", isInQuick: false },
  { file: "src/gateway/faults.test.ts", isInQuick: false },
  { file: "src/task/code/grade-code.test.ts", isInQuick: true },
  { file: "src/cli/main.test.ts", isInQuick: true },
  { file: "src/task/code/forged-grades.test.ts", isInQuick: false },
  { file: "src/task/grade/hostile-replies.test.ts", isInQuick: false },
  { file: "web/e2e/ask.test.ts", isInQuick: false },
  { file: "web/e2e/look-after.test.ts", isInQuick: false },
  { file: "src/cli/pool/calibrate.test.ts", isInQuick: true },
  { file: "src/perform/budget.test.ts", isInQuick: true },
  { file: "src/learn/train.test.ts", isInQuick: true },
  { file: "src/cli/rl/rl.test.ts", isInQuick: true },
  { file: "src/cli/bench/bench.test.ts", isInQuick: true },
  { file: "src/workflow/parse-properties.test.ts", isInQuick: true },
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = SLOW_FILES.findIndex(({ file }) => moduleId.endsWith(`/${file}`));
      return rank === -1 ? SLOW_FILES.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
