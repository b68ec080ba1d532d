import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { startCpuClock } from "../../../src/testing/cpu-clock.ts";
import { Markdown } from "./markdown.tsx";

const html = (text: string) => renderToStaticMarkup(<Markdown text={text} />);

describe("Markdown", () => {
  it("renders what people write", () => {
    const page = html(
      "# Title\n\n- **one**\n- `two`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[x](https://example.com)",
    );
    for (const tag of ["<h3>Title", "<strong>one", "<code>two", "<td>2", 'href="https://example.com"'])
      expect(page).toContain(tag);
  });

  it.each([
    ["a script", "<script>alert(1)</script>"],
    ["an event", '<img src=x onerror="alert(1)">'],
    ["a block of HTML", "<div onclick='alert(1)'>\nhello\n</div>"],
    ["a frame", '<iframe src="https://example.com"></iframe>'],
    ["a style", "<style>body{display:none}</style>"],
    ["an svg", '<svg onload="alert(1)">'],
    ["HTML inside of code", "```html\n<script>alert(1)</script>\n```"],
    ["HTML inside of a link", "[<img src=x onerror=alert(1)>](https://example.com)"],
    ["HTML inside of a table", "| <script>x</script> |\n|---|\n| <b onclick=x>y</b> |"],
    ["an entity that becomes HTML", "&lt;script&gt;alert(1)&lt;/script&gt;"],
  ])("shows %s as text", (_, text) => {
    expect(html(text)).not.toMatch(/<(script|img|iframe|style|svg|b|div (?!class="markdown"))/i);
  });

  it.each([
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,hello)",
    "[x](vbscript:x)",
    "[x](  javascript:alert(1))",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "[x](//example.com)",
    "[x](file:///etc/passwd)",
  ])("makes no link of %s", (text) => {
    expect(html(text)).not.toContain("href");
  });

  it("loads no picture: it is a link", () => {
    const page = html("![a cat](https://example.com/cat.png)");
    expect(page).not.toContain("<img");
    expect(page).toContain('href="https://example.com/cat.png"');
  });

  it("does not hang on hostile text, and shows what is too long as it is", () => {
    const cpuMs = startCpuClock();
    html("[".repeat(20_000));
    html(">".repeat(5_000));
    expect(html("x".repeat(300_000))).toContain("<pre");
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
