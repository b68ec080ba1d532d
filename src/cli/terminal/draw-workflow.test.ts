import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Access } from "../../workflow/types.ts";
import { drawWorkflow } from "./draw-workflow.ts";
import { widthOf } from "./text-width.ts";

const NAMES = ["rehearsal/ada", "rehearsal/bo"];
const draw = (access: Access[], width = 80) =>
  drawWorkflow(
    { steps: access.map((entry, i) => ({ worker: i % 2, subtask: "work", access: entry })) },
    { nameOf: (worker) => NAMES[worker]!, width },
  );
const lines = (text: string) => text.split("\n").slice(1, -1);

describe("drawWorkflow", () => {
  it("draws two independent attempts that flow into the last step", () => {
    expect(draw([[], [], "all"])).toEqual(
      lines(`
╭─────────────────╮
│ 1 rehearsal/ada ├─╮
╰─────────────────╯ │
╭─────────────────╮ │
│ 2 rehearsal/bo  ├─┤
╰─────────────────╯ │
                    │  ╭─────────────────╮
                    ╰─▶│ 3 rehearsal/ada │ ▶ answer
                       ╰─────────────────╯
`),
    );
  });

  it("draws a fan-out of five steps in 60 columns, without the providers' names", () => {
    expect(draw([[], [0], [0], [0], [1, 2, 3]], 60)).toEqual(
      lines(`
╭───────╮
│ 1 ada ├─╮
╰───────╯ │
          │  ╭───────╮
          ├─▶│ 2 bo  ├─╮
          │  ╰───────╯ │
          │  ╭───────╮ │
          ├─▶│ 3 ada ├─┤
          │  ╰───────╯ │
          │  ╭───────╮ │
          ╰─▶│ 4 bo  ├─┤
             ╰───────╯ │
                       │  ╭───────╮
                       ╰─▶│ 5 ada │ ▶ answer
                          ╰───────╯
`),
    );
  });

  it("lets a line pass under another one that it does not belong to", () => {
    expect(draw([[], [], [1], [0], [2]])[4]).toBe("│ 2 rehearsal/bo  ├─│─╮");
  });

  it("draws no line to a step that sees nothing, although it comes last", () => {
    expect(draw([[], []]).join("\n")).not.toMatch(/[├▶]─|─▶/);
  });

  it("uses a line a step for many steps", () => {
    const many = draw([...Array.from({ length: 8 }, (): Access => []), "all"]);
    expect(many).toHaveLength(9);
    expect(many[0]).toBe("[ 1 rehearsal/ada ]─╮");
    expect(many[8]).toBe("                    ╰─▶[ 9 rehearsal/ada ] ▶ answer");
  });

  it("falls back to a list where there is no room to draw", () => {
    expect(draw([[], "all", "all"], 24)).toEqual([
      "1 rehearsal/ada",
      "2 rehearsal/bo ← 1",
      "3 rehearsal/ada ← 1 2",
    ]);
  });

  it("keeps to the width and shows every step, whatever the workflow", () => {
    const workflow = fc
      .integer({ min: 1, max: 7 })
      .chain((count) =>
        fc.tuple(
          ...Array.from({ length: count }, (_, i) =>
            fc.oneof(
              fc.constant("all" as const),
              i === 0 ? fc.constant<number[]>([]) : fc.subarray([...Array(i).keys()]),
            ),
          ),
        ),
      );
    fc.assert(
      fc.property(workflow, fc.integer({ min: 24, max: 120 }), (access, width) => {
        const drawing = draw(access, width);
        for (const line of drawing) expect(widthOf(line)).toBeLessThanOrEqual(width);
        for (const step of access.keys()) expect(drawing.join("\n")).toMatch(new RegExp(`\\b${step + 1} `));
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
