import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuClock } from "../testing/cpu-clock.ts";
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
  ])("takes the value %s", async (_, reply) => {
    expect(await readJsonOutput(reply, PERSON)).toEqual({ ok: true, text: '{"name":"Ada","age":36}' });
  });

  it("keeps the text as it was written, numbers included", async () => {
    const text = '{"big": 12345678901234567890, "one": 1.0}';
    expect(await readJsonOutput(text)).toEqual({ ok: true, text });
  });

  it.each([
    ["no JSON", "I would rather not.", /not JSON/],
    ["a missing member", '{"name":"Ada"}', /age/],
    ["a wrong type", '{"name":"Ada","age":"36"}', /age/],
    ["a member too many", '{"name":"Ada","age":36,"x":1}', /x/],
    ["half an object", '{"name":"Ada","age":', /not JSON/],
  ])("says what is wrong with %s", async (_, reply, problem) => {
    const read = await readJsonOutput(reply, PERSON);
    expect(read.ok ? "" : read.problem).toMatch(problem);
  });

  it("wants an object or an array where there is no schema", async () => {
    expect((await readJsonOutput("42")).ok).toBe(false);
    expect((await readJsonOutput("[42]")).ok).toBe(true);
  });

  it("takes any value that its schema allows", async () => {
    expect(await readJsonOutput("42", { type: "number" })).toEqual({ ok: true, text: "42" });
  });

  it("never throws, and what it takes is JSON", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `Well: ${json}!`),
        ),
        async (reply) => {
          const read = await readJsonOutput(reply);
          if (read.ok) expect(() => JSON.parse(read.text)).not.toThrow();
        },
      ),
      { seed: 5 },
    );
  });

  it("is done quickly with a long reply full of brackets", async () => {
    const cpuMs = startCpuClock();
    expect((await readJsonOutput("{[".repeat(200_000), PERSON)).ok).toBe(false);
    expect(cpuMs()).toBeLessThan(2_000);
  });

  const twice = ($ref: string) => ({ allOf: [{ $ref }, { $ref }] });
  const HOSTILE: [name: string, schema: Record<string, unknown>, reply: string][] = [
    [
      "a pattern that goes back and back",
      { properties: { name: { type: "string", pattern: "^(a+)+$" } } },
      `{"name":"${"a".repeat(50)}!"}`,
    ],
    [
      "the same in many values of one reply",
      { properties: { name: { type: "string", pattern: "^(a+)+$" } } },
      Array.from({ length: 60 }, () => `\`\`\`json\n{"name":"${"a".repeat(50)}!"}\n\`\`\``).join("\n"),
    ],
    ["patterns for names", { patternProperties: { "^(a|aa)+$": {} } }, `{"${"a".repeat(60)}!":1}`],
    [
      "references that double at each level",
      {
        $defs: {
          ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`d${i}`, twice(`#/$defs/d${i + 1}`)])),
          d40: {},
        },
        $ref: "#/$defs/d0",
      },
      "{}",
    ],
    [
      "all pairs of many items",
      { uniqueItems: true },
      JSON.stringify(Array.from({ length: 60_000 }, (_, i) => [i])),
    ],
    [
      "many branches and a long list, without any pattern",
      { anyOf: Array.from({ length: 20_000 }, () => ({ items: { type: "string" } })) },
      JSON.stringify(Array.from({ length: 20_000 }, () => 1)),
    ],
  ];

  it.each(HOSTILE)("ends on time and blocks nobody: %s", async (_, schema, reply) => {
    await readJsonOutput("1", { type: "number", pattern: "1" }); // a thread is there
    let beats = 0;
    const beat = setInterval(() => beats++, 5);
    const cpuMs = startCpuClock();
    const read = await readJsonOutput(reply, schema);
    clearInterval(beat);
    // Half a second for the whole reply, and what a busy machine adds.
    expect(cpuMs()).toBeLessThan(3_000);
    // A hundred on an idle machine, some on a busy one; none where this thread does the work.
    expect(beats).toBeGreaterThan(1);
    // The schema was the client's own: the reply is not lost by it.
    expect(read.ok).toBe(true);
  });

  it("finds in its thread what it finds here", async () => {
    const schema = {
      ...PERSON,
      properties: { ...PERSON.properties, name: { type: "string", pattern: "^[A-Z]" } },
    };
    expect(await readJsonOutput('It is {"name":"Ada","age":36}.', schema)).toEqual({
      ok: true,
      text: '{"name":"Ada","age":36}',
    });
    const read = await readJsonOutput('{"name":"ada","age":36}', schema);
    expect(read.ok ? "" : read.problem).toMatch(/name/);
  });
});
