import { describe, expect, test } from "vitest";
import { fold } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import { event, toWorkflow } from "../../testing/run-events.ts";
import { toFallBackWords, toPlanLines, toPlanningLines, toReasoning } from "./plan-lines.ts";
import type { Scene } from "./step-lines.ts";
import { PLAIN } from "./style.ts";
import { widthOf } from "./text-width.ts";

const POOL = ["rehearsal/ada", "rehearsal/bo"];
const WORKFLOW = toWorkflow([0, "Solve it", []], [1, "Check it", "all"]);
const scene = (events: RunEvent[], columns = 80): Scene => ({
  state: fold(events)!,
  nested: new Map(),
  style: PLAIN,
  columns,
  now: 0,
  frame: 0,
});

describe("what a Conductor wrote before its lists", () => {
  test.each([
    ["Two ways.\nmodel_id = [0, 1]", "Two ways."],
    ["<think>Hm.</think>\nModel IDs: [0]", "Hm."],
    ["One line\nand its end.\n\nNext.\n```json", "One line and its end.\nNext."],
    ["Steps:\n- one\n- two\nsubtasks: []", "Steps:\n- one\n- two"],
    ['{ "steps": [] }', ""],
    ["Only words", "Only words"],
    ["red \u001b[31malert\u001b[0m", "red alert"],
  ])("%j → %j", (plan, reasoning) => {
    expect(toReasoning(plan)).toBe(reasoning);
  });
});

describe("while a plan is written", () => {
  const planning = [event.start(POOL), event.planStart()];

  test("the heading says who writes, and the last lines of the text are shown", () => {
    const lines = toPlanningLines(
      scene(planning),
      Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n"),
    );
    expect(lines[0]).toMatch(/is writing the plan$/);
    expect(lines.slice(1).map((line) => line.trim())).toEqual(
      [14, 15, 16, 17, 18, 19].map((i) => `line ${i}`),
    );
  });

  test("nothing of it is wider than the terminal", () => {
    for (const columns of [30, 50, 80])
      for (const line of toPlanningLines(scene(planning, columns), "word ".repeat(200)))
        expect(widthOf(line)).toBeLessThan(columns);
  });
});

describe("a plan that is there", () => {
  const planned = [
    event.start(POOL),
    event.planStart(),
    event.planEnd(WORKFLOW, "Two ways.\nmodel_id = [0, 1]"),
  ];

  test("says whose it is, how many steps it has, and why it is as it is", () => {
    const { state } = scene(planned);
    const [heading, ...rest] = toPlanLines(scene(planned, 200), state.rounds[0]!);
    expect(heading).toMatch(/^ {2}Plan by .* · 2 steps/);
    expect(rest.join("\n")).toContain("    Two ways.");
  });

  test("what our trained Conductor weighed is shown to those who want to see more", () => {
    const weighed = "Worth here, with 0.022 off for every call: 1 step −0.080, 3 steps −0.051.";
    const start = event.start(POOL);
    if (start.type !== "run-start") throw new Error("no start");
    const conductor = { kind: "native", checkpoint: "rehearsal", digest: "0123abcd" } as const;
    const events = [
      { ...start, settings: { ...start.settings, conductor } },
      event.planStart(),
      event.planEnd(WORKFLOW, `${weighed}\nmodel_id = [0, 1]`),
    ];
    const own = scene(events, 120);
    expect(toPlanLines(own, own.state.rounds[0]!).join("\n")).not.toContain("Worth");
    expect(toPlanningLines(own, `${weighed}\nmodel_id`).slice(1)).toEqual(["    model_id"]);
    const verbose = { ...own, isVerbose: true };
    expect(toPlanLines(verbose, own.state.rounds[0]!).join("\n")).toContain(weighed);
  });

  test("long reasoning is cut, and the cut is shown", () => {
    const long = [
      event.start(POOL),
      event.planStart(),
      event.planEnd(WORKFLOW, `${"- a reason\n".repeat(30)}model_id = [0]`),
    ];
    const lines = toPlanLines(scene(long), fold(long)!.rounds[0]!);
    expect(lines.filter((line) => line.includes("- a reason"))).toHaveLength(6);
    expect(lines.at(-1)!.trim()).toBe("…");
  });

  test("fits every width", () => {
    for (const columns of [40, 60, 100])
      for (const line of toPlanLines(scene(planned, columns), fold(planned)!.rounds[0]!))
        expect(widthOf(line), line).toBeLessThanOrEqual(columns);
  });
});

test("a fallback is told as one sentence, whatever ends its reason", () => {
  const words = "No plan: it was empty. The strongest worker answers alone.";
  expect(toFallBackWords("it was empty.")).toBe(words);
  expect(toFallBackWords("it was\nempty")).toBe(words);
});
