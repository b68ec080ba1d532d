import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { drawBars } from "../../../src/report/bar-chart.ts";
import { toSvg } from "../../../src/report/drawing.ts";
import { Picture } from "./chart.tsx";

describe("a picture", () => {
  it("is the same in the dashboard as in a static report, and what others wrote is text in both", () => {
    const drawing = drawBars(`Accuracy on "<b>"`, [
      { name: "<script>alert(1)</script>", value: 0.61234, low: 0.5, high: 0.7, isMarked: true },
      { name: "best-single", value: 0, low: 0, high: 0.25, isMarked: false },
    ]);
    // Apart from white space, how an empty element ends, and that HTML is sparing with digits.
    const even = (markup: string) =>
      markup
        .replaceAll("\n", "")
        .replaceAll("&#x27;", "&#39;")
        .replaceAll(/\d+\.\d+/g, (digits) => String(Math.round(Number(digits) * 100) / 100));
    const [drawn] = /<svg.*<\/svg>/s.exec(renderToStaticMarkup(<Picture drawing={drawing} />))!;
    expect(even(drawn)).toBe(even(toSvg(drawing).markup));
    expect(drawn).toContain("&lt;script&gt;");
    expect(drawn).not.toContain("<script");
  });
});
