import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonOutput } from "./json-output.ts";

const PERSON = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
  required: ["name", "age"],
  additionalProperties: false,
};

describe("readJsonOutput", () => {
  it.each([
    ["alone", '{"name":"Ada","age":36}'],
    ["with space around", '\n {"name":"Ada","age":36} \n'],
    ["in a fence", 'Here it is:\n```json\n{"name":"Ada","age":36}\n```\nDone.'],
    ["in prose", 'The person is {"name":"Ada","age":36}, as asked.'],
    ["behind another bracket", 'See [1]. {"name":"Ada","age":36}'],
  ])("takes the value %s", (_, reply) => {
    expect(readJsonOutput(reply, PERSON)).toEqual({ ok: true, text: '{"name":"Ada","age":36}' });
  });

  it("keeps the text as it was written, numbers included", () => {
    const text = '{"big": 12345678901234567890, "one": 1.0}';
    expect(readJsonOutput(text)).toEqual({ ok: true, text });
  });

  it.each([
    ["no JSON", "I would rather not.", /not JSON/],
    ["a missing member", '{"name":"Ada"}', /age/],
    ["a wrong type", '{"name":"Ada","age":"36"}', /age/],
    ["a member too many", '{"name":"Ada","age":36,"x":1}', /x/],
    ["half an object", '{"name":"Ada","age":', /not JSON/],
  ])("says what is wrong with %s", (_, reply, problem) => {
    const read = readJsonOutput(reply, PERSON);
    expect(read.ok ? "" : read.problem).toMatch(problem);
  });

  it("wants an object or an array where there is no schema", () => {
    expect(readJsonOutput("42").ok).toBe(false);
    expect(readJsonOutput("[42]").ok).toBe(true);
  });

  it("takes any value that its schema allows", () => {
    expect(readJsonOutput("42", { type: "number" })).toEqual({ ok: true, text: "42" });
  });

  it("never throws, and what it takes is JSON", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `Well: ${json}!`),
        ),
        (reply) => {
          const read = readJsonOutput(reply);
          if (read.ok) expect(() => JSON.parse(read.text)).not.toThrow();
        },
      ),
      { seed: 5 },
    );
  });

  it("is done quickly with a long reply full of brackets", () => {
    const startedAt = performance.now();
    expect(readJsonOutput("{[".repeat(200_000), PERSON).ok).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
