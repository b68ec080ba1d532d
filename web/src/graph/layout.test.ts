import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunRound, RunStep } from "../../../src/perform/run.ts";
import type { Access, Workflow } from "../../../src/workflow/types.ts";
import { type GraphLayout, layoutRounds, NODE } from "./layout.ts";
import { toGraphRounds } from "./model.ts";

/** A laptop of 1440 × 900: the page's margins beside it, its head and the bar above it. */
const LAPTOP = { width: 1376, height: 536 };
/** Node text is 12.5 px; below this share it is no longer read with ease. */
const READABLE = 0.72;

function toRounds(...workflows: Access[][]): RunRound[] {
  return workflows.map((accesses, round) => {
    const workflow: Workflow = { steps: accesses.map((access) => ({ worker: 0, subtask: "do", access })) };
    const steps = accesses.map((access, step) => ({ round, step, worker: 0, access }) as RunStep);
    return { workflow, steps } as RunRound;
  });
}

function zoomOf({ width, height }: GraphLayout): number {
  return Math.min(1, LAPTOP.width / width, LAPTOP.height / height);
}

const chain: Access[] = [[], [0], [1], [2], [3]];
const all: Access[] = [[], "all", "all", "all", "all"];
const wave: Access[] = [[], [], [], [], "all"];
const diamond: Access[] = [[], [0], [0], [0], [1, 2, 3]];
const pairs: Access[] = [[], [], [0, 1], [0, 1], "all"];

describe("layoutRounds", () => {
  it.each([
    ["chains", chain],
    ["chains in which everybody sees everything", all],
    ["waves", wave],
    ["diamonds", diamond],
    ["pairs", pairs],
  ])("has room for three rounds of five steps on a laptop: %s", (_, shape) => {
    const layout = layoutRounds(toGraphRounds(toRounds(shape, shape, shape)), LAPTOP);
    expect(zoomOf(layout)).toBeGreaterThan(READABLE);
  });

  const access = (position: number) =>
    fc.oneof(
      fc.constant<Access>("all"),
      fc.subarray(Array.from({ length: position }, (_, i) => i)) as fc.Arbitrary<Access>,
    );
  const workflows = fc
    .integer({ min: 1, max: 5 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => access(i)))) as fc.Arbitrary<
    Access[]
  >;

  it("never lets two steps overlap, and keeps each inside its round", () => {
    fc.assert(
      fc.property(
        fc.array(workflows, { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 320, max: 1600 }),
        (shapes, width) => {
          const layout = layoutRounds(toGraphRounds(toRounds(...shapes)), { width, height: 536 });
          const nodes = Object.entries(layout.nodes);
          expect(nodes).toHaveLength(shapes.flat(1).length);
          for (const [i, [id, a]] of nodes.entries()) {
            const box = layout.rounds[Number(id.split(".")[0])]!;
            expect(a.x >= box.x && a.x + NODE.width <= box.x + box.width + 0.01).toBe(true);
            expect(a.y >= box.y && a.y + NODE.height <= box.y + box.height + 0.01).toBe(true);
            for (const [, b] of nodes.slice(i + 1)) {
              const isApart = Math.abs(a.x - b.x) >= NODE.width || Math.abs(a.y - b.y) >= NODE.height;
              expect(isApart).toBe(true);
            }
          }
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });

  it("puts rounds side by side, and below each other where it is narrow", () => {
    const rounds = toGraphRounds(toRounds(chain, chain));
    const wide = layoutRounds(rounds, LAPTOP);
    expect(wide.rounds[1]!.x).toBeGreaterThan(wide.rounds[0]!.x + wide.rounds[0]!.width);
    const narrow = layoutRounds(rounds, { width: 360, height: 536 });
    expect(narrow.rounds[1]!.y).toBeGreaterThan(narrow.rounds[0]!.y + narrow.rounds[0]!.height);
  });

  it.each([6, 9, 12])(
    "stays readable with %i rounds of one step: they break into rows, like words",
    (count) => {
      const turns = Array.from({ length: count }, (): Access[] => ["all-rounds"]);
      const layout = layoutRounds(toGraphRounds(toRounds(...turns, [])), LAPTOP);
      expect(zoomOf(layout)).toBeGreaterThan(READABLE);
      const order = layout.rounds.map(({ x, y }) => y * 10_000 + x);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(new Set(layout.rounds.map(({ y }) => y)).size).toBeGreaterThan(1);
    },
  );

  it("has a place for a round that has no plan yet", () => {
    const layout = layoutRounds(toGraphRounds(toRounds(chain, [])), LAPTOP);
    expect(layout.rounds).toHaveLength(2);
  });
});

describe("toGraphRounds", () => {
  it("tells what a step sees from what it only waits for", () => {
    const [round] = toGraphRounds(toRounds([[], [], [0]]));
    expect(round!.edges.map(({ id, kind }) => `${id} ${kind}`)).toEqual(["0.0-0.2 sees", "0.1-0.2 waits"]);
  });

  it("draws no line for a wait that others have for it", () => {
    const [round] = toGraphRounds(toRounds([[], [0], [1]]));
    expect(round!.edges.map(({ id }) => id)).toEqual(["0.0-0.1", "0.1-0.2"]);
  });

  it("knows who sees the round before", () => {
    expect(toGraphRounds(toRounds([[]], ["all", [0]]))[1]!.seeBefore).toEqual(["1.0"]);
  });
});
