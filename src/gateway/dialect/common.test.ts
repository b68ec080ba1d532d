import { createParser } from "eventsource-parser";
import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { refusalOf } from "../../testing/gateway/refusal.ts";
import { ObjectReader } from "../http/object-reader.ts";
import type { ReplyOutcome } from "../types.ts";
import { readMetadata, readSeed, sse, toImagePart, toTuttiFields } from "./common.ts";

describe("a request", () => {
  it("may have a seed of any size, which is made exact", () => {
    expect(readSeed(new ObjectReader({ seed: -3 }))).toBe(3);
    expect(readSeed(new ObjectReader({ seed: 2 ** 63 }))).toBeLessThan(2 ** 53);
    expect(refusalOf(() => readSeed(new ObjectReader({ seed: Infinity }))).param).toBe("seed");
  });

  it("may hold tags with the names of built-in things", () => {
    const metadata = JSON.parse('{"__proto__":"a","constructor":"b"}') as object;
    const read = readMetadata(new ObjectReader({ metadata }));
    expect(Object.entries(read ?? {})).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
  });
});

describe("an image", () => {
  it.each([
    ["data:image/png;base64,AAAA", "data:image/png;base64,AAAA"],
    ["DATA:IMAGE/png;base64,AAAA", "data:IMAGE/png;base64,AAAA"],
    ["data:image/svg+xml,%3Csvg/%3E", "data:image/svg+xml,%3Csvg/%3E"],
    ["https://example.com/a.png?b=c", "https://example.com/a.png?b=c"],
    ["HTTP://example.com/a", "HTTP://example.com/a"],
  ])("%s is taken", (url, image) => {
    expect(toImagePart(url, "here")).toEqual({ type: "image", image });
  });

  it.each([
    "",
    "cat.png",
    "file:///etc/passwd",
    "ftp://example.com/a.png",
    "javascript:alert(1)",
    "https://",
    "https://[",
    "data:",
    "data:;base64,AAAA",
    "data:image/png;base64,",
    "data:text/html,<p>",
    "data:application/pdf;base64,AAAA",
    "data:image/svg+xml,%ZZ",
  ])("%s is refused", (url) => {
    expect(refusalOf(() => toImagePart(url, "here"))).toMatchObject({
      code: "bad-request",
      status: 400,
      param: "here",
    });
  });
});

describe("what all dialects write", () => {
  it("is one event for one object, whatever the text in it", () => {
    assert(
      property(string({ unit: "binary" }), (text) => {
        const events: unknown[] = [];
        createParser({ onEvent: ({ event, data }) => events.push([event, JSON.parse(data)]) }).feed(
          sse({ text }, "piece"),
        );
        expect(events).toEqual([["piece", { text }]]);
      }),
      { seed: 5 },
    );
  });

  it("says that a run was simulated only where it was", () => {
    const head = { runId: "r_1", request: { echo: {} } };
    const outcome = {
      head,
      costUsd: 0.5,
      cacheSavedUsd: 0,
      calls: 3,
      stopReason: "done",
    } as unknown as ReplyOutcome;
    const fields = { run_id: "r_1", cost_usd: 0.5, calls: 3, stop_reason: "done" };
    expect(toTuttiFields({ ...outcome, isSimulated: false })).toEqual(fields);
    expect(toTuttiFields({ ...outcome, isSimulated: true })).toEqual({ ...fields, simulated: true });
  });
});
