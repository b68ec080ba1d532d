import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spliceModel } from "./splice-model.ts";

const splice = (text: string, model = "other") => spliceModel(Buffer.from(text), model).toString();

describe("only the model's name changes", () => {
  test.each([
    ['{"model":"a","n":1.0}', '{"model":"other","n":1.0}'],
    ['{"seed":12345678901234567890,"model":"a"}', '{"seed":12345678901234567890,"model":"other"}'],
    ['{ "model" :\n\t"a" , "x":1e400 }\n', '{ "model" :\n\t"other" , "x":1e400 }\n'],
    ['{"model":"a","model":"b"}', '{"model":"other","model":"other"}'],
    ['{"m\\u006fdel":"a"}', '{"m\\u006fdel":"other"}'],
    [
      '{"a":{"model":"in"},"b":[{"model":"in"}],"model":"a"}',
      '{"a":{"model":"in"},"b":[{"model":"in"}],"model":"other"}',
    ],
    ['{"text":"\\"model\\":\\"x\\"","model":"a"}', '{"text":"\\"model\\":\\"x\\"","model":"other"}'],
    ['{"text":"ends with \\\\","model":"a"}', '{"text":"ends with \\\\","model":"other"}'],
    ['{"text":"}]{[","model":null}', '{"text":"}]{[","model":"other"}'],
    ['{"model":{"a":[1,"}"]},"b":2}', '{"model":"other","b":2}'],
    ['{"ключ":"модель 🎻","model":"é"}', '{"ключ":"модель 🎻","model":"other"}'],
    ["{}", "{}"],
    ['{"models":"a","Model":"b"}', '{"models":"a","Model":"b"}'],
  ])("%s", (before, after) => expect(splice(before)).toBe(after));

  test("the new name is written as JSON", () => {
    expect(splice('{"model":"a"}', 'a"b\\c/d')).toBe('{"model":"a\\"b\\\\c/d"}');
  });

  test("a body nested deeper than any stack", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect(splice(`{"deep":${deep},"model":"a"}`)).toBe(`{"deep":${deep},"model":"other"}`);
  });

  test("time grows with length, also where every character is escaped", () => {
    const text = JSON.stringify('"\\'.repeat(1_000_000));
    expect(splice(`{"text":${text},"model":"a"}`)).toBe(`{"text":${text},"model":"other"}`);
  });
});

test.each([
  "",
  "[]",
  '"model"',
  "{",
  '{"model"',
  '{"model":',
  '{"model":"a',
  '{"a":1 "model":"b"}',
  '{"a":,}',
  "{a:1}",
  '{"\\q":1}',
])("%s is refused as what it is", (text) =>
  expect(() => splice(text)).toThrow("The body is not a JSON object."),
);

test("any object: it parses to the same with another model, and all other bytes are the same", () => {
  const key = fc.oneof(fc.constant("model"), fc.constant("a"), fc.string({ unit: "grapheme" }));
  const space = fc.constantFrom("", " ", "\n", "\t ", "\r\n");
  const member = fc.tuple(key, fc.jsonValue(), space, space);
  fc.assert(
    fc.property(fc.array(member), fc.string(), (members, model) => {
      const parts: { text: string; isModel: boolean }[] = [{ text: "{", isModel: false }];
      for (const [number, [name, value, before, after]] of members.entries()) {
        const head = `${number > 0 ? "," : ""}${before}${JSON.stringify(name)}${after}:${before}`;
        parts.push({ text: head, isModel: false });
        parts.push({ text: JSON.stringify(value, null, number % 3), isModel: name === "model" });
        parts.push({ text: after, isModel: false });
      }
      parts.push({ text: "}", isModel: false });
      const before = parts.map(({ text }) => text).join("");
      const after = splice(before, model);

      const expected = parts.map(({ text, isModel }) => (isModel ? JSON.stringify(model) : text)).join("");
      expect(after).toBe(expected);
      const parsed = JSON.parse(before);
      if (Object.hasOwn(parsed, "model")) parsed.model = model;
      expect(JSON.parse(after)).toEqual(parsed);
    }),
    { seed: 5, numRuns: 500 },
  );
});
