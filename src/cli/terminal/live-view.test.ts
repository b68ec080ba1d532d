import { describe, expect, it } from "vitest";
import { toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import { event, RUN_ID, spending, toWorkflow } from "../../testing/run-events.ts";
import { TestScreen } from "../../testing/screen.ts";
import { LiveView } from "./live-view.ts";

const ESC = "\u001b";
const POOL = ["rehearsal/ada", "rehearsal/bo", "rehearsal/cy"];
const WORKFLOW = toWorkflow(
  [0, "Solve it", []],
  [1, "Solve it another way", []],
  [2, "Compare both and answer", "all"],
);
const START = Date.UTC(2026, 10, 16, 12);

/** stdout and stderr of one terminal, or two pipes. */
function perform(events: RunEvent[], { isTerminal = true, isQuiet = false, columns = 80, at = 0 } = {}) {
  const screen = new TestScreen(columns);
  const toPipe = (sink: { text: string }) => ({
    write(text: string) {
      sink.text += text;
    },
  });
  const [out, err] = [{ text: "" }, { text: "" }];
  const view = new LiveView({
    stdout: isTerminal ? screen : toPipe(out),
    stderr: isTerminal ? screen : toPipe(err),
    env: {},
    isQuiet,
    now: () => START + at,
  });
  for (const one of events) view.event(one);
  const end = () => view.end(toRun(fold(events)!));
  if (events.at(-1)?.type === "run-end") end();
  view.pause();
  return { screen, out, err };
}

const plain = (lines: string[]) => lines.map((line) => line.replaceAll(/\s+/g, " ").trim());
const begun = [
  event.start(POOL),
  event.planStart(),
  event.planEnd(WORKFLOW, "Two ways, then compare.\nmodel_id = [0, 1, 2]"),
];
const whole = [
  ...begun,
  event.stepStart(0, 0),
  event.stepStart(1, 1),
  event.stepEnd(1, 1, "391", { at: 300 }),
  event.stepEnd(0, 0, "390", { at: 400 }),
  event.stepStart(2, 2, { at: 400 }),
  event.delta(2, "The answer ", true),
  event.delta(2, "is 391.", true),
  event.stepEnd(2, 2, "The answer is 391.", { at: 1200 }),
  event.roundEnd(),
  event.end("The answer is 391."),
];

describe("LiveView on a terminal", () => {
  it("leaves a page that tells the whole run", () => {
    const { screen } = perform(whole, { columns: 90 });
    expect(plain(screen.lines)).toEqual([
      "Rehearsal: simulated workers, simulated money.",
      "",
      "Plan by scripted-planner · 3 steps · 10 ms (the rehearsal has its own)",
      "Two ways, then compare.",
      "",
      "✓ 1 rehearsal/ada Solve it 0.4 s $0.0001 simulated",
      "✓ 2 rehearsal/bo Solve it another way 0.3 s $0.0001 simulated",
      "▸ 3 rehearsal/cy Compare both and answer ← all writing",
      "",
      "The answer is 391.",
      "",
      "✓ 3 rehearsal/cy Compare both and answer ← all 0.8 s $0.0001 simulated",
      "3 steps · 3 calls · 1.2 s · $0.0003 simulated · run r_test",
      "More: tutti runs show r_test",
      "",
    ]);
  });

  it("says why this Conductor plans on a line of its own where there is no room beside it, and once", () => {
    const why = "shipped weights, trained on the rehearsal, which is the pool";
    const one = toWorkflow([0, "Solve it", []]);
    const conductor = { kind: "native" as const, checkpoint: `${ESC}[31mrehearsal` };
    const settings = { rounds: 2, conductor, conductorReason: why };
    const { screen } = perform(
      [
        event.start(POOL, settings),
        ...[event.planStart(), event.planEnd(one), event.stepStart(0, 0), event.stepEnd(0, 0, "391")],
        ...[event.roundEnd(), event.planStart(1), event.planEnd(undefined, "", 1), event.end("391")],
      ],
      { columns: 60 },
    );
    const page = plain(screen.lines);
    const at = page.indexOf("Plan by native:rehearsal · 1 step · 10 ms");
    expect(page[at + 1]).toBe("(shipped weights, trained on the rehearsal, which is the…");
    expect(page.filter((line) => line.includes("shipped"))).toHaveLength(1);
  });

  it("gives the cursor back", () => {
    const { raw } = perform(whole).screen;
    expect(raw.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(raw.lastIndexOf(`${ESC}[?25l`));
  });

  it("shows running, waiting and pending steps, with a glimpse of what is written", () => {
    const screen = new TestScreen(90);
    const view = new LiveView({ stdout: screen, stderr: screen, env: {}, now: () => START + 500 });
    const events = [
      ...begun,
      event.stepStart(0, 0),
      event.stepStart(1, 1),
      event.delta(1, "17 times 20 is 340"),
    ];
    for (const one of [
      ...events,
      event.stepError(0, 0, 'Worker "rehearsal/ada" is rate limited (429).', { retryAt: 2500 }),
    ])
      view.event(one);
    view.event(event.stepWait(0, 2500));
    expect(plain(screen.lines).slice(5)).toEqual([
      "◌ 1 rehearsal/ada Solve it 0.5 s",
      "↻ rehearsal/ada is asked again in 2.0 s: it is rate limited (429).",
      expect.stringMatching(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] 2 rehearsal\/bo Solve it another way 0.5 s$/),
      "│ 17 times 20 is 340",
      "○ 3 rehearsal/cy Compare both and answer ← all",
      "",
    ]);
    view.pause();
    expect(plain(screen.lines).slice(5)).toEqual([""]);
  });

  it("says in words who was asked again and who took over", () => {
    const { screen } = perform([
      ...begun,
      event.stepStart(0, 0),
      event.stepError(0, 0, "the server is down", { retryAt: 10 }),
      event.stepStart(0, 0, { attempt: 1 }),
      event.stepError(0, 0, "the server is down", { attempt: 1 }),
      event.stepStart(0, 2, { attempt: 2, instead: { worker: 0, reason: "it failed" } }),
      event.stepEnd(0, 2, "391", { attempt: 2, at: 900, spending: spending(null) }),
    ]);
    expect(plain(screen.lines).slice(5, 8)).toEqual([
      "✓ 1 rehearsal/cy Solve it 0.9 s price unknown",
      "↻ rehearsal/ada was asked again: the server is down",
      "⇄ rehearsal/cy took over from rehearsal/ada: the server is down",
    ]);
  });

  it("puts a heading over each round and says when a round was accepted", () => {
    const one = toWorkflow([0, "Solve it", []]);
    const { screen } = perform([
      event.start(POOL, { rounds: 2 }),
      event.planStart(),
      event.planEnd(one),
      event.stepStart(0, 0),
      event.stepEnd(0, 0, "391"),
      event.roundEnd(),
      event.planStart(1),
      event.planEnd(undefined, "", 1),
      event.end("391"),
    ]);
    const page = plain(screen.lines);
    expect(page).toContain("Round 1");
    expect(page.slice(page.indexOf("Round 2"))).toEqual([
      "Round 2",
      "Accepted by scripted-planner · 10 ms",
      "",
      "391",
      "",
      "1 step · 1 call · 1.2 s · $0.0001 simulated · run r_test",
      "More: tutti runs show r_test",
      "",
    ]);
  });

  it.each([40, 60, 80, 120])("keeps every line within %i columns", (columns) => {
    const workflow = toWorkflow([0, "日本語の質問に答える ".repeat(20), []], [1, "x".repeat(300), "all"]);
    const { screen } = perform(
      [
        event.start(POOL),
        event.planStart(),
        event.planEnd(workflow, "y ".repeat(300)),
        event.stepStart(0, 0),
      ],
      { columns },
    );
    for (const line of screen.lines) expect([...line].length).toBeLessThan(columns);
  });

  it("lets no escape sequence of a model through, also when it comes in two pieces", () => {
    const evil = `a${ESC}]0;owned\u0007b\u202ec`;
    const workflow = toWorkflow([0, evil, []]);
    const { screen } = perform([
      event.start(POOL),
      event.planStart(),
      event.planEnd(workflow, evil),
      event.stepStart(0, 0),
      event.delta(0, `x${ESC}`, true),
      event.delta(0, "[2Jy\u009b", true),
      event.delta(0, "31mz", true),
      event.stepEnd(0, 0, `x${ESC}[2Jy\u009b31mz`),
      event.end(`x${ESC}[2Jy\u009b31mz`),
    ]);
    expect(screen.lines).toContain("xyz");
    expect(screen.raw).not.toContain("owned");
    for (const bad of [`${ESC}[2J`, "\u009b", "\u202e"]) expect(screen.raw).not.toContain(bad);
  });

  it("says why a run was stopped, and how to go on", () => {
    const cancelled = event.end("340", { stopReason: "cancelled" });
    const { screen } = perform([...begun, event.stepStart(0, 0), event.delta(0, "340"), cancelled]);
    expect(plain(screen.lines)).toContain("Stopped by you. This is the best answer so far.");
    expect(plain(screen.lines)).toContain(`Go on: tutti runs resume ${RUN_ID}`);
  });
});

describe("LiveView without a terminal", () => {
  it("writes the answer alone to stdout and plain lines to stderr", () => {
    const { out, err } = perform(whole, { isTerminal: false });
    expect(out.text).toBe("The answer is 391.\n");
    expect(err.text.split("\n")).toEqual([
      "Rehearsal: simulated workers, simulated money.",
      "Conductor: scripted-planner (the rehearsal has its own)",
      "step 2 of 3: rehearsal/bo done, 0.3 s, $0.0001 simulated",
      "step 1 of 3: rehearsal/ada done, 0.4 s, $0.0001 simulated",
      "step 3 of 3: rehearsal/cy done, 1.2 s, $0.0001 simulated",
      "3 steps · 3 calls · 1.2 s · $0.0003 simulated · run r_test",
      "More: tutti runs show r_test",
      "",
    ]);
  });

  it("lets no line break or escape sequence into the line about the Conductor", () => {
    const conductor = { kind: "custom" as const, id: `a${ESC}[2Jb` };
    const settings = { conductor, conductorReason: "named\nstep 1 of 1: done" };
    const { err } = perform([event.start(["gpt"], settings), event.planStart()], { isTerminal: false });
    expect(err.text).toBe("Conductor: ab (named step 1 of 1: done)\n");
  });

  it("says nothing but what is simulated and what went wrong when it is quiet", () => {
    const simulated = "Rehearsal: simulated workers, simulated money.\n";
    expect(perform(whole, { isTerminal: false, isQuiet: true }).err.text).toBe(simulated);
    const stopped = [...whole.slice(0, -1), event.end("The answer is 391.", { stopReason: "budget-usd" })];
    const { out, err } = perform(stopped, { isTerminal: false, isQuiet: true });
    expect(out.text).toBe("The answer is 391.\n");
    expect(err.text).toBe(
      `${simulated}Stopped: the next step could have gone over the budget of $1.00. This is the best answer so far.\n`,
    );
  });
});
