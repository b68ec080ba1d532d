import { expect, test } from "vitest";
import { withoutUsageEvent } from "./hide-usage.ts";

const sse = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const hide = (text: string) => withoutUsageEvent(Buffer.from(text)).toString();

test("the event that says what a stream took goes, all others stay as they are", () => {
  const words = sse({
    choices: [{ delta: { content: 'She said "usage": {}, "choices": []' } }],
    usage: null,
  });
  const usage = sse({ choices: [], usage: { prompt_tokens: 1 } });
  const filtered = sse({ choices: [], prompt_filter_results: [] });
  const last = sse({ choices: [{ delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 1 } });
  const done = "data: [DONE]\n\n";
  expect(hide(filtered + words + last + usage + done)).toBe(`${filtered}${words}${last}\n${done}`);
  expect(hide(words)).toBe(words);
});
