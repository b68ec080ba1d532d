import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSanitiser, sanitise, toOneLine } from "./sanitise.ts";

const ESC = "\u001b";
/** Text in which escape sequences and their pieces are frequent. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 4 }),
      fc.constantFrom(
        ESC,
        `${ESC}[`,
        `${ESC}]0;`,
        "\u009b",
        "\u009d",
        "\u0007",
        `${ESC}\\`,
        "31m",
        "2J",
        "\n",
        "\t",
      ),
      fc.constantFrom("\u202e", "\u2066", "\ud83d", "\ude00", "😀", "日本", "a", "\r"),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

const isSafe = (text: string) =>
  !/\p{Surrogate}/u.test(text) &&
  [...text].every((character) => {
    const code = character.codePointAt(0)!;
    const isControl =
      (code < 0x20 && character !== "\n" && character !== "\t") || (code >= 0x7f && code <= 0x9f);
    return !isControl && !(code >= 0x202a && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
  });

describe("sanitise", () => {
  it.each([
    ["colours", `${ESC}[1;31mred${ESC}[0m`, "red"],
    ["a cleared screen", `a${ESC}[2J${ESC}[Hb`, "ab"],
    ["a title, ended by BEL", `a${ESC}]0;owned\u0007b`, "ab"],
    ["the clipboard, ended by ST", `a${ESC}]52;c;ZXZpbA==${ESC}\\b`, "ab"],
    ["C1 forms", "a\u009b31mb\u009d0;x\u009cc", "abc"],
    ["a character set", `a${ESC}(0b`, "ab"],
    ["a reset", `a${ESC}cb`, "ab"],
    ["carriage return and backspace", "real\rfake\b", "realfake"],
    ["bidirectional overrides", "a\u202eb\u2066c", "abc"],
  ])("takes out %s", (_name, text, expected) => expect(sanitise(text)).toBe(expected));

  it("keeps line feeds, tabs, wide characters and marks of right-to-left languages", () => {
    const text = "a\tb\nק\u200f日本 😀 é\n";
    expect(sanitise(text)).toBe(text);
  });

  it("goes on after a sequence that never ends: at the end of the line, and after 2048 characters", () => {
    expect(sanitise(`${ESC}]0;open\nthe answer`)).toBe("\nthe answer");
    expect(sanitise(`${ESC}]0;${"x".repeat(5000)}`).length).toBeGreaterThan(2900);
  });

  it("lets nothing unsafe through, whatever the text", () => {
    fc.assert(
      fc.property(hostile, (text) => isSafe(sanitise(text))),
      { seed: 1, numRuns: 500 },
    );
  });

  it("gives the same for a text in pieces as for the whole", () => {
    fc.assert(
      fc.property(hostile, fc.array(fc.nat(60), { maxLength: 8 }), (text, cuts) => {
        const sanitiser = createSanitiser();
        let from = 0;
        let out = "";
        for (const cut of [...cuts].sort((a, b) => a - b)) {
          out += sanitiser.push(text.slice(from, Math.max(from, cut)));
          from = Math.max(from, cut);
        }
        expect(out + sanitiser.push(text.slice(from)) + sanitiser.end()).toBe(sanitise(text));
      }),
      { seed: 2, numRuns: 500 },
    );
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(hostile, (text) => sanitise(sanitise(text)) === sanitise(text)),
      { seed: 3, numRuns: 300 },
    );
  });
});

describe("toOneLine", () => {
  it("puts a text on one line", () => expect(toOneLine(`  a\n\n b\t${ESC}[31mc  `)).toBe("a b c"));
});
