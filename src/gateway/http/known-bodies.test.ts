// A body that begins like an earlier one is read as if it came alone, whatever was changed in it; and what is the same in both
// is the same object.

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_VALUES } from "../access/request-limits.ts";
import { parseBody } from "./body.ts";
import { KnownBodies } from "./known-bodies.ts";
import type { Fields } from "./object-reader.ts";

/** Long enough to be kept. */
const SYSTEM = { role: "system", content: "Read all of it. ".repeat(2_000) };
const turn = (number: number) => ({
  role: "user",
  content: `Turn ${number} with "quotes", ] } and \\ é漢😀`,
});
const toText = (messages: unknown[], more: object = { tools: [{ name: "read" }] }) =>
  JSON.stringify({ model: "tutti", messages, ...more });

const start = (now?: () => number) => {
  const known = new KnownBodies(now);
  return (text: string, owner = "me") => parseBody(Buffer.from(text), { known, owner });
};
const toItems = (body: Fields, name = "messages") => body[name] as object[];
/** How many items at the beginning are the very same objects. */
const sharedBy = (a: Fields, b: Fields, name?: string) => {
  const [one, other] = [toItems(a, name), toItems(b, name)];
  const differs = one.findIndex((item, at) => item !== other[at]);
  return differs < 0 ? one.length : differs;
};

describe("a conversation that comes again, longer", () => {
  it("has the same messages as before, and all that is new", async () => {
    const read = start();
    let messages: object[] = [SYSTEM];
    let before = await read(toText(messages));
    for (let number = 0; number < 20; number++) {
      messages = [...messages, turn(number), turn(-number)];
      const body = await read(toText(messages));
      expect(body).toEqual(JSON.parse(toText(messages)));
      expect(sharedBy(before, body)).toBe(toItems(before).length);
      before = body;
    }
  });

  it("is known by its input too, and where a field behind it has changed", async () => {
    const read = start();
    const input = [SYSTEM, turn(1)];
    const first = await read(JSON.stringify({ model: "m", input, tools: [1] }));
    const text = JSON.stringify({ model: "m", input: [...input, turn(2)], tools: [1, 2], seed: 3 });
    const second = await read(text);
    expect(second).toEqual(JSON.parse(text));
    expect(sharedBy(first, second, "input")).toBe(2);
  });

  it("is read anew from the first message that was changed", async () => {
    const read = start();
    const messages = [SYSTEM, ...Array.from({ length: 39 }, (_, number) => turn(number))];
    const first = await read(toText(messages));
    const edited = messages.with(7, { role: "user", content: "[redacted]" });
    const second = await read(toText(edited));
    expect(second).toEqual(JSON.parse(toText(edited)));
    expect(sharedBy(first, second)).toBe(7);
    // Both conversations may go on.
    expect(sharedBy(first, await read(toText([...messages, turn(99)])))).toBe(40);
    expect(sharedBy(second, await read(toText([...edited, turn(99)])))).toBe(40);
  });

  it("has the same digest as its bytes alone, for every salt and wherever it was changed", async () => {
    const known = new KnownBodies();
    const messages: object[] = [SYSTEM, ...Array.from({ length: 30 }, (_, number) => turn(number))];
    const edits = [
      (all: object[]) => all,
      (all: object[]) => all.with(-3, turn(77)),
      (all: object[]) => all.with(4, turn(78)),
    ];
    for (let number = 0; number < 12; number++) {
      messages.push(turn(number));
      for (const edit of edits) {
        const raw = Buffer.from(toText(edit(messages)));
        await parseBody(raw, { known, owner: "me" });
        for (const salt of ["chat ", "messages off"]) {
          const alone = createHash("sha256").update(`${salt}\n`).update(raw).digest("hex");
          expect(known.digest("me", raw, salt)).toBe(alone);
          expect(known.digest("nobody", raw, salt)).toBe(alone);
        }
      }
    }
  });

  it("is nobody else's, and is forgotten after ten minutes", async () => {
    let now = 0;
    const read = start(() => now);
    const text = toText([SYSTEM, turn(1)]);
    const first = await read(text);
    expect(sharedBy(first, await read(text, "somebody else"))).toBe(0);
    expect(sharedBy(first, await read(text))).toBe(2);
    now += 700_000;
    expect(sharedBy(first, await read(text))).toBe(0);
  });
});

it("what is kept has a bound, whatever the bodies are made of", async () => {
  const read = start();
  const empty = { role: "user", content: Array.from({ length: MOST_VALUES / 2 - 10_000 }, () => ({})) };
  const toBody = (number: number) => toText([{ role: `${number}` }, SYSTEM, empty]);
  const first = await read(toBody(0));
  expect(sharedBy(first, await read(toBody(0)))).toBe(3);
  // Each takes some seventeen megabytes: of five that come behind it none leaves room for the first.
  for (let number = 1; number <= 5; number++) await read(toBody(number));
  expect(sharedBy(first, await read(toBody(0)))).toBe(0);
});

describe("what is read is what JSON says", () => {
  const message = fc.record({ role: fc.string(), content: fc.jsonValue({ maxDepth: 3 }) });

  it("of any two conversations, and of any bytes that are put into the second one", async () => {
    const edit = fc.record({
      at: fc.nat(),
      drop: fc.nat(3),
      put: fc.constantFrom(
        ...["", ",", "]", "}", '"', "[", "{}", ',"messages":[1]', '"messages":[{}],', "\\", " "],
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message),
        fc.array(message),
        fc.dictionary(fc.constantFrom("messages", "input", "tools", "x"), fc.jsonValue()),
        edit,
        async (early, late, more, { at, drop, put }) => {
          const read = start();
          await read(toText([SYSTEM, ...early]));
          const text = toText([SYSTEM, ...early, ...late], more);
          expect(await read(text)).toEqual(JSON.parse(text));
          // Behind the long text, where it matters.
          const place = text.indexOf('"}', 20) + (at % (text.length - 32_000));
          const odd = text.slice(0, place) + put + text.slice(place + drop);
          const alone = await parseBody(Buffer.from(odd)).catch(String);
          expect(await read(odd).catch(String)).toEqual(alone);
        },
      ),
      { seed: 18, numRuns: 300 },
    );
  });

  it.each([
    ["two lists of the same name", (list: string) => `{"messages":${list},"messages":[{"a":1}]}`],
    ["a comma too much", (list: string) => `{"messages":${list.slice(0, -1)},]}`],
    ["a list of other things", (list: string) => `{"messages":${list.slice(0, -1)},1,{}]}`],
    ["a name inside of a name", (list: string) => `{"x,\\"messages":${list},"messages":[{}]}`],
  ])("of %s", async (_, toBody) => {
    const read = start();
    const list = JSON.stringify([SYSTEM, turn(1), turn(2)]);
    await read(`{"messages":${list}}`);
    for (let again = 0; again < 2; again++) {
      const text = toBody(list);
      const alone = await parseBody(Buffer.from(text)).catch(String);
      expect(await read(text).catch(String)).toEqual(alone);
    }
  });

  it("nor may a body have more values because it has been there before", async () => {
    const read = start();
    const half = { a: Array.from({ length: MOST_VALUES / 2 }, () => 0) };
    await read(toText([SYSTEM, half]));
    await expect(read(toText([SYSTEM, half, half]))).rejects.toThrow("more than 150000 values");
  });
});
