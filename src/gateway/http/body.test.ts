import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEEPEST, LARGE_BODY_BYTES, MOST_VALUES } from "../access/request-limits.ts";
import { parseBody } from "./body.ts";

const read = (text: string) => parseBody(Buffer.from(text));

describe("a body", () => {
  it("is what JSON says it is, small and large", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), async (value) => {
        const text = JSON.stringify(value);
        expect(await read(text)).toEqual(JSON.parse(text));
      }),
      { seed: 14, numRuns: 200 },
    );
    // Characters of two to four bytes across every border of a slice, quotes and backslashes at all distances.
    for (const unit of ["é漢😀", '\\" "', "\\\\\\", '"\\"\\\\"']) {
      const value = { a: unit.repeat(LARGE_BODY_BYTES / 4), b: [unit, { c: unit }] };
      const text = JSON.stringify(value);
      expect(text.length).toBeGreaterThan(LARGE_BODY_BYTES / 2);
      expect(await read(text)).toEqual(value);
      expect(await read(` ${text}`)).toEqual(value);
    }
  });

  it("may hold as much structure inside of its texts as it likes", async () => {
    const value = { a: `[{"${"[,{".repeat(MOST_VALUES)}` };
    expect(await read(JSON.stringify(value))).toEqual(value);
  });

  it.each([
    ["too many items", `{"a":[${"0,".repeat(MOST_VALUES)}0]}`, /more than 150000 values/],
    ["too many objects", `{"a":[${"{},".repeat(3_000_000)}0]}`, /more than 150000 values/],
    ["too many levels", `{"a":${"[".repeat(DEEPEST + 1)}${"]".repeat(DEEPEST + 1)}}`, /nested more than 200/],
    ["a text that does not end", `{"a":"${"x".repeat(LARGE_BODY_BYTES)}`, /not JSON/],
    ["a list", "[]", /must be a JSON object/],
    ["nothing", "", /it is empty/],
  ])("with %s is refused", async (_, text, words) => {
    await expect(read(text)).rejects.toMatchObject({
      code: "bad-request",
      message: expect.stringMatching(words),
    });
  });

  it("with bytes that are no UTF-8 is refused", async () => {
    for (const length of [10, LARGE_BODY_BYTES * 2]) {
      const raw = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(length, 0xff), Buffer.from('"}')]);
      await expect(parseBody(raw)).rejects.toThrow("not UTF-8");
    }
  });

  it("of the deepest kind is taken", async () => {
    const text = `{"a":${"[".repeat(DEEPEST)}${"]".repeat(DEEPEST)}}`;
    expect(await read(text)).toEqual(JSON.parse(text));
  });
});
