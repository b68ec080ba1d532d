import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createStyle } from "./style.ts";
import { type Column, toTable } from "./table.ts";
import { widthOf } from "./text-width.ts";

const columns: Column[] = [
  { title: "NAME", min: 6 },
  { title: "COST", align: "right" },
  { title: "NOTE", min: 4, isOptional: true },
];
const rows = [
  ["a long name indeed", "$1.00", "first note"],
  ["b", "$12.50", "second"],
];

describe("a table", () => {
  test("aligns its columns under their titles", () => {
    expect(toTable(columns, rows, 80)).toEqual([
      "NAME                  COST  NOTE",
      "a long name indeed   $1.00  first note",
      "b                   $12.50  second",
    ]);
  });

  test("narrows what is optional, then leaves it out, and only then narrows the rest", () => {
    expect(toTable(columns, rows, 34)[1]).toBe("a long name indeed   $1.00  first…");
    expect(toTable(columns, rows, 29)[1]).toBe("a long name indeed   $1.00");
    expect(toTable(columns, rows, 20)[1]).toBe("a long name…   $1.00");
  });

  test("leaves a column out that is empty in every row", () => {
    const [heading] = toTable(
      columns,
      rows.map(([name, cost]) => [name!, cost!, ""]),
      80,
    );
    expect(heading).not.toContain("NOTE");
  });

  test("is never wider than it may be, as long as what must stay fits", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "ß", "文", "é", " "), maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { minLength: 1 }),
        fc.integer({ min: 12, max: 60 }),
        (cells, width) => {
          const flexible: Column[] = [
            { title: "A", min: 3 },
            { title: "B", min: 3 },
          ];
          for (const line of toTable(flexible, cells, width))
            expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
      { seed: 1, numRuns: 200 },
    );
  });

  test("paints cells after they are cut and padded, by their row, and dims the heading", () => {
    const style = createStyle({ isTTY: true }, {});
    const painted = toTable(
      [{ title: "X", style: (text, row) => `<${row}:${text}>` }],
      [["one"], ["three"]],
      80,
      style,
    );
    expect(painted).toEqual([style.dim("X"), "<0:one  >", "<1:three>"]);
  });
});
