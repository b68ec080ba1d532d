import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { type Run, toRun } from "../../../src/perform/run.ts";
import { fold } from "../../../src/perform/state.ts";
import type { RunEvent } from "../../../src/store/types.ts";
import { withoutContent } from "../../../src/store/without-content.ts";
import { toTurnEvents } from "../../../src/testing/belief.ts";
import { TurnList } from "./turn-list.tsx";
import { toTurns } from "./turns.ts";

const POOL = ["rehearsal/ada", "rehearsal/bo"];
const performed = (events: RunEvent[]): Run => toRun(fold(events)!);
const draw = (run: Run) => renderToStaticMarkup(<TurnList run={run} />);
/** What a screen reader reads of each turn: text alone, bars are hidden. */
const toRows = (markup: string) =>
  [...markup.matchAll(/<li class="turn".*?<\/table>|<li class="turn".*?weighed/gs)].map(([row]) =>
    row
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );

describe("turns", () => {
  it("have what was believed before and after: the last one what the run stopped with", () => {
    const run = performed(toTurnEvents(POOL));
    const turns = toTurns(run);
    expect(turns.map(({ number }) => number)).toEqual([0, 1]);
    expect(turns[0]!.after).toBe(turns[1]!.before);
    expect(turns[1]!.after).toBe(run.belief);
    expect(turns[1]!.asks[0]).toMatchObject({ said: "41", option: { worker: 1, role: "verifier" } });
    expect(turns[1]!.others).toMatchObject([{ worker: 0, role: "worker" }]);
  });

  it("know whom the Conductor named where somebody else replied", () => {
    const events = toTurnEvents(POOL).map((event) =>
      event.type === "step-start" && event.round === 1
        ? { ...event, worker: 0, instead: { worker: 1, reason: "it is away" } }
        : event.type === "step-end" && event.round === 1
          ? { ...event, worker: 0 }
          : event,
    );
    const [ask] = toTurns(performed(events))[1]!.asks;
    expect(ask!.option).toMatchObject({ worker: 1, role: "verifier" });
    expect(draw(performed(events))).toContain("instead of bo");
  });

  it("of a run under way, or that a limit ended, have no belief after the last one", () => {
    const events = toTurnEvents(POOL);
    const running = events.slice(0, events.findIndex((event) => "round" in event && event.round === 1) + 3);
    expect(toTurns(performed(running)).at(-1)).toMatchObject({ after: undefined, asks: [{ said: "" }] });
    expect(draw(performed(running))).toContain("No reply yet.");
    expect(draw(performed(running))).toContain("Not known yet.");
    const cut = [...events.filter((event) => !("round" in event) || event.round < 2)];
    expect(draw(performed(cut))).toContain("Nothing was decided after it.");
  });

  it("are drawn with every value in words beside its bar", () => {
    const markup = draw(performed(toTurnEvents(POOL)));
    const rows = toRows(markup);
    expect(rows[0]).toBe(
      "Turn 1 ada worker 42 gain 55.0, price 1.0 Before none right so far 100 % After 42 62 % none right so far 38 % Other asks Who Gain Price bo worker 50.0 2.0",
    );
    expect(rows[1]).toContain(
      "Before 42 62 % none right so far 38 % After 42 90 % 41 2 % none right so far 8 %",
    );
    expect(markup).toContain("stopped 90 % sure");
    expect(markup).toContain('style="width:62%"');
    expect(markup.match(/class="belief-track" aria-hidden="true"/g)).toHaveLength(8);
  });

  it("show what models wrote as text", () => {
    const markup = draw(performed(toTurnEvents(POOL, '<img src=x onerror="alert(1)">')));
    expect(markup).not.toContain("<img");
    expect(markup).toContain("&lt;img src=x");
  });

  it("are not there for runs without beliefs, nor for those whose content was deleted", () => {
    const stripped = toTurnEvents(POOL).flatMap((event) => withoutContent(event) ?? []);
    expect(draw(performed(stripped))).toBe("");
  });
});
