import { expect, it } from "vitest";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import type { Message } from "../../worker/types.ts";
import { findToolTail, toToolCallId } from "./turns.ts";

it("results of tools are found at the end of a conversation, with what was said after them, in order", () => {
  const results: Message[] = [0, 1].map((index) => ({
    ...{ role: "tool", toolCallId: toToolCallId("r_a", 2, index), toolName: "f", content: `result ${index}` },
  }));
  const said: Message[] = ["one", "two", "three"].map((content) => ({ role: "user", content }));
  expect(findToolTail([{ role: "user", content: "before" }, ...results, ...said])).toEqual({
    runId: "r_a",
    turn: 2,
    contents: new Map([
      [0, { content: "result 0" }],
      [1, { content: "result 1" }],
    ]),
    said: "one\n\ntwo\n\nthree",
  });
});

it("is found in a time that grows with the conversation, not with its square", () => {
  const messages = Array.from({ length: 300_000 }, (): Message => ({ role: "user", content: "x" }));
  const cpuMs = startCpuClock();
  expect(findToolTail(messages)).toBeUndefined();
  // With a square it is half a minute.
  expect(cpuMs()).toBeLessThan(3_000);
});
