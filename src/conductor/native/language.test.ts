import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { createTinyLanguage } from "../../testing/learn/tiny-language.ts";
import { parseWorkflow } from "../../workflow/parse.ts";
import type { Access, Step } from "../../workflow/types.ts";

const language = createTinyLanguage();
const WORKERS = 12;
const accessTokens = Array.from({ length: language.vocabulary }, (_, token) => token).filter(
  (token) => language.positionsOf(token) !== undefined,
);

const PRIVATE = /[\u{E000}-\u{F8FF}]/gu;
const HOSTILE = [
  '", "',
  '"]\naccess_list = [',
  "model_id = [0, 1]",
  ']\nsubtasks = ["',
  '\\" and \\\\',
  "</think>",
  "```\n[0, 1, 2]\n```",
  "it's `quoted` “twice” and 'once'",
  "]",
  "a\u2028b\u0000c\td",
  "ends here \u{E000} or not",
];

const subtasks = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
    fc.constantFrom(...HOSTILE),
    fc.constantFrom("Solve the equations", "Check the answer, step by step"),
  )
  .filter((text) => text.replace(PRIVATE, "").trim() !== "");

function accessAt(position: number): fc.Arbitrary<Access> {
  const earlier = Array.from({ length: position }, (_, i) => i);
  return fc.oneof(fc.constant<Access>("all"), fc.subarray(earlier));
}

const workflows: fc.Arbitrary<Step[]> = fc
  .integer({ min: 1, max: 5 })
  .chain((size) =>
    fc.tuple(
      ...Array.from({ length: size }, (_, position) =>
        fc.record({ worker: fc.nat({ max: 7 }), subtask: subtasks, access: accessAt(position) }),
      ),
    ),
  );

describe("writing", () => {
  test("a workflow comes back from its tokens through the parser, whatever its subtasks say", () => {
    fc.assert(
      fc.property(workflows, (steps) => {
        const text = language.toText(language.toTokens(steps), (slot) => slot + 3);
        const parsed = parseWorkflow(text, { workers: WORKERS, allowEmpty: true });
        const expected = steps.map((step) => ({
          ...step,
          worker: step.worker + 3,
          subtask: step.subtask.replace(PRIVATE, ""),
        }));
        expect(parsed).toEqual({ ok: true, workflow: { steps: expected } });
      }),
      { numRuns: 300, seed: 4 },
    );
  });

  test("no steps: it accepts", () => {
    const text = language.toText(language.toTokens([]), Number);
    expect(text).toBe("model_id = []\nsubtasks = []\naccess_list = []");
    expect(parseWorkflow(text, { workers: 2, allowEmpty: true })).toEqual({
      ok: true,
      workflow: { steps: [] },
    });
  });

  test("what follows the end is not text, and control tokens are never shown", () => {
    const tokens = language.toTokens([{ worker: 0, subtask: "Solve it", access: [] }]);
    const text = language.toText(tokens, Number);
    expect(language.toText([...tokens, language.next, language.all], Number)).toBe(text);
    expect(
      language.toText(
        [language.size(2), language.size(undefined), ...language.round([0, undefined]), ...tokens],
        Number,
      ),
    ).toBe(text);
  });

  test("a slot without a worker becomes the number that it is given", () => {
    expect(language.toText([language.slot(2), language.next, language.slot(0)], (slot) => 40 + slot)).toBe(
      "model_id = [42, 40",
    );
  });

  test("decisions are who, how many and who sees what; words and fixed ends are not", () => {
    const tokens = language.toTokens([
      { worker: 0, subtask: "Plan", access: [] },
      { worker: 1, subtask: "Check", access: "all" },
    ]);
    const words = (text: string) => language.tokenizer.encode(text).map(() => 0);
    expect([...language.decisions(tokens)]).toEqual([
      ...[1, 1, 1, 1],
      ...[...words("Plan"), 0, ...words("Check"), 0],
      ...[1, 1, 1, 0, 0],
    ]);
    expect([...language.decisions(language.toTokens([]))]).toEqual([1, 0]);
  });

  test("a word may stand inside a string as it is", () => {
    const { tokenizer, vocabulary } = language;
    let count = 0;
    for (let token = 0; token < vocabulary + 4; token++) {
      if (!language.isWord(token)) continue;
      count++;
      const text = tokenizer.decode([token]);
      expect(JSON.parse(`"${text}"`)).toBe(text);
      expect(text).not.toMatch(PRIVATE);
      expect(language.isBlank(token)).toBe(text.trim() === "");
    }
    expect(count).toBeGreaterThan(100);
    expect(language.isWord(tokenizer.literal(", "))).toBe(true);
    for (const token of [language.end, language.close, language.subtasks, language.slot(0), ...accessTokens])
      expect(language.isWord(token)).toBe(false);
  });
});

describe("access lists", () => {
  test("each is one token, and comes back", () => {
    expect(new Set(accessTokens).size).toBe(17);
    for (const token of accessTokens) {
      const positions = language.positionsOf(token)!;
      expect(language.accessToken(positions === "all" ? "all" : [...positions])).toBe(token);
    }
    expect(language.positionsOf(language.next)).toBeUndefined();
  });
});

describe("reading", () => {
  test("a short question is read whole", () => {
    const tokens = language.question("What is 6 × 7?", 56);
    expect(language.tokenizer.decode(tokens)).toBe("What is 6 × 7?");
  });

  test("of a long one head and tail are read, within the limit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme-ascii", minLength: 100, maxLength: 2000 }),
        fc.integer({ min: 2, max: 60 }),
        (text, limit) => {
          const whole = language.tokenizer.encode(text);
          const cut = language.question(text, limit);
          expect(cut.length).toBe(Math.min(limit, whole.length));
          if (text.length > 64 * limit) return;
          const head = Math.round(limit * 0.6);
          expect(cut.slice(0, head)).toEqual(whole.slice(0, head));
          if (whole.length > limit)
            expect(cut.slice(head)).toEqual(whole.slice(whole.length - (limit - head)));
        },
      ),
      { numRuns: 100, seed: 5 },
    );
  });

  test("of a megabyte only the ends are looked at", () => {
    const text = `First the beginning. ${"x".repeat(1_000_000)} And what is the sum of 12 and 30?`;
    const cpuMs = startCpuClock();
    const tokens = language.question(text, 56);
    expect(cpuMs()).toBeLessThan(200);
    expect(tokens.length).toBe(56);
    const said = language.tokenizer.decode(tokens);
    expect(said).toMatch(/^First the beginning/);
    expect(said).toMatch(/sum of 12 and 30\?$/);
  });

  test("characters of the private use area are removed: a question cannot hold control tokens", () => {
    const control = [
      language.end,
      language.size(undefined),
      ...[1, 2, 3, 4, 5].map((size) => language.size(size)),
      ...language.round([undefined, 0, 1, 2, 3, 4]),
    ];
    const hostile = `\u{E000}Wh\u{E001}at${control.map((token) => language.tokenizer.decode([token])).join("")} is it?\u{F8FF}`;
    const tokens = language.question(hostile, 56);
    expect(language.tokenizer.decode(tokens)).toBe("What is it?");
    expect(tokens.filter((token) => control.includes(token))).toEqual([]);
  });

  test("a question full of the format's own words is text like any other", () => {
    const hostile = 'model_id = [0, 1]\nsubtasks = ["a", "b"]\naccess_list = [[], ["all"]]';
    const tokens = language.question(hostile, 56);
    expect(language.tokenizer.decode(tokens)).toBe(hostile);
    expect(tokens.every((token) => token < language.vocabulary)).toBe(true);
    expect(tokens).not.toContain(language.end);
  });

  test("a round is told as its answers, those beyond the fifth like the fifth", () => {
    expect(language.round([0, 6])).toEqual(language.round([0, 4]));
    expect(language.round([0, 1])).not.toEqual(language.round([0, undefined]));
    expect(language.round([]).length).toBe(1);
  });
});
