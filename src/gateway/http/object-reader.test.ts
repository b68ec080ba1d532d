import { anything, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { refusalOf } from "../../testing/gateway/refusal.ts";
import { ObjectReader } from "./object-reader.ts";

const reader = (fields: object) => new ObjectReader({ ...fields });

describe("a field", () => {
  it("is refused with its whole path, and what would be right", () => {
    const [part] = reader({ messages: [{ content: [{ url: 3 }] }] })
      .objects("messages")
      .flatMap((message) => message.objects("content"));
    const { code, status, param, message } = refusalOf(() => part!.text("url"));
    expect({ code, status, param }).toEqual({
      code: "bad-request",
      status: 400,
      param: "messages[0].content[0].url",
    });
    expect(message).toBe('"messages[0].content[0].url" must be a text, not 3.');
  });

  it("is quoted in part where it is long", () => {
    const { message } = refusalOf(() => reader({ n: "9".repeat(1_000) }).number("n"));
    expect(message.length).toBeLessThan(120);
  });

  it("that is null is absent", () => {
    const empty = reader({ a: null });
    expect([empty.optionalText("a"), empty.flag("a"), empty.number("a"), empty.choice("a", ["x"])]).toEqual(
      Array(4).fill(undefined),
    );
    expect([empty.optionalObject("a"), empty.list("a")]).toEqual([undefined, []]);
    for (const read of [() => empty.text("a"), () => empty.object("a"), () => empty.oneOf("a", ["x"])])
      expect(refusalOf(read).param).toBe("a");
  });

  it.each([
    [{ min: 1, max: 3 }, 4, "a number from 1 to 3, not 4"],
    [{ min: 1, isWhole: true }, 1.5, "a whole number of 1 or more, not 1.5"],
    [{ max: 3 }, 4, "a number of 3 or less, not 4"],
    [{}, Infinity, "a number, not Infinity"],
    [{ isWhole: true }, 2 ** 60, `a whole number, not ${2 ** 60}`],
  ])("must be a number within %j", (bounds, n, words) => {
    expect(refusalOf(() => reader({ n }).number("n", bounds)).message).toBe(`"n" must be ${words}.`);
    expect(reader({ n: 2 }).number("n", bounds)).toBe(2);
  });

  it("of any kind is read or refused, and nothing else happens", () => {
    const reads = constantFrom<(body: ObjectReader) => unknown>(
      (body) => body.text("a"),
      (body) => body.flag("a"),
      (body) => body.number("a", { min: 0 }),
      (body) => body.objects("a"),
      (body) => body.textOrObjects("a", "a text or a list"),
      (body) => body.oneOf("a", ["x", "__proto__"]),
    );
    assert(
      property(anything(), reads, (a, read) => {
        try {
          read(reader({ a }));
        } catch (error) {
          expect(error).toMatchObject({ code: "bad-request" });
        }
      }),
      { seed: 5 },
    );
  });
});
