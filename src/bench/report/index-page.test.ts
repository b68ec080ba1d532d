import { describe, expect, it } from "vitest";
import { toBenchRow } from "../../testing/bench-rows.ts";
import { createRehearsalSet } from "../../world/sets.ts";
import { toOverSets } from "../over-sets.ts";
import { toResults } from "../results.ts";
import { type IndexOptions, toIndexPage } from "./index-page.ts";

const EVIL = `<script>alert("1")</script>`;
const simulated = createRehearsalSet({ count: 1, seed: 1 });

function toEntry(set: string, folder: string, conductors: string[], isStopped = false) {
  const rows = conductors.flatMap((name, k) =>
    Array.from({ length: 40 }, (_, i) => toBenchRow(name, i, i % 4 > 1 - k)),
  );
  const results = toResults(rows, { seed: 1, isSimulated: false });
  const counts = { train: 50, validation: 10, test: 40 };
  const outcome = { set: { ...simulated, id: set, source: EVIL }, results, counts, isStopped };
  return { entry: { folder, outcome }, rows: { rows, results, seed: 1, isStopped } };
}

function toPage(made: ReturnType<typeof toEntry>[], parts: Partial<IndexOptions> = {}): string {
  return toIndexPage({
    entries: made.map(({ entry }) => entry),
    total: made.length,
    over: toOverSets(made.map(({ rows }) => rows)),
    command: "tutti bench --recording x",
    ...parts,
  });
}

describe("the page over several sets", () => {
  const page = toPage([
    toEntry(EVIL, "first set", ["best-single", "vote-3", EVIL]),
    toEntry("second", "second", ["best-single", "vote-3"]),
  ]);

  it("leads to the report of each set", () => {
    expect(page).toContain('href="./first%20set/report.html"');
    expect(page).toContain('<a href="./second/report.html">second</a>');
  });

  it("shows the mean and each set, and no mean for who was not measured on all", () => {
    const cells = (name: string) =>
      page
        .split("\n")
        .find((line) => line.includes(`<tr><td>${name}</td>`))!
        .match(/<td>[^<]*<\/td>/g)!
        .map((cell) => cell.slice(4, -5));
    expect(cells("vote-3").slice(1, 2)).toEqual(["75.0"]);
    expect(cells("vote-3")[3]).toMatch(/^\+25\.0 \(.*\) \*$/);
    expect(cells("vote-3").slice(-3)).toEqual(["1.00", "75.0", "75.0"]);
    expect(cells("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;").slice(1)).toEqual([
      ...["", "", "", ""],
      ...["100.0", ""],
    ]);
  });

  it("loads nothing and lets no name become markup", () => {
    expect(page).not.toMatch(/<script|src=|https?:/);
    expect(page).not.toContain("Not finished");
  });

  it("says so when sets are missing or stopped", () => {
    const one = toEntry("one", "one", ["best-single"]);
    expect(toPage([one], { total: 2 })).toContain("Not finished");
    expect(toPage([one, toEntry("two", "two", ["best-single"], true)])).toContain("Not finished");
  });
});
