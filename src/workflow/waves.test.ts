import fc from "fast-check";
import { expect, test } from "vitest";
import type { Access, Workflow } from "./types.ts";
import { toDependencies, toWaves } from "./waves.ts";

function workflow(...access: Access[]): Workflow {
  return { steps: access.map((seen, i) => ({ worker: 0, subtask: `${i}`, access: seen })) };
}

test.each<[string, Workflow, number[][], number[][]]>([
  ["no steps", workflow(), [], []],
  ["one step", workflow([]), [[]], [[0]]],
  ["a chain", workflow([], [0], [1]), [[], [0], [0, 1]], [[0], [1], [2]]],
  [
    "independent attempts and one who joins them",
    workflow([], [], [], "all"),
    [[], [], [], [0, 1, 2]],
    [[0, 1, 2], [3]],
  ],
  ["the last step waits even for what it may not see", workflow([], [], []), [[], [], [0, 1]], [[0, 1], [2]]],
  ["all is only what comes before", workflow([], "all", []), [[], [0], [0, 1]], [[0], [1], [2]]],
  ["all on the first step", workflow("all", []), [[], [0]], [[0], [1]]],
  [
    "two branches",
    workflow([], [], [0], [1], [2, 3]),
    [[], [], [0], [1], [0, 1, 2, 3]],
    [[0, 1], [2, 3], [4]],
  ],
  [
    "positions out of order and twice",
    workflow([], [], [1, 0, 1], []),
    [[], [], [0, 1], [0, 1, 2]],
    [[0, 1], [2], [3]],
  ],
])("%s", (_, given, dependencies, waves) => {
  expect(toDependencies(given)).toEqual(dependencies);
  expect(toWaves(given)).toEqual(waves);
});

const anyWorkflow = fc
  .array(fc.oneof(fc.constant("all" as const), fc.array(fc.nat(1_000), { maxLength: 4 })), {
    minLength: 1,
    maxLength: 200,
  })
  .map((access) =>
    workflow(
      ...access.map((seen, i) =>
        seen === "all" ? seen : i === 0 ? [] : seen.map((position) => position % i),
      ),
    ),
  );

test("every step runs once, after all it waits for, and no later than it must", () => {
  fc.assert(
    fc.property(anyWorkflow, (given) => {
      const waves = toWaves(given);
      const waveOf = new Map(
        waves.flatMap((positions, wave) => positions.map((position) => [position, wave])),
      );
      expect(waves.flat().sort((a, b) => a - b)).toEqual(given.steps.map((_, position) => position));
      for (const [position, dependencies] of toDependencies(given).entries()) {
        const latest = Math.max(-1, ...dependencies.map((seen) => waveOf.get(seen)!));
        expect(waveOf.get(position)).toBe(latest + 1);
      }
      expect(waves.at(-1)).toEqual([given.steps.length - 1]);
    }),
    { seed: 1, numRuns: 200 },
  );
});
