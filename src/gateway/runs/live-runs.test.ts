import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Run } from "../../perform/run.ts";
import type { RunEvent } from "../../store/types.ts";
import { runEnd, runStart, stepDelta } from "../../testing/events.ts";
import { createPlace, LiveRun, type Place } from "./live-runs.ts";

/** A run that a test performs event by event. */
function perform() {
  let wake = () => {};
  const waiting: RunEvent[] = [];
  let isOver = false;
  async function* events(): AsyncGenerator<RunEvent> {
    while (!isOver || waiting.length > 0) {
      for (let event = waiting.shift(); event; event = waiting.shift()) yield event;
      if (!isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const result = Promise.resolve({ id: "r_a" } as Run);
  const stream = { runId: "r_a", result, [Symbol.asyncIterator]: events };
  const live = new LiveRun(stream, { goesOn: true, stop: () => {} });
  return {
    live,
    tell(...more: RunEvent[]) {
      for (const event of more) waiting.push(event);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
}

const piece = (text: string, more: object = {}): RunEvent =>
  ({ ...stepDelta("r_a", text), ...more }) as RunEvent;
const textOf = (events: readonly RunEvent[]) =>
  events.map((event) => (event.type === "step-delta" ? event.text : "")).join("");

async function readAll(live: LiveRun, place: Place = createPlace()): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for (let events = await live.next(place); events; events = await live.next(place)) all.push(...events);
  return all;
}

describe("pieces of text", () => {
  it("of which there are a hundred thousand are kept as some tens, and read whole by who comes late", async () => {
    const { live, tell, end } = perform();
    const count = 100_000;
    tell(
      runStart("r_a"),
      ...Array.from({ length: count }, (_, i) => piece(String(i % 10))),
      runEnd("r_a", "x"),
    );
    const early = readAll(live);
    end();
    await live.result;
    expect(live.events.length).toBeLessThan(100);
    const expected = Array.from({ length: count }, (_, i) => String(i % 10)).join("");
    expect(textOf(await early)).toBe(expected);
    expect(textOf(await readAll(live))).toBe(expected);
  });

  it("of other steps, attempts, channels and runs stay apart", async () => {
    const { live, tell, end } = perform();
    const others = [
      { step: 1 },
      { attempt: 1 },
      { channel: "reasoning" },
      { runId: "r_b" },
      { answer: true },
    ];
    tell(...others.flatMap((more) => [piece("a"), piece("b", more)]), piece(""), piece("c"), piece("d"));
    end();
    await live.result;
    expect(live.events.map((event) => (event.type === "step-delta" ? event.text : ""))).toEqual([
      ...others.flatMap(() => ["a", "b"]),
      "",
      "cd",
    ]);
  });

  it("come to every reader once and in order, however they are cut and whenever it reads", async () => {
    const event = fc.oneof(
      { weight: 5, arbitrary: fc.string({ maxLength: 3_000 }).map((text) => piece(text)) },
      fc.constant(runStart("r_a")),
      fc.string({ maxLength: 4 }).map((text) => piece(text, { channel: "reasoning" })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(event, { maxLength: 90 }), { maxLength: 6 }), async (parts) => {
        const { live, tell, end } = perform();
        const place = createPlace();
        const read: RunEvent[] = [];
        const readers = [readAll(live)];
        for (const part of parts) {
          tell(...part);
          await turn();
          if (part.length > 0 && live.events.length > place.index)
            read.push(...((await live.next(place)) ?? []));
          readers.push(readAll(live));
        }
        end();
        read.push(...(await readAll(live, place)));
        const said = textOf(parts.flat());
        for (const events of [read, ...(await Promise.all(readers))]) {
          expect(textOf(events)).toBe(said);
          expect(events.filter(({ type }) => type === "run-start").length).toBe(
            parts.flat().filter(({ type }) => type === "run-start").length,
          );
        }
      }),
      { seed: 14, numRuns: 60 },
    );
  });
});

it("gives a reader that is far behind some events at a time", async () => {
  const { live, tell, end } = perform();
  tell(...Array.from({ length: 1_000 }, () => runStart("r_a")));
  end();
  await live.result;
  expect((await live.next(createPlace()))!.length).toBeLessThan(100);
  expect(await readAll(live)).toHaveLength(1_000);
});

it("lets a reader go that has left", async () => {
  const { live } = perform();
  const left = new AbortController();
  const reading = live.next(createPlace(), left.signal);
  left.abort();
  live.wake();
  expect(await reading).toBeUndefined();
});
