import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderSaying } from "../../instruction/render.ts";
import type { QuestionPart } from "../../instruction/types.ts";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { createTinyLanguage, say } from "../../testing/learn/tiny-language.ts";
import { parseWorkflow } from "../../workflow/parse.ts";
import type { Access } from "../../workflow/types.ts";
import { Language, type SayingTokens, toLiterals, type Wording, type WrittenStep } from "./language.ts";

const language = createTinyLanguage();
const { repertoire } = language;
/** Slots of workers, and how far their numbers in the pool are from them. */
const [SLOTS, SHIFT] = [8, 3];
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
  "\\",
  "</think>",
  "```\n[0, 1, 2]\n```",
  "it's `quoted` “twice” and 'once'",
  "]",
  "a\u2028b\u0000c\td\u0085e",
  "ends here \u{E000} or not",
  "\u{E101}\u{E281}",
  "\ud800",
  "{part} and {work}",
  "",
];

const PARTS = 4;
const parts: fc.Arbitrary<QuestionPart[]> = fc.array(
  fc.record({
    text: fc.oneof(
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.constantFrom(...HOSTILE),
      fc.constantFrom("the price of the tiles", "“the sum”", "the U.S."),
    ),
    kind: fc.constantFrom("noun" as const, "number" as const, "option" as const, "name" as const),
    isAsked: fc.boolean(),
    at: fc.double({ min: 0, max: 1 }),
    words: fc.nat({ max: 9 }),
  }),
  { minLength: PARTS, maxLength: PARTS },
);

const wordingOf = (own: readonly QuestionPart[] = []): Wording => ({
  workerOf: (slot) => slot + SHIFT,
  workers: SLOTS,
  sayable: { parts: own, works: new Set(repertoire.works), language: "en" },
});

function accessAt(position: number): fc.Arbitrary<Access> {
  const earlier = Array.from({ length: position }, (_, i) => i);
  return fc.oneof(fc.constant<Access>("all"), fc.subarray(earlier));
}

const sayings: fc.Arbitrary<SayingTokens> = fc
  .record({
    instruction: fc.constantFrom(...repertoire.instructions),
    work: fc.constantFrom(...repertoire.works),
    form: fc.constantFrom(...repertoire.forms),
    part: fc.nat({ max: PARTS - 1 }),
  })
  .map(({ instruction, part, ...filled }) =>
    language.toSayingTokens(instruction, { ...filled, part: SLOTS + part }),
  );

const workflows: fc.Arbitrary<WrittenStep[]> = fc.integer({ min: 1, max: 5 }).chain((size) =>
  fc.tuple(
    ...Array.from({ length: size }, (_, position) =>
      fc.record({
        worker: fc.nat({ max: SLOTS - 1 }),
        saying: sayings,
        access: accessAt(position),
      }),
    ),
  ),
);

const parse = (tokens: readonly number[], wording: Wording) =>
  parseWorkflow(language.toText(tokens, wording), { workers: SLOTS + SHIFT, allowEmpty: true });

describe("writing", () => {
  test("a workflow comes back through the parser with the sentences it chose, whatever the question's parts hold", () => {
    fc.assert(
      fc.property(workflows, parts, (steps, own) => {
        const expected = steps.map(({ worker, saying, access }) => {
          const chosen = language.toSaying(saying, { workers: SLOTS, parts: own })!;
          const subtask = renderSaying(chosen, "en").replace(PRIVATE, "");
          return { worker: worker + SHIFT, subtask, access };
        });
        const parsed = parse(language.toTokens(steps), wordingOf(own));
        expect(parsed).toEqual({ ok: true, workflow: { steps: expected } });
      }),
      { numRuns: 400, seed: 4 },
    );
  });

  test("a workflow comes back from its tokens as it was, and what is no workflow of whole steps as nothing", () => {
    fc.assert(
      fc.property(workflows, (steps) => {
        const tokens = language.toTokens(steps);
        expect(language.toSteps(tokens)).toEqual(steps);
        // Cut off before its last access list.
        for (let length = 0; length < tokens.length - 2; length++)
          expect(language.toSteps(tokens.slice(0, length))).toBeUndefined();
      }),
      { numRuns: 100, seed: 5 },
    );
    expect(language.toSteps(language.toTokens([]))).toBeUndefined();
  });

  test("what is said without being an instruction with its slots filled makes no workflow", () => {
    const anyToken = fc.nat({ max: language.vocabulary + SLOTS + PARTS + 2 });
    const broken = fc
      .oneof(
        fc.array(anyToken, { maxLength: 5 }),
        sayings.map((saying) => saying.slice(0, -1)),
        sayings.map((saying) => saying.slice(1)),
        fc.tuple(sayings, anyToken).map(([saying, more]) => [...saying, more]),
        // Slots of workers, and of parts that the question does not have.
        fc
          .constantFrom(0, SLOTS - 1, SLOTS + PARTS, SLOTS + PARTS + 1)
          .map((slot) => say(language, "check", slot)),
      )
      .filter((saying) => !language.toSaying(saying, { workers: SLOTS, parts: Array(PARTS).fill({}) }))
      // These end a subtask, or all of it: then it is another one.
      .filter((saying) =>
        saying.every((token) => ![language.nextSubtask, language.access, language.end].includes(token)),
      );
    const own = Array.from(
      { length: PARTS },
      (_, i): QuestionPart => ({
        ...{ text: `part ${i}`, kind: "noun", isAsked: false, at: 0, words: 2 },
      }),
    );
    fc.assert(
      fc.property(workflows, broken, fc.nat(), (steps, saying, at) => {
        const told = steps.map((step, i) => (i === at % steps.length ? { ...step, saying } : step));
        expect(parse(language.toTokens(told), wordingOf(own)).ok).toBe(false);
      }),
      { numRuns: 400, seed: 6 },
    );
    // Neither does a broken one stand for two of them.
    const [two] = fc.sample(
      workflows.filter((steps) => steps.length === 2),
      { numRuns: 1, seed: 1 },
    );
    const tokens = language.toTokens(two!);
    const [from, to] = [language.subtasks, language.access].map((token) => tokens.indexOf(token));
    for (const saying of [[], [language.next], [language.all, language.all]]) {
      const text = [...tokens.slice(0, from! + 1), ...saying, ...tokens.slice(to)];
      expect(parse(text, wordingOf(own)).ok).toBe(false);
    }
  });

  test("a sentence is written once it is whole: what is written so far is how the text goes on", () => {
    fc.assert(
      fc.property(workflows, parts, (steps, own) => {
        const tokens = language.toTokens(steps);
        const texts = tokens.map((_, i) => language.toText(tokens.slice(0, i), wordingOf(own)));
        for (const [i, text] of texts.entries()) expect(texts[i + 1]?.startsWith(text) ?? true).toBe(true);
      }),
      { numRuns: 50, seed: 7 },
    );
  });

  test("no steps: it accepts", () => {
    const text = language.toText(language.toTokens([]), wordingOf());
    expect(text).toBe(language.acceptance);
    expect(text).toBe("model_id = []\nsubtasks = []\naccess_list = []");
    expect(parseWorkflow(text, { workers: 2, allowEmpty: true })).toEqual({
      ok: true,
      workflow: { steps: [] },
    });
  });

  test("what follows the end is not text, and control tokens are never shown", () => {
    const tokens = language.toTokens([{ worker: 0, saying: say(language), access: [] }]);
    const text = language.toText(tokens, wordingOf());
    expect(text).toBe('model_id = [3]\nsubtasks = ["Answer the question."]\naccess_list = [[]]');
    expect(language.toText([...tokens, language.next, language.all], wordingOf())).toBe(text);
    const control = [
      ...[language.size(2), language.size(undefined), ...language.round([0, undefined])],
      ...[...repertoire.instructions, ...repertoire.works, ...repertoire.forms].map((entry) =>
        language.entry(entry),
      ),
    ];
    expect(language.toText([...control, ...tokens], wordingOf())).toBe(text);
  });

  test("a slot without a worker becomes the number that it is given", () => {
    const wording = { ...wordingOf(), workerOf: (slot: number) => 40 + slot };
    expect(language.toText([language.slot(2), language.next, language.slot(0)], wording)).toBe(
      "model_id = [42, 40",
    );
  });

  test("a sentence is of the question's language where the repertoire speaks it", () => {
    const [first, ...others] = repertoire.instructions;
    const spoken = { ...first!, text: { en: "Plan: {work}.", de: "Planen Sie: {work}." } };
    const bilingual = createTinyLanguage({ ...repertoire, instructions: [spoken, ...others] });
    const tokens = bilingual.toTokens([{ worker: 0, saying: say(bilingual, "plan"), access: [] }]);
    const { sayable, ...rest } = wordingOf();
    const said = (code: "de" | "fr") =>
      bilingual.toText(tokens, { ...rest, sayable: { ...sayable, language: code } });
    expect(said("de")).toContain('["Planen Sie: add the numbers up."]');
    expect(said("fr")).toContain('["Plan: add the numbers up."]');
  });
});

describe("tokens of a plan", () => {
  const steps: WrittenStep[] = [
    { worker: 0, saying: say(language, "plan"), access: [] },
    { worker: 1, saying: say(language, "solve", SLOTS), access: "all" },
  ];
  const tokens = language.toTokens(steps);

  test("decide who, how many and who sees what, or which instruction, or what fills it; separators decide nothing", () => {
    expect(language.kinds(tokens)).toEqual([
      ...["team", "team", "team", "team"],
      ...["instruction", "filling", "fixed"],
      ...["instruction", "filling", "filling", "filling", "fixed"],
      ...["team", "team", "team", "fixed", "fixed"],
    ]);
    expect(language.kinds(language.toTokens([]))).toEqual(["team", "fixed"]);
  });

  test("belong to a step, or to none", () => {
    const none = undefined;
    expect(language.stepsOf(tokens)).toEqual([
      ...[0, none, 1, none],
      ...[0, 0, none],
      ...[1, 1, 1, 1, none],
      ...[0, none, 1, none, none],
    ]);
    expect(language.stepsOf(language.toTokens([]))).toEqual([none, none]);
  });

  test("of one team and the words of another make a plan with that team and those words", () => {
    fc.assert(
      fc.property(workflows, workflows, (one, other) => {
        const count = Math.min(one.length, other.length);
        const [team, words] = [one.slice(0, count), other.slice(0, count)];
        const access = (at: number) => (at === 0 ? [] : ("all" as const));
        const given = language.toTokens(team.map((each, at) => ({ ...each, access: access(at) })));
        const wanted = team.map(({ worker }, at) => ({
          worker,
          saying: words[at]!.saying,
          access: access(at),
        }));
        const whole = language.toTokens(wanted);
        const written: number[] = [];
        while (written.at(-1) !== language.end && written.length <= whole.length)
          written.push(language.continueTeam(given, written) ?? whole[written.length]!);
        expect(written).toEqual(whole);
        // Nothing but words is left to be chosen.
        const open = whole.filter((_, at) => language.continueTeam(given, whole.slice(0, at)) === undefined);
        const kinds = language.kinds(whole);
        const said = whole.filter(
          (token, at) =>
            ["instruction", "filling"].includes(kinds[at]!) ||
            token === language.nextSubtask ||
            token === language.access,
        );
        expect(open).toEqual(said);
      }),
      { numRuns: 100, seed: 9 },
    );
  });

  test("of a step are its worker, what it is told, and what it sees", () => {
    fc.assert(
      fc.property(workflows, (several) => {
        const written = language.toTokens(several);
        const stepOf = language.stepsOf(written);
        for (const [i, { worker, saying, access }] of several.entries())
          expect(written.filter((_, t) => stepOf[t] === i)).toEqual([
            ...[language.slot(worker), ...saying, language.accessToken(access)],
          ]);
      }),
      { numRuns: 100, seed: 8 },
    );
  });
});

describe("the repertoire", () => {
  test("has a token for each entry, and room for instructions that a training adds", () => {
    const entries = [...repertoire.instructions, ...repertoire.works, ...repertoire.forms];
    expect(new Set(entries.map((entry) => language.entry(entry))).size).toBe(entries.length);
    for (const instruction of repertoire.instructions)
      expect(language.instructionOf(language.entry(instruction))).toBe(instruction);
    for (const work of repertoire.works) expect(language.workOf(language.entry(work))).toBe(work);
    for (const form of repertoire.forms) expect(language.formOf(language.entry(form))).toBe(form);
    const literals = toLiterals(repertoire);
    expect(new Set(literals).size).toBe(literals.length);
    const added = { ...repertoire.instructions[0]!, id: "added" };
    const more = { ...repertoire, instructions: [...repertoire.instructions, added] };
    const grown = new Language(language.tokenizer, more);
    expect(grown.vocabulary).toBe(language.vocabulary);
    expect(grown.instructionOf(grown.entry(added))).toBe(added);
    expect(grown.entry(repertoire.works[0]!)).toBe(language.entry(repertoire.works[0]!));
  });

  test("of too many entries is refused, with how many there may be", () => {
    const instructions = Array.from({ length: 240 }, () => repertoire.instructions[0]!);
    expect(() => toLiterals({ ...repertoire, instructions })).toThrow(
      "A repertoire may have 232 instructions, and this one has 240",
    );
    const works = Array.from({ length: 129 }, () => repertoire.works[0]!);
    expect(() => toLiterals({ ...repertoire, works })).toThrow("128 works, and this one has 129");
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
