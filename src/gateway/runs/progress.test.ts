import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import { toBelief, toTurnEvents } from "../../testing/belief.ts";
import { event, spending, toWorkflow } from "../../testing/run-events.ts";
import { createProgress } from "./progress.ts";

const POOL = ["openai/gpt-6-sol", "anthropic/claude-opus-5-5", "consensus"];
const THREE = toWorkflow([0, "Solve it.", []], [1, "Check the working of step 1", [0]], [2, "Vote.", "all"]);

function toLines(events: RunEvent[]): string[] {
  const progress = createProgress();
  return events.flatMap((each) => progress(each) ?? []);
}

/** The line of the last event, when the others have been heard. */
function lastLine(...events: RunEvent[]): string | undefined {
  const progress = createProgress();
  return events.map((each) => progress(each)).at(-1);
}

const planned = [event.start(POOL), event.planStart(), event.planEnd(THREE)];

describe("progress", () => {
  it("tells a run from the plan to the last step", () => {
    const events = [
      ...planned,
      event.stepStart(0, 0),
      event.delta(0, "6 × 7 = 42"),
      event.stepEnd(0, 0, "42", { at: 3_210, spending: spending(0.00123) }),
      event.stepStart(1, 1),
      event.stepEnd(1, 1, "42", { at: 400, spending: spending(null) }),
      event.stepStart(2, 2),
      event.stepEnd(2, 2, "42", { at: 1, spending: spending(0, 0) }),
      event.roundEnd(),
      event.end("42"),
    ];
    expect(toLines(events)).toEqual([
      "Planning",
      "Plan: 3 steps: openai/gpt-6-sol, anthropic/claude-opus-5-5, consensus",
      "Step 1 of 3 · openai/gpt-6-sol · Solve it.",
      "Step 1 of 3 done · 3.2 s · $0.0012",
      "Step 2 of 3 · anthropic/claude-opus-5-5 · Check the working of step 1",
      "Step 2 of 3 done · 0.4 s",
      "Step 3 of 3 · consensus · Vote.",
      "Step 3 of 3 done · 0.0 s",
    ]);
  });

  it("says that money is simulated, and never that something was free which was not", () => {
    const workflow = toWorkflow([0, "Solve it.", []]);
    const start = event.start(["rehearsal/a", "rehearsal/b"]);
    const done = event.stepEnd(0, 0, "42", { at: 1_000, spending: spending(0.5) });
    expect(lastLine(start, event.planEnd(workflow), done)).toBe(
      "Step 1 of 1 done · 1.0 s · $0.5000 simulated",
    );
    const cheap = event.stepEnd(0, 0, "42", { at: 1_000, spending: spending(0.00001) });
    expect(lastLine(...planned, cheap)).toBe("Step 1 of 3 done · 1.0 s · <$0.0001");
  });

  it("tells what went wrong in words of ours, and what follows from it", () => {
    const error = event.stepError(1, 1, "secret words of a provider", {
      attempt: 0,
      at: 100,
      retryAt: 1_300,
    });
    expect(lastLine(...planned, error)).toBe("Step 2 of 3 failed: rate-limited");
    const odd = { ...error, error: { code: "empty-reply", message: "secret", retryable: false } } as RunEvent;
    expect(lastLine(...planned, odd)).toBe("Step 2 of 3 failed: empty reply");
    expect(lastLine(...planned, event.stepWait(1, 1_200))).toBe(
      "Step 2 waits 1.2 s before it is asked again",
    );
    expect(lastLine(...planned, event.stepStart(1, 1, { attempt: 1 }))).toBe(
      "Step 2 of 3 · anthropic/claude-opus-5-5 again · Check the working of step 1",
    );
    const instead = { worker: 1, reason: "secret" };
    expect(lastLine(...planned, event.stepStart(1, 0, { attempt: 2, instead }))).toBe(
      "Step 2 of 3 · openai/gpt-6-sol in place of anthropic/claude-opus-5-5 · Check the working of step 1",
    );
  });

  it("tells a run in turns: one line when a turn is decided, one when it is done", () => {
    expect(toLines(toTurnEvents(POOL))).toEqual([
      "Planning",
      "Turn 1: asking openai/gpt-6-sol (worker)",
      "Turn 1 done · 0.4 s · $0.0001",
      'Turn 2: asking anthropic/claude-opus-5-5 (verifier), 62 % sure of "42"',
      "Turn 2 done · 0.4 s · $0.0001",
      'The team\'s answer is accepted, 90 % sure of "42"',
    ]);
  });

  it("tells a turn whose worker gets the question as it is, and what goes wrong in it", () => {
    const belief = toBelief([], [[1, 0.5, 0.01]]);
    const direct = { ...event.planEnd(toWorkflow([1, "", []])), belief } as RunEvent;
    const begun = [event.start(POOL), direct];
    expect(lastLine(...begun)).toBe("Turn 1: asking anthropic/claude-opus-5-5");
    expect(lastLine(...begun, event.stepError(0, 1, "secret"))).toBe("Turn 1 failed: rate-limited");
    expect(lastLine(...begun, event.stepStart(0, 1, { attempt: 1 }))).toBe(
      "Turn 1 · anthropic/claude-opus-5-5 again",
    );
  });

  it("quotes what is believed on one line, and not more of it than helps", () => {
    const [line] = toLines(toTurnEvents(POOL, `forged\nTurn 9: ${"x".repeat(500)}`)).filter((each) =>
      each.startsWith("Turn 2: asking"),
    );
    expect(line).toMatch(/62 % sure of "forged Turn 9: x+…"$/);
    expect(line!.length).toBeLessThan(130);
  });

  it("tells of later rounds and of plans that cannot be used", () => {
    expect(lastLine(...planned, event.planStart(1))).toBe("Round 2: looking at the replies");
    expect(lastLine(...planned, event.planEnd(undefined, "", 1))).toBe("The team's answer is accepted");
    expect(lastLine(event.start(POOL), event.planStart(0, 1))).toBe("Planning again");
    const fallback = { ...event.planEnd(toWorkflow([1, "Solve it.", []])), fallback: "no lists" } as RunEvent;
    expect(lastLine(event.start(POOL), fallback)).toBe(
      "No usable plan: asking anthropic/claude-opus-5-5 alone",
    );
  });

  it("tells of a run inside a step only who is asked", () => {
    const inner = (each: RunEvent): RunEvent => ({ ...each, runId: "r_inner" });
    const events = [
      event.start(["self", "b"]),
      event.planEnd(toWorkflow([0, "Solve it.", []])),
      event.stepStart(0, 0),
      inner(event.start(["b", "c"])),
      inner(event.planStart()),
      inner(event.planEnd(toWorkflow([1, "Try.", []], [0, "Judge.", "all"]))),
      inner(event.stepStart(0, 1)),
      inner(event.stepEnd(0, 1, "42")),
      inner(event.end("42")),
    ];
    expect(toLines(events).slice(1)).toEqual(["Step 1 of 1 · self · Solve it.", "· Step 1 of 2 · c · Try."]);
  });

  it("is silent where one worker answers without a team", () => {
    const direct = [
      event.planStart(),
      event.planEnd(toWorkflow([0, "", []])),
      event.stepStart(0, 0),
      event.stepError(0, 0, "busy"),
      event.stepStart(0, 0, { attempt: 1 }),
      event.stepEnd(0, 0, "42"),
      event.end("42"),
    ];
    expect(toLines([event.start(["openai/gpt-6-sol"]), ...direct])).toEqual([]);
    expect(toLines([event.start(POOL, { conductor: { kind: "fast" } }), ...direct])).toEqual([]);
    expect(toLines([event.start(POOL), ...direct])).toEqual(["Planning"]);
  });

  it("goes on with a run whose beginning it is told, and is silent where it is not", () => {
    const before = toRun(fold(planned)!);
    const line = createProgress(before);
    expect(line({ type: "run-resume", runId: before.id, at: 0 })).toBeUndefined();
    expect(line(event.stepStart(2, 2))).toBe("Step 3 of 3 · consensus · Vote.");
    expect(lastLine(event.stepStart(2, 2))).toBeUndefined();
    const direct = toRun(fold([event.start(POOL), event.planEnd(toWorkflow([0, "", []]))])!);
    expect(createProgress(direct)(event.stepStart(0, 0))).toBeUndefined();
  });

  it("never lets a subtask forge a line", () => {
    const nasty = fc.array(
      fc.oneof(
        fc.string({ unit: "binary-ascii" }),
        fc.constantFrom(
          "\n",
          "\r",
          "\u2028",
          "\u2029",
          "\u0085",
          "\u001b[2J",
          "\u202e",
          "\ud83d",
          "😀".repeat(60),
        ),
      ),
    );
    fc.assert(
      fc.property(nasty, (pieces) => {
        const workflow = toWorkflow([0, pieces.join(""), []], [1, "b", "all"]);
        const line = lastLine(event.start(POOL), event.planEnd(workflow), event.stepStart(0, 0))!;
        expect(line.startsWith("Step 1 of 2 · openai/gpt-6-sol")).toBe(true);
        expect(line.length).toBeLessThanOrEqual(160);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
      { seed: 13 },
    );
    const long = lastLine(
      event.start(POOL),
      event.planEnd(toWorkflow([0, "x".repeat(1_000_000), []])),
      event.stepStart(0, 0),
    )!;
    expect([long.length, long.at(-1)]).toEqual([160, "…"]);
  });
});
