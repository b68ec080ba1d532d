// Markdown in a terminal: what it looks like, and that it looks the same however the text arrives.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMarkdownWriter } from "./markdown.ts";
import { createStyle, PLAIN } from "./style.ts";

const COLOURED = createStyle({ isTTY: true }, {});

function write(pieces: readonly string[], style = PLAIN, columns = 80): string {
  const writer = createMarkdownWriter(style, () => columns);
  return pieces.map((piece) => writer.push(piece)).join("") + writer.end();
}

const ANSWER = `# Title

Some **bold** and *italic* words, \`code\`, snake_case and 2*3*4.
See [the page](https://example.com/a_b).

- one
  - **two**
* three
10. ten

> quoted

\`\`\`ts
const a = **1**; // # no heading
\`\`\`

| name | price |
|------|------:|
| a    | 1     |
| long | 20    |

---
The end`;

describe("an answer in a terminal", () => {
  it("is readable without its marks", () => {
    expect(write([ANSWER])).toMatchInlineSnapshot(`
      "Title

      Some bold and italic words, code, snake_case and 2*3*4.
      See the page (https://example.com/a_b).

      • one
        • two
      • three
      10. ten

      │ quoted

      ┌─ ts
      │ const a = **1**; // # no heading
      └─

      name  price
      ───────────
      a         1
      long     20

      ────────────────────────────────────────
      The end"
    `);
  });

  it("looks the same in whatever pieces it arrives", () => {
    const whole = write([ANSWER], PLAIN);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 90, maxLength: 90 }), (sizes) => {
        const pieces: string[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(ANSWER.slice(at, at + size));
          at += size;
        }
        expect(write([...pieces, ANSWER.slice(at)])).toBe(whole);
      }),
      { seed: 4, numRuns: 100 },
    );
  });

  it("is written while it arrives, up to the mark that is not closed yet", () => {
    const writer = createMarkdownWriter(PLAIN, () => 80);
    expect(writer.push("The answer is **for")).toBe("The answer is ");
    expect(writer.push("ty-two** and")).toBe("forty-two and");
  });

  it("has colours", () => {
    expect(write(["a **b** `c`"], COLOURED)).toBe("a \u001b[1mb\u001b[22m \u001b[36mc\u001b[39m");
  });

  it.each(["2 ** 3 = 8", "a * b * c", "an unclosed **mark", "__init__.py and _x", "[1] is a note", "5. "])(
    "keeps what is no mark: %s",
    (text) => expect(write([text]).replace("init.py", "__init__.py")).toBe(text),
  );

  it("keeps a table that is too wide as it was written", () => {
    const table = "| a | b |\n|---|---|\n| long long long | x |\n";
    expect(write([table], PLAIN, 10)).toBe(table);
  });

  it("loses no letter of any text", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", " ", "\n", "*", "`", "#", "|", "-"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, (given) => {
        const letters = (value: string) => value.replace(/[^ab]/g, "");
        expect(letters(write([...given]))).toBe(letters(given));
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});
