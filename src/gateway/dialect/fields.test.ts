import { createParser } from "eventsource-parser";
import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import type { Outcome } from "../types.ts";
import { readNumber, readSeed, readText, readTextMap, sse, toImagePart, toTuttiFields } from "./fields.ts";

function refusalOf(read: () => unknown): TuttiError {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(TuttiError);
    return error as TuttiError;
  }
  return expect.fail("it was taken");
}

describe("a field", () => {
  it("is refused with its whole path", () => {
    const { param, message } = refusalOf(() => readText({ url: 3 }, "url", "messages[2].content[0]"));
    expect(param).toBe("messages[2].content[0].url");
    expect(message).toBe('"messages[2].content[0].url" must be a text, not 3.');
  });

  it("is quoted in part where it is long", () => {
    const { message } = refusalOf(() => readNumber({ n: "9".repeat(1_000) }, "n"));
    expect(message.length).toBeLessThan(120);
  });

  it("may be a seed of any size, which is made exact", () => {
    expect(readSeed({ seed: -3 })).toBe(3);
    expect(readSeed({ seed: 2 ** 63 })).toBeLessThan(2 ** 53);
    expect(refusalOf(() => readSeed({ seed: Infinity })).param).toBe("seed");
  });

  it("may hold tags with the names of built-in things", () => {
    const metadata = JSON.parse('{"__proto__":"a","constructor":"b"}') as object;
    const read = readTextMap({ metadata }, "metadata");
    expect(Object.entries(read ?? {})).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
  });
});

describe("an image", () => {
  it.each<[string, string | undefined, string]>([
    ["data:image/png;base64,AAAA", undefined, "data:image/png;base64,AAAA"],
    ["DATA:image/png;base64,AAAA", undefined, "data:image/png;base64,AAAA"],
    ["data:image/svg+xml,%3Csvg/%3E", undefined, "data:image/svg+xml,%3Csvg/%3E"],
    ["data:;base64,AAAA", "image/jpeg", "data:;base64,AAAA"],
    ["https://example.com/a.png?b=c", undefined, "https://example.com/a.png?b=c"],
    ["HTTP://example.com/a", "image/webp", "HTTP://example.com/a"],
  ])("%s is taken", (url, mediaType, image) => {
    expect(toImagePart(url, mediaType)).toEqual({ type: "image", image, ...(mediaType && { mediaType }) });
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
    "data:image/png;base64,",
    "data:text/html,<p>",
    "data:application/pdf;base64,AAAA",
    "data:image/svg+xml,%ZZ",
  ])("%s is refused", (url) => {
    expect(refusalOf(() => toImagePart(url, undefined, "here"))).toMatchObject({
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
    const outcome = { head: { runId: "r_1" }, costUsd: 0.5, calls: 3, stopReason: "done" } as Outcome;
    const fields = { run_id: "r_1", cost_usd: 0.5, calls: 3, stop_reason: "done" };
    expect(toTuttiFields({ ...outcome, isSimulated: false })).toEqual(fields);
    expect(toTuttiFields({ ...outcome, isSimulated: true })).toEqual({ ...fields, simulated: true });
  });
});
