import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Run } from "../../perform/run.ts";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import type { Exchange, Message } from "../../worker/types.ts";
import { findChanges } from "./client-changes.ts";
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

describe("what the client has changed of a run", () => {
  const RUN_ID = "r_a";
  const question: Message = { role: "user", content: "Read." };
  const toRun = (turns: number): Run => {
    const exchanges = Array.from(
      { length: turns },
      (_, turn): Exchange => ({
        reply: { text: `Turn ${turn}`, toolCalls: [{ id: `c${turn}`, name: "f", input: "{}" }] },
        results: [{ toolCallId: `c${turn}`, content: `result ${turn}` }],
        said: turn % 3 === 2 ? "Go on." : undefined,
      }),
    );
    return { id: RUN_ID, task: { messages: [question] }, steps: [{ exchanges }] } as unknown as Run;
  };
  const toMessages = (turns: number): Message[] => [
    question,
    ...Array.from({ length: turns }, (_, turn): Message[] => {
      const id = toToolCallId(RUN_ID, turn, 0);
      return [
        { role: "assistant", content: `Turn ${turn}`, toolCalls: [{ id, name: "f", input: "{}" }] },
        { role: "tool", toolCallId: id, toolName: "f", content: `result ${turn}` },
        ...(turn % 3 === 2 ? [{ role: "user" as const, content: "Go on." }] : []),
      ];
    }).flat(),
  ];

  it("is nothing where nothing was, and the same whether the conversation was seen before or not", () => {
    const messages = toMessages(40);
    expect(findChanges(messages, toRun(40))).toEqual({ messages: undefined, exchanges: undefined });
    const edit = fc.record({
      at: fc.nat(99),
      kind: fc.constantFrom("edit", "remove", "repeat", "say", "cut", "grow"),
    });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
        const run = toRun(40);
        let sent = messages.slice(0, 60);
        for (const { at: place, kind } of edits) {
          const at = place % sent.length;
          const before = sent[at]!;
          if (kind === "edit") sent = sent.with(at, { ...before, content: `edited ${at}` } as Message);
          if (kind === "remove") sent = sent.toSpliced(at, 1);
          if (kind === "repeat") sent = sent.toSpliced(at, 0, before);
          if (kind === "say") sent = sent.toSpliced(at, 0, { role: "user", content: "And?" });
          if (kind === "cut") sent = sent.slice(0, Math.max(1, at));
          if (kind === "grow") sent = [...sent, ...messages.slice(sent.length, sent.length + 3)];
          if (sent.length === 0) return;
          expect(findChanges(sent, run)).toEqual(findChanges(structuredClone(sent), run));
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
