import { describe, expect, it } from "vitest";
import { html } from "../../report/html.ts";
import { toBenchRow } from "../../testing/bench-rows.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import type { BenchOutcome } from "../bench.ts";
import { toResults } from "../results.ts";
import { toReport } from "./report.ts";

const EVIL = `<script>alert("1")</script>&'`;

function outcome(parts: Partial<BenchOutcome> = {}): BenchOutcome {
  const names = ["best-single", "vote-3", EVIL, "oracle"];
  const rows = names.flatMap((name, k) =>
    Array.from({ length: 60 }, (_, i) =>
      toBenchRow(name, i, (i * 7 + k) % 5 >= 2 - k / 2, {
        calls: k + 1,
        asked: Array(k + 1).fill(EVIL),
        family: i % 2 ? EVIL : "plain",
      }),
    ),
  );
  return {
    set: {
      kind: "recording",
      id: EVIL,
      source: EVIL,
      tasks: [],
      pool: { members: [] },
      grade: () => ({ score: 0, why: "" }),
      isInstant: true,
      samplesOf: () => 1,
    },
    pool: toPool([scriptedWorker(EVIL, "")]),
    counts: { train: 75, validation: 15, test: 60 },
    seed: 4,
    splitBy: "prompt",
    splitSeed: 9,
    results: toResults(rows, { seed: 4, isSimulated: false }),
    rows,
    refused: [{ conductor: "self-reflection", reason: `because ${EVIL}` }],
    equal: [
      {
        conductor: EVIL,
        by: "calls",
        samples: 3,
        worker: EVIL,
        outcome: { type: "not-compared", reason: "one sample" },
      },
    ],
    isSimulated: false,
    isStopped: false,
    ...parts,
  };
}

describe("the report", () => {
  const page = toReport(outcome(), "tutti bench --set x");

  it("loads nothing, runs nothing, and escapes what others wrote", () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|https?:/i);
    expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;");
    expect(page).not.toMatch(/ on\w+=/);
    expect(page).not.toMatch(/undefined|NaN|Infinity|\[object/);
  });

  it("is light and dark, and closes what it opens", () => {
    expect(page).toContain("color-scheme: light dark");
    for (const tag of ["table", "svg", "tr", "td", "div", "dl", "p", "text", "title"])
      expect([tag, page.split(`</${tag}>`).length]).toEqual([
        tag,
        page.split(new RegExp(`<${tag}[ >]`)).length,
      ]);
  });

  it("states split, seeds, n, pool, and who was refused and why", () => {
    for (const said of [
      "split seed 9",
      "75 for training",
      "60 for the test",
      "self-reflection: because",
      "one sample",
    ])
      expect(page).toContain(said);
    expect(page).toContain("<dt>seed</dt><dd>4</dd>");
  });

  it("says when it is simulated, when it is not finished, and only then", () => {
    expect(page).not.toMatch(/Simulated:|Not finished:/);
    const other = toReport(outcome({ isSimulated: true, isStopped: true }), "");
    expect(other).toContain("Simulated:");
    expect(other).toContain("Not finished:");
  });

  it("shows the split by family beside it, where there is one", () => {
    expect(page).not.toContain("never seen in training");
    const byFamily = outcome({ counts: { train: 41, validation: 5, test: 19 } });
    const both = toReport(outcome(), "", { byFamily });
    expect(both).toContain("On families of tasks never seen in training");
    expect(both).toContain("41 tasks to learn from, 19 test tasks of other families");
  });

  it("can be made of almost nothing", () => {
    const rows = [toBenchRow("vote-3", 0, true)];
    const results = toResults(rows, { seed: 1, isSimulated: false });
    const little = toReport(outcome({ rows, results, equal: [], refused: [] }), "");
    expect(little).not.toMatch(/undefined|NaN|Infinity/);
    expect(toReport(outcome({ rows: [], results: [], equal: [] }), "")).not.toMatch(/undefined|NaN|Infinity/);
  });
});

it("text in html is text, also in lists, and numbers are short", () => {
  expect(html`<b>${["a<b", html`<i>${1 / 3}</i>`]}${false}${undefined}</b>`.markup).toBe(
    "<b>a&lt;b<i>0.33</i></b>",
  );
});
