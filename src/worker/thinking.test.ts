// Thinking is told apart from text wherever the pieces are cut.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createThinkingFilter, isKnownToThink, type Thought } from "./thinking.ts";

function read(pieces: readonly string[], keepsBack = false) {
  const filter = createThinkingFilter(keepsBack);
  const thoughts: Thought[] = [...pieces.flatMap((piece) => filter.push(piece)), ...filter.end()];
  let [text, reasoning, shown] = ["", "", ""];
  for (const thought of thoughts) {
    if (thought.type === "text") {
      text += thought.text;
      shown += thought.text;
    } else if (thought.type === "reasoning") reasoning += thought.text;
    else [reasoning, text] = [reasoning + text, ""];
  }
  return { text, reasoning, shown, sawUnopened: filter.sawUnopened };
}

const CASES: [name: string, reply: string, text: string, reasoning: string][] = [
  ["a thought before the answer", "<think>hm, 6×7</think>\n\n42", "42", "hm, 6×7"],
  ["other names, other cases", "<Thinking>a</Thinking><reasoning>b</reasoning>c", "c", "ab"],
  ["a thought without its opening tag", "hm, 6×7\n</think>\n42", "42", "hm, 6×7\n"],
  ["a thought that never ends", "<think>hm, hm", "", "hm, hm"],
  ["a thought in the middle, on a line of its own", "a\n<think>b</think>\nc", "a\n\nc", "b"],
  ["no thought at all", "if a < b then c</b>", "if a < b then c</b>", ""],
  [
    "a tag that is spoken of",
    "The tag `</think>` ends a <think> block.",
    "The tag `</think>` ends a <think> block.",
    "",
  ],
  ["a tag in code", "```\n<think>\n</think>\n```\nok", "```\n<think>\n</think>\n```\nok", ""],
  ["an empty thought", "<think>\n\n</think>\n\nHello", "Hello", "\n\n"],
];

describe("what is said and what is thought", () => {
  it.each(CASES)("%s", (_, reply, text, reasoning) =>
    expect(read([reply])).toMatchObject({ text, reasoning }),
  );

  it.each(CASES)("%s, in pieces of any size", (_, reply, text, reasoning) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 60, maxLength: 60 }), (sizes) => {
        const pieces: string[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(reply.slice(at, at + size));
          at += size;
        }
        expect(read([...pieces, reply.slice(at)])).toMatchObject({ text, reasoning });
      }),
      { seed: 17, numRuns: 40 },
    );
  });

  it("loses nothing of a text without tags", () => {
    const text = fc.string({ unit: fc.constantFrom("<", "/", "t", "h", ">", "\n", "`", "x"), maxLength: 40 });
    fc.assert(
      fc.property(text, (reply) => {
        fc.pre(!/<\/?think/.test(reply));
        expect(read([...reply]).text).toBe(reply.trimStart());
      }),
      { seed: 17 },
    );
  });
});

describe("a thought without its opening tag", () => {
  it("is taken back where it was shown", () => {
    expect(read(["hm ", "hm</think>", "42"])).toEqual({
      text: "42",
      reasoning: "hm hm",
      shown: "hm hm42",
      sawUnopened: true,
    });
  });

  it("is never shown where it is expected", () => {
    expect(read(["hm ", "hm</think>", "42"], true)).toMatchObject({ shown: "42", reasoning: "hm hm" });
  });

  it("that does not come after all is the answer", () => {
    expect(read(["just ", "42"], true)).toMatchObject({ text: "just 42", reasoning: "" });
  });

  it("is expected of models that are known for it", () => {
    expect(isKnownToThink("together/deepseek-ai/DeepSeek-R1")).toBe(true);
    expect(isKnownToThink("local/qwq:32b")).toBe(true);
    expect(isKnownToThink("local/Qwen3-30B-Thinking-2507")).toBe(true);
    expect(isKnownToThink("openai/gpt-5")).toBe(false);
    expect(isKnownToThink("local/llama3.1:8b")).toBe(false);
  });
});
