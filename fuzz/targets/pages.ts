// What servers of strangers send besides answers: web pages and vectors.

import fc from "fast-check";
import { createEndpointEncoder } from "../../src/calibration/embedding/encoder.ts";
import { toPlainText } from "../../src/cli/ask/html-text.ts";
import { type FuzzTarget, must, toText } from "../target.ts";

const HTML = [
  "<!--",
  "-->",
  "<script>",
  "</script>",
  "</scripty",
  "<p ",
  "<li>",
  "</td>",
  "<",
  ">",
  "&#x41;",
  "&amp;",
];

export const page: FuzzTarget = {
  name: "page",
  tokens: HTML,
  inputs: fc
    .array(fc.oneof(fc.constantFrom(...HTML), fc.string()), { maxLength: 20 })
    .map((all) => all.join("")),
  check(input) {
    const html = toText(input);
    const text = toPlainText(html);
    must(text.length <= html.length * 2 + 1, "a text that is longer than its page");
    must(!/\n{3}/.test(text) && text === text.trim(), "a text with empty lines");
    must(
      !toPlainText(`a<script>${html.replaceAll("<", "")}</script>b`).includes("script"),
      "a script that is shown",
    );
  },
};

export const embeddings: FuzzTarget = {
  name: "embeddings",
  tokens: ['{"data":[', '{"embedding":[', "1e308", "-0", "null", '"index":', "1,", "]}"],
  inputs: fc
    .array(
      fc.record({
        index: fc.integer({ min: -1, max: 3 }),
        embedding: fc.array(fc.double(), { maxLength: 4 }),
      }),
    )
    .map((data) => JSON.stringify({ data })),
  async check(input) {
    const fetch = async () => new Response(new Uint8Array(input));
    const encoder = createEndpointEncoder({ id: "x", baseUrl: "http://127.0.0.1/v1", model: "m", fetch });
    const vectors = await encoder.encode(["a", "b"], new AbortController().signal);
    must(vectors.length === 2, "not a vector for each text");
    for (const vector of vectors) {
      const length = Math.hypot(...vector);
      must(Math.abs(length - 1) < 1e-3, `a vector of length ${length}`);
    }
  },
};
