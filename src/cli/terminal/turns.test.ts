// A run that was decided turn by turn, wherever the terminal shows it: live, in a log, and as a trace.

import { describe, expect, it } from "vitest";
import { toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import { toTurnEvents } from "../../testing/belief.ts";
import { TestScreen } from "../../testing/screen.ts";
import { toTrace } from "../runs/show-run.ts";
import { LiveView } from "./live-view.ts";
import { PLAIN } from "./style.ts";

const POOL = ["rehearsal/ada", "rehearsal/bo"];
const HOSTILE = `forty\u001b[31m\ntwo ${"x".repeat(300)}`;

function toLive(events: RunEvent[], columns = 80): TestScreen {
  const screen = new TestScreen(columns);
  const view = new LiveView({ stdout: screen, stderr: screen, env: { NO_COLOR: "1" }, now: () => 0 });
  for (const each of events) view.event(each);
  view.end(toRun(fold(events)!));
  return screen;
}

function toLog(events: RunEvent[]): string {
  let text = "";
  const stderr = { write: (more: string) => (text += more) };
  const view = new LiveView({ stdout: { write: () => true }, stderr, env: {}, now: () => 0 });
  for (const each of events) view.event(each);
  view.end(toRun(fold(events)!));
  return text;
}

function toShown(events: RunEvent[], columns = 90): string[] {
  return toTrace(fold(events)!, { style: PLAIN, columns, now: 0, withMessages: false, nested: new Map() });
}

describe("a run in turns", () => {
  it("is told live: before each ask what is believed, and what the ask is worth", () => {
    const shown = toLive(toTurnEvents(POOL)).lines;
    expect(shown).toContain("  Turn 1 nothing has been answered yet");
    expect(shown).toContain("  asks rehearsal/ada as worker: gain 55.0 points, price 1.0");
    expect(shown).toContain('  Turn 2 "42" 62 %, none right 38 %');
    expect(shown).toContain("  asks rehearsal/bo as verifier: gain 11.0 points, price 2.0");
    expect(shown).toContain('  Accepted "42" 90 %, "41" 2 %, none right 8 %');
    expect(shown.join("\n")).not.toMatch(/Round|Plan by/);
    expect(shown.filter((line) => line.includes("by in-turns"))).toHaveLength(1);
  });

  it("is told with how probably a worker is right, and how far that may be off, where it was measured", () => {
    const events = toTurnEvents(POOL).map((event): RunEvent => {
      if (event.type !== "run-start") return event;
      const profile = { success: 0.5, tasks: 40, topics: {}, probability: 0.618, standardError: 0.087 };
      return { ...event, pool: event.pool.map((entry, i) => (i === 0 ? { ...entry, profile } : entry)) };
    });
    const shown = toLive(events).lines;
    expect(shown).toContain("  asks rehearsal/ada as worker, 62 % ± 9 right: gain 55.0 points, price 1.0");
    expect(shown).toContain("  asks rehearsal/bo as verifier: gain 11.0 points, price 2.0");
  });

  it("is told in a log: a line for what is decided, a line for who is done", () => {
    const lines = toLog(toTurnEvents(POOL)).trim().split("\n");
    const asked = "asks rehearsal/bo as verifier: gain 11.0 points, price 2.0";
    expect(lines).toContain(`turn 2: "42" 62 %, none right 38 %; ${asked}`);
    expect(lines.some((line) => line.startsWith("turn 2: rehearsal/bo done, "))).toBe(true);
    expect(lines).toContain('accepted: "42" 90 %, "41" 2 %, none right 8 %');
    expect(lines.join("\n")).not.toMatch(/round \d|step \d/);
  });

  it("is told as a trace, without drawings of one step", () => {
    const lines = toShown(toTurnEvents(POOL));
    expect(lines).toContain('  believed  "42" 62 %, none right 38 %');
    expect(lines).toContain("  asked     rehearsal/bo as verifier: gain 11.0 points, price 2.0");
    expect(lines.filter((line) => /^Turn \d by in-turns/.test(line))).toHaveLength(3);
    expect(lines.join("\n")).not.toMatch(/[┌╭│]/);
  });

  it("shows no more of an answer than fits, and nothing that a terminal would obey", () => {
    const events = toTurnEvents(POOL, HOSTILE);
    const believed = toShown(events).filter((line) => line.includes("believed"));
    expect(believed[1]).toMatch(/^ {2}believed {2}"forty two x+…" 62 %, none right 38 %$/);
    const head = toLive(events, 40).lines.filter((line) => /^ {2}(Turn|Accepted|asks)/.test(line));
    for (const line of head) expect(line.length).toBeLessThan(40);
    expect(toLog(events)).not.toContain("\u001b");
  });

  it("without beliefs, as older journals are, is a run in rounds as ever", () => {
    const old = toTurnEvents(POOL).map((event) => {
      if (event.type !== "plan-end") return event;
      const { belief: _, ...rest } = event;
      return rest;
    });
    expect(toLive(old).lines).toContain("  Round 2");
    expect(toLog(old)).toContain("round 2\n");
    expect(toShown(old).some((line) => line.startsWith("Round 2"))).toBe(true);
    expect(toShown(old).join("\n")).not.toContain("believed");
  });
});
