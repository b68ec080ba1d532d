import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadRepertoire, parseRepertoire, toRepertoireYaml } from "./repertoire.ts";
import { LANGUAGES, ROLES } from "./types.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OWN = `extends: shipped
instructions:
  - id: solve-aloud
    role: solve
    text: { en: "Solve it aloud: {work}.", de: "Lösen Sie es laut: {work}." }
`;

describe("the shipped repertoire", () => {
  const shipped = loadRepertoire();

  test("has every role, with several checks, and is read once", () => {
    for (const role of ROLES)
      expect(shipped.instructions.filter((one) => one.role === role).length, role).toBeGreaterThanOrEqual(2);
    expect(shipped.instructions.filter(({ role }) => role === "check").length).toBeGreaterThanOrEqual(5);
    expect(loadRepertoire()).toBe(shipped);
  });

  test("says everything in four languages", () => {
    for (const { id, text } of [...shipped.instructions, ...shipped.works, ...shipped.forms])
      for (const language of LANGUAGES) expect(text[language], `${id}, ${language}`).toBeTruthy();
  });

  test("asks for what a role must have in sight", () => {
    for (const { id, role, needs } of shipped.instructions) {
      if (role === "compare" || role === "judge") expect(needs, id).toBe("answers");
      if (role === "check" || role === "repair") expect(needs, id).toBe("answer");
    }
  });

  test("plans have no form, and texts are of one to three sentences", () => {
    for (const { id, role, text, slots } of shipped.instructions) {
      if (role === "plan") expect(slots, id).not.toContain("form");
      const sentences = text.en.split(/[.?] /).length;
      expect(sentences, id).toBeLessThanOrEqual(3);
    }
  });

  test("is the same after being written and read", () => {
    expect(parseRepertoire(toRepertoireYaml(shipped), "again")).toEqual(shipped);
  });
});

test("a file may extend the shipped one: an id that is there is replaced, others are added", () => {
  const file = join(folder, "own.yaml");
  writeFileSync(file, `${OWN}  - id: solve-steps\n    role: solve\n    text: { en: "Solve this." }\n`);
  const own = loadRepertoire(file);
  const shipped = loadRepertoire();
  expect(own.instructions).toHaveLength(shipped.instructions.length + 1);
  expect(own.instructions.find(({ id }) => id === "solve-aloud")?.slots).toEqual(["work"]);
  const replaced = own.instructions.findIndex(({ id }) => id === "solve-steps");
  expect(own.instructions[replaced]?.text).toEqual({ en: "Solve this." });
  expect(replaced).toBe(shipped.instructions.findIndex(({ id }) => id === "solve-steps"));
  expect(own.works).toEqual(shipped.works);
});

test("the example in the docs is one", () => {
  const docs = readFileSync(new URL("../../docs/instructions.md", import.meta.url), "utf8");
  const example = /```yaml\n([\s\S]*?)```/.exec(docs)![1]!;
  const ids = parseRepertoire(example, "docs").instructions.map(({ id }) => id);
  expect(ids).toContain("check-units");
});

test("lineage is kept", () => {
  const text = `${OWN}    lineage: { parent: solve-steps, by: "rule (simulated)", gain: { mean: 0.01, low: -0.01, high: 0.03, comparisons: 200 } }\n`;
  const read = parseRepertoire(text, "x");
  const again = parseRepertoire(toRepertoireYaml(read), "x");
  expect(again.instructions.at(-1)?.lineage?.gain?.comparisons).toBe(200);
  expect(again).toEqual(read);
});

describe("errors name the file, the entry and what would be right", () => {
  const cases: [string, string, RegExp][] = [
    [
      "unknown role",
      OWN.replace("role: solve", "role: slove"),
      /own\.yaml: instruction "solve-aloud": unknown role "slove" \(there are: plan, .*Did you mean "solve"/,
    ],
    [
      "unknown slot",
      OWN.replaceAll("{work}", "{job}"),
      /"solve-aloud", en: unknown slot "\{job\}" \(there are: \{work\}, \{part\}, \{form\}\)/,
    ],
    ["an open brace", OWN.replaceAll("{work}", "{work"), /unknown slot/],
    [
      "other slots in a translation",
      OWN.replace("laut: {work}", "laut: {part}"),
      /"solve-aloud", de: has \{part\} where the English text has \{work\}/,
    ],
    ["a slot twice", OWN.replaceAll("{work}.", "{work}, {work}."), /\{work\} stands there twice/],
    ["no English", OWN.replace('en: "Solve it aloud: {work}.", ', ""), /"solve-aloud": text\.en is missing/],
    [
      "the same id twice",
      OWN + OWN.split("\n").slice(2).join("\n"),
      /instruction "solve-aloud" is there twice/,
    ],
    [
      "an unknown field",
      OWN.replace("role: solve", "role: solve\n    roles: solve"),
      /unknown field "roles"/,
    ],
    [
      "an unknown base",
      OWN.replace("extends: shipped", "extends: other"),
      /own\.yaml: extends must be "shipped"/,
    ],
    ["no YAML", "a: [", /own\.yaml is no YAML/],
    ["a text", "hello", /own\.yaml: /],
    ["an empty file", "", /no instruction of the role solve/],
    [
      "nothing to say of a question without parts",
      'instructions:\n  - { id: a, role: solve, text: { en: "Solve it: {part}." } }\n',
      /no instruction of the role solve that needs nothing and has no \{part\}/,
    ],
    ["an odd id", OWN.replace("solve-aloud", "Solve Aloud"), /id "Solve Aloud" must be of small letters/],
    [
      "a form with a full stop",
      `extends: shipped\nforms:\n  - { id: x, text: { en: "a number." } }`,
      /form "x", en: is a phrase/,
    ],
    [
      "a form with a slot",
      `extends: shipped\nforms:\n  - { id: x, text: { en: "a {part}" } }`,
      /form "x", en: fills a slot/,
    ],
    [
      "works without a general one",
      `instructions:\n  - { id: a, role: solve, text: { en: "Solve: {work}." } }\nworks:\n  - { id: w, cues: [x], text: { en: "do it" } }`,
      /no work without cues/,
    ],
  ];
  test.each(cases)("%s", (_, yaml, message) => {
    expect(() => parseRepertoire(yaml, "own.yaml")).toThrow(message);
  });

  test("a file that is not there", () => {
    expect(() => loadRepertoire(join(folder, "none.yaml"))).toThrow(/none\.yaml cannot be read/);
  });
});
